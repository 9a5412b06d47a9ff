//! Captures, cancellations, refunds and reversals as they are asked for. Each is only received; its outcome is notified.

use std::time::Duration;

use serde_json::{Value, json};

use super::{amount::Amount, books::Books, later::Change, refusal::Refusal, rules::Body};

/// When the outcome is known.
const SETTLED_AFTER: Duration = Duration::from_secs(1);

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Capture,
    Cancel,
    Refund,
    /// Cancels or refunds, whichever fits.
    Reverse,
    /// Cancels by the merchant's reference.
    TechnicalCancel,
}

/// A request for a change of a payment.
#[derive(Debug, Clone)]
pub(super) struct Modification {
    pub(super) psp: String,
    pub(super) number: u64,
    pub(super) sort: Sort,
    /// The payment's `pspReference`, or its reference for a technical cancel.
    pub(super) payment: String,
    pub(super) account: String,
    /// The merchant's own for this change.
    pub(super) reference: Option<String>,
    pub(super) amount: Option<Amount>,
    pub(super) asked_at: Duration,
    /// Whether it took place, once that is known.
    pub(super) outcome: Option<bool>,
}

impl Modification {
    /// As `/_sim/books` shows it.
    pub(super) fn shown(&self) -> Value {
        json!({
            "pspReference": self.psp,
            "kind": format!("{:?}", self.sort),
            "payment": self.payment,
            "reference": self.reference,
            "amount": self.amount.as_ref().map(Amount::view),
            "success": self.outcome,
        })
    }
}

impl Books {
    /// `POST /payments/{psp}/captures`, `/cancels`, `/refunds`, `/reversals`
    pub(super) fn modify(&mut self, sort: Sort, psp: &str, body: &Body) -> Result<Value, Refusal> {
        let account = body.text("merchantAccount").unwrap_or_default();
        self.payment(psp, account)?;
        let amount = match sort {
            Sort::Capture | Sort::Refund => Some(Amount::of(body)?),
            Sort::Cancel | Sort::Reverse | Sort::TechnicalCancel => None,
        };
        if amount.as_ref().is_some_and(|amount| amount.value == 0) {
            return Err(Refusal::invalid("137", "Invalid amount specified"));
        }
        let mut view = self.receive(sort, psp, amount, body);
        if let Value::Object(members) = &mut view {
            members.insert("paymentPspReference".to_owned(), json!(psp));
            for given in ["amount", "lineItems", "merchantRefundReason"] {
                if let Some(value) = body.at(given) {
                    members.insert(given.to_owned(), value.clone());
                }
            }
        }
        Ok(view)
    }

    /// `POST /cancels`. Whether there is such a payment is only known later.
    pub(super) fn cancel_by_reference(&mut self, body: &Body) -> Value {
        let reference = body.text("paymentReference").unwrap_or_default();
        let mut view = self.receive(Sort::TechnicalCancel, reference, None, body);
        if let Value::Object(members) = &mut view {
            members.insert("paymentReference".to_owned(), json!(reference));
        }
        view
    }

    fn receive(&mut self, sort: Sort, payment: &str, amount: Option<Amount>, body: &Body) -> Value {
        let modification = Modification {
            psp: self.psp(),
            number: self.number(),
            sort,
            payment: payment.to_owned(),
            account: body.text("merchantAccount").unwrap_or_default().to_owned(),
            reference: body.text("reference").map(str::to_owned),
            amount,
            asked_at: self.now,
            outcome: None,
        };
        let mut view = json!({
            "merchantAccount": modification.account,
            "pspReference": modification.psp,
            "status": "received",
        });
        if let (Some(reference), Value::Object(members)) = (&modification.reference, &mut view) {
            members.insert("reference".to_owned(), json!(reference));
        }
        self.do_later(SETTLED_AFTER, Change::Settle(modification.psp.clone()));
        self.modifications
            .insert(modification.psp.clone(), modification);
        view
    }
}
