//! Flows that wait, and flows that something else than a payment starts.

mod approval;
mod signed;
mod triggered;
mod webhooks;

use serde_json::{Value, json};
use testkit::http::{Reply, Request};
use testkit::{Answer, Shop};

/// Saves and publishes a flow under an id of its own.
#[track_caller]
fn publish(shop: &Shop, id: &str, document: &Value) {
    let save = "mutation($id: ID, $document: JSON!) { saveFlow(id: $id, document: $document) { version } }";
    let version = shop
        .gql(save, json!({"id": id, "document": document}))
        .root()["version"]
        .clone();
    let publish = "mutation($id: ID!, $version: Int!) { publishFlow(id: $id, version: $version) { published } }";
    assert_eq!(
        shop.gql(publish, json!({"id": id, "version": version}))
            .root()["published"],
        true
    );
}

/// Decides for an instance that waits for an approval.
fn decide(shop: &Shop, instance: &str, approve: bool) -> Answer {
    let decide = "mutation($id: ID!, $approve: Boolean!) { decideApproval(instanceId: $id, approve: $approve, note: \"seen\") }";
    shop.gql(decide, json!({"id": instance, "approve": approve}))
}

/// Sends a webhook with the shop's credential.
fn webhook(shop: &Shop, name: &str, body: &Value) -> Reply {
    Request::new("POST", format!("/api/webhooks/{name}"))
        .header("Authorization", format!("Bearer {}", shop.credential()))
        .header("Content-Type", "application/json")
        .body(body.to_string())
        .send(shop.address())
}

/// What a webhook that was taken did.
#[track_caller]
fn counts(reply: &Reply) -> (i64, i64) {
    assert_eq!(reply.status, 202, "{}", reply.text());
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    (
        answer["resumed"].as_i64().unwrap(),
        answer["started"].as_i64().unwrap(),
    )
}

/// The titles of a payment's timeline.
fn titles(payment: &testkit::Payment) -> Vec<String> {
    let events = payment
        .at("/paymentTimeline/overview")
        .as_array()
        .unwrap()
        .clone();
    events
        .iter()
        .map(|event| event["title"].as_str().unwrap().to_owned())
        .collect()
}
