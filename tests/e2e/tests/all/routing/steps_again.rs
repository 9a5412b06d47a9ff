//! Refunds and cancellations of flows that do not get through at first.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Payment, Setup, Shop, cards, until};

const TRIED_AGAIN: &str = "A step of the flow is tried again";

/// A server whose steps that fail are tried again soon.
fn server() -> testkit::Server {
    Setup::new()
        .config("[recovery]\nschedule = [\"1s\", \"2s\", \"3s\", \"5s\", \"8s\", \"10s\"]\n")
        .setting("routing.rest_after", "1000")
        .start()
}

/// The step before those that meet the outage: it waits until the processor is away.
fn gate() -> Value {
    json!({"approval": {"title": "Go on?"}})
}

/// Takes the processor away, opens the gate of this instance, and brings the processor back once a step has met the outage.
fn outage(shop: &Shop, connection: &str, payment: &Payment, instance: &str) {
    shop.connection(connection, json!({"fault": "down"}));
    let decide =
        "mutation($id: ID!) { decideApproval(instanceId: $id, approve: true, note: \"go\") }";
    until(PATIENCE, "the gate opens", || {
        let answer = shop.gql(decide, json!({"id": instance}));
        answer.errors().is_empty().then_some(())
    });
    until(PATIENCE, "a step has met the outage", || {
        shop.payment(&payment.id()).says(TRIED_AGAIN).then_some(())
    });
    shop.connection(connection, json!({}));
}

#[test]
fn a_refund_of_the_payments_flow_is_made_once_the_processor_is_back() {
    let server = server();
    let shop = server.shop();
    shop.connection("back", json!({}));
    let steps = json!([
        {"authorise": {"connection": "back"}}, {"capture": "now"}, gate(), {"refund": {"amount": "all"}},
    ]);
    shop.publish("back", steps);
    let payment = shop.order(&Order::card(cards::VISA).flow("back"));
    payment.assert_status("SUCCEEDED");
    outage(&shop, "back", &payment, payment.text("/flowInstanceId"));
    let refunded = shop.wait_for_status(&payment.id(), "REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 1000);
    shop.assert_books_equal_payments();
}

#[test]
fn a_cancellation_of_the_payments_flow_is_made_once_the_processor_is_back() {
    let server = server();
    let shop = server.shop();
    shop.connection("trial", json!({}));
    let steps = json!([
        {"authorise": {"connection": "trial"}}, gate(), {"cancel": {"reason": "Trial"}},
    ]);
    shop.publish("trial", steps);
    let payment = shop.order(&Order::card(cards::VISA).flow("trial"));
    outage(&shop, "trial", &payment, payment.text("/flowInstanceId"));
    shop.wait_for_status(&payment.id(), "CANCELLED");
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
        "steps": [gate(), {"refund": {"amount": {"percent": 10}, "reason": "Thanks"}}],
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
    let flows = payment.at("/paymentTimeline/flows");
    let instance = flows[1]["flowInstanceId"]
        .as_str()
        .unwrap_or_else(|| panic!("no second flow: {flows}"));
    outage(&shop, "sold", &payment, instance);
    let refunded = shop.wait_for_status(&payment.id(), "PARTIAL_REFUNDED");
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
    kept.assert_says("A step of the flow was given up")
        .assert_says("went on");
    assert!(!kept.says(TRIED_AGAIN));
}
