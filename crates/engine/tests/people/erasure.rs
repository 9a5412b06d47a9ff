//! Deleting customers: what goes, what stays, and what a crash can do.

use std::time::Duration;

use domain::{
    Code, caller::ClientGrant, customer::CustomerPatch, id::CustomerId, payment::Payment,
};
use engine::{Authorise, Instrument, Owner, Scope};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::{
    cards::{MASTERCARD, VISA, card, card_with_code, person, token},
    flows::published,
    shop::{Shop, once, order},
};

/// What a person is known by in these stories.
const PERSONAL: [&str; 6] = [
    "Zebedee",
    "zebedee@example.com",
    "Ada Byron",
    "London",
    "192.0.2.7",
    "likes-secrets",
];

/// Every text in the store in which something personal is left.
fn left(shop: &Shop) -> Vec<String> {
    let mut found = Vec::new();
    for (table, column) in [
        ("customer", "body"),
        ("payment", "body"),
        ("event", "data"),
        ("once", "coalesce(answer, '')"),
    ] {
        let rows = shop
            .run(
                shop.store
                    .read(format!("select {column} from {table}"), Vec::new()),
            )
            .unwrap();
        for row in rows {
            let text = row.text(0).unwrap();
            found.extend(
                PERSONAL
                    .iter()
                    .filter(|personal| text.contains(**personal))
                    .map(|p| format!("{table}: {p}")),
            );
        }
    }
    found
}

/// A customer with two methods and payments, all of it under idempotency keys.
fn zebedee(shop: &Shop, payments: usize) -> CustomerId {
    let arguments = json!({"n": 1});
    let command = engine::Tokenise {
        metadata: Some(json!({"note": "likes-secrets"})),
        ..token(card_with_code(VISA, "739"), Owner::New(person("Zebedee")))
    };
    let made = shop
        .tokenise(
            &shop.server,
            once(Scope::Tokenise, "first", &arguments),
            command,
        )
        .result
        .unwrap();
    let customer = made.customer.unwrap().id;
    let lonely = token(card(MASTERCARD), Owner::Nobody);
    let lonely = shop
        .tokenise(
            &shop.server,
            once(Scope::Tokenise, "second", &arguments),
            lonely,
        )
        .result
        .unwrap();
    shop.run(
        shop.engine
            .attach_method(&shop.server, lonely.method.token, customer),
    )
    .unwrap();
    for n in 0..payments {
        shop.pay(
            customer,
            once(Scope::Authorise, &format!("pay-{n}"), &arguments),
        )
        .result
        .unwrap();
    }
    customer
}

#[test]
fn what_a_request_was_answered_after_its_flow_had_gone_on_is_erased_too() {
    let start = "name: On\ntrigger: payment\nsteps:\n";
    let call = "- call_webhook:\n    url: https://shop.example/\n";
    let (pays, declines) = (
        "- authorise:\n    connection: approves-a\n- note: here\n- capture: now\n",
        "- decline:\n    code: CUSTOM_RULE\n",
    );
    for (seed, steps) in (21..).zip([
        pays,
        declines,
        &format!("{call}{declines}"),
        &format!("{call}{pays}"),
    ]) {
        let shop = Shop::open(seed);
        published(&shop, "on", &format!("{start}{steps}"));
        let customer = zebedee(&shop, 0);
        let command = Authorise {
            target: engine::Target::Flow(Some("on".to_owned())),
            ..order(customer)
        };
        let reported = shop.run(shop.engine.authorise(
            &shop.server,
            once(Scope::Authorise, "pay", &json!(1)),
            Ok(command),
        ));
        assert!(
            reported
                .result
                .unwrap()
                .payment
                .customer()
                .unwrap()
                .name
                .is_some()
        );
        shop.run(shop.engine.delete_customer(&shop.server, customer))
            .unwrap();
        assert_eq!(left(&shop), [""; 0], "{steps}");
    }
}

fn payments_of(shop: &Shop, customer: CustomerId) -> Vec<Payment> {
    shop.run(store::payment::of_customer(
        &shop.store,
        shop.team,
        customer,
        None,
        1000,
    ))
    .unwrap()
}

