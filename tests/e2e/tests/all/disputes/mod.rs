//! Disputes, from the simulator's cards and its desk.

mod evidence;
mod flows;
mod lists;
mod respond;
mod stages;

use serde_json::{Value, json};
use testkit::{
    Order, PATIENCE, Payment, Shop,
    http::{Reply, Request},
    until,
};

/// What stories read of a dispute.
const FIELDS: &str = "id paymentId connectionId sourceId sourceDisputeId disputeDate responseDate currency \
    amount { rawAmount currency formattedAmount } status processorStatus reason processorReason lifecycleStage \
    disputeTimeline { events { title time message } }";

/// Asks the sandbox's desk for something.
fn ask_desk(shop: &Shop, path: &str, wish: &Value) -> Reply {
    Request::new("POST", path)
        .header("Authorization", format!("Bearer {}", shop.credential()))
        .header("Content-Type", "application/json")
        .body(wish.to_string())
        .send(shop.address())
}

/// The simulator's id of the dispute that the desk opened or moved.
#[track_caller]
fn desk(shop: &Shop, path: &str, wish: &Value) -> String {
    let reply = ask_desk(shop, path, wish);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    answer["sourceDisputeId"].as_str().unwrap().to_owned()
}

/// Opens a dispute of a payment.
#[track_caller]
fn open(shop: &Shop, payment: &str, wish: Value) -> String {
    let mut wish = wish;
    wish["paymentId"] = json!(payment);
    desk(shop, "/sandbox/disputes", &wish)
}

/// Moves a dispute on.
#[track_caller]
fn move_on(shop: &Shop, source_id: &str, wish: Value) {
    desk(shop, &format!("/sandbox/disputes/{source_id}"), &wish);
}

/// A payment's disputes.
fn disputes_of(shop: &Shop, payment: &str) -> Vec<Value> {
    let query = format!("query($id: ID!) {{ getPayment(id: $id) {{ disputes {{ {FIELDS} }} }} }}");
    let answer = shop.gql(&query, json!({ "id": payment }));
    answer.root()["disputes"].as_array().unwrap().clone()
}

/// The payment's dispute of this source, once it has this status.
#[track_caller]
fn in_status(shop: &Shop, payment: &str, source_id: Option<&str>, status: &str) -> Value {
    until(PATIENCE, "the dispute's status", || {
        disputes_of(shop, payment).into_iter().find(|dispute| {
            let is_meant = source_id.is_none_or(|id| dispute["sourceDisputeId"] == json!(id));
            is_meant && dispute["status"] == json!(status)
        })
    })
}

/// A payment that is captured at once.
fn paid(shop: &Shop, number: &str) -> Payment {
    shop.order(&Order::card(number).amount(1000))
}

/// The kinds of all events whose data name this dispute, in order.
fn events_of(shop: &Shop, dispute: &str) -> Vec<String> {
    let query = "query($after: String) { listEvents(first: 100, after: $after) { \
        pageInfo { hasNextPage endCursor } edges { node { kind sequence data } } } }";
    let (mut kinds, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = shop.gql(query, json!({ "after": after })).root().clone();
        for edge in page["edges"].as_array().unwrap() {
            let node = &edge["node"];
            let kind = node["kind"].as_str().unwrap();
            if kind.starts_with("dispute.") && node["data"]["disputeId"] == json!(dispute) {
                assert_eq!(node["sequence"], json!(kinds.len() + 1));
                kinds.push(kind.to_owned());
            }
        }
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            return kinds;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}
