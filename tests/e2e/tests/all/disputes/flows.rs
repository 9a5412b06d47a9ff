//! Flows that disputes start.

use serde_json::{Value, json};
use testkit::{PATIENCE, Receiver, Setup, Shop, cards, http::Request, until};

use super::{in_status, move_on, open, paid};
use crate::shared;

/// Publishes a flow.
fn publish(shop: &Shop, id: &str, document: &Value) {
    let query = "mutation($id: ID!, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }";
    let saved = shop.gql(query, json!({ "id": id, "document": document }));
    let query =
        "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { id } }";
    let version = &saved.root()["version"];
    shop.gql(query, json!({ "id": id, "version": version }))
        .root();
}

#[test]
fn flows_begin_with_moments_of_a_dispute_and_know_it() {
    let shop = shared::server().other_team();
    let document = json!({"name": "On disputes", "trigger": {"dispute": ["created", "won"]}, "steps": [
        {"if": "dispute.reason == \"CUSTOMER_DISPUTES\" && dispute.amount == 300", "then": [{"note": "Goods, 3 euros"}],
         "else": [{"note": "Something else"}]}]});
    publish(&shop, "on-disputes", &document);
    let payment = paid(&shop, cards::VISA).id();
    let source = open(
        &shop,
        &payment,
        json!({"amount": 300, "reason": "CUSTOMER_DISPUTES"}),
    );
    let notes = |count: usize| {
        until(PATIENCE, "the flow's note", || {
            let lines = shop.payment(&payment).lines();
            let notes = lines.iter().filter(|line| line.contains("Goods, 3 euros"));
            (notes.count() >= count).then_some(())
        });
    };
    notes(1);
    move_on(&shop, &source, json!({"status": "UNDER_REVIEW"}));
    in_status(&shop, &payment, Some(&source), "UNDER_REVIEW");
    move_on(&shop, &source, json!({"status": "WON"}));
    notes(2);
    let lines = shop.payment(&payment).lines();
    let started = lines
        .iter()
        .filter(|line| line.contains("A flow was started"));
    assert_eq!(started.count(), 2, "{lines:?}");
}

#[test]
fn flows_of_disputes_go_on_and_begin_after_a_restart() {
    let mut server = Setup::new().start();
    let document = json!({"name": "On disputes", "trigger": {"dispute": ["created"]}, "steps": [
        {"await_webhook": {"name": "go", "within": "1d"}},
        {"if": "dispute.amount == 300 && dispute.status == \"WON\"", "then": [{"note": "Three euros, won"}]}]});
    publish(&server.shop(), "on-disputes", &document);
    let payment = paid(&server.shop(), cards::VISA).id();
    let started = |shop: &Shop, count: usize| {
        until(PATIENCE, "the flow waits", || {
            let titles = shop.payment(&payment).titles();
            let waiting = titles
                .iter()
                .filter(|title| *title == "Waiting for a webhook");
            (waiting.count() >= count).then_some(())
        });
    };
    let source = open(&server.shop(), &payment, json!({"amount": 300}));
    started(&server.shop(), 1);
    server.restart();
    let shop = server.shop();
    // What began before goes on, and knows the dispute as it is now.
    move_on(&shop, &source, json!({"status": "WON"}));
    in_status(&shop, &payment, Some(&source), "WON");
    let sent = Request::new("POST", "/api/webhooks/go")
        .header("Authorization", format!("Bearer {}", shop.credential()))
        .header("Content-Type", "application/json")
        .body(json!({ "payment": payment }).to_string())
        .send(shop.address());
    assert_eq!(sent.status, 202, "{}", sent.text());
    until(PATIENCE, "the note", || {
        let lines = shop.payment(&payment).lines();
        let noted = lines.iter().any(|line| line.contains("Three euros, won"));
        noted.then_some(())
    });
    // What is disputed from now on begins a run as before.
    open(&shop, &payment, json!({"amount": 200}));
    started(&shop, 2);
}

#[test]
fn the_webhook_that_a_dispute_s_flow_calls_names_the_dispute() {
    let server = Setup::new().start();
    let shop = server.shop();
    let receiver = Receiver::start();
    let document = json!({"name": "Tell", "trigger": {"dispute": ["created"]}, "steps": [
        {"call_webhook": {"url": receiver.url("/disputed")}}]});
    publish(&shop, "tell", &document);
    let payment = paid(&shop, cards::VISA).id();
    let source = open(&shop, &payment, json!({"amount": 300}));
    let dispute = in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
    let called = until(PATIENCE, "the call", || {
        receiver.arrived("/disputed").into_iter().next()
    });
    let body = called.json();
    assert_eq!(body["dispute"], dispute["id"], "{body}");
    assert_eq!(body["payment"], json!(payment));
}