#[test]
fn a_deleted_customer_is_gone_with_its_methods_and_its_payments_keep_the_id_alone() {
    let shop = Shop::open(1);
    let customer = zebedee(&shop, 3);
    let tokens = shop.tokens(customer);
    assert!(!left(&shop).is_empty(), "the story can fail");
    let before = payments_of(&shop, customer);

    shop.run(shop.engine.delete_customer(&shop.server, customer))
        .unwrap();

    assert_eq!(left(&shop), [""; 0]);
    assert_eq!(
        shop.run(shop.engine.customer(&shop.server, customer))
            .unwrap_err()
            .code,
        Code::CustomerNotFound
    );
    for token in &tokens {
        assert_eq!(
            shop.run(shop.engine.method(&shop.server, token.clone()))
                .unwrap_err()
                .code,
            Code::MethodNotFound
        );
        assert!(
            shop.run(shop.vault.open_cvc(&format!("{}/{token}", shop.team)))
                .unwrap()
                .is_none()
        );
    }
    assert_eq!(
        shop.pay(customer, None).result.unwrap_err().code,
        Code::CustomerNotFound
    );
    let again = shop.run(shop.engine.delete_customer(&shop.server, customer));
    assert_eq!(again.unwrap_err().code, Code::CustomerNotFound);
    let after = payments_of(&shop, customer);
    assert_eq!(after.len(), 3);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(
            (after.status(), after.captured(), after.version()),
            (before.status(), before.captured(), before.version() + 1)
        );
        assert_eq!(after.customer().unwrap().id, Some(customer));
        assert_eq!(after.method().masked, before.method().masked);
        let view = shop
            .run(shop.engine.payment(&shop.server, after.id()))
            .unwrap();
        let timeline = shop
            .run(shop.engine.with_timeline(view))
            .unwrap()
            .timeline
            .unwrap();
        assert_eq!(timeline.last().unwrap().title, "Personal data erased");
    }
    shop.engine.start();
    shop.pass(Duration::from_mins(3));
    assert_eq!(
        (shop.sealed(), shop.count("method"), shop.count("erasure")),
        (0, 0, 0)
    );
    let later = payments_of(&shop, customer);
    assert_eq!(
        later, after,
        "the job's second pass changes nothing that is erased already"
    );
}

#[test]
fn what_keys_tell_holds_no_person_and_is_still_reported() {
    let shop = Shop::open(2);
    let customer = zebedee(&shop, 1);
    let payment = payments_of(&shop, customer)[0].clone();
    let stranger = shop.create_customer("Somebody");
    shop.run(shop.engine.delete_customer(&shop.server, customer))
        .unwrap();
    let arguments = json!({"n": 1});
    let again = shop.tokenise(
        &shop.server,
        once(Scope::Tokenise, "first", &arguments),
        token(card(VISA), Owner::Nobody),
    );
    assert!(again.replayed);
    let view = again.result.unwrap();
    assert_eq!(
        (view.customer, view.method.customer, view.method.holder),
        (None, Some(customer), None)
    );
    let again = shop.pay(customer, once(Scope::Authorise, "pay-0", &arguments));
    assert!(again.replayed);
    let reported = again.result.unwrap();
    assert_eq!(
        (reported.id(), reported.status(), reported.version()),
        (payment.id(), payment.status(), payment.version())
    );
    assert_eq!(reported.method().holder, None);
    assert_eq!(
        shop.run(shop.engine.customer(&shop.server, stranger))
            .unwrap()
            .name,
        "Somebody",
        "others stay"
    );
}

#[test]
fn what_a_browsers_keys_tell_holds_no_person_either() {
    let shop = Shop::open(4);
    let browser = shop.client(ClientGrant::default());
    let arguments = json!({"n": 1});
    let key = || once(Scope::Tokenise, "browser", &arguments);
    let owner = Owner::New(person("Zebedee Quux"));
    let made = shop
        .tokenise(&browser, key(), token(card(VISA), owner))
        .result
        .unwrap();
    let customer = made.method.customer.unwrap();
    shop.run(shop.engine.delete_customer(&shop.server, customer))
        .unwrap();
    let rows = shop
        .run(shop.store.read("select answer from once", Vec::new()))
        .unwrap();
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].text(0).unwrap().contains("Zebedee"));
}

