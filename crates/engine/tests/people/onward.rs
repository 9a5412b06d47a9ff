//! What follows an outcome at once: who goes on with it, and what requests learn of it.

use std::time::Duration;

use domain::{
    Code, Fault,
    decline::DeclineCode,
    id::{ConnectionId, CustomerId, PaymentId},
    payment::{Initiator, Payment, Resolution, Status},
};
use engine::{
    Abandon, Authorise, Cancel, Resolve, Response, SaveConnection, Scope, Target, Webhook,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::{
    cards::{VISA, person},
    flows::published,
    shop::{Shop, once, order},
};

const SECOND: Duration = Duration::from_secs(1);

/// A shop with a customer, whose engine runs no jobs.
fn shop(seed: u64) -> (Shop, CustomerId) {
    let shop = Shop::open(seed);
    let customer = shop
        .create_customer_by(&shop.server, person("Zebedee"))
        .unwrap();
    shop.add(customer, VISA);
    (shop, customer)
}

/// Publishes a flow that authorises at a connection with these settings and goes on with `steps`.
fn flow(shop: &Shop, id: &str, settings: &Value, steps: &str) {
    let connection = SaveConnection {
        id: ConnectionId::parse(id),
        processor: "approves".to_owned(),
        name: id.to_owned(),
        settings: settings.clone(),
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, connection))
        .unwrap();
    let start = format!("name: {id}\ntrigger: payment\nsteps:\n");
    published(
        shop,
        id,
        &format!("{start}- authorise:\n    connection: {id}\n{steps}"),
    );
}

fn by(flow: &str, customer: CustomerId) -> Authorise {
    Authorise {
        target: Target::Flow(Some(flow.to_owned())),
        ..order(customer)
    }
}

fn pay(shop: &Shop, command: Authorise, key: Option<&str>) -> Response<Payment> {
    let once = key.and_then(|key| once(Scope::Authorise, key, &json!(1)));
    let reported = shop.run(shop.engine.authorise(&shop.server, once, Ok(command)));
    Response {
        result: reported.result.map(|view| view.payment),
        replayed: reported.replayed,
    }
}

fn now(shop: &Shop, id: PaymentId) -> Payment {
    shop.run(store::payment::of_team(&shop.store, shop.team, id))
        .unwrap()
        .unwrap()
}

fn only(shop: &Shop, customer: CustomerId) -> PaymentId {
    let all = shop
        .run(store::payment::of_customer(
            &shop.store,
            shop.team,
            customer,
            None,
            2,
        ))
        .unwrap();
    assert_eq!(all.len(), 1);
    all[0].id()
}

#[test]
fn a_flow_that_an_outcome_starts_hides_no_capture_from_the_request() {
    let (shop, customer) = shop(1);
    published(
        &shop,
        "note",
        "name: Note\ntrigger:\n  outcome: [authorised]\nsteps:\n- note: here\n",
    );
    flow(
        &shop,
        "on",
        &json!({}),
        "- note: it is authorised\n- capture: now\n",
    );
    for key in [None, Some("key")] {
        let reported = pay(&shop, by("on", customer), key).result.unwrap();
        assert_eq!(
            (reported.status(), reported.triggered().len()),
            (Status::Succeeded, 1),
            "{key:?}"
        );
    }
    let again = pay(&shop, by("on", customer), Some("key"));
    assert!(again.replayed);
    assert_eq!(again.result.unwrap().status(), Status::Succeeded);
}

