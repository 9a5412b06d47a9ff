//! Events for merchants.

mod addresses;
mod commands;
mod deliveries;
mod endpoints;
mod faults;
mod list;
mod poison;
mod verifying;

use serde_json::{Value, json};
use testkit::{Arrived, PATIENCE, Receiver, Setup, Shop, until};

/// A page of events behind a cursor.
fn page(shop: &Shop, after: Option<&str>, first: u32, kinds: &[&str]) -> Value {
    let query = "query($after: String, $first: Int, $kinds: [String!]) { \
        listEvents(after: $after, first: $first, kinds: $kinds) { pageInfo { hasNextPage endCursor } \
        edges { cursor node { id kind date sequence data payload } } } }";
    let given = json!({"after": after, "first": first, "kinds": kinds});
    shop.gql(query, given).root().clone()
}

/// All events behind a cursor until there are none, and the cursor behind them.
fn all(
    shop: &Shop,
    after: Option<&str>,
    first: u32,
    kinds: &[&str],
) -> (Vec<Value>, Option<String>) {
    let (mut found, mut cursor) = (Vec::new(), after.map(str::to_owned));
    loop {
        let page = page(shop, cursor.as_deref(), first, kinds);
        let edges = page["edges"].as_array().unwrap();
        assert!(edges.len() <= usize::try_from(first).unwrap());
        found.extend(edges.iter().map(|edge| edge["node"].clone()));
        if let Some(end) = page["pageInfo"]["endCursor"].as_str() {
            cursor = Some(end.to_owned());
        }
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            return (found, cursor);
        }
    }
}

/// Kinds and sequences of the events of a payment.
fn of_payment(events: &[Value], id: &str) -> Vec<(String, i64)> {
    let own = events
        .iter()
        .filter(|event| event["data"]["paymentId"] == json!(id));
    own.map(|event| {
        let kind = event["kind"].as_str().unwrap().to_owned();
        (kind, event["sequence"].as_i64().unwrap())
    })
    .collect()
}

/// A server whose retries come fast, and that gives an endpoint up only after far longer than a story takes.
fn retrying() -> Setup {
    let pauses = [["200ms"; 10].as_slice(), &["2s"; 40]].concat();
    Setup::new()
        .setting("webhooks.retry_schedule", &pauses.join(","))
        .setting("webhooks.timeout", "20s")
}

/// A server that gives an endpoint up within a second.
fn impatient() -> Setup {
    retrying().setting("webhooks.retry_schedule", "200ms,200ms,200ms,200ms")
}

/// An endpoint of a shop, with its secret.
struct Endpoint {
    id: String,
    secret: String,
}

const ENDPOINT: &str = "id url kinds enabled failingSince secret";

/// Makes an endpoint.
fn endpoint(shop: &Shop, url: &str, kinds: &[&str]) -> Endpoint {
    let query = format!(
        "mutation($url: String!, $kinds: [String!]) {{ saveWebhookEndpoint(url: $url, kinds: $kinds) {{ {ENDPOINT} }} }}"
    );
    let saved = shop.gql(&query, json!({"url": url, "kinds": kinds}));
    let text = |name: &str| saved.root()[name].as_str().unwrap().to_owned();
    Endpoint {
        id: text("id"),
        secret: text("secret"),
    }
}

/// An endpoint as it is listed.
fn listed(shop: &Shop, id: &str) -> Value {
    let query = format!("{{ listWebhookEndpoints {{ {ENDPOINT} }} }}");
    let all = shop.gql(&query, json!({}));
    let all = all.root().as_array().unwrap();
    all.iter()
        .find(|one| one["id"] == json!(id))
        .cloned()
        .unwrap_or_default()
}

/// An endpoint's deliveries, the newest first.
fn deliveries(shop: &Shop, id: &str, state: Option<&str>) -> Vec<Value> {
    let query = "query($id: ID!, $state: WebhookDeliveryState) { \
        listWebhookDeliveries(endpointId: $id, first: 100, state: $state) { edges { node { id eventId kind state nextAttempt attemptCount \
        attempts { date durationMs status answer error } } } } }";
    let page = shop.gql(query, json!({"id": id, "state": state}));
    let edges = page.root()["edges"].as_array().unwrap().clone();
    edges.into_iter().map(|edge| edge["node"].clone()).collect()
}

/// Kinds and sequences of what was taken of a payment, in the order in which it came.
fn taken_of(arrived: &[Arrived], payment: &str) -> Vec<(String, i64)> {
    let bodies = arrived.iter().map(Arrived::json);
    let own = bodies.filter(|body| body["data"]["paymentId"] == json!(payment));
    own.map(|body| {
        let kind = body["type"].as_str().unwrap().to_owned();
        (kind, body["sequence"].as_i64().unwrap())
    })
    .collect()
}

/// Waits until so many events of a payment were taken at a path.
#[track_caller]
fn await_taken(receiver: &Receiver, path: &str, payment: &str, count: usize) -> Vec<(String, i64)> {
    // Longer than the lease of a node that was killed.
    until(3 * PATIENCE, "the payment's events", || {
        let taken = taken_of(&receiver.taken(path), payment);
        (taken.len() >= count).then_some(taken)
    })
}
