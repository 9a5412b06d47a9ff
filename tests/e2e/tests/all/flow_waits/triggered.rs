//! Flows that outcomes and inactive intents start.

use std::{thread, time::Duration};

use serde_json::{Value, json};
use testkit::{PATIENCE, Payment, Server, Setup, cards, until};

use super::{decide, publish};

fn flows(payment: &Payment) -> Vec<Value> {
    payment.at("/paymentTimeline/flows").as_array().unwrap().clone()
}

fn server() -> Server {
    Setup::new().start()
}

#[test]
fn a_refund_that_an_outcome_starts_happens_once_and_does_not_start_itself() {
    let mut server = server();
    publish(
        &server.shop(),
        "half-back",
        &json!({"name": "Half back", "trigger": {"outcome": ["succeeded", "refunded"]}, "steps": [
            {"delay": "2s"}, {"refund": {"amount": {"percent": 50}}}, {"note": "Half of it"},
        ]}),
    );
    let paid = server.shop().authorise(cards::VISA);
    paid.assert_status("SUCCEEDED");
    server.restart();
    let shop = server.shop();
    let refunded = shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 500);
    thread::sleep(Duration::from_secs(3));
    let later = shop.payment(&paid.id());
    assert_eq!(later.number("/refundedAmount"), 500, "its own refund does not start it again");
    let flows = flows(&later);
    assert_eq!(flows.len(), 2, "{flows:?}");
    assert_eq!((&flows[0]["flowId"], &flows[1]["flowId"]), (&json!("default"), &json!("half-back")));
    assert_eq!(flows[1]["id"], flows[1]["flowInstanceId"]);
    // Somebody else's refund does.
    shop.refund(&paid.id(), 100);
    let all = until(PATIENCE, "the flow refunds what is left", || {
        Some(shop.payment(&paid.id()))
            .filter(|payment| payment.number("/refundedAmount") > 600 || flows_of(payment) == 3)
    });
    assert_eq!(flows_of(&all), 3);
}

fn flows_of(payment: &Payment) -> usize {
    flows(payment).len()
}

#[test]
fn an_authorisation_starts_a_flow_that_waits_for_an_approval() {
    let server = server();
    let shop = server.shop();
    publish(
        &shop,
        "ask",
        &json!({"name": "Ask", "trigger": {"outcome": ["authorised"]}, "steps": [
            {"approval": {"title": "Capture it?"}}, {"capture": "now"},
        ]}),
    );
    let payment = shop.authorise_later(cards::VISA);
    payment.assert_status("AUTHORISED");
    let instance = flows(&payment)[1]["flowInstanceId"].as_str().unwrap().to_owned();
    until(PATIENCE, "it waits", || decide(&shop, &instance, true).errors().is_empty().then_some(()));
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    decide(&shop, &instance, true).assert_error("error.flow.invalid-status");
}

#[test]
fn a_decline_starts_what_waits_for_declines_alone() {
    let server = server();
    let shop = server.shop();
    for (id, outcome) in [("on-decline", "declined"), ("on-success", "succeeded"), ("on-cancel", "cancelled")] {
        publish(&shop, id, &json!({"name": id, "trigger": {"outcome": [outcome]}, "steps": [{"note": "Here"}]}));
    }
    let declined = shop.authorise(cards::INSUFFICIENT_FUNDS);
    let noted = until(PATIENCE, "the note is there", || {
        Some(shop.payment(&declined.id())).filter(|payment| super::titles(payment).contains(&"Note".to_owned()))
    });
    let ids: Vec<Value> = flows(&noted).iter().map(|flow| flow["flowId"].clone()).collect();
    assert_eq!(ids, [json!("default"), json!("on-decline")]);
}