#[test]
fn a_request_whose_flow_can_not_go_on_in_time_gets_the_payment() {
    let (shop, customer) = shop(2);
    flow(
        &shop,
        "on",
        &json!({}),
        "- call_webhook:\n    url: https://silent.example/\n- capture: now\n",
    );
    let mut stories: Vec<BoxFuture<'static, Option<Result<Status, Fault>>>> = Vec::new();
    for n in 0..25 {
        let (engine, server) = (shop.engine.clone(), shop.server.clone());
        let once = once(Scope::Authorise, &format!("key-{n}"), &json!(1));
        stories.push(Box::pin(async move {
            let reported = engine
                .authorise(&server, once, Ok(by("on", customer)))
                .await
                .result;
            Some(reported.map(|view| view.payment.status()))
        }));
    }
    let (world, store) = (shop.world.clone(), shop.store.clone());
    stories.push(Box::pin(async move {
        world.sleep(2 * SECOND).await;
        let due = "select count(*) from payment where due_at <= $1";
        let due = store
            .read(due, vec![world.now().micros().into()])
            .await
            .unwrap();
        assert_eq!(
            due[0].int(0).unwrap(),
            1,
            "that for which there was no room is left to a job"
        );
        None
    }));
    let reported: Vec<_> = shop.at_once(stories).into_iter().flatten().collect();
    assert_eq!(reported.len(), 25);
    for reported in reported {
        assert_eq!(reported.unwrap(), Status::Authorised);
    }
    for n in 0..25 {
        let again = pay(&shop, by("on", customer), Some(&format!("key-{n}")));
        assert!(again.replayed);
        assert_eq!(
            again.result.unwrap().status(),
            Status::Authorised,
            "what was answered is answered again"
        );
    }
}

#[test]
fn a_request_whose_flow_has_not_begun_to_charge_in_time_gets_no_outcome_for_good() {
    let (shop, customer) = shop(12);
    let connection = SaveConnection {
        id: ConnectionId::parse("on"),
        processor: "approves".to_owned(),
        name: "on".to_owned(),
        settings: json!({}),
        credentials: None,
        imports: None,
        skips_probe: false,
    };
    shop.run(shop.engine.save_connection(&shop.server, connection))
        .unwrap();
    let steps = "- call_webhook:\n    url: https://silent.example/\n".repeat(3);
    published(
        &shop,
        "on",
        &format!(
            "name: on\ntrigger: payment\nsteps:\n{steps}- authorise:\n    connection: on\n- capture: now\n"
        ),
    );
    let reported = pay(&shop, by("on", customer), Some("key")).result.unwrap();
    assert_eq!(reported.status(), Status::NoAnswerFromPsp);
    // Its key still waits for an outcome, which the task that goes on with the payment gives; until then it gives the same.
    assert!(now(&shop, reported.id()).owed_answer().is_some());
    let again = pay(&shop, by("on", customer), Some("key"));
    assert!(again.replayed);
    assert_eq!(again.result.unwrap().status(), Status::NoAnswerFromPsp);
}

#[test]
fn what_a_person_settles_goes_on_at_once() {
    for (seed, outcome, status) in [
        (3, Resolution::Authorised, Status::Succeeded),
        (4, Resolution::NotCharged, Status::Failed),
    ] {
        let (shop, customer) = shop(seed);
        flow(&shop, "on", &json!({"silent": 1}), "- capture: now\n");
        let reported = pay(&shop, by("on", customer), Some("key")).result.unwrap();
        assert_eq!(reported.status(), Status::NoAnswerFromPsp);
        let resolve = Resolve {
            id: reported.id(),
            outcome,
            evidence: "a telephone call".to_owned(),
        };
        let settled = shop
            .run(shop.engine.resolve(&shop.server, resolve))
            .unwrap();
        assert_eq!(settled.payment.status(), status);
        assert_eq!(
            pay(&shop, by("on", customer), Some("key"))
                .result
                .unwrap()
                .status(),
            status
        );
    }
}

#[test]
fn a_refused_cancellation_holds_up_no_capture() {
    let (shop, customer) = shop(5);
    flow(
        &shop,
        "on",
        &json!({"refuses_cancel": 1, "takes": 1500}),
        "- capture:\n    after: 1s\n",
    );
    let paid = pay(&shop, by("on", customer), None).result.unwrap();
    assert_eq!(paid.status(), Status::Authorised);
    let cancel = Cancel {
        id: paid.id(),
        reason: None,
    };
    let refused = shop
        .run(shop.engine.cancel(&shop.server, None, Ok(cancel)))
        .result
        .unwrap_err();
    assert_eq!(refused.code, Code::CancelProcessor);
    shop.pass(SECOND);
    assert_eq!(now(&shop, paid.id()).status(), Status::Succeeded);
}

