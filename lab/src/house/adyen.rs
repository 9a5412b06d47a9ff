//! Adyen in the house, played in its own wire format. It can't be read: what is lost is known by its notifications alone.

use processors::{Reply, Request};
use serde_json::{Value, json};

use super::{House, broke, wire::books};
use crate::Broke;

/// Where customers reach Adyen's pages.
pub(crate) const ADYEN: &str = "https://adyen.example";

/// The connection.
pub(crate) const CONNECTION: &str = "adyen";

/// Flows that send payments there, alone and beside Stripe: id and steps.
pub(crate) const FLOWS: [(&str, &str); 5] = [
    (
        "at-adyen",
        "[{authorise: {connection: adyen}}, {capture: now}]",
    ),
    (
        "held-at-adyen",
        "[{authorise: {connection: adyen}}, {capture: api}]",
    ),
    (
        "adyen-later",
        "[{authorise: {connection: adyen}}, {capture: {after: 30s}}]",
    ),
    (
        "adyen-first",
        "[{authorise: {connection: adyen, fallback: {to: [stripe, prompt-b]}}}, {capture: now}]",
    ),
    (
        "stripe-then-adyen",
        "[{authorise: {connection: stripe, fallback: {to: [adyen]}}}, {capture: api}]",
    ),
];

impl House {
    /// Connects the team to Adyen.
    pub(super) async fn connect_adyen(&self) -> Result<(), Broke> {
        let url = self.save_adyen(None).await?;
        let endpoint = self.ask_adyen("/_sim/webhooks", &format!("url={url}"));
        let endpoint: Value = serde_json::from_slice(&endpoint.body).map_err(broke)?;
        let key = endpoint.get("hmacKey").and_then(Value::as_str);
        self.save_adyen(key).await?;
        self.publish(&FLOWS).await
    }

    async fn save_adyen(&self, key: Option<&str>) -> Result<String, Broke> {
        let mut credentials = json!({"apiKey": "AQEtest1", "merchantAccount": "ShopECOM"});
        if let (Some(key), Some(fields)) = (key, credentials.as_object_mut()) {
            fields.insert("hmacKey".to_owned(), key.into());
        }
        self.save_connection(CONNECTION, credentials).await
    }

    /// Asks Adyen for something, as the account's owner or a customer.
    fn ask_adyen(&self, path: &str, form: &str) -> Reply {
        let kind = "application/x-www-form-urlencoded".to_owned();
        self.adyen.asked(&Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: [("content-type".to_owned(), kind)].into(),
            body: form.as_bytes().to_vec(),
            ..Request::default()
        })
    }

    /// The customer decides at Adyen's page. Where that leads back to, with what Adyen wants to be brought.
    pub(super) fn decide_at_adyen(&self, page: &str, pass: bool) -> Option<String> {
        let word = if pass { "complete" } else { "fail" };
        let reply = self.ask_adyen(page, &format!("result={word}"));
        reply.headers.get("location").cloned()
    }

    /// The issuer decides a dispute, or comes back to it.
    pub(crate) fn judged_at_adyen(&self, dispute: &str, outcome: &str) {
        let form = format!("outcome={outcome}");
        self.ask_adyen(&format!("/_sim/disputes/{dispute}"), &form);
    }

    /// What is booked at Adyen, as entries of the books.
    pub(super) fn booked_at_adyen(&self) -> Vec<Value> {
        let books = books(&self.adyen);
        let payments = books.get("payments").and_then(Value::as_array);
        payments.into_iter().flatten().filter_map(entry).collect()
    }
}

/// A payment as an entry of the books. `None`: it has no reference.
fn entry(payment: &Value) -> Option<Value> {
    let number = |name: &str| payment.get(name).and_then(Value::as_i64).unwrap_or(0);
    let (authorised, captured) = (number("authorised"), number("captured"));
    let is_open = number("open") > 0;
    let taken = json!({"status": "done", "amount": captured, "final": !is_open});
    let all_taken: Vec<Value> = (captured > 0).then_some(taken).into_iter().collect();
    let is_released = !is_open && captured > 0;
    Some(json!({
        "reference": payment.get("reference")?,
        "connection": CONNECTION,
        "currency": payment.pointer("/amount/currency")?,
        "authorised": authorised,
        "captured": captured,
        "refunded": number("refunded"),
        "refunds": [],
        "captures": all_taken,
        "cancelled": !is_open && captured == 0,
        "released": if is_released { authorised.saturating_sub(captured) } else { 0 },
    }))
}