/// The deletion is cut off after every step in turn; a node that starts again brings it to its end.
#[test]
fn a_crash_at_any_step_leaves_a_customer_whole_or_erased_in_the_end() {
    let mut outcomes = [0, 0];
    for steps in 0.. {
        let shop = Shop::open(3);
        let customer = zebedee(&shop, 2);
        let (engine, server) = (shop.engine.clone(), shop.server.clone());
        let done = shop.run(async {
            let work = engine.delete_customer(&server, customer);
            let mut work = std::pin::pin!(work);
            for _ in 0..steps {
                if futures_util::poll!(&mut work).is_ready() {
                    return true;
                }
                // Lets the engine's own tasks run a step.
                shop.world.sleep(Duration::from_micros(1)).await;
            }
            false
        });
        shop.sim.crash();
        let node = shop.another_node();
        node.start();
        shop.pass(Duration::from_mins(3));
        let gone = shop.run(node.customer(&shop.server, customer)).is_err();
        outcomes[usize::from(gone)] += 1;
        if gone {
            assert_eq!(left(&shop), [""; 0], "after {steps} steps");
            assert_eq!(
                (shop.sealed(), shop.count("erasure")),
                (0, 0),
                "after {steps} steps"
            );
        } else {
            assert_eq!(shop.tokens(customer).len(), 2, "after {steps} steps");
            assert!(shop.default_of(customer).is_some());
        }
        if done {
            break;
        }
    }
    assert!(
        outcomes[0] > 0 && outcomes[1] > 1,
        "both outcomes were seen: {outcomes:?}"
    );
}

#[test]
fn a_payment_that_races_with_the_deletion_is_erased_too() {
    let mut late = 0;
    for seed in 0..40 {
        let shop = Shop::open(seed);
        let customer = zebedee(&shop, 0);
        let (engine, node, server) = (
            shop.engine.clone(),
            shop.another_node(),
            shop.server.clone(),
        );
        // A raw card is sealed between the reading of the customer and the payment's commit.
        let instrument = Some(Instrument::Card(Box::new(card(VISA))));
        let order = Authorise {
            instrument,
            ..order(customer)
        };
        let (payer, deleter) = ((engine, server.clone()), (node.clone(), server));
        let stories: Vec<BoxFuture<'static, bool>> = vec![
            Box::pin(async move {
                payer
                    .0
                    .authorise(&payer.1, None, Ok(order))
                    .await
                    .result
                    .is_ok()
            }),
            Box::pin(async move {
                deleter
                    .0
                    .delete_customer(&deleter.1, customer)
                    .await
                    .is_ok()
            }),
        ];
        let reported = shop.at_once(stories);
        assert!(reported[1]);
        late += usize::from(!left(&shop).is_empty());
        node.start();
        shop.pass(Duration::from_mins(3));
        assert_eq!(left(&shop), [""; 0], "seed {seed}");
        assert_eq!(payments_of(&shop, customer).len(), usize::from(reported[0]));
    }
    assert!(late > 0, "some payment was committed after the first pass");
}

#[test]
fn changes_that_race_with_the_deletion_bring_nobody_back() {
    for seed in 0..40 {
        let shop = Shop::open(seed);
        let customer = zebedee(&shop, 0);
        let node = shop.another_node();
        let patch = CustomerPatch {
            name: Some("Zebedee II".to_owned()),
            ..CustomerPatch::default()
        };
        let command = token(card(VISA), Owner::Existing(customer.to_string()));
        let once = once(Scope::Tokenise, "race", &json!(1));
        let callers = [(); 3].map(|()| (shop.another_node(), shop.server.clone()));
        let [changer, adder, deleter] = callers;
        let stories: Vec<BoxFuture<'static, bool>> = vec![
            Box::pin(async move {
                changer
                    .0
                    .update_customer(&changer.1, customer, patch)
                    .await
                    .is_ok()
            }),
            Box::pin(async move {
                adder
                    .0
                    .tokenise(&adder.1, once, Ok(command))
                    .await
                    .result
                    .is_ok()
            }),
            Box::pin(async move {
                deleter
                    .0
                    .delete_customer(&deleter.1, customer)
                    .await
                    .is_ok()
            }),
        ];
        assert!(shop.at_once(stories)[2]);
        node.start();
        shop.pass(Duration::from_mins(3));
        assert_eq!(left(&shop), [""; 0], "seed {seed}");
        assert_eq!(
            (shop.count("customer"), shop.count("method")),
            (0, 0),
            "seed {seed}"
        );
        // The number of a card that lost the race may be left to the job for orphans.
        assert!(shop.sealed() <= 1, "seed {seed}");
    }
}
