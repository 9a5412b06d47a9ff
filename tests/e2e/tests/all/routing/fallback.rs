//! Going on elsewhere: after what, in which order, and never after a final no.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, at_once, cards};

use super::{asked, shop};

/// A way in which the first connection does not authorise: its name, the card, the connection's settings.
const FIRST: [(&str, &str, &str); 3] = [
    ("soft_decline", cards::INSUFFICIENT_FUNDS, ""),
    ("fault", cards::VISA, "fails"),
    ("outage", cards::VISA, "down"),
];

fn settings(fault: &str) -> Value {
    if fault.is_empty() {
        json!({})
    } else {
        json!({"fault": fault})
    }
}

/// A flow with connections `name-1`, `name-2`, …, each with its fault, and what is fallen back after.
fn chain(shop: &Shop, name: &str, faults: &[&str], after: Value) -> Vec<String> {
    let ids: Vec<String> = (1..=faults.len()).map(|n| format!("{name}-{n}")).collect();
    for (id, fault) in ids.iter().zip(faults) {
        shop.connection(id, settings(fault));
    }
    let mut fallback = json!({"to": ids[1..]});
    if !after.is_null() {
        fallback["after"] = after;
    }
    shop.publish(
        name,
        json!([{"authorise": {"connection": ids[0], "fallback": fallback}}]),
    );
    ids
}

#[test]
fn each_switch_of_after_means_its_own_case_alone() {
    let shop = shop();
    for (switch, _, _) in FIRST {
        for (case, card, fault) in FIRST {
            let name = format!("{switch}-{case}");
            let ids = chain(&shop, &name, &[fault, ""], json!([switch]));
            let payment = shop.order(&Order::card(card).flow(&name));
            let went_on = asked(&shop, &payment).contains(&ids[1]);
            assert_eq!(
                went_on,
                switch == case,
                "after {switch}, met {case}: {:#?}",
                payment.lines()
            );
            let status = match case {
                "soft_decline" => "DECLINED",
                _ if went_on => "SUCCEEDED",
                _ => "FAILED",
            };
            payment.assert_status(status);
            shop.assert_books_agree_on(&payment.id());
        }
    }
}

#[test]
fn a_hard_decline_is_final() {
    let shop = shop();
    let ids = chain(&shop, "hard", &["", ""], Value::Null);
    for card in [
        cards::GENERAL_DECLINE,
        cards::EXPIRED,
        cards::LOST,
        cards::SUSPECTED_FRAUD,
        cards::INVALID_CVC,
    ] {
        let payment = shop.order(&Order::card(card).flow("hard"));
        payment.assert_status("DECLINED");
        let soft = payment.text("/paymentCore/outcome/declineType") == "SOFT";
        assert_eq!(
            asked(&shop, &payment).contains(&ids[1]),
            soft,
            "{card}: {:#?}",
            payment.lines()
        );
    }
}

#[test]
fn nobody_there_for_3d_secure_is_no_reason_to_ask_elsewhere() {
    let shop = shop();
    let ids = chain(&shop, "demand", &["", ""], Value::Null);
    let order = Order::card("4000002760003184")
        .flow("demand")
        .with("initiator", json!("MERCHANT"));
    let payment = shop.order(&order);
    payment.assert_status("DECLINED");
    assert_eq!(
        payment.text("/paymentCore/outcome/declineCode"),
        "AUTHORIZATION_REQUIRED"
    );
    assert_eq!(asked(&shop, &payment), ids[..1]);
}

