//! What a shop asks for: the input of an authorisation.

use serde_json::{Value, json};

/// The input of authorizePayment, with words for what stories change.
#[derive(Clone, Debug)]
pub struct Order(Value);

impl Order {
    /// 10.00 EUR from a raw card by the default flow.
    pub fn card(number: &str) -> Self {
        Self(json!({
            "amount": 1000,
            "currencyCode": "EUR",
            "paymentMethod": {"type": "CARD", "card": {
                "number": number, "expMonth": 11, "expYear": 2033, "cvc": code_for(number), "name": "Ada Byron"
            }},
        }))
    }

    /// 10.00 EUR from a stored card by the default flow.
    pub fn token(token: &str) -> Self {
        Self(json!({
            "amount": 1000, "currencyCode": "EUR", "paymentMethod": {"type": "CARD", "token": token},
        }))
    }

    /// 10.00 EUR from a customer's default method by the default flow.
    pub fn customer(id: &str) -> Self {
        Self(json!({"amount": 1000, "currencyCode": "EUR", "customer": {"id": id}}))
    }

    /// Sets the amount, in minor units.
    #[must_use]
    pub fn amount(self, minor: i64) -> Self {
        self.with("amount", json!(minor))
    }

    /// Sets the currency.
    #[must_use]
    pub fn currency(self, code: &str) -> Self {
        self.with("currencyCode", json!(code))
    }

    /// Names the flow.
    #[must_use]
    pub fn flow(self, id: &str) -> Self {
        self.with("flowId", json!(id))
    }

    /// To be captured by the shop: the flow `capture-by-api`.
    #[must_use]
    pub fn later(self) -> Self {
        self.flow("capture-by-api")
    }

    /// Sets any field; a key with slashes reaches inside (`paymentMethod/card/number`).
    #[must_use]
    pub fn with(mut self, key: &str, value: Value) -> Self {
        let place = key
            .split('/')
            .fold(&mut self.0, |place, name| &mut place[name]);
        *place = value;
        self
    }

    /// Leaves a field out.
    #[must_use]
    pub fn without(mut self, key: &str) -> Self {
        if let Some(fields) = self.0.as_object_mut() {
            fields.remove(key);
        }
        self
    }

    /// The input as JSON.
    pub fn json(&self) -> Value {
        self.0.clone()
    }
}

/// A security code of the length that the brand has.
fn code_for(number: &str) -> &'static str {
    if number.starts_with("37") {
        "7373"
    } else {
        "737"
    }
}
