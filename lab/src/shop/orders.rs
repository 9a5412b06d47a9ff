//! What shoppers order.

use serde_json::{Value, json};

use super::Shop;
use crate::{
    chance::Chance,
    house::{FLOWS, FLOWS_OF_ADYEN, FLOWS_OF_STRIPE},
};

/// Every part that the simulator's cards play.
pub(crate) const NUMBERS: [&str; 19] = [
    "4242424242424242",
    "5555555555554444",
    "4000000000000002",
    "4000000000009995",
    "4000000000009979",
    "4000000000000119",
    "4000000000007726",
    "4000000000005126",
    "4000000000000903",
    "4000000000000911",
    "4000000000000929",
    "4000000000000937",
    "4000000000000945",
    "4000002760003184",
    "4000008400001629",
    "378282246310005",
    "4000000000000259",
    "4000000000002685",
    "4000000000005423",
];

/// Cards that are simply charged.
const GOOD: [usize; 3] = [0, 1, 15];

/// A card whose owner is asked where the shop wants it, at Stripe and Adyen.
const ASKED: &str = "4000000000003055";

/// An order.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The input of authorizePayment.
    pub(crate) input: Value,
    /// How much, in minor units.
    pub(crate) amount: i64,
}

/// Draws an order: which card, which flow, how much. `name` is the order's id, which no other order has.
pub(crate) fn order(chance: &mut Chance, shop: &Shop, name: &str) -> Order {
    // More than half of the cards are good ones, as they are in life.
    let card = if chance.one_in(2) {
        chance.pick(0, &GOOD)
    } else {
        chance.index(NUMBERS.len())
    };
    let by_wire = shop.by_wire && chance.one_in(2);
    let at_adyen = by_wire && chance.one_in(2);
    let is_asked = by_wire && chance.one_in(6);
    let amount = chance.between(2, 5_000);
    let currency = chance.pick("EUR", &["USD", "JPY"]);
    let mut input = json!({ "amount": amount, "currencyCode": currency, "orderId": name });
    if let Some(fields) = input.as_object_mut() {
        let wallet = chance.one_in(12);
        let method = match (shop.tokens.get(card), NUMBERS.get(card)) {
            // Paid at a page of the method's own.
            _ if wallet => json!({ "type": "WALLETC" }),
            _ if is_asked => raw(ASKED),
            (Some(token), _) if chance.one_in(2) => json!({ "type": "CARD", "token": token }),
            (_, number) => raw(number.copied().unwrap_or_default()),
        };
        fields.insert("paymentMethod".to_owned(), method);
        let flow = if at_adyen {
            Some(chance.pick(FLOWS_OF_ADYEN[0].0, &FLOWS_OF_ADYEN.map(|flow| flow.0)))
        } else if by_wire {
            Some(chance.pick(FLOWS_OF_STRIPE[0].0, &FLOWS_OF_STRIPE.map(|flow| flow.0)))
        } else {
            chance.pick(None, &FLOWS.map(|flow| Some(flow.0)))
        };
        match flow {
            _ if by_wire && chance.one_in(15) => {
                let connection = if at_adyen { "adyen" } else { "stripe" };
                fields.insert("paymentProcessorConnectionId".to_owned(), connection.into());
            }
            _ if !by_wire && chance.one_in(15) => {
                let connection = chance.pick("prompt-b", &["tardy-a", "mute-a"]);
                fields.insert("paymentProcessorConnectionId".to_owned(), connection.into());
            }
            Some(flow) => {
                fields.insert("flowId".to_owned(), flow.into());
            }
            None => {}
        }
        if wallet {
            fields.insert(
                "apmRedirectUrl".to_owned(),
                "https://shop.example/back".into(),
            );
        } else if !chance.one_in(4) {
            let back = if chance.one_in(2) {
                json!({ "redirectUrl": "https://shop.example/back" })
            } else {
                Value::Null
            };
            fields.insert("perform3DSecure".to_owned(), back);
        }
        if chance.one_in(20) {
            fields.insert("initiator".to_owned(), "MERCHANT".into());
        }
    }
    Order { input, amount }
}

/// A raw card.
pub(crate) fn raw(number: &str) -> Value {
    let cvc = if number.starts_with("37") {
        "7373"
    } else {
        "737"
    };
    json!({ "type": "CARD", "card": { "number": number, "expMonth": 11, "expYear": 2033, "cvc": cvc } })
}
