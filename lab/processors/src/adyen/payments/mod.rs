//! Payments: what they are, and how answers show them.

mod authorise;
mod create;
mod details;
mod facts;

use std::{collections::BTreeMap, time::Duration};

pub(super) use authorise::REJECTED_AFTER;
pub(super) use details::{Pressed, redirect_result};
use serde_json::{Value, json};

use super::{
    amount::Amount,
    instrument::{Flow, Instrument},
    notices::Event,
    plans::{Plan, Reason},
};

/// How long an authorisation holds. It depends on the scheme; this is the simulator's.
pub(super) const EXPIRES_AFTER: Duration = Duration::from_hours(7 * 24);

/// Where a payment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// The shopper must act.
    Open,
    /// Nothing is known yet.
    Pending,
    Authorised,
    /// For less than was asked.
    PartlyAuthorised,
    Refused(Reason),
    Cancelled,
    Expired,
    /// The shopper did not come back.
    Closed,
}

/// When the money is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taking {
    /// When the merchant asks for it.
    Asked,
    /// By itself, so long after the authorisation.
    After(Duration),
}

/// What is known of the shopper's consent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Consent {
    pub(super) shopper: Option<String>,
    pub(super) model: Option<String>,
    pub(super) interaction: String,
    /// Whether the method is to be stored.
    pub(super) stores: bool,
    /// The reference of the shopper's first payment elsewhere.
    pub(super) network_reference: Option<String>,
}

/// How the shopper's bank answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// It was not asked.
    None,
    /// By the bank's page.
    Here,
    /// With the request.
    Brought,
}

/// A payment.
#[derive(Debug, Clone)]
pub(super) struct Payment {
    pub(super) psp: String,
    pub(super) number: u64,
    pub(super) account: String,
    pub(super) reference: String,
    /// What was asked for.
    pub(super) amount: Amount,
    pub(super) instrument: Instrument,
    pub(super) plan: Plan,
    pub(super) consent: Consent,
    pub(super) proof: Proof,
    /// `avsResult`.
    pub(super) address_check: &'static str,
    pub(super) taking: Taking,
    pub(super) return_url: String,
    /// In the address of the page, and in what comes back from it.
    pub(super) secret: String,
    /// Whether `redirectResult` was used.
    pub(super) is_completed: bool,
    pub(super) status: Status,
    /// What can still be captured. Unit: the currency's minor unit, as all that follow.
    pub(super) open: i64,
    pub(super) captured: i64,
    pub(super) captures: u32,
    pub(super) refunded: i64,
    pub(super) metadata: BTreeMap<String, String>,
    /// `additionalData` of answers and notifications.
    pub(super) facts: BTreeMap<String, String>,
}

impl Payment {
    /// `resultCode` with the reason of a refusal.
    fn result(&self) -> (&'static str, Option<Reason>) {
        match &self.status {
            Status::Open => ("RedirectShopper", None),
            Status::Pending if self.instrument.flow == Flow::Page => ("Pending", None),
            Status::Pending => ("Received", None),
            Status::Authorised => ("Authorised", None),
            Status::PartlyAuthorised => ("PartiallyAuthorised", None),
            Status::Refused(reason) => (reason.result, Some(*reason)),
            Status::Cancelled | Status::Expired | Status::Closed => ("Cancelled", None),
        }
    }

    /// Whether the merchant knows its `pspReference`: not before the shopper has acted.
    pub(super) fn is_shown(&self) -> bool {
        self.status != Status::Open
    }

    pub(super) fn is_authorised(&self) -> bool {
        matches!(self.status, Status::Authorised | Status::PartlyAuthorised)
    }

    /// What was authorised. Unit: the currency's minor unit.
    pub(super) fn authorised(&self) -> i64 {
        if self.status == Status::PartlyAuthorised {
            self.amount.value / 2
        } else {
            self.amount.value
        }
    }

    /// The answer that shows it.
    pub(super) fn answer(&self) -> Value {
        let (result, reason) = self.result();
        let mut view = json!({
            "pspReference": self.psp,
            "resultCode": result,
            "amount": self.amount.of_value(self.authorised()).view(),
            "merchantReference": self.reference,
            "paymentMethod": {"brand": self.instrument.brand, "type": self.instrument.class},
        });
        if let Value::Object(members) = &mut view {
            if !self.facts.is_empty() {
                members.insert("additionalData".to_owned(), json!(self.facts));
            }
            if let Some(reason) = reason {
                members.insert("refusalReason".to_owned(), json!(reason.text));
                members.insert("refusalReasonCode".to_owned(), json!(reason.code));
            }
        }
        view
    }

    /// An event about it; for events about something of it, `psp` is that one's.
    pub(super) fn event(&self, code: &'static str, psp: Option<&str>) -> Event {
        Event {
            code,
            psp: psp.unwrap_or(&self.psp).to_owned(),
            original: psp.map(|_| self.psp.clone()),
            account: self.account.clone(),
            reference: self.reference.clone(),
            amount: self.amount.clone(),
            method: self.instrument.brand.clone(),
            success: true,
            reason: String::new(),
            additional: BTreeMap::from([(
                "paymentMethodVariant".to_owned(),
                self.instrument.brand.clone(),
            )]),
        }
    }

    /// As `/_sim/books` shows it.
    pub(super) fn shown(&self) -> Value {
        let status = match &self.status {
            Status::Open => "open",
            Status::Pending => "pending",
            Status::Authorised => "authorised",
            Status::PartlyAuthorised => "partly authorised",
            Status::Refused(_) => "refused",
            Status::Cancelled => "cancelled",
            Status::Expired => "expired",
            Status::Closed => "closed",
        };
        json!({
            "pspReference": self.psp,
            "merchantAccount": self.account,
            "reference": self.reference,
            "amount": self.amount.view(),
            "status": status,
            "authorised": if self.is_authorised() { self.authorised() } else { 0 },
            "open": self.open,
            "captured": self.captured,
            "captures": self.captures,
            "refunded": self.refunded,
            "shopperInteraction": self.consent.interaction,
            "recurringProcessingModel": self.consent.model,
            "networkPaymentReference": self.consent.network_reference,
            "paymentMethod": {"brand": self.instrument.brand, "type": self.instrument.class},
        })
    }
}
