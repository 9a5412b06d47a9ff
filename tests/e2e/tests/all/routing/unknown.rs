//! An unknown outcome is never a reason to go on elsewhere: the money may have been taken.

use serde_json::{Value, json};
use testkit::{Order, Shop, cards};

use super::{asked, shop};

fn with_a_spare(shop: &Shop, name: &str, settings: Value) -> [String; 2] {
    let ids = [format!("{name}-1"), format!("{name}-2")];
    shop.connection(&ids[0], settings);
    shop.connection(&ids[1], json!({}));
    shop.publish(
        name,
        json!([{"authorise": {"connection": ids[0], "fallback": {"to": [ids[1]]}}}]),
    );
    ids
}

#[test]
fn a_processor_that_says_nothing_of_use_is_looked_up_and_nobody_else_is_asked() {
    let shop = shop();
    for (name, settings) in [
        ("late", json!({"fault": "slow", "delay": "4s"})),
        ("dying", json!({"fault": "dies_after_charging"})),
        ("garbled", json!({"fault": "garbage"})),
    ] {
        let ids = with_a_spare(&shop, name, settings);
        for (card, status) in [
            (cards::VISA, "SUCCEEDED"),
            (cards::INSUFFICIENT_FUNDS, "DECLINED"),
            (cards::FAILED, "FAILED"),
        ] {
            let payment = shop.order(&Order::card(card).flow(name));
            payment.assert_status("NO_ANSWER_FROM_PSP");
            shop.wait_for_status(&payment.id(), status);
            assert_eq!(asked(&shop, &payment), ids[..1], "{name}, {card}");
            shop.assert_books_agree_on(&payment.id());
        }
    }
}

#[test]
fn proof_that_nothing_was_charged_comes_too_late_for_a_fallback() {
    let shop = shop();
    let ids = with_a_spare(&shop, "silent", json!({}));
    let payment = shop.order(&Order::card(cards::UNKNOWN_NOT_CHARGED).flow("silent"));
    payment.assert_status("NO_ANSWER_FROM_PSP");
    let failed = shop.wait_for_status(&payment.id(), "FAILED");
    assert!(!failed.says("Falling back"));
    assert!(!asked(&shop, &payment).contains(&ids[1]));
}

#[test]
fn what_the_processor_holds_for_review_stays_there() {
    let shop = shop();
    let ids = with_a_spare(&shop, "held", json!({}));
    let payment = shop.order(&Order::card(cards::HELD).flow("held"));
    payment.assert_status("GATEWAY_HOLD");
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(asked(&shop, &payment), ids[..1]);
    shop.assert_books_agree_on(&payment.id());
}
