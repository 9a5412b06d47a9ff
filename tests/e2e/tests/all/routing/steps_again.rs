//! Refunds and cancellations of flows that do not get through at first.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Order, Payment, Setup, Shop, cards};

/// How long the processor can't be reached.
const OUTAGE: Duration = Duration::from_secs(5);

/// A server whose steps that fail are tried again soon.
fn server() -> testkit::Server {
    Setup::new()
        .config("[recovery]\nschedule = [\"1s\", \"2s\", \"3s\", \"5s\", \"8s\", \"10s\"]\n")
        .setting("routing.rest_after", "1000")
        .start()
}

/// A payment by a flow of an authorisation, a pause and these steps; in the pause the processor becomes unreachable, for a while.
fn through_an_outage(shop: &Shop, name: &str, steps: &[Value]) -> Payment {
    shop.connection(name, json!({}));
    let first = [
        json!({"authorise": {"connection": name}}),
        json!({"delay": "1s"}),
    ];
    let all: Vec<&Value> = first.iter().chain(steps).collect();
    shop.publish(name, json!(all));
    let payment = shop.order(&Order::card(cards::VISA).flow(name));
    outage(shop, name);
    payment
}

fn outage(shop: &Shop, connection: &str) {
    shop.connection(connection, json!({"fault": "down"}));
    thread::sleep(OUTAGE);
    shop.connection(connection, json!({}));
}

#[test]
fn a_refund_of_the_payments_flow_is_made_once_the_processor_is_back() {
    let server = server();
    let shop = server.shop();
    shop.connection("back", json!({}));
    let steps = json!([
        {"authorise": {"connection": "back"}}, {"capture": "now"}, {"delay": "1s"}, {"refund": {"amount": "all"}},
    ]);
    shop.publish("back", steps);
    let payment = shop.order(&Order::card(cards::VISA).flow("back"));
    payment.assert_status("SUCCEEDED");
    outage(&shop, "back");
    let refunded = shop.wait_for_status(&payment.id(), "REFUNDED");
    refunded.assert_tells("A step of the flow is tried again");
    assert_eq!(refunded.number("/refundedAmount"), 1000);
    shop.assert_books_equal_payments();
}

#[test]
fn a_cancellation_of_the_payments_flow_is_made_once_the_processor_is_back() {
    let server = server();
    let shop = server.shop();
    let steps = [json!({"cancel": {"reason": "Trial"}})];
    let payment = through_an_outage(&shop, "trial", &steps);
    let cancelled = shop.wait_for_status(&payment.id(), "CANCELLED");
    cancelled.assert_tells("A step of the flow is tried again");
    shop.assert_books_equal_payments();
}

#[test]
fn a_refund_that_an_outcome_started_is_made_once_the_processor_is_back() {
    let server = server();
    let shop = server.shop();
    shop.connection("sold", json!({}));
    let steps = json!([{"authorise": {"connection": "sold"}}, {"capture": "now"}]);
    shop.publish("sold", steps);
    let document = json!({
        "name": "thanks", "trigger": {"outcome": ["succeeded"]},
        "steps": [{"delay": "1s"}, {"refund": {"amount": {"percent": 10}, "reason": "Thanks"}}],
    });
    let saved = shop.gql(
        "mutation($document: JSON!) { saveFlow(id: \"thanks\", document: $document) { version } }",
        json!({"document": document}),
    );
    shop.gql(
        "mutation($version: Int!) { publishFlow(id: \"thanks\", version: $version) { id } }",
        json!({"version": saved.root()["version"]}),
    )
    .root();
    let payment = shop.order(&Order::card(cards::VISA).flow("sold"));
    outage(&shop, "sold");
    let refunded = shop.wait_for_status(&payment.id(), "PARTIAL_REFUNDED");
    refunded.assert_tells("A step of the flow is tried again");
    assert_eq!(refunded.number("/refundedAmount"), 100);
    shop.assert_books_equal_payments();
}

#[test]
fn a_step_that_the_processor_refuses_is_given_up_and_said_so() {
    let server = server();
    let shop = server.shop();
    shop.connection("stubborn", json!({}));
    let steps =
        json!([{"authorise": {"connection": "stubborn"}}, {"cancel": {}}, {"note": "went on"}]);
    shop.publish("stubborn", steps);
    let payment = shop.order(&Order::card(cards::STUBBORN).flow("stubborn"));
    let kept = shop.wait_for_status(&payment.id(), "AUTHORISED");
    kept.assert_tells("A step of the flow was given up")
        .assert_tells("went on");
    assert!(!kept.tells("A step of the flow is tried again"));
}
