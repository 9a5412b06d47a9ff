//! Payments shared out by weight.

use serde_json::json;
use testkit::{Order, at_once, cards};

use super::shop;

/// Callers at once, and the payments of each.
const CALLERS: usize = 10;
const EACH: usize = 20;

#[test]
fn two_hundred_payments_are_shared_out_about_as_the_weights_say() {
    let shop = shop();
    shop.connection("split-a", json!({}));
    shop.connection("split-b", json!({}));
    let split =
        json!([{"connection": "split-a", "weight": 70}, {"connection": "split-b", "weight": 30}]);
    shop.publish("split", json!([{"authorise": {"split": split}}]));
    let token = shop.tokenise(cards::VISA);
    let of_each = at_once(CALLERS, |_| {
        let pay = |_| shop.order(&Order::token(&token).flow("split"));
        (0..EACH).map(pay).collect::<Vec<_>>()
    });
    let payments: Vec<_> = of_each.into_iter().flatten().collect();
    for payment in &payments {
        payment.assert_status("SUCCEEDED");
    }
    let first = payments
        .iter()
        .filter(|payment| payment.text("/connectionId") == "split-a")
        .count();
    // 140 are expected; less than one run in 100,000 is outside of these bounds.
    assert!((109..=171).contains(&first), "{first} of 200");
    let books = shop.books();
    for payment in &payments {
        assert_eq!(
            books.charge(payment).connection,
            payment.text("/connectionId")
        );
    }
}

#[test]
fn what_was_drawn_is_left_out_of_the_fallback_that_names_it_too() {
    let shop = shop();
    shop.connection("drawn", json!({"fault": "fails"}));
    shop.connection("other", json!({}));
    let split = json!([{"connection": "drawn", "weight": 1}]);
    shop.publish(
        "drawn",
        json!([{"authorise": {"split": split, "fallback": {"to": ["drawn", "other"]}}}]),
    );
    let payment = shop.order(&Order::card(cards::VISA).flow("drawn"));
    payment.assert_status("SUCCEEDED");
    assert_eq!(super::asked(&shop, &payment), ["drawn", "other"]);
    shop.assert_books_agree_on(&payment.id());
}
