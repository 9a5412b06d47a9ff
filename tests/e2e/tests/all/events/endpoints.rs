//! Endpoints: made, changed, rotated, disabled, enabled, removed.

use serde_json::json;
use testkit::{Answers, Order, PATIENCE, Receiver, cards, until};

use super::{await_taken, deliveries, endpoint, impatient, listed, retrying, taken_of};
use crate::shared;

const SAVE: &str = "mutation($id: ID, $url: String!, $kinds: [String!], $enabled: Boolean, $resume: WebhookResume) { \
    saveWebhookEndpoint(id: $id, url: $url, kinds: $kinds, enabled: $enabled, resume: $resume) { id kinds enabled secret } }";

#[test]
fn a_secret_is_shown_once_and_both_sign_after_it_was_replaced() {
    let (shop, receiver) = (shared::shop(), Receiver::start());
    let made = endpoint(&shop, &receiver.url("/a"), &["payment.*"]);
    assert!(made.secret.starts_with("whsec_"));
    assert_eq!(listed(&shop, &made.id)["secret"], json!(null));
    let first = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/a", &first, 3);
    let one = &receiver.arrived("/a")[0];
    assert_eq!(one.signatures_by(&made.secret), 1);
    assert_eq!(one.header("webhook-id"), one.json()["id"].as_str().unwrap());
    assert_eq!(one.header("content-type"), "application/json");
    let rotate = "mutation($id: ID!) { rotateWebhookSecret(id: $id) { id secret } }";
    let rotated = shop.gql(rotate, json!({"id": made.id}));
    let newer = rotated.root()["secret"].as_str().unwrap().to_owned();
    assert_ne!(newer, made.secret);
    let second = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/a", &second, 3);
    let last = receiver.arrived("/a").pop().unwrap();
    assert_eq!(last.signatures_by(&made.secret), 1);
    assert_eq!(last.signatures_by(&newer), 1);
    assert_eq!(last.header("webhook-signature").split(' ').count(), 2);
}

#[test]
fn an_endpoint_gets_its_kinds_alone_and_only_its_team_s_events() {
    let (shop, other, receiver) = (shared::shop(), shared::other_shop(), Receiver::start());
    endpoint(&shop, &receiver.url("/own"), &["payment.captured"]);
    endpoint(&other, &receiver.url("/other"), &[]);
    let own = shop.order(&Order::card(cards::VISA)).id();
    let foreign = other.order(&Order::card(cards::VISA)).id();
    assert_eq!(
        await_taken(&receiver, "/own", &own, 1),
        [("payment.captured".to_owned(), 3)]
    );
    await_taken(&receiver, "/other", &foreign, 3);
    assert!(taken_of(&receiver.arrived("/other"), &own).is_empty());
    assert!(taken_of(&receiver.arrived("/own"), &foreign).is_empty());
}

#[test]
fn one_that_was_disabled_goes_on_from_where_it_stopped_or_from_now() {
    let (shop, receiver) = (shared::shop(), Receiver::start());
    let (all, late) = (
        endpoint(&shop, &receiver.url("/all"), &["payment.captured"]),
        endpoint(&shop, &receiver.url("/late"), &["payment.captured"]),
    );
    let change = |id: &str, path: &str, enabled: bool, resume: Option<&str>| {
        let given =
            json!({"id": id, "url": receiver.url(path), "enabled": enabled, "resume": resume});
        shop.gql(SAVE, given)
    };
    for (one, path) in [(&all, "/all"), (&late, "/late")] {
        let saved = change(&one.id, path, false, None);
        assert_eq!(saved.root()["enabled"], json!(false));
        assert_eq!(saved.root()["kinds"], json!(["payment.captured"]));
        assert_eq!(saved.root()["secret"], json!(null));
        change(&one.id, path, true, None).assert_invalid("resume");
    }
    let missed = shop.order(&Order::card(cards::VISA)).id();
    // Until the feed shows it: "from now" means behind it.
    until(PATIENCE, "the event", || {
        let (events, _) = super::all(&shop, None, 100, &["payment.captured"]);
        (!super::of_payment(&events, &missed).is_empty()).then_some(())
    });
    change(&all.id, "/all", true, Some("WHERE_IT_STOPPED")).root();
    change(&late.id, "/late", true, Some("FROM_NOW")).root();
    let next = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/all", &missed, 1);
    await_taken(&receiver, "/late", &next, 1);
    assert!(taken_of(&receiver.arrived("/late"), &missed).is_empty());
}

#[test]
fn a_removed_endpoint_gets_nothing_more_and_mistakes_are_named() {
    let (shop, other, receiver) = (shared::shop(), shared::other_shop(), Receiver::start());
    let (gone, stays) = (
        endpoint(&shop, &receiver.url("/gone"), &["payment.created"]),
        endpoint(&shop, &receiver.url("/stays"), &["payment.created"]),
    );
    let delete = "mutation($id: ID!) { deleteWebhookEndpoint(id: $id) }";
    other
        .gql(delete, json!({"id": gone.id}))
        .assert_invalid("id");
    assert_eq!(
        *shop.gql(delete, json!({"id": gone.id})).root(),
        json!(true)
    );
    shop.gql(delete, json!({"id": gone.id}))
        .assert_invalid("id");
    let made = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/stays", &made, 1);
    // What other stories paid before the removal may have been sent.
    assert_eq!(taken_of(&receiver.arrived("/gone"), &made), []);
    for (given, field) in [
        (json!({"url": "ftp://a.example"}), "url"),
        (json!({"url": "https://user:word@a.example"}), "url"),
        (
            json!({"url": receiver.url("/x"), "kinds": ["payment.everything"]}),
            "kinds.0",
        ),
        (
            json!({"url": receiver.url("/x"), "id": stays.id.replace('-', "")}),
            "id",
        ),
    ] {
        shop.gql(SAVE, given).assert_invalid(field);
    }
}

