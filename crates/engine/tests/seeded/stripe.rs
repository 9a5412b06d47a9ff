//! The whole engine with a connection to the simulated Stripe, under faults of every kind: at the end both have the same books.

use std::collections::BTreeMap;

use connector::Reference;
use domain::{caller::Caller, id::ConnectionId};
use engine::{Engine, SaveConnection};
use processors::{Played, Request, stripe::Stripe as Machine};
use serde_json::{Value, json};

use crate::{
    house::House,
    wire::{self, FAULTS, Sums},
};

/// What the simulator's cards play: approvals, declines, challenges, refunds that come late or fail, disputes.
const NUMBERS: [&str; 12] = [
    "4242424242424242",
    "4242424242424242",
    "5555555555554444",
    "4000000000000002",
    "4000000000009995",
    "4000000000000119",
    "4000002760003184",
    "4000008400001629",
    "4000000000007726",
    "4000000000005126",
    "4000000000000259",
    "4000000000001976",
];

const FLOWS: [(&str, &str, &str); 3] = [
    ("at-stripe", "{connection: stripe}", "now"),
    ("held-at-stripe", "{connection: stripe}", "api"),
    (
        "stripe-first",
        "{connection: stripe, fallback: {to: [simulator-b], after: [soft_decline, fault, outage]}}",
        "now",
    ),
];

const EVENTS: &str = "&enabled_events[0]=charge.succeeded&enabled_events[1]=charge.failed&enabled_events[2]=payment_intent.succeeded\
    &enabled_events[3]=payment_intent.payment_failed&enabled_events[4]=payment_intent.canceled\
    &enabled_events[5]=payment_intent.amount_capturable_updated&enabled_events[6]=refund.created\
    &enabled_events[7]=refund.updated&enabled_events[8]=refund.failed&enabled_events[9]=charge.dispute.created\
    &enabled_events[10]=charge.dispute.updated&enabled_events[11]=charge.dispute.closed";

/// Makes the connection and its flows.
pub(crate) async fn connect(engine: &Engine, caller: &Caller, stripe: &Played<Machine>) {
    let id = ConnectionId::parse("stripe").unwrap();
    let save = |secret: Option<&str>| {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let Some(secret) = secret {
            credentials["webhookSecret"] = json!(secret);
        }
        SaveConnection {
            id: Some(id.clone()),
            processor: "stripe".to_owned(),
            name: "Stripe".to_owned(),
            settings: json!({}),
            credentials: Some(credentials.to_string().into()),
            imports: None,
            skips_probe: false,
        }
    };
    let saved = engine.save_connection(caller, save(None)).await.unwrap();
    let address = saved.notification_url.unwrap();
    let made = ask(
        stripe,
        "/v1/webhook_endpoints",
        &format!("url=https://pay.example{address}{EVENTS}"),
    );
    let secret = made["secret"].as_str().unwrap();
    engine
        .save_connection(caller, save(Some(secret)))
        .await
        .unwrap();
    wire::publish(engine, caller, &FLOWS).await;
}

/// Asks the machine for something, as the account's owner.
pub(crate) fn ask(stripe: &Played<Machine>, path: &str, body: &str) -> Value {
    let headers = [
        ("authorization", "Bearer sk_test_1"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let request = Request {
        method: "POST".to_owned(),
        path: path.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        body: body.as_bytes().to_vec(),
        ..Request::default()
    };
    let reply = stripe.asked(&request);
    let said = String::from_utf8_lossy(&reply.body);
    assert!(reply.status < 400, "{path}: {said}");
    serde_json::from_slice(&reply.body)
        .unwrap_or_else(|_| json!({"location": reply.headers.get("location")}))
}

/// What Stripe has taken of each payment and given back.
pub(crate) fn at_stripe(stripe: &Played<Machine>) -> BTreeMap<String, Sums> {
    let request = Request {
        method: "GET".to_owned(),
        path: "/_sim/books".to_owned(),
        ..Request::default()
    };
    let books: Value = serde_json::from_slice(&stripe.asked(&request).body).unwrap();
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    let mut payment_of = BTreeMap::new();
    for intent in books["payment_intents"].as_array().unwrap() {
        let reference = intent["metadata"]["pointsman"].as_str().unwrap();
        let (payment, _) = Reference::parse(reference).unwrap();
        payment_of.insert(intent["id"].as_str().unwrap().to_owned(), payment.key());
        let sum = sums.entry(payment.key()).or_default();
        sum.captured += intent["amount_received"].as_i64().unwrap();
        sum.holds |= intent["status"] == json!("requires_capture");
    }
    for refund in books["refunds"].as_array().unwrap() {
        // What is only released is listed as a refund too, and moves nothing.
        if refund["status"] != json!("failed") && !refund["balance_transaction"].is_null() {
            let payment = &payment_of[refund["payment_intent"].as_str().unwrap()];
            sums.entry(payment.clone()).or_default().refunded += refund["amount"].as_i64().unwrap();
        }
    }
    sums
}

fn play(seed: u64, count: usize, faults: &[&str]) -> House {
    let house = House::build(seed);
    let caller = house.caller();
    house.run(connect(&house.engine, &caller, &house.stripe));
    house.engine.start();
    wire::begin(&house, faults);
    house.run(wire::shoppers(&house, &caller, count, &NUMBERS, &FLOWS));
    wire::wait(&house);
    house
}

#[test]
fn without_faults_both_have_the_same_books() {
    let house = play(1, 40, &[]);
    let books = at_stripe(&house.stripe);
    assert!(books.values().any(|sum| sum.refunded > 0));
    wire::assert_books_equal_payments(&house, books);
}

#[test]
fn whatever_breaks_between_them_both_have_the_same_books() {
    for seed in 200..203 {
        let house = play(seed, 40, &FAULTS);
        wire::assert_books_equal_payments(&house, at_stripe(&house.stripe));
    }
}
