//! Stored cards: the customer agrees to later payments, and the merchant charges by what that brought.

mod agreements;
mod own_tokens;
mod replaced;

use serde_json::{Value, json};
use testkit::{Order, Payment, Shop};

use crate::routing;

fn shop() -> Shop {
    routing::server().shop()
}

/// A payment with a stored card at a connection, captured by a call.
fn at(token: &str, connection: &str) -> Order {
    Order::token(token).at(connection)
}

/// The same by which the customer agrees to later payments.
fn agreeing(token: &str, connection: &str) -> Order {
    at(token, connection).with(
        "recurring",
        json!({"reason": "SUBSCRIPTION", "first": true}),
    )
}

/// The same, when the customer is not there.
fn merchants(token: &str, connection: &str) -> Order {
    at(token, connection).with("initiator", json!("MERCHANT"))
}

/// What was sent to the processor about the agreement.
fn said(shop: &Shop, payment: &Payment) -> Value {
    shop.books().charge(payment).agreement
}

/// The scheme's transaction of a payment at the simulator.
fn transaction_of(shop: &Shop, payment: &Payment) -> Value {
    let reference = shop.books().charge(payment).reference;
    json!(format!("simnet_{reference}"))
}
