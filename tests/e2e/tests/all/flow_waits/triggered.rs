//! Flows that outcomes and inactive intents start.

use serde_json::{Value, json};
use testkit::{PATIENCE, Payment, Server, Setup, cards, until};

use super::{counts, decide, publish, webhook, webhooks::listening};

fn flows(payment: &Payment) -> Vec<Value> {
    payment
        .at("/paymentTimeline/flows")
        .as_array()
        .unwrap()
        .clone()
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
            {"delay": "6s"}, {"refund": {"amount": {"percent": 50}}}, {"note": "Half of it"},
        ]}),
    );
    let paid = server.shop().authorise(cards::VISA);
    paid.assert_status("SUCCEEDED");
    // Killed while it is being run, it would be found again when its lease ends.
    until(PATIENCE, "the flow waits", || {
        super::titles(&server.shop().payment(&paid.id()))
            .contains(&"Waiting".to_owned())
            .then_some(())
    });
    server.restart();
    let shop = server.shop();
    let refunded = shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 500);
    // What its own refund would start is due before the refund of a payment that is made now.
    let marker = shop.authorise(cards::VISA);
    shop.wait_for_status(&marker.id(), "PARTIAL_REFUNDED");
    let later = shop.payment(&paid.id());
    assert_eq!(
        later.number("/refundedAmount"),
        500,
        "its own refund does not start it again"
    );
    let flows = flows(&later);
    assert_eq!(flows.len(), 2, "{flows:?}");
    assert_eq!(
        (&flows[0]["flowId"], &flows[1]["flowId"]),
        (&json!("default"), &json!("half-back"))
    );
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
    let instance = flows(&payment)[1]["flowInstanceId"]
        .as_str()
        .unwrap()
        .to_owned();
    until(PATIENCE, "it waits", || {
        decide(&shop, &instance, true)
            .errors()
            .is_empty()
            .then_some(())
    });
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    decide(&shop, &instance, true).assert_error("error.flow.invalid-status");
}

#[test]
fn a_decline_starts_what_waits_for_declines_alone() {
    let server = server();
    let shop = server.shop();
    for (id, outcome) in [
        ("on-decline", "declined"),
        ("on-success", "succeeded"),
        ("on-cancel", "cancelled"),
    ] {
        publish(
            &shop,
            id,
            &json!({"name": id, "trigger": {"outcome": [outcome]}, "steps": [{"note": "Here"}]}),
        );
    }
    let declined = shop.authorise(cards::INSUFFICIENT_FUNDS);
    let noted = until(PATIENCE, "the note is there", || {
        Some(shop.payment(&declined.id()))
            .filter(|payment| super::titles(payment).contains(&"Note".to_owned()))
    });
    let ids: Vec<Value> = flows(&noted)
        .iter()
        .map(|flow| flow["flowId"].clone())
        .collect();
    assert_eq!(ids, [json!("default"), json!("on-decline")]);
}

#[test]
fn an_intent_that_became_inactive_starts_a_flow_that_waits_and_calls() {
    let (address, reported) = listening();
    let server = Setup::new()
        .setting("limits.intent_inactivity", "400ms")
        .start();
    publish(
        &server.shop(),
        "remind",
        &json!({"name": "Remind", "trigger": "intent_inactive", "steps": [
            {"if": "intent.amount >= 1000 && intent.currency == \"EUR\"", "then": [{"call_webhook": {"url": address}}]},
            {"approval": {"title": "Go on?"}}, {"await_webhook": {"name": "go"}}, {"call_webhook": {"url": address}},
        ]}),
    );
    let intent = server
        .shop()
        .start_intent(json!({"trackingId": "basket-7"}));
    let (key, said) = reported.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        (&said["trackingId"], &said["status"], &said["intent"]),
        (&json!("basket-7"), &json!("INACTIVE"), &intent["id"])
    );
    let instance = said["instance"].as_str().unwrap().to_owned();
    assert!(key.starts_with(&instance), "{key}");
    let (shop, other) = (server.shop(), server.other_team());
    decide(&other, &instance, true).assert_error("error.flow.not-found");
    until(PATIENCE, "it waits for the approval", || {
        decide(&shop, &instance, true)
            .errors()
            .is_empty()
            .then_some(())
    });
    decide(&shop, &instance, true).assert_error("error.flow.invalid-status");
    assert_eq!(
        webhook(&other, "go", &json!({"instance": instance})).status,
        404
    );
    until(PATIENCE, "it waits for the webhook", || {
        (counts(&webhook(&shop, "go", &json!({"instance": instance}))) == (1, 0)).then_some(())
    });
    let (again, _) = reported.recv_timeout(PATIENCE).unwrap();
    assert!(again.starts_with(&instance) && again != key, "{again}");
}
