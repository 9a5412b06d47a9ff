//! The whole engine with the simulated Adyen, alone and beside the simulated Stripe, under faults of every kind: at the end all have the
//! same books. Adyen can't be read: what is lost is known by its notifications alone.

use std::collections::BTreeMap;

use connector::Reference;
use domain::{
    caller::Caller,
    id::ConnectionId,
    payment::{OperationKind, OperationState, Payment, Resolution, Status},
};
use engine::{Engine, Resolve, SaveConnection};
use processors::{Played, Request, adyen::Adyen as Machine};
use serde_json::{Value, json};

use crate::{
    house::House,
    stripe,
    wire::{self, FAULTS, Sums},
};

/// What cards play, at both processors: approvals, declines, challenges, refunds that come late or fail, disputes.
const NUMBERS: [&str; 10] = [
    "4242424242424242",
    "4242424242424242",
    "4242424242424242",
    "4000000000000002",
    "4000000000009995",
    "4000002760003184",
    "4000000000007726",
    "4000000000005126",
    "4000000000000259",
    "4000000000001976",
];

const FLOWS: [(&str, &str, &str); 4] = [
    ("at-adyen", "{connection: adyen}", "now"),
    ("held-at-adyen", "{connection: adyen}", "api"),
    (
        "adyen-first",
        "{connection: adyen, fallback: {to: [stripe], after: [soft_decline, fault, outage]}}",
        "now",
    ),
    (
        "stripe-then-adyen",
        "{connection: stripe, fallback: {to: [adyen], after: [soft_decline, fault, outage]}}",
        "api",
    ),
];

/// Makes the connection and its flows.
async fn connect(engine: &Engine, caller: &Caller, adyen: &Played<Machine>) {
    let id = ConnectionId::parse("adyen").unwrap();
    let save = |key: Option<&str>| {
        let mut credentials = json!({"apiKey": "AQEtest1", "merchantAccount": "ShopECOM"});
        if let Some(key) = key {
            credentials["hmacKey"] = json!(key);
        }
        SaveConnection {
            id: Some(id.clone()),
            processor: "adyen".to_owned(),
            name: "Adyen".to_owned(),
            settings: json!({}),
            credentials: Some(credentials.to_string().into()),
            imports: None,
            skips_probe: false,
        }
    };
    let saved = engine.save_connection(caller, save(None)).await.unwrap();
    let address = saved.notification_url.unwrap();
    let form = format!("url=https://pay.example{address}");
    let made = ask(adyen, "/_sim/webhooks", &form);
    let key = made["hmacKey"].as_str().unwrap();
    engine
        .save_connection(caller, save(Some(key)))
        .await
        .unwrap();
    wire::publish(engine, caller, &FLOWS).await;
}

/// Posts a form to the machine.
pub(crate) fn ask(adyen: &Played<Machine>, path: &str, body: &str) -> Value {
    let kind = "application/x-www-form-urlencoded".to_owned();
    let request = Request {
        method: "POST".to_owned(),
        path: path.to_owned(),
        headers: [("content-type".to_owned(), kind)].into(),
        body: body.as_bytes().to_vec(),
        ..Request::default()
    };
    let reply = adyen.asked(&request);
    let said = String::from_utf8_lossy(&reply.body);
    assert!(reply.status < 400, "{path}: {said}");
    serde_json::from_slice(&reply.body)
        .unwrap_or_else(|_| json!({"location": reply.headers.get("location")}))
}

/// What Adyen has taken of each payment and given back.
fn at_adyen(adyen: &Played<Machine>) -> BTreeMap<String, Sums> {
    let request = Request {
        method: "GET".to_owned(),
        path: "/_sim/books".to_owned(),
        ..Request::default()
    };
    let books: Value = serde_json::from_slice(&adyen.asked(&request).body).unwrap();
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for payment in books["payments"].as_array().unwrap() {
        let reference = payment["reference"].as_str().unwrap();
        let (id, _) = Reference::parse(reference).unwrap();
        let sum = sums.entry(id.key()).or_default();
        sum.captured += payment["captured"].as_i64().unwrap();
        sum.refunded += payment["refunded"].as_i64().unwrap();
        let holds = payment["state"] == json!("authorised");
        sum.holds |= holds && payment["captured"] == json!(0);
    }
    sums
}

/// Attempts of which nothing ever came back, and whose giving up Adyen refused since it knows nothing of them: a person settles them.
fn is_for_a_person(payment: &Payment) -> bool {
    payment.status() == Status::NoAnswerFromPsp
        && payment.operations().iter().all(|operation| {
            let is_lost = matches!(operation.kind, OperationKind::Authorise { .. })
                && matches!(operation.state, OperationState::Unknown { .. });
            is_lost || !operation.state.is_open()
        })
        && payment.operations().iter().any(|operation| {
            matches!(operation.kind, OperationKind::Abandon { .. })
                && matches!(operation.state, OperationState::Refused { .. })
        })
}

/// Settles what nobody but a person can; how many.
fn settle_by_hand(house: &House, caller: &Caller) -> usize {
    let books = at_adyen(&house.adyen);
    let lost: Vec<Payment> = house
        .payments()
        .into_iter()
        .filter(is_for_a_person)
        .collect();
    for payment in &lost {
        let sum = books.get(&payment.id().key()).copied().unwrap_or_default();
        assert_eq!(
            sum,
            Sums::default(),
            "it could have been known: {:?}",
            payment.operations()
        );
        let resolve = Resolve {
            id: payment.id(),
            outcome: Resolution::NotCharged,
            evidence: "Adyen has no such payment.".to_owned(),
        };
        house.run(house.engine.resolve(caller, resolve)).unwrap();
    }
    lost.len()
}

fn play(seed: u64, count: usize, faults: &[&str]) -> (House, usize) {
    let house = House::build(seed);
    let caller = house.caller();
    house.engine.reachable_at("https://pay.example".to_owned());
    house.run(stripe::connect(&house.engine, &caller, &house.stripe));
    house.run(connect(&house.engine, &caller, &house.adyen));
    house.engine.start();
    wire::begin(&house, faults);
    house.run(wire::shoppers(&house, &caller, count, &NUMBERS, &FLOWS));
    wire::wait(&house);
    let by_hand = settle_by_hand(&house, &caller);
    (house, by_hand)
}

/// The books of all three together are what the payments say.
fn assert_books_equal_payments(house: &House) {
    let mut moved = stripe::at_stripe(&house.stripe);
    for (payment, sum) in at_adyen(&house.adyen) {
        moved.entry(payment).or_default().add(sum);
    }
    wire::assert_books_equal_payments(house, moved);
}

#[test]
fn without_faults_all_have_the_same_books() {
    let (house, by_hand) = play(1, 40, &[]);
    assert_books_equal_payments(&house);
    assert_eq!(by_hand, 0);
    assert!(at_adyen(&house.adyen).values().any(|sum| sum.refunded > 0));
}

#[test]
fn whatever_breaks_between_them_all_have_the_same_books() {
    let mut by_hand = 0;
    for seed in 300..304 {
        let (house, lost) = play(seed, 40, &FAULTS);
        assert_books_equal_payments(&house);
        by_hand += lost;
    }
    // One in forty requests never arrives.
    assert!(by_hand < 16, "{by_hand}");
}