#[test]
fn an_endpoint_that_takes_nothing_is_disabled_with_an_event_and_keeps_its_place() {
    let server = impatient().start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    receiver.judge(|arrived| match arrived.path.as_str() {
        "/dead" => Answers::With(503),
        _ => Answers::With(200),
    });
    let dead = endpoint(&shop, &receiver.url("/dead"), &["payment.*"]);
    endpoint(&shop, &receiver.url("/watch"), &["endpoint.*"]);
    let paid = shop.order(&Order::card(cards::VISA)).id();
    let event = until(PATIENCE, "the event of its end", || {
        receiver.taken("/watch").pop()
    });
    assert_eq!(event.json()["type"], json!("endpoint.disabled"));
    assert_eq!(event.json()["data"]["endpointId"], json!(dead.id));
    let seen = listed(&shop, &dead.id);
    assert_eq!(seen["enabled"], json!(false));
    assert!(seen["failingSince"].is_string());
    let later = shop.order(&Order::card(cards::VISA)).id();
    let waiting = deliveries(&shop, &dead.id, Some("PENDING"));
    // Those behind it wait without having been tried.
    let tried = waiting
        .iter()
        .filter_map(|one| one["attempts"].as_array()?.last());
    let statuses: Vec<&serde_json::Value> = tried.map(|attempt| &attempt["status"]).collect();
    assert!(statuses.contains(&&json!(503)));
    receiver.answer(Answers::With(200));
    let given = json!({"id": dead.id, "url": receiver.url("/dead"), "enabled": true, "resume": "WHERE_IT_STOPPED"});
    shop.gql(SAVE, given).root();
    for payment in [&paid, &later] {
        let taken = await_taken(&receiver, "/dead", payment, 3);
        assert_eq!(taken.iter().map(|one| one.1).collect::<Vec<_>>(), [1, 2, 3]);
    }
    assert_eq!(listed(&shop, &dead.id)["failingSince"], json!(null));
}

#[test]
fn endpoints_are_kept_by_commands_too() {
    let server = retrying().start();
    let receiver = Receiver::start();
    let made = server.run(&[
        "webhook",
        "save",
        "--url",
        &receiver.url("/hooks"),
        "--kind",
        "payment.*",
    ]);
    let secret = made.lines().last().unwrap().trim().to_owned();
    assert!(secret.starts_with("whsec_"), "{made}");
    let id = made.split_whitespace().next().unwrap().to_owned();
    assert!(
        server
            .run(&["webhook", "list"])
            .contains(&receiver.url("/hooks"))
    );
    assert!(
        server
            .run(&["webhook", "test", &id])
            .contains("answered 200")
    );
    assert_eq!(receiver.arrived("/hooks")[0].signatures_by(&secret), 1);
    assert!(server.run(&["webhook", "rotate", &id]).contains("whsec_"));
    server.run(&[
        "webhook",
        "save",
        "--id",
        &id,
        "--url",
        &receiver.url("/hooks"),
        "--enabled",
        "false",
    ]);
    assert!(server.run(&["webhook", "list"]).contains("disabled"));
    server.run(&["webhook", "delete", &id]);
    assert!(
        server
            .run(&["webhook", "list"])
            .contains("no webhook endpoints")
    );
}

#[test]
fn a_flow_s_call_to_an_endpoint_is_signed_and_listed() {
    let server = retrying().start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    let made = endpoint(&shop, &receiver.url("/calls"), &["endpoint.*"]);
    for (flow, path) in [("calling", "/calls"), ("unsaved", "/elsewhere")] {
        let steps = json!([{"authorise": {"connection": "simulator-a"}}, {"call_webhook": {"url": receiver.url(path)}}]);
        shop.publish(flow, steps);
        shop.order(&Order::card(cards::VISA).flow(flow));
    }
    let call = until(PATIENCE, "the call", || receiver.taken("/calls").pop());
    assert_eq!(call.signatures_by(&made.secret), 1);
    assert_eq!(call.header("webhook-id"), call.header("x-idempotency-key"));
    let listed = until(PATIENCE, "the call in the list", || {
        deliveries(&shop, &made.id, None).pop()
    });
    assert_eq!(
        (&listed["kind"], &listed["state"]),
        (&json!("flow.call"), &json!("DELIVERED"))
    );
    let other = until(PATIENCE, "the other call", || {
        receiver.taken("/elsewhere").pop()
    });
    // An address that nobody saved is an endpoint of its own by now.
    assert!(other.header("webhook-signature").starts_with("v1,"));
    assert_eq!(other.signatures_by(&made.secret), 0);
}