#[test]
fn a_flow_of_many_steps_is_not_held_up_between_them() {
    let (shop, customer) = shop(6);
    shop.engine.start();
    let call = "- call_webhook:\n    url: https://shop.example/\n";
    flow(
        &shop,
        "on",
        &json!({}),
        &format!("- delay: 1s\n{}- capture: now\n", call.repeat(6)),
    );
    let paid = pay(&shop, by("on", customer), None).result.unwrap();
    // Jobs look for work every ten seconds: four steps are done the first time, the others the second time.
    shop.pass(25 * SECOND);
    assert_eq!(now(&shop, paid.id()).status(), Status::Succeeded);
}

#[test]
fn a_webhook_that_lets_a_started_flow_capture_captures_at_once() {
    let (shop, customer) = shop(7);
    shop.engine.start();
    let waits =
        "name: Ship\ntrigger:\n  outcome: [authorised]\nsteps:\n- capture:\n    webhook: shipped\n";
    published(&shop, "ship", waits);
    flow(&shop, "on", &json!({}), "- capture: api\n");
    let paid = pay(&shop, by("on", customer), None).result.unwrap();
    shop.pass(15 * SECOND);
    let shipped = Webhook::of(
        "shipped".to_owned(),
        json!({"payment": paid.id().to_string()}),
    )
    .unwrap();
    assert_eq!(
        shop.run(shop.engine.receive_webhook(&shop.server, shipped))
            .unwrap()
            .resumed,
        1
    );
    shop.pass(SECOND / 10);
    assert_eq!(now(&shop, paid.id()).status(), Status::Succeeded);
}

#[test]
fn where_nobody_is_present_a_demand_for_3d_secure_is_reported_as_a_decline() {
    let (shop, customer) = shop(8);
    flow(&shop, "on", &json!({"asks": 1}), "- capture: now\n");
    let command = || Authorise {
        initiator: Initiator::Merchant,
        ..by("on", customer)
    };
    for key in [None, Some("key"), Some("key")] {
        let reported = pay(&shop, command(), key).result.unwrap();
        let declined = reported.decline().map(|decline| decline.code);
        assert_eq!(
            (reported.status(), declined),
            (Status::Declined, Some(DeclineCode::AuthorizationRequired)),
            "{key:?}"
        );
    }
    let present = pay(&shop, by("on", customer), Some("other"))
        .result
        .unwrap_err();
    assert_eq!(present.code, Code::Requires3dSecure);
}

#[test]
fn a_payment_that_is_given_up_while_a_webhook_is_called_is_reported_to_its_request() {
    let (shop, customer) = shop(9);
    let connection = "- authorise:\n    connection: approves-a\n- capture: now\n";
    let start =
        "name: On\ntrigger: payment\nsteps:\n- call_webhook:\n    url: https://silent.example/\n";
    published(&shop, "on", &format!("{start}{connection}"));
    let (engine, server) = (shop.engine.clone(), shop.server.clone());
    let (other, caller, store) = (engine.clone(), server.clone(), shop.store.clone());
    let (team, world) = (shop.team, shop.world.clone());
    let reported = shop.at_once::<Result<Status, Fault>>(vec![
        Box::pin(async move {
            let once = once(Scope::Authorise, "key", &json!(1));
            engine
                .authorise(&server, once, Ok(by("on", customer)))
                .await
                .result
                .map(|view| view.payment.status())
        }),
        Box::pin(async move {
            world.sleep(SECOND).await;
            let made = store::payment::of_customer(&store, team, customer, None, 1)
                .await
                .unwrap();
            other
                .abandon(&caller, Abandon { id: made[0].id() })
                .await
                .map(|view| view.payment.status())
        }),
    ]);
    assert_eq!(reported, [Ok(Status::Declined), Ok(Status::Declined)]);
    assert_eq!(
        pay(&shop, by("on", customer), Some("key"))
            .result
            .unwrap()
            .status(),
        Status::Declined
    );
}

