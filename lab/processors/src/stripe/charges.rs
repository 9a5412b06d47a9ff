//! Charges: what was asked of an issuer, and what it said.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    books::{Books, Row},
    cards::Decline,
    methods::Card,
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// How the cardholder was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Authentication {
    NotAsked,
    Challenged,
    /// Done elsewhere, and handed in.
    Imported,
}

/// How far a charge has come that was not declined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Not yet sure: debits of bank accounts.
    Pending,
    Authorised,
    /// Nothing more will be taken.
    Captured,
}

/// An attempt at an intent.
#[derive(Debug, Clone)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) intent: String,
    pub(super) amount: i64,
    pub(super) amount_captured: i64,
    pub(super) amount_refunded: i64,
    /// What was authorised and won't be taken any more. It counts as refunded.
    pub(super) amount_released: i64,
    pub(super) currency: String,
    pub(super) progress: Progress,
    pub(super) decline: Option<Decline>,
    pub(super) disputed: bool,
    pub(super) method: String,
    pub(super) family: String,
    pub(super) card: Option<Card>,
    pub(super) billing: Value,
    pub(super) cvc_check: &'static str,
    pub(super) authentication: Authentication,
    pub(super) multicapture: bool,
    pub(super) capture_before: Option<u64>,
    pub(super) movement: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) network_transaction_id: Option<String>,
}

impl Charge {
    fn status(&self) -> &'static str {
        if self.decline.is_some() {
            "failed"
        } else if self.progress == Progress::Pending {
            "pending"
        } else {
            "succeeded"
        }
    }

    /// What can still be given back.
    pub(super) const fn refundable(&self) -> i64 {
        self.amount_captured.saturating_sub(self.amount_refunded)
    }

    const fn given_back(&self) -> i64 {
        self.amount_refunded.saturating_add(self.amount_released)
    }

    fn outcome(&self) -> Value {
        match &self.decline {
            None => json!({
                "advice_code": null, "network_advice_code": null, "network_decline_code": null, "network_status": "approved_by_network",
                "reason": null, "risk_level": "normal", "risk_score": 20, "seller_message": "Payment complete.", "type": "authorized",
            }),
            Some(decline) => json!({
                "advice_code": decline.advice, "network_advice_code": null, "network_decline_code": "05",
                "network_status": "declined_by_network", "reason": decline.word, "risk_level": "normal", "risk_score": 20,
                "seller_message": "The bank did not return any further details with this decline.", "type": "issuer_declined",
            }),
        }
    }

    fn details(&self) -> Value {
        let Some(card) = &self.card else {
            let mut details = json!({"type": self.family});
            if let Value::Object(members) = &mut details {
                members.insert(self.family.clone(), json!({}));
            }
            return details;
        };
        let mut view = card.view();
        let three_d_secure = match self.authentication {
            Authentication::NotAsked => Value::Null,
            Authentication::Challenged => json!({
                "authentication_flow": "challenge", "electronic_commerce_indicator": "05", "exemption_indicator": null,
                "result": "authenticated", "result_reason": null, "transaction_id": null, "version": "2.2.0",
            }),
            Authentication::Imported => {
                json!({"authentication_flow": null, "result": "authenticated", "version": "2.2.0"})
            }
        };
        if let Value::Object(members) = &mut view {
            let approved = self.decline.is_none();
            members.insert("amount_authorized".to_owned(), json!(self.amount));
            members.insert(
                "authorization_code".to_owned(),
                json!(approved.then_some("123456")),
            );
            members.insert("capture_before".to_owned(), json!(self.capture_before));
            let cvc_check = card.has_cvc.then_some(self.cvc_check);
            members.insert(
                "checks".to_owned(),
                json!({"address_line1_check": null, "address_postal_code_check": null, "cvc_check": cvc_check}),
            );
            let status = |is: bool| json!({"status": if is { "available" } else { "unavailable" }});
            members.insert("multicapture".to_owned(), status(self.multicapture));
            members.insert(
                "overcapture".to_owned(),
                json!({"maximum_amount_capturable": self.amount, "status": "unavailable"}),
            );
            members.insert(
                "extended_authorization".to_owned(),
                json!({"status": "disabled"}),
            );
            members.insert("incremental_authorization".to_owned(), status(false));
            members.insert(
                "network_transaction_id".to_owned(),
                json!(self.network_transaction_id),
            );
            members.insert("three_d_secure".to_owned(), three_d_secure);
        }
        json!({"card": view, "type": "card"})
    }
}

impl Row for Charge {
    const OBJECT: &'static str = "charge";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        let decline = self.decline.as_ref();
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "amount": self.amount,
            "amount_captured": self.amount_captured,
            "amount_refunded": self.given_back(),
            "application": null,
            "application_fee": null,
            "application_fee_amount": null,
            "balance_transaction": self.movement,
            "billing_details": self.billing,
            "calculated_statement_descriptor": "SIMULATOR",
            "captured": self.progress == Progress::Captured,
            "created": self.created,
            "currency": self.currency,
            "customer": self.customer,
            "description": null,
            "disputed": self.disputed,
            "failure_balance_transaction": null,
            "failure_code": decline.map(|decline| decline.code),
            "failure_message": decline.map(|decline| decline.message),
            "fraud_details": {},
            "livemode": false,
            "metadata": self.metadata,
            "outcome": self.outcome(),
            "paid": decline.is_none() && self.progress != Progress::Pending,
            "payment_intent": self.intent,
            "payment_method": self.method,
            "payment_method_details": self.details(),
            "receipt_email": null,
            "receipt_number": null,
            "receipt_url": null,
            "refunded": self.given_back() == self.amount,
            "status": self.status(),
        })
    }
}

pub(super) const UPDATE_CHARGE: &[Rule] = &[Rule::clearable("metadata[*]")];

impl Books {
    /// Changes a charge's metadata; those of its intent stay as they are.
    pub(super) fn update_charge(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let charge = self.charges.get_mut(id, "charge")?;
        for (name, value) in form.map("metadata") {
            if value.is_empty() {
                charge.metadata.remove(&name);
            } else {
                charge.metadata.insert(name, value);
            }
        }
        Ok(self.charges.get(id, "charge")?.view(self))
    }
}
