//! What reaches webhook endpoints, broken by hand.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::*;

const HOST: &str = "shop.example";
const SECRET: &str = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0ISE=";
/// 2026-01-01T00:00:00Z, in seconds.
const NOW: i64 = 1_767_225_600;

/// An event of a sale: its id, its number and its kind.
type Sent = (&'static str, i64, &'static str);

/// Those of a sale.
const EVENTS: [Sent; 2] = [
    ("0001:2:0", 1, "payment.authorised"),
    ("0001:2:1", 2, "payment.captured"),
];

fn subscription(kinds: &[&str]) -> Value {
    json!({
        "host": HOST, "neighbour": false, "secrets": [SECRET], "ever": [kinds], "current": [kinds],
        "owedFrom": 0, "inOrder": true, "goneAt": null,
    })
}

fn body(event: Sent) -> String {
    let (id, sequence, kind) = event;
    json!({ "id": id, "type": kind, "sequence": sequence, "data": {} }).to_string()
}

fn receipt(id: &str, body: &str) -> Value {
    let key = STANDARD
        .decode(SECRET.trim_start_matches("whsec_"))
        .unwrap();
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{NOW}.{body}").as_bytes());
    json!({
        "host": HOST, "at": NOW * 1_000_000 + 5_000, "body": body,
        "webhook-id": id, "webhook-timestamp": NOW.to_string(),
        "webhook-signature": format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())),
    })
}

fn delivered(events: &[Sent], kinds: &[&str]) -> Evidence {
    let receipts = events.iter().map(|event| receipt(event.0, &body(*event)));
    let deliveries = Deliveries {
        subscriptions: vec![subscription(kinds)],
        receipts: receipts.collect(),
    };
    Evidence {
        deliveries,
        ..sale()
    }
}

fn with_receipt(receipt: Value) -> Evidence {
    let mut evidence = delivered(&EVENTS, &[]);
    evidence.deliveries.receipts.push(receipt);
    evidence
}

#[test]
fn what_is_delivered_and_delivered_again_is_right() {
    let [one, two] = EVENTS;
    assert!(broken_rules(&delivered(&EVENTS, &[])).is_empty());
    assert!(broken_rules(&delivered(&[one, one, two, one], &[])).is_empty());
    assert!(broken_rules(&delivered(&[two], &["payment.captured"])).is_empty());
    assert!(broken_rules(&delivered(&EVENTS, &["payment.*"])).is_empty());
}

#[test]
fn an_event_that_never_comes() {
    let [one, two] = EVENTS;
    breaks("every-event-is-delivered", &delivered(&[one], &[]));
    let missing = broken_rules(&delivered(&[two], &[]));
    let wanted = ["every-event-is-delivered", "deliveries-without-gaps"];
    assert_eq!(missing, BTreeSet::from(wanted));
}

#[test]
fn events_in_another_order() {
    let [one, two] = EVENTS;
    breaks("deliveries-in-sequence", &delivered(&[two, one], &[]));
}

#[test]
fn what_nobody_asked_for() {
    let [one, two] = EVENTS;
    breaks(
        "only-what-is-wanted",
        &delivered(&[one, two], &["payment.captured"]),
    );
    let stranger = ("0002:1:0", 1, "payment.captured");
    breaks(
        "only-what-is-wanted",
        &with_receipt(receipt(stranger.0, &body(stranger))),
    );
    let mut evidence = delivered(&EVENTS, &[]);
    for subscription in &mut evidence.deliveries.subscriptions {
        subscription["goneAt"] = json!(1);
        subscription["owedFrom"] = Value::Null;
    }
    breaks("only-what-is-wanted", &evidence);
    let mut evidence = delivered(&EVENTS, &[]);
    for subscription in &mut evidence.deliveries.subscriptions {
        subscription["neighbour"] = json!(true);
    }
    breaks("only-what-is-wanted", &evidence);
}

#[test]
fn a_copy_with_another_body() {
    let (id, sequence, kind) = EVENTS[0];
    let other = json!({ "type": kind, "id": id, "sequence": sequence, "data": {"more": true} });
    breaks(
        "copies-are-the-same",
        &with_receipt(receipt(id, &other.to_string())),
    );
}

#[test]
fn a_message_that_is_not_signed_or_signed_long_ago() {
    let (id, ..) = EVENTS[0];
    let right = receipt(id, &body(EVENTS[0]));
    for (name, value) in [
        ("webhook-signature", json!("v1,bm8=")),
        ("webhook-timestamp", json!((NOW - 1).to_string())),
        ("at", json!((NOW + 301) * 1_000_000)),
    ] {
        let mut wrong = right.clone();
        wrong[name] = value;
        breaks("deliveries-are-signed", &with_receipt(wrong));
    }
}

#[test]
fn a_card_number_on_its_way() {
    let (id, sequence, kind) = EVENTS[0];
    let number = ["4242424242", "424242"].concat();
    let leaky = json!({ "id": id, "type": kind, "sequence": sequence, "data": {"card": number} });
    let mut evidence = delivered(&EVENTS, &[]);
    if let Some(first) = evidence.deliveries.receipts.first_mut() {
        *first = receipt(id, &leaky.to_string());
    }
    breaks("no-card-data-is-delivered", &evidence);
}