#[test]
fn giving_up_alongside_the_customers_return_tells_how_it_ended() {
    let mut ends = std::collections::BTreeSet::new();
    for after in (0..2000).step_by(100) {
        let (shop, customer) = shop(10 + after);
        flow(
            &shop,
            "on",
            &json!({"asks": 1, "takes": 300}),
            "- capture: now\n",
        );
        assert_eq!(
            pay(&shop, by("on", customer), None)
                .result
                .unwrap_err()
                .code,
            Code::Requires3dSecure
        );
        let (id, token) = (only(&shop, customer), shop.challenge.passed());
        let (engine, other, server, world) = (
            shop.engine.clone(),
            shop.another_node(),
            shop.server.clone(),
            shop.world.clone(),
        );
        let reported = shop.at_once::<Option<Result<Status, Fault>>>(vec![
            Box::pin(async move {
                engine.returned(&token, Vec::new(), None).await;
                None
            }),
            Box::pin(async move {
                world.sleep(Duration::from_millis(after)).await;
                let reported = other.abandon(&server, Abandon { id }).await;
                Some(reported.map(|view| view.payment.status()))
            }),
        ]);
        let reported = reported.into_iter().flatten().next().unwrap();
        let end = now(&shop, id).status();
        match reported {
            Ok(status) => assert_eq!(status, end, "after {after} ms"),
            Err(fault) => {
                assert_eq!(
                    (fault.code, fault.status),
                    (Code::AbandonStatus, Some(end.text().to_owned())),
                    "after {after} ms"
                );
            }
        }
        assert!(
            matches!(end, Status::Succeeded | Status::Declined),
            "after {after} ms: {end}"
        );
        ends.insert(end.text());
    }
    assert_eq!(ends.len(), 2, "{ends:?}");
}

#[test]
fn of_two_who_give_up_a_payment_both_learn_that_it_has_ended() {
    let (shop, customer) = shop(40);
    flow(
        &shop,
        "on",
        &json!({"asks": 1, "takes": 300}),
        "- capture: now\n",
    );
    assert_eq!(
        pay(&shop, by("on", customer), None)
            .result
            .unwrap_err()
            .code,
        Code::Requires3dSecure
    );
    let id = only(&shop, customer);
    let give_up = |engine: engine::Engine, after: u64| -> BoxFuture<'static, Status> {
        let (server, world) = (shop.server.clone(), shop.world.clone());
        Box::pin(async move {
            world.sleep(Duration::from_millis(after)).await;
            engine
                .abandon(&server, Abandon { id })
                .await
                .unwrap()
                .payment
                .status()
        })
    };
    let reported = shop.at_once(vec![
        give_up(shop.engine.clone(), 0),
        give_up(shop.another_node(), 100),
    ]);
    assert_eq!(reported, [Status::Declined; 2]);
}

#[test]
fn a_clock_that_jumps_during_a_call_proves_nothing() {
    let (shop, customer) = shop(11);
    flow(&shop, "on", &json!({"takes": 1500}), "- capture: now\n");
    let (engine, server) = (shop.engine.clone(), shop.server.clone());
    shop.world.spawn(async move {
        drop(
            engine
                .authorise(&server, None, Ok(by("on", customer)))
                .await,
        );
    });
    shop.pass(SECOND);
    let id = only(&shop, customer);
    shop.sim.jump(60_000_000);
    let read = shop.run(shop.engine.payment(&shop.server, id)).unwrap();
    assert_eq!(
        read.payment.status(),
        Status::Active,
        "the processor knows nothing of it yet"
    );
    shop.pass(SECOND);
    assert_eq!(now(&shop, id).status(), Status::Succeeded);
}
