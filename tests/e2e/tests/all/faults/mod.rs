//! Processors that misbehave, under load and with `kill -9` in between: no payment is charged at two connections.

mod disk;
mod kills;
mod load;

use serde_json::json;
use testkit::{Order, Shop, cards};

/// Connections that are rested would be spared what is to be played.
const NEVER_RESTED: &str = "1000000";

/// Connections with what is wrong with them.
const CONNECTIONS: [(&str, &str); 6] = [
    ("chaos-well", "{}"),
    ("chaos-fails", r#"{"fault": "fails"}"#),
    ("chaos-down", r#"{"fault": "down"}"#),
    ("chaos-dies", r#"{"fault": "dies_after_charging"}"#),
    ("chaos-garbage", r#"{"fault": "garbage"}"#),
    ("chaos-slow", r#"{"fault": "slow", "delay": "150ms"}"#),
];

/// Flows over them: every fault comes first in one, and is fallen back to in another.
const CHAINS: [[&str; 3]; 5] = [
    ["chaos-fails", "chaos-slow", "chaos-well"],
    ["chaos-down", "chaos-fails", "chaos-slow"],
    ["chaos-slow", "chaos-down", "chaos-dies"],
    ["chaos-dies", "chaos-well", "chaos-fails"],
    ["chaos-garbage", "chaos-slow", "chaos-well"],
];

/// Cards of every outcome that ends an attempt.
const CARDS: [&str; 5] = [
    cards::VISA,
    cards::INSUFFICIENT_FUNDS,
    cards::FAILED,
    cards::GENERAL_DECLINE,
    cards::MASTERCARD,
];

fn set_up(shop: &Shop) {
    for (id, settings) in CONNECTIONS {
        shop.connection(id, serde_json::from_str(settings).unwrap());
    }
    for (number, [first, second, third]) in CHAINS.iter().enumerate() {
        let authorise = json!({"connection": first, "fallback": {"to": [second, third]}});
        shop.publish(
            &format!("chaos-{number}"),
            json!([{"authorise": authorise}]),
        );
    }
}

/// The `n`th order: every flow with every card.
fn order(n: usize) -> Order {
    let flow = format!("chaos-{}", n % CHAINS.len());
    Order::card(CARDS[n / CHAINS.len() % CARDS.len()]).flow(&flow)
}

/// Every connection is well again, so that everything unknown can be looked up; then nothing is charged twice, and books
/// and payments agree.
fn assert_charged_once(shop: &Shop) {
    for (id, _) in CONNECTIONS {
        shop.connection(id, json!({}));
    }
    shop.assert_books_equal_payments();
    let books = shop.books();
    for payment in shop.every_payment() {
        let charges = books
            .of(&payment)
            .into_iter()
            .filter(|entry| entry.authorised > 0)
            .count();
        assert!(
            charges <= 1,
            "charged at two connections: {:#?}",
            books.of(&payment)
        );
    }
}
