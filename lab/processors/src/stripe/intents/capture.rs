//! Taking authorised money, and giving it up.

use serde_json::Value;

use super::Status;
use crate::{
    form::Form,
    stripe::{books::Books, refusal::Refusal, rules::Rule},
};

pub(in crate::stripe) const CAPTURE: &[Rule] = &[
    Rule::integer("amount_to_capture"),
    Rule::flag("final_capture"),
    Rule::clearable("metadata[*]"),
    Rule::text("statement_descriptor"),
    Rule::text("statement_descriptor_suffix"),
];

pub(in crate::stripe) const CANCEL: &[Rule] = &[Rule::one_of(
    "cancellation_reason",
    &[
        "abandoned",
        "duplicate",
        "fraudulent",
        "requested_by_customer",
    ],
)];

impl Books {
    pub(in crate::stripe) fn capture(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let intent = self.intent(id)?;
        if intent.status != Status::RequiresCapture {
            let message = format!(
                "This PaymentIntent could not be captured because it has a status of {}. Only a PaymentIntent with one of the following \
                 statuses may be captured: requires_capture.",
                intent.status.word()
            );
            return Err(self.about(id, Refusal::unexpected(&message)));
        }
        let amount = form
            .integer("amount_to_capture")
            .unwrap_or(intent.amount_capturable);
        if amount < 1 || amount > intent.amount_capturable {
            let message = "The requested capture amount is greater than the amount you can capture for this charge.";
            return Err(self.about(id, Refusal::invalid(message).param("amount_to_capture")));
        }
        let is_final = form.flag("final_capture").unwrap_or(true);
        let charge_id = intent.latest_charge.clone().unwrap_or_default();
        if !is_final && !self.charges.get(&charge_id, "charge")?.multicapture {
            let message =
                "final_capture can only be false where multicapture is available for the charge.";
            return Err(self.about(id, Refusal::invalid(message).param("final_capture")));
        }
        self.take(id, amount)?;
        let intent = self.intent_mut(id)?;
        let rest = intent.amount_capturable.saturating_sub(amount);
        intent.amount_capturable = rest;
        intent.metadata.extend(form.map("metadata"));
        if is_final {
            self.release_rest(&charge_id, rest)?;
            self.succeed(id)?;
        } else {
            self.emit("payment_intent.amount_capturable_updated", id);
        }
        self.emit("charge.captured", &charge_id);
        self.show_intent(id)
    }

    pub(in crate::stripe) fn cancel(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let status = self.intent(id)?.status;
        if matches!(
            status,
            Status::Succeeded | Status::Canceled | Status::Processing
        ) {
            let message = format!(
                "You cannot cancel this PaymentIntent because it has a status of {}. Only a PaymentIntent with one of the following statuses may \
                 be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.",
                status.word()
            );
            return Err(self.about(id, Refusal::unexpected(&message)));
        }
        self.release(id, form.text("cancellation_reason"))?;
        self.show_intent(id)
    }

    /// The authorisation ends by itself.
    pub(in crate::stripe) fn expire(&mut self, id: &str) -> Result<(), Refusal> {
        if self.intent(id)?.status != Status::RequiresCapture {
            return Ok(());
        }
        let intent = self.intent(id)?;
        if intent.amount_received > 0 {
            let rest = intent.amount_capturable;
            let charge = intent.latest_charge.clone().unwrap_or_default();
            self.release_rest(&charge, rest)?;
            return self.succeed(id);
        }
        self.release(id, Some("expired"))
    }

    fn release(&mut self, id: &str, reason: Option<&str>) -> Result<(), Refusal> {
        let now = self.seconds();
        let intent = self.intent_mut(id)?;
        intent.status = Status::Canceled;
        let rest = std::mem::take(&mut intent.amount_capturable);
        intent.canceled_at = Some(now);
        intent.cancellation_reason = reason.map(str::to_owned);
        if let Some(charge) = intent.latest_charge.clone() {
            self.release_rest(&charge, rest)?;
            if reason == Some("expired") {
                self.emit("charge.expired", &charge);
            }
        }
        self.emit("payment_intent.canceled", id);
        Ok(())
    }
}
