//! What processors send by themselves, signed by the story in the simulator's place.

mod backwards;
mod genuine;
mod imports;
mod kept;
mod refused;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{
    Order, PATIENCE, Shop, cards,
    http::{Reply, Request},
    until,
};

/// The path of a connection's address.
fn path(shop: &Shop, connection: &str) -> String {
    let all = shop.gql("{ listConnections { id notificationUrl } }", json!({}));
    let all = all.root().as_array().unwrap().clone();
    let one = all
        .iter()
        .find(|one| one["id"] == json!(connection))
        .unwrap();
    let url = one["notificationUrl"].as_str().unwrap();
    url[url.find("/notifications/").unwrap()..].to_owned()
}

/// The secret of a sandbox connection without one of its own. Source: docs/sandbox.md.
fn secret(path: &str) -> Vec<u8> {
    let token = path.rsplit('/').next().unwrap();
    let mut hash = Sha256::new();
    hash.update(b"pointsman simulator\0");
    hash.update(token.as_bytes());
    hash.finalize().to_vec()
}

fn signature(key: &[u8], id: &str, seconds: i64, body: &str) -> String {
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(key).unwrap();
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// A notification as it is sent.
#[derive(Clone)]
struct Post {
    path: String,
    id: String,
    seconds: i64,
    signature: String,
    body: String,
}

impl Post {
    /// Signed as the simulator signs.
    fn signed(path: &str, id: &str, body: &Value) -> Self {
        Self::saying(path, id, &body.to_string())
    }

    /// The same of any body.
    fn saying(path: &str, id: &str, body: &str) -> Self {
        let seconds = now();
        Self {
            path: path.to_owned(),
            id: id.to_owned(),
            seconds,
            signature: signature(&secret(path), id, seconds, body),
            body: body.to_owned(),
        }
    }

    fn send(&self, shop: &Shop) -> Reply {
        Request::new("POST", self.path.as_str())
            .header("Content-Type", "application/json")
            .header("webhook-id", self.id.as_str())
            .header("webhook-timestamp", self.seconds.to_string())
            .header("webhook-signature", self.signature.as_str())
            .body(self.body.as_bytes())
            .send(shop.address())
    }
}

/// The body of a report that a dispute was opened.
fn chargeback(reference: &str, id: &str) -> Value {
    let micros = now() * 1_000_000;
    json!({"id": "m", "type": "dispute.updated", "mode": "test", "reference": reference, "dispute": {
        "id": id, "status": "NEEDS_RESPONSE", "stage": "CHARGEBACK", "reason": "FRAUD",
        "money": {"minor": 1000, "currency": "EUR"}, "disputed_at": micros, "as_of": micros}})
}

/// What was stored of the notifications of a connection, the newest first.
fn stored(shop: &Shop, connection: &str) -> Vec<Value> {
    let query = "query($id: ID) { listNotifications(connectionId: $id, first: 100) { edges { node { \
        id connectionId date type status message paymentId } } } }";
    let answer = shop.gql(query, json!({ "id": connection }));
    let edges = answer.root()["edges"].as_array().unwrap();
    edges.iter().map(|edge| edge["node"].clone()).collect()
}

/// A payment at a connection of its own.
fn paid_at(shop: &Shop, connection: &str) -> String {
    let order = Order::card(cards::VISA).amount(1000).at(connection);
    let id = shop.try_headless(&order, None).root()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    shop.capture(&id);
    id
}

fn reference(payment: &str) -> String {
    format!("{}-1", payment.trim_start_matches("payments:"))
}

/// The notifications of a connection once none of them is to be applied any more.
fn settled(shop: &Shop, connection: &str, count: usize) -> Vec<Value> {
    until(PATIENCE, "the notifications", || {
        let all = stored(shop, connection);
        let is_open = |one: &Value| one["status"] == "RECEIVED";
        (all.len() >= count && !all.iter().any(is_open)).then_some(all)
    })
}

/// A payment whose call at the connection is under way, and the thread that waits for its answer.
fn paying(shop: &Shop, connection: &str) -> (String, std::thread::JoinHandle<Value>) {
    let order_id = Shop::fresh_key();
    let order = Order::card(cards::VISA)
        .amount(1000)
        .with("orderId", json!(order_id))
        .at(connection);
    let paying = {
        let shop = shop.clone();
        std::thread::spawn(move || shop.try_headless(&order, None).root()["id"].clone())
    };
    let id = until(PATIENCE, "the payment", || {
        let found = shop.gql(
            "query($data: PaymentFilterInput) { listPayments(data: $data) { edges { node { id } } } }",
            json!({"data": {"filter": {"orderId": {"value": order_id}}}}),
        );
        found.root()["edges"][0]["node"]["id"]
            .as_str()
            .map(str::to_owned)
    });
    (id, paying)
}

/// The body of news about an authorisation.
fn answer(reference: &str, answer: &Value) -> Value {
    json!({"id": "m", "type": "authorisation.updated", "mode": "test", "reference": reference, "answer": answer})
}
