//! What is sent: in order, again after a failure, and listed.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use testkit::{Answers, Arrived, Order, PATIENCE, Receiver, cards, until};

use super::{all, await_taken, deliveries, endpoint, retrying, taken_of};
use crate::shared;

fn payment_of(arrived: &Arrived) -> Value {
    arrived.json()["data"]["paymentId"].clone()
}

#[test]
fn a_failed_delivery_holds_back_its_payment_and_no_other() {
    let server = retrying().start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    let made = endpoint(&shop, &receiver.url("/hooks"), &["payment.*"]);
    let held = shop.order(&Order::card(cards::VISA).later()).id();
    await_taken(&receiver, "/hooks", &held, 2);
    let id = held.clone();
    receiver.judge(move |arrived| {
        if payment_of(arrived) == json!(id) {
            Answers::With(500)
        } else {
            Answers::With(204)
        }
    });
    shop.capture(&held);
    until(PATIENCE, "a failed attempt", || {
        let failed = receiver
            .arrived("/hooks")
            .into_iter()
            .filter(|one| !one.was_taken());
        (failed.count() >= 2).then_some(())
    });
    shop.refund(&held, 100);
    let free = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/hooks", &free, 3);
    let failed: BTreeSet<String> = receiver
        .arrived("/hooks")
        .iter()
        .filter(|one| !one.was_taken())
        .map(|one| one.json()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        failed,
        BTreeSet::from(["payment.captured".to_owned()]),
        "the refund waits"
    );
    receiver.answer(Answers::With(200));
    let taken = await_taken(&receiver, "/hooks", &held, 4);
    assert_eq!(
        taken.iter().map(|one| one.1).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    let all = receiver.arrived("/hooks");
    let ids: BTreeSet<&str> = all
        .iter()
        .filter(|one| one.json()["type"] == "payment.captured" && payment_of(one) == json!(held))
        .map(|one| one.header("webhook-id"))
        .collect();
    assert_eq!(ids.len(), 1, "each attempt has the same id");
    assert!(all.iter().all(|one| one.signatures_by(&made.secret) == 1));
    // It is noted after the receiver has taken it.
    let again = until(PATIENCE, "a delivery with several attempts", || {
        let listed = deliveries(&shop, &made.id, Some("DELIVERED"));
        let mut again = listed.into_iter();
        again.find(|one| one["attemptCount"].as_i64() > Some(1))
    });
    assert_eq!(again["attempts"][0]["status"], json!(500));
    assert_eq!(again["attempts"][0]["answer"], json!("answer 500"));
    assert!(again["attempts"][0]["durationMs"].is_i64());
}

#[test]
fn everything_reaches_a_server_that_was_away_lied_or_redirected() {
    let server = retrying().start();
    let (shop, receiver) = (server.shop(), Receiver::start());
    let trap = Receiver::start();
    let modes = [
        ("/away", Answers::Never),
        ("/lies", Answers::ThenCloses),
        ("/moved", Answers::To(trap.url("/trap"))),
        ("/slow", Answers::After(Duration::from_millis(300))),
        ("/well", Answers::With(200)),
    ];
    for (path, _) in &modes {
        endpoint(&shop, &receiver.url(path), &["payment.*"]);
    }
    let first = modes.clone();
    receiver.judge(move |arrived| {
        let mode = first.iter().find(|mode| mode.0 == arrived.path);
        mode.map_or(Answers::With(404), |mode| mode.1.clone())
    });
    let paid: Vec<String> = (0..3)
        .map(|_| shop.order(&Order::card(cards::VISA)).id())
        .collect();
    for id in &paid {
        await_taken(&receiver, "/well", id, 3);
        await_taken(&receiver, "/lies", id, 3);
    }
    until(PATIENCE, "tries at those that don't take it", || {
        let tried = ["/away", "/moved"]
            .iter()
            .all(|path| receiver.arrived(path).len() > 1);
        tried.then_some(())
    });
    assert!(receiver.taken("/away").is_empty() && receiver.taken("/moved").is_empty());
    receiver.answer(Answers::With(200));
    for (path, _) in &modes {
        for id in &paid {
            let taken = await_taken(&receiver, path, id, 3);
            let sequences: BTreeSet<i64> = taken.iter().map(|one| one.1).collect();
            assert_eq!(sequences, BTreeSet::from([1, 2, 3]), "{path} {id}");
            let mut firsts: Vec<i64> = taken.iter().map(|one| one.1).collect();
            firsts.dedup();
            assert!(firsts.is_sorted(), "{path}: in sequence");
        }
    }
    assert!(
        trap.arrived("/trap").is_empty(),
        "redirects are not followed"
    );
    for id in &paid {
        assert!(taken_of(&trap.arrived("/trap"), id).is_empty());
    }
}

#[test]
fn events_are_sent_again_when_asked_for_and_a_test_at_once() {
    let (shop, other, receiver) = (shared::shop(), shared::other_shop(), Receiver::start());
    shop.order(&Order::card(cards::VISA));
    let start = until(PATIENCE, "a first event", || all(&shop, None, 100, &[]).1);
    let made = endpoint(&shop, &receiver.url("/again"), &["payment.*"]);
    let paid = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/again", &paid, 3);
    let resend = "mutation($id: ID!, $from: String, $to: String, $ids: [ID!]) { \
        resendEvents(endpointId: $id, from: $from, to: $to, eventIds: $ids) }";
    let captured = receiver
        .taken("/again")
        .iter()
        .find(|one| one.json()["type"] == "payment.captured" && payment_of(one) == json!(paid))
        .map(|one| one.header("webhook-id").to_owned())
        .unwrap();
    let sent = shop.gql(resend, json!({"id": made.id, "ids": [captured]}));
    assert_eq!(*sent.root(), json!(1));
    until(PATIENCE, "the same event again", || {
        let same = receiver
            .taken("/again")
            .into_iter()
            .filter(|one| one.header("webhook-id") == captured);
        (same.count() == 2).then_some(())
    });
    let sent = shop.gql(resend, json!({"id": made.id, "from": start}));
    assert!(sent.root().as_i64().unwrap() >= 3);
    await_taken(&receiver, "/again", &paid, 7);
    let end = all(&shop, None, 100, &[]).1;
    for (given, field) in [
        (json!({"id": made.id}), "from"),
        (json!({"id": made.id, "from": "x"}), "from"),
        (json!({"id": made.id, "from": end, "to": start}), "to"),
        (json!({"id": made.id, "ids": ["x:1:0"]}), "eventIds.0"),
        (
            json!({"id": made.id, "ids": [captured], "from": start}),
            "eventIds",
        ),
    ] {
        shop.gql(resend, given).assert_invalid(field);
    }
    let test = "mutation($id: ID!) { sendTestEvent(endpointId: $id) { kind state eventId attempts { status } } }";
    let tested = shop.gql(test, json!({"id": made.id}));
    assert_eq!(tested.root()["kind"], json!("endpoint.test"));
    assert_eq!(tested.root()["state"], json!("DELIVERED"));
    receiver.answer(Answers::With(410));
    let refused = shop.gql(test, json!({"id": made.id}));
    assert_eq!(refused.root()["state"], json!("FAILED"));
    assert_eq!(refused.root()["attempts"][0]["status"], json!(410));
    for (query, given) in [
        (test, json!({"id": made.id})),
        (resend, json!({"id": made.id, "ids": [captured]})),
    ] {
        other.gql(query, given).assert_invalid("endpointId");
    }
}
