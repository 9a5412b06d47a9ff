//! Refunds, also those that fail long after they succeeded.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};

use super::{
    books::{Books, Row},
    cards::{self, Refunding},
    later::Change,
    movements::NewMovement,
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// When a refund that isn't sure at once is decided. The original takes days.
const DECIDED_AFTER: Duration = Duration::from_secs(5);

/// Money on its way back.
#[derive(Debug, Clone)]
pub(super) struct Refund {
    pub(super) id: String,
    created: u64,
    pub(super) charge: String,
    pub(super) intent: String,
    amount: i64,
    currency: String,
    status: &'static str,
    reason: Option<String>,
    metadata: BTreeMap<String, String>,
    /// None where nothing was taken before: of what is released.
    movement: Option<String>,
    failure_movement: Option<String>,
}

impl Row for Refund {
    const OBJECT: &'static str = "refund";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, _: &Books) -> Value {
        let mut view = json!({
            "id": self.id,
            "object": Self::OBJECT,
            "amount": self.amount,
            "balance_transaction": self.movement,
            "charge": self.charge,
            "created": self.created,
            "currency": self.currency,
            "destination_details": {"card": {"type": "refund"}, "type": "card"},
            "metadata": self.metadata,
            "payment_intent": self.intent,
            "reason": self.reason,
            "receipt_number": null,
            "source_transfer_reversal": null,
            "status": self.status,
            "transfer_reversal": null,
        });
        if let (Value::Object(members), Some(failure)) = (&mut view, &self.failure_movement) {
            members.insert("failure_balance_transaction".to_owned(), json!(failure));
            members.insert(
                "failure_reason".to_owned(),
                json!("expired_or_canceled_card"),
            );
        }
        view
    }
}

pub(super) const NEW_REFUND: &[Rule] = &[
    Rule::integer("amount"),
    Rule::text("charge"),
    Rule::text("payment_intent"),
    Rule::text("metadata[*]"),
    Rule::one_of(
        "reason",
        &["duplicate", "fraudulent", "requested_by_customer"],
    ),
];

impl Books {
    pub(super) fn create_refund(&mut self, form: &Form) -> Result<Value, Refusal> {
        let charge_id = self.charge_to_refund(form)?;
        let charge = self.charges.get(&charge_id, "charge")?;
        let left = charge.refundable();
        if charge.disputed {
            return Err(
                Refusal::invalid("This charge is disputed and cannot be refunded.")
                    .code("charge_disputed"),
            );
        }
        if charge.amount_captured == 0 {
            return Err(Refusal::invalid(
                "This charge has not been captured and cannot be refunded.",
            )
            .code("charge_not_refundable"));
        }
        if left == 0 {
            let message = format!("Charge {charge_id} has already been refunded.");
            return Err(Refusal::invalid(&message).code("charge_already_refunded"));
        }
        let amount = form.integer("amount").unwrap_or(left);
        if amount < 1 || amount > left {
            let message = format!(
                "Refund amount ({amount}) is greater than unrefunded amount on charge ({left})"
            );
            return Err(Refusal::invalid(&message).param("amount"));
        }
        let number = charge.card.as_ref().map_or("", |card| card.number.as_str());
        let refunding = if number.is_empty() {
            Refunding::AtOnce
        } else {
            cards::behaviour(number).refunding
        };
        let (currency, intent) = (charge.currency.clone(), charge.intent.clone());
        let id = self.id("re_");
        let new = NewMovement {
            class: "refund",
            amount: amount.saturating_neg(),
            fee: 0,
            currency: &currency,
            source: &id,
        };
        let movement = self.move_money(&new);
        self.refunds.add(Refund {
            id: id.clone(),
            created: self.seconds(),
            charge: charge_id.clone(),
            intent,
            amount,
            currency,
            status: if refunding == Refunding::Later {
                "pending"
            } else {
                "succeeded"
            },
            reason: form.text("reason").map(str::to_owned),
            metadata: form.map("metadata"),
            movement: Some(movement),
            failure_movement: None,
        });
        let charge = self.charges.get_mut(&charge_id, "charge")?;
        charge.amount_refunded = charge.amount_refunded.saturating_add(amount);
        self.emit("refund.created", &id);
        self.emit("charge.refunded", &charge_id);
        match refunding {
            Refunding::AtOnce => {}
            Refunding::Later => self.do_later(DECIDED_AFTER, Change::Refunded(id.clone())),
            Refunding::FailsLater => self.do_later(DECIDED_AFTER, Change::RefundFailed(id.clone())),
        }
        Ok(self.refunds.get(&id, "refund")?.view(self))
    }

    /// Gives up what was authorised and not taken, which Stripe lists as a refund too. Source: docs/processors/stripe.md, "States".
    pub(super) fn release_rest(&mut self, charge_id: &str, amount: i64) -> Result<(), Refusal> {
        if amount <= 0 {
            return Ok(());
        }
        let charge = self.charges.get_mut(charge_id, "charge")?;
        charge.amount_released = charge.amount_released.saturating_add(amount);
        let (currency, intent) = (charge.currency.clone(), charge.intent.clone());
        let id = self.id("re_");
        self.refunds.add(Refund {
            id: id.clone(),
            created: self.seconds(),
            charge: charge_id.to_owned(),
            intent,
            amount,
            currency,
            status: "succeeded",
            reason: None,
            metadata: BTreeMap::new(),
            movement: None,
            failure_movement: None,
        });
        self.emit("refund.created", &id);
        self.emit("charge.refunded", charge_id);
        Ok(())
    }

    fn charge_to_refund(&self, form: &Form) -> Result<String, Refusal> {
        match (form.text("charge"), form.text("payment_intent")) {
            (Some(charge), None) => self
                .charges
                .get(charge, "charge")
                .map(|charge| charge.id.clone()),
            (None, Some(intent)) => {
                let intent = self.intents.get(intent, "payment_intent")?;
                intent.latest_charge.clone().ok_or_else(|| {
                    let message = "This PaymentIntent does not have a successful charge to refund.";
                    Refusal::unexpected(message).param("payment_intent")
                })
            }
            _ => {
                let message = "One of the following params should be provided for this request: payment_intent or charge.";
                Err(Refusal::parameter(
                    "payment_intent",
                    "parameter_missing",
                    message,
                ))
            }
        }
    }

    /// A pending refund comes through.
    pub(super) fn finish_refund(&mut self, id: &str) -> Result<(), Refusal> {
        self.refunds.get_mut(id, "refund")?.status = "succeeded";
        self.emit("refund.updated", id);
        self.emit("charge.refund.updated", id);
        Ok(())
    }

    /// A refund fails, whatever it was before: the money comes back to the merchant's balance.
    pub(super) fn fail_refund(&mut self, id: &str) -> Result<(), Refusal> {
        let refund = self.refunds.get(id, "refund")?.clone();
        let movement = self.move_money(&NewMovement {
            class: "refund_failure",
            amount: refund.amount,
            fee: 0,
            currency: &refund.currency,
            source: id,
        });
        let charge = self.charges.get_mut(&refund.charge, "charge")?;
        charge.amount_refunded = charge.amount_refunded.saturating_sub(refund.amount);
        let refund = self.refunds.get_mut(id, "refund")?;
        refund.status = "failed";
        refund.failure_movement = Some(movement);
        self.emit("refund.failed", id);
        self.emit("refund.updated", id);
        self.emit("charge.refund.updated", id);
        Ok(())
    }
}
