//! Deliveries of events while nodes die.

use std::{collections::BTreeSet, time::Duration};

use serde_json::json;
use testkit::{Answers, Backend, Order, PATIENCE, Receiver, Server, Setup, Shop, cards, until};

fn node() -> Server {
    let pauses = [["200ms"; 10].as_slice(), &["2s"; 40]].concat();
    Setup::new()
        .on(Backend::Postgres)
        .setting("webhooks.retry_schedule", &pauses.join(","))
        .setting("webhooks.timeout", "20s")
        .start()
}

/// Pays a few times; the payments' ids.
fn pay(shop: &Shop) -> Vec<String> {
    (0..4)
        .map(|_| shop.order(&Order::card(cards::VISA)).id())
        .collect()
}

/// What was taken of a payment: sequence and id, in the order in which it came.
fn taken_of(receiver: &Receiver, payment: &str) -> Vec<(i64, String)> {
    let taken = receiver.taken("/hooks");
    let own = taken
        .iter()
        .filter(|one| one.json()["data"]["paymentId"] == json!(payment));
    own.map(|one| {
        let sequence = one.json()["sequence"].as_i64().unwrap();
        (sequence, one.header("webhook-id").to_owned())
    })
    .collect()
}

#[test]
fn nothing_is_lost_when_the_node_that_sends_dies() {
    let mut one = node();
    let mut two = one.join();
    let receiver = Receiver::start();
    let save =
        "mutation($url: String!) { saveWebhookEndpoint(url: $url, kinds: [\"payment.*\"]) { id } }";
    one.shop()
        .gql(save, json!({"url": receiver.url("/hooks")}))
        .root();
    receiver.answer(Answers::After(Duration::from_millis(150)));
    let mut paid = pay(&one.shop());
    let begun = |count: usize| {
        until(3 * PATIENCE, "deliveries are under way", || {
            (receiver.arrived("/hooks").len() > count).then_some(())
        });
    };
    begun(0);
    // One of the two holds the endpoint: each dies once while something is under way.
    two.kill();
    paid.extend(pay(&one.shop()));
    two.restart();
    // Those of before may all have arrived by now.
    let before = receiver.arrived("/hooks").len();
    paid.extend(pay(&one.shop()));
    begun(before);
    one.kill();
    paid.extend(pay(&two.shop()));
    receiver.answer(Answers::With(200));
    for payment in &paid {
        let taken = until(3 * PATIENCE, "the payment's events", || {
            let taken = taken_of(&receiver, payment);
            let all: BTreeSet<i64> = taken.iter().map(|one| one.0).collect();
            (all.len() == 3).then_some(taken)
        });
        let ids: BTreeSet<&(i64, String)> = taken.iter().collect();
        assert_eq!(ids.len(), 3, "copies have the same id: {taken:?}");
        let mut firsts = Vec::new();
        for (sequence, _) in &taken {
            if !firsts.contains(sequence) {
                firsts.push(*sequence);
            }
        }
        assert_eq!(firsts, [1, 2, 3], "in sequence");
    }
}
