//! A receiver that does not take one kind of event gets the others.

use std::{collections::BTreeSet, time::Duration};

use serde_json::json;
use testkit::{Answers, Arrived, Order, PATIENCE, Receiver, Setup, Shop, cards, until};

use super::{await_taken, deliveries, endpoint, listed, retrying};

fn is_declined(arrived: &Arrived) -> bool {
    arrived.json()["type"] == json!("payment.declined")
}

fn declined(shop: &Shop, count: usize) {
    for _ in 0..count {
        shop.order(&Order::card(cards::GENERAL_DECLINE));
    }
}

fn tried(receiver: &Receiver, path: &str) -> BTreeSet<String> {
    let all = receiver.arrived(path).into_iter().filter(is_declined);
    all.map(|one| one.header("webhook-id").to_owned()).collect()
}

#[test]
fn one_kind_that_is_refused_holds_up_no_other_payment() {
    let server = retrying().start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    endpoint(&shop, &receiver.url("/hooks"), &["payment.*"]);
    receiver.judge(|arrived| Answers::With(if is_declined(arrived) { 500 } else { 200 }));
    declined(&shop, 8);
    until(PATIENCE, "a second attempt at all that is refused", || {
        let refused = receiver.arrived("/hooks").into_iter().filter(is_declined);
        (tried(&receiver, "/hooks").len() == 8 && refused.count() > 24).then_some(())
    });
    for _ in 0..3 {
        let paid = shop.order(&Order::card(cards::VISA)).id();
        await_taken(&receiver, "/hooks", &paid, 3);
    }
    receiver.answer(Answers::With(200));
    until(PATIENCE, "all that was refused", || {
        let taken = receiver.taken("/hooks").into_iter().filter(is_declined);
        (taken.count() == 8).then_some(())
    });
}

#[test]
fn one_kind_that_is_never_answered_holds_up_no_other_payment() {
    let server = retrying().setting("webhooks.timeout", "3s").start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    let kinds = ["payment.declined", "payment.captured"];
    endpoint(&shop, &receiver.url("/hooks"), &kinds);
    receiver.judge(|arrived| {
        if is_declined(arrived) {
            Answers::After(Duration::from_secs(20))
        } else {
            Answers::With(200)
        }
    });
    // More than are sent in a round.
    declined(&shop, 60);
    for _ in 0..2 {
        let paid = shop.order(&Order::card(cards::VISA)).id();
        await_taken(&receiver, "/hooks", &paid, 1);
    }
}

#[test]
fn an_endpoint_whose_address_is_corrected_is_tried_at_once() {
    let server = Setup::new()
        .setting("webhooks.retry_schedule", "1h,1h,1h")
        .start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    let made = endpoint(&shop, &receiver.url("/wrong"), &["payment.*"]);
    receiver.judge(|arrived| Answers::With(if arrived.path == "/wrong" { 404 } else { 200 }));
    let paid = shop.order(&Order::card(cards::VISA)).id();
    until(PATIENCE, "it fails", || {
        listed(&shop, &made.id)["failingSince"]
            .is_string()
            .then_some(())
    });
    let save = "mutation($id: ID!, $url: String!, $resume: WebhookResume) { \
        saveWebhookEndpoint(id: $id, url: $url, resume: $resume) { id failingSince } }";
    let right = receiver.url("/right");
    // What is not asked for with enabling would be ignored.
    let with_resume = json!({"id": made.id, "url": right, "resume": "FROM_NOW"});
    shop.gql(save, with_resume).assert_invalid("resume");
    let saved = shop.gql(save, json!({"id": made.id, "url": right}));
    assert!(saved.root()["failingSince"].is_null());
    await_taken(&receiver, "/right", &paid, 3);
    // It is noted after the receiver has taken it.
    until(PATIENCE, "a delivery with two attempts", || {
        let delivered = deliveries(&shop, &made.id, Some("DELIVERED"));
        let mut counts = delivered.iter().map(|one| one["attemptCount"].as_i64());
        counts.any(|count| count == Some(2)).then_some(())
    });
}