#[test]
fn three_in_order_and_the_last_one_s_outcome_is_reported() {
    let shop = shop();
    let ids = chain(&shop, "third", &["down", "fails", ""], Value::Null);
    let payment = shop.order(&Order::card(cards::VISA).flow("third"));
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.text("/connectionId"), ids[2]);
    assert_eq!(
        asked(&shop, &payment),
        ids[1..],
        "the first can't be reached"
    );
    payment
        .assert_says("Falling back")
        .assert_says(&ids[1])
        .assert_says(&ids[2]);
    shop.assert_books_agree_on(&payment.id());

    let declined = shop.order(&Order::card(cards::INSUFFICIENT_FUNDS).flow("third"));
    declined.assert_status("DECLINED");
    assert_eq!(
        declined.text("/paymentCore/outcome/declineCode"),
        "INSUFFICIENT_FUNDS"
    );

    let ids = chain(&shop, "failing", &["", "fails", "down"], Value::Null);
    let failed = shop.order(&Order::card(cards::INSUFFICIENT_FUNDS).flow("failing"));
    failed.assert_status("FAILED");
    assert_eq!(failed.text("/connectionId"), ids[2]);
    assert_eq!(asked(&shop, &failed), ids[..2]);
    shop.assert_books_agree_on(&failed.id());
}

#[test]
fn a_key_over_a_fallback_is_one_payment_with_one_result() {
    let shop = shop();
    let ids = chain(&shop, "keyed", &["fails", "down", ""], Value::Null);
    let order = Order::card(cards::VISA).flow("keyed");
    let answers = at_once(6, |_| shop.try_authorise(&order, Some("one-fallback")));
    let first = answers[0].root();
    assert_eq!(first["status"], "SUCCEEDED");
    assert!(answers.iter().all(|answer| answer.root() == first));
    assert_eq!(
        answers.iter().filter(|answer| !answer.replayed()).count(),
        1
    );
    let payment = testkit::Payment(first.clone());
    assert_eq!(asked(&shop, &payment), [ids[0].clone(), ids[2].clone()]);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_fallback_is_captured_refunded_and_cancelled_where_it_was_authorised() {
    let shop = shop();
    let ids = ["later-1", "later-2"];
    shop.connection(ids[0], json!({"fault": "fails"}));
    shop.connection(ids[1], json!({}));
    let steps = json!([
        {"authorise": {"connection": ids[0], "fallback": {"to": [ids[1]]}}},
        {"capture": "api"},
    ]);
    shop.publish("later", steps);
    let order = Order::card(cards::VISA).flow("later");
    let payment = shop.order(&order);
    payment.assert_status("AUTHORISED");
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    shop.refund(&payment.id(), 400)
        .assert_status("PARTIAL_REFUNDED");
    assert_eq!(shop.books().charge(&payment).connection, ids[1]);
    shop.assert_books_agree_on(&payment.id());
    let other = shop.order(&order);
    shop.cancel(&other.id()).assert_status("CANCELLED");
    shop.assert_books_agree_on(&other.id());
}

#[test]
fn what_is_switched_off_is_left_out_of_a_fallback() {
    let shop = shop();
    let ids = chain(&shop, "off", &["fails", "", ""], Value::Null);
    shop.disable_connection(&ids[1]);
    let payment = shop.order(&Order::card(cards::VISA).flow("off"));
    payment.assert_status("SUCCEEDED");
    assert_eq!(asked(&shop, &payment), [ids[0].clone(), ids[2].clone()]);
    payment.assert_says("switched off");
}

#[test]
fn when_the_request_s_time_is_over_nothing_is_sent_elsewhere() {
    let server = Setup::new().setting("server.request_timeout", "5s").start();
    let shop = server.shop();
    let slow = json!({"fault": "slow", "delay": "1200ms"});
    let ids: Vec<String> = (1..=4).map(|n| format!("slow-{n}")).collect();
    for id in &ids {
        shop.connection(id, slow.clone());
    }
    let fallback = json!({"to": ids[1..]});
    shop.publish(
        "slow",
        json!([{"authorise": {"connection": ids[0], "fallback": fallback}}]),
    );
    let start = std::time::Instant::now();
    let payment = shop.order(&Order::card(cards::INSUFFICIENT_FUNDS).flow("slow"));
    // Its four connections would take longer than that, and what is sent is waited for; a busy machine takes its time.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let asked = asked(&shop, &payment);
    assert!(!asked.contains(&ids[3]) && asked.len() < 4, "{asked:?}");
    if payment.status() == "DECLINED" {
        payment.assert_says("The request's time is over");
    }
    shop.assert_books_agree_on(&payment.id());
}
