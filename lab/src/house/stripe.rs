//! Stripe in the house, played in its own wire format.

use processors::{Reply, Request};
use serde_json::{Value, json};

use super::{House, broke, wire::books};
use crate::Broke;

/// Where customers reach Stripe's pages.
pub(crate) const STRIPE: &str = "https://stripe.example";

/// The connection.
pub(crate) const CONNECTION: &str = "stripe";

/// Flows that send payments there: id and steps.
pub(crate) const FLOWS: [(&str, &str); 5] = [
    (
        "at-stripe",
        "[{authorise: {connection: stripe}}, {capture: now}]",
    ),
    (
        "held-at-stripe",
        "[{authorise: {connection: stripe}}, {capture: api}]",
    ),
    (
        "stripe-later",
        "[{authorise: {connection: stripe}}, {capture: {after: 30s}}]",
    ),
    (
        "stripe-first",
        "[{authorise: {connection: stripe, fallback: {to: [tardy-a, prompt-b]}}}, {capture: now}]",
    ),
    (
        "stripe-last",
        "[{authorise: {connection: failing, fallback: {to: [stripe, prompt-b]}}}, {capture: api}]",
    ),
];

impl House {
    /// Connects the team to Stripe.
    pub(super) async fn connect_stripe(&self) -> Result<(), Broke> {
        let url = self.save_stripe(None).await?;
        let wanted = connectors::stripe::EVENTS.map(|event| format!("&enabled_events[]={event}"));
        let form = format!("url={url}{}", wanted.concat());
        let endpoint = self.ask_stripe("/v1/webhook_endpoints", &form);
        let endpoint: Value = serde_json::from_slice(&endpoint.body).map_err(broke)?;
        let secret = endpoint.get("secret").and_then(Value::as_str);
        self.save_stripe(secret).await?;
        self.publish(&FLOWS).await
    }

    async fn save_stripe(&self, secret: Option<&str>) -> Result<String, Broke> {
        let mut credentials = json!({"secretKey": "sk_test_1"});
        if let (Some(secret), Some(fields)) = (secret, credentials.as_object_mut()) {
            fields.insert("webhookSecret".to_owned(), secret.into());
        }
        self.save_connection(CONNECTION, credentials).await
    }

    /// Asks Stripe for something, as the account's owner.
    fn ask_stripe(&self, path: &str, form: &str) -> Reply {
        let headers = [
            ("authorization", "Bearer sk_test_1"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let request = Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: headers.into(),
            body: form.as_bytes().to_vec(),
            ..Request::default()
        };
        self.stripe.asked(&request)
    }

    /// The customer decides at Stripe's page. Where that leads back to: Stripe is asked what became of it.
    pub(super) fn decide_at_stripe(&self, page: &str, pass: bool) -> Option<String> {
        let word = if pass { "complete" } else { "fail" };
        let reply = self.ask_stripe(page, &format!("result={word}"));
        let back = reply.headers.get("location")?;
        back.split('?').next().map(str::to_owned)
    }

    /// The bank decides a dispute for the merchant.
    pub(crate) fn judged_at_stripe(&self, dispute: &str) {
        self.ask_stripe(&format!("/_sim/disputes/{dispute}"), "outcome=won");
    }

    /// What is booked at Stripe, as entries of the books.
    pub(super) fn booked_at_stripe(&self) -> Vec<Value> {
        let books = books(&self.stripe);
        let list = |name: &str| {
            let rows = books.get(name).and_then(Value::as_array);
            rows.cloned().unwrap_or_default()
        };
        let (charges, refunds) = (list("charges"), list("refunds"));
        list("payment_intents")
            .iter()
            .filter_map(|intent| entry(intent, &charges, &refunds))
            .collect()
    }
}

/// An intent as an entry of the books. `None`: it is none of the service's.
fn entry(intent: &Value, charges: &[Value], refunds: &[Value]) -> Option<Value> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_i64).unwrap_or(0);
    let id = text(intent, "id");
    let reference = text(intent.get("metadata")?, "pointsman")?;
    let is_ours = |of: &&Value| text(of, "payment_intent") == id;
    let approved = charges
        .iter()
        .filter(is_ours)
        .any(|charge| text(charge, "status").as_deref() == Some("succeeded"));
    let (captured, status) = (number(intent, "amount_received"), text(intent, "status")?);
    let authorised = if approved {
        number(intent, "amount")
    } else {
        0
    };
    // A release moves nothing.
    let moved = refunds.iter().filter(is_ours).filter(|refund| {
        refund
            .get("balance_transaction")
            .is_some_and(|moved| !moved.is_null())
    });
    let (mut refunded, mut pending) = (0_i64, Vec::new());
    for refund in moved {
        let amount = number(refund, "amount");
        match text(refund, "status").as_deref() {
            Some("succeeded") => refunded = refunded.saturating_add(amount),
            Some("pending") => pending.push(json!({"status": "pending", "amount": amount})),
            _ => {}
        }
    }
    let released = if captured > 0 && status != "requires_capture" {
        authorised.saturating_sub(captured)
    } else {
        0
    };
    let is_final = status != "requires_capture";
    let taken = json!({"status": "done", "amount": captured, "final": is_final});
    let all_taken: Vec<Value> = (captured > 0).then_some(taken).into_iter().collect();
    Some(json!({
        "reference": reference,
        "connection": CONNECTION,
        "currency": text(intent, "currency")?.to_ascii_uppercase(),
        "authorised": authorised,
        "captured": captured,
        "refunded": refunded,
        "refunds": pending,
        "captures": all_taken,
        "cancelled": status == "canceled",
        "released": released,
    }))
}
