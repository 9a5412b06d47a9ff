//! The catch-up query.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Shop, at_once, cards, until};

use super::{all, of_payment, page};
use crate::shared;

/// The cursor behind everything that is there now.
fn now(shop: &Shop) -> Option<String> {
    all(shop, None, 100, &[]).1
}

/// All events behind a cursor as soon as those of the payment are complete.
fn events_of(shop: &Shop, after: Option<&str>, id: &str, count: usize) -> Vec<Value> {
    until(PATIENCE, "the payment's events", || {
        let found = all(shop, after, 7, &[]).0;
        (of_payment(&found, id).len() >= count).then_some(found)
    })
}

#[test]
fn each_change_of_a_payment_is_listed_once_in_sequence() {
    let shop = shared::shop();
    let start = now(&shop);
    let paid = shop.order(&Order::card(cards::VISA).amount(1000)).id();
    shop.refund(&paid, 300);
    let found = events_of(&shop, start.as_deref(), &paid, 4);
    let wanted = [
        "payment.created",
        "payment.authorised",
        "payment.captured",
        "payment.refunded",
    ];
    let wanted: Vec<(String, i64)> = wanted
        .iter()
        .map(|kind| (*kind).to_owned())
        .zip(1..)
        .collect();
    assert_eq!(of_payment(&found, &paid), wanted);
    let refunded = found.iter().find(|event| {
        event["kind"] == "payment.refunded" && event["data"]["paymentId"] == json!(paid)
    });
    let refunded = refunded.unwrap();
    assert_eq!(refunded["data"]["amount"], json!(300));
    assert_eq!(refunded["data"]["status"], json!("PARTIAL_REFUNDED"));
    let payload: Value = serde_json::from_str(refunded["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["id"], refunded["id"]);
    assert_eq!(payload["data"], refunded["data"]);
    assert!(
        !found
            .iter()
            .any(|event| event["payload"].as_str().unwrap().contains("4242"))
    );
}

#[test]
fn a_filter_keeps_its_kinds_and_every_cursor_leads_on() {
    let shop = shared::shop();
    let start = now(&shop);
    let paid = shop.order(&Order::card(cards::VISA)).id();
    let whole = events_of(&shop, start.as_deref(), &paid, 3);
    until(PATIENCE, "captures alone", || {
        let (captured, _) = all(&shop, start.as_deref(), 2, &["payment.captured"]);
        assert!(
            captured
                .iter()
                .all(|event| event["kind"] == "payment.captured")
        );
        captured
            .iter()
            .any(|event| event["data"]["paymentId"] == json!(paid))
            .then_some(())
    });
    // From the cursor of each event on comes what follows it, in the middle of a commit too.
    let one = page(&shop, start.as_deref(), 100, &[]);
    let edges = one["edges"].as_array().unwrap();
    for (n, edge) in edges.iter().enumerate().take(5) {
        let rest = page(&shop, edge["cursor"].as_str(), 100, &[]);
        let next = rest["edges"]
            .as_array()
            .unwrap()
            .first()
            .map(|edge| edge["node"]["id"].clone());
        assert_eq!(
            next.as_ref(),
            edges
                .get(n + 1)
                .map(|edge| &edge["node"]["id"])
                .or(next.as_ref())
        );
    }
    assert!(!whole.is_empty());
    for (given, field) in [
        (json!({"after": "nonsense"}), "after"),
        (json!({"first": 0}), "first"),
        (json!({"kinds": ["payment.operation_started"]}), "kinds.0"),
    ] {
        let query = "query($after: String, $first: Int, $kinds: [String!]) { \
            listEvents(after: $after, first: $first, kinds: $kinds) { edges { cursor } } }";
        let answer = shop.gql(query, given);

        answer.assert_invalid(field);
    }
}

#[test]
fn one_who_follows_while_others_pay_misses_nothing_and_sees_no_other_team() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let start = now(&shop);
    let made: Vec<Vec<String>> = at_once(4, |n| {
        let shop = if n == 3 { &other } else { &shop };
        (0..5)
            .map(|_| shop.order(&Order::card(cards::VISA)).id())
            .collect()
    });
    let (own, foreign) = (made[..3].concat(), &made[3]);
    let (mut found, mut cursor) = (Vec::new(), start);
    until(PATIENCE, "all events", || {
        let (more, end) = all(&shop, cursor.as_deref(), 3, &["payment.*"]);
        found.extend(more);
        cursor = end;
        own.iter()
            .all(|id| of_payment(&found, id).len() >= 3)
            .then_some(())
    });
    for id in &own {
        let sequences: Vec<i64> = of_payment(&found, id).iter().map(|event| event.1).collect();
        assert_eq!(sequences, [1, 2, 3], "{id}");
    }
    assert!(foreign.iter().all(|id| of_payment(&found, id).is_empty()));
    let ids: BTreeSet<&str> = found
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), found.len());
}
