//! Orders of the demo's shop: what is sold, what a cart costs, and what pays it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The shop sells in one currency.
pub(super) const CURRENCY: &str = "EUR";
/// The number before the first order's.
const NUMBER_BEFORE_FIRST: usize = 1000;
/// So much of a product is sold at once.
const MOST: i64 = 20;

/// A product with its price.
struct Product {
    id: &'static str,
    name: &'static str,
    /// Unit: minor units.
    price: i64,
}

/// The same as in `examples/shop/orders.mjs`.
const PRODUCTS: [Product; 3] = [
    Product {
        id: "house-blend",
        name: "House blend, 250 g",
        price: 1200,
    },
    Product {
        id: "filter-papers",
        name: "Filter papers, 100",
        price: 699,
    },
    Product {
        id: "enamel-mug",
        name: "Enamel mug",
        price: 1850,
    },
];

/// What is sold, for the page.
pub(super) fn products() -> Value {
    let listed: Vec<Value> = PRODUCTS
        .iter()
        .map(|product| json!({"id": product.id, "name": product.name, "price": product.price}))
        .collect();
    json!({"products": listed, "currencyCode": CURRENCY})
}

/// What a cart costs, by the shop's own prices. Unit: minor units.
///
/// # Errors
/// What is wrong with it, for the shopper.
pub(super) fn amount_of(items: &Value) -> Result<i64, String> {
    let items = items.as_object().ok_or("There is no cart.")?;
    let mut sum: i64 = 0;
    for (id, quantity) in items {
        let product = PRODUCTS.iter().find(|product| product.id == id);
        let product = product.ok_or("The cart holds something that we do not sell.")?;
        let quantity = quantity
            .as_i64()
            .filter(|quantity| (0..=MOST).contains(quantity))
            .ok_or_else(|| format!("Between 0 and {MOST} of each, please."))?;
        sum = sum.saturating_add(product.price.saturating_mul(quantity));
    }
    if sum == 0 {
        return Err("Put something into the cart first.".to_owned());
    }
    Ok(sum)
}

/// How an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody has paid it.
    Open,
    /// Paid in full.
    Paid,
    /// The last payment was declined.
    Declined,
    /// Paid, but not what it costs: a person has to look.
    Check,
}

impl Standing {
    /// The word for the page.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paid => "paid",
            Self::Declined => "declined",
            Self::Check => "check",
        }
    }
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    /// For people, and no secret.
    pub(super) number: String,
    /// Unit: minor units.
    pub(super) amount: i64,
    /// The intent of the service that is paid for it.
    pub(super) intent: String,
    /// The newest payment; empty when there is none.
    pub(super) payment: String,
    pub(super) standing: Standing,
    /// Why it was declined.
    pub(super) reason: String,
}

impl Order {
    /// An order that nobody has paid.
    pub(super) const fn open(number: String, amount: i64, intent: String) -> Self {
        Self {
            number,
            amount,
            intent,
            payment: String::new(),
            standing: Standing::Open,
            reason: String::new(),
        }
    }

    /// Takes over how a payment of the order stands, as the service reported it. Only the full amount in the shop's currency
    /// pays an order, and a paid order stays paid.
    pub(super) fn settle(&mut self, payment: &Value) {
        if self.standing == Standing::Paid {
            return;
        }
        let text = |pointer: &str| payment.pointer(pointer).and_then(Value::as_str);
        let amount = payment.pointer("/amount/rawAmount").and_then(Value::as_i64);
        let is_whole = amount == Some(self.amount) && text("/amount/currency") == Some(CURRENCY);
        text("/id")
            .unwrap_or_default()
            .clone_into(&mut self.payment);
        self.standing = match text("/status") {
            Some("SUCCEEDED") if is_whole => Standing::Paid,
            Some("SUCCEEDED") => Standing::Check,
            Some("DECLINED" | "FAILED") => Standing::Declined,
            _ => Standing::Open,
        };
        let reason = text("/paymentCore/outcome/declineCode").unwrap_or_default();
        reason.clone_into(&mut self.reason);
    }
}

/// The orders of this process, by their ids, which only their buyers know.
pub(super) type Orders = BTreeMap<String, Order>;

/// The number of the next order, when there were so many before.
pub(super) fn number_after(orders: usize) -> String {
    let number = NUMBER_BEFORE_FIRST.saturating_add(orders).saturating_add(1);
    format!("HC-{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cart_costs_what_the_shops_own_prices_say() {
        let cart = json!({"house-blend": 2, "filter-papers": 1});
        assert_eq!(amount_of(&cart), Ok(3099));
        for wrong in [
            json!(null),
            json!({}),
            json!({"house-blend": 0}),
            json!({"house-blend": -1}),
            json!({"house-blend": 1.5}),
            json!({"house-blend": "1"}),
            json!({"gold": 1}),
            json!({"enamel-mug": 21}),
        ] {
            assert!(amount_of(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_orders_can_be_read_out() {
        assert_eq!([number_after(0), number_after(1)], ["HC-1001", "HC-1002"]);
    }

    #[test]
    fn an_order_is_paid_by_its_whole_amount_alone_and_stays_paid() {
        let payment = |status: &str, amount: i64, currency: &str| json!({"id": "payments:1", "status": status, "amount": {"rawAmount": amount, "currency": currency}});
        for (status, amount, currency, standing) in [
            ("SUCCEEDED", 3099, "EUR", Standing::Paid),
            ("SUCCEEDED", 1, "EUR", Standing::Check),
            ("SUCCEEDED", 3099, "JPY", Standing::Check),
            ("DECLINED", 3099, "EUR", Standing::Declined),
            ("NO_ANSWER_FROM_PSP", 3099, "EUR", Standing::Open),
        ] {
            let mut order = Order::open(number_after(0), 3099, String::new());
            order.settle(&payment(status, amount, currency));
            assert_eq!(order.standing, standing, "{status} {amount} {currency}");
        }
        let mut order = Order::open(number_after(0), 3099, String::new());
        order.settle(&payment("SUCCEEDED", 3099, "EUR"));
        order.settle(&payment("DECLINED", 3099, "EUR"));
        assert_eq!(order.standing, Standing::Paid);
    }
}
