//! Asking the issuer, and what follows from its answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::Status;
use crate::stripe::{
    books::Books,
    cards::{Decline, Holder, Issuer},
    charges::{Authentication, Charge, Progress},
    later::Change,
    money,
    movements::NewMovement,
    refusal::Refusal,
};

/// How long an authorisation lives here. `capture_before` has the true time.
const AUTHORISED_FOR: Duration = Duration::from_hours(7 * 24);
/// When a debit of a bank account comes through. The original takes days.
const DEBITED_AFTER: Duration = Duration::from_secs(10);
/// When a cardholder disputes.
const DISPUTED_AFTER: Duration = Duration::from_secs(2);

impl Books {
    /// Charges the method of an intent.
    pub(in crate::stripe) fn attempt(&mut self, id: &str) -> Result<(), Refusal> {
        let behaviour = self.behaviour_of(id)?;
        let decline = match behaviour.issuer {
            Issuer::Approves => None,
            Issuer::Declines(decline) => Some(decline),
        };
        let charge = self.new_charge(id, decline)?;
        let charge_id = charge.id.clone();
        let is_debit = charge.progress == Progress::Pending;
        self.charges.add(charge);
        self.intent_mut(id)?.latest_charge = Some(charge_id.clone());
        self.note_use(id)?;
        if let Some(decline) = decline {
            return Err(self.decline(id, &charge_id, decline)?);
        }
        self.keep_for_later(id)?;
        if is_debit {
            self.intent_mut(id)?.status = Status::Processing;
            self.emit("charge.pending", &charge_id);
            self.emit("payment_intent.processing", id);
            self.do_later(DEBITED_AFTER, Change::Debit(id.to_owned()));
            return Ok(());
        }
        if self.intent(id)?.captures_manually {
            self.emit("charge.succeeded", &charge_id);
            let intent = self.intent_mut(id)?;
            intent.status = Status::RequiresCapture;
            intent.amount_capturable = intent.amount;
            self.emit("payment_intent.amount_capturable_updated", id);
            self.do_later(AUTHORISED_FOR, Change::Expire(id.to_owned()));
        } else {
            self.take(id, self.intent(id)?.amount)?;
            // The event shows the charge as it is then: captured.
            self.charges.get_mut(&charge_id, "charge")?.progress = Progress::Captured;
            self.emit("charge.succeeded", &charge_id);
            self.succeed(id)?;
        }
        match behaviour.holder {
            Holder::Content => {}
            Holder::Disputes => self.do_later(DISPUTED_AFTER, Change::Dispute(charge_id)),
            Holder::Inquires => self.do_later(DISPUTED_AFTER, Change::Inquiry(charge_id)),
        }
        Ok(())
    }

    /// A card that is nobody's is used once, by this intent.
    fn note_use(&mut self, id: &str) -> Result<(), Refusal> {
        let method = self.intent(id)?.method.clone().unwrap_or_default();
        let method = self.methods.get_mut(&method, "payment_method")?;
        if method.card.is_some() && method.customer.is_none() {
            method.used_by = Some(id.to_owned());
        }
        Ok(())
    }

    /// Attaches the card of an intent that is to be used in future.
    fn keep_for_later(&mut self, id: &str) -> Result<(), Refusal> {
        let intent = self.intent(id)?;
        let wanted = intent.asked("setup_future_usage").is_some();
        let (Some(method), Some(customer)) = (intent.method.clone(), intent.customer.clone())
        else {
            return Ok(());
        };
        let is_card = self
            .methods
            .find(&method)
            .is_some_and(|method| method.card.is_some());
        if wanted && is_card {
            self.keep_method(&method, &customer)?;
        }
        Ok(())
    }

    fn new_charge(&mut self, id: &str, decline: Option<Decline>) -> Result<Charge, Refusal> {
        let behaviour = self.behaviour_of(id)?;
        let charge_id = self.id("ch_");
        let network_id = self.draw.id("", 15);
        let intent = self.intent(id)?;
        let method = self.methods.get(
            intent.method.as_deref().unwrap_or_default(),
            "payment_method",
        )?;
        let imported = intent
            .asked("payment_method_options[card][three_d_secure][cryptogram]")
            .is_some();
        let authentication = match intent.status {
            Status::RequiresAction => Authentication::Challenged,
            _ if intent.has_acted => Authentication::Challenged,
            _ if imported => Authentication::Imported,
            _ => Authentication::NotAsked,
        };
        let wants_several = intent.asked("payment_method_options[card][request_multicapture]")
            == Some("if_available");
        let is_card = method.card.is_some();
        Ok(Charge {
            id: charge_id,
            created: self.seconds(),
            intent: id.to_owned(),
            amount: intent.amount,
            amount_captured: 0,
            amount_refunded: 0,
            amount_released: 0,
            currency: intent.currency.clone(),
            progress: if decline.is_none() && method.family == "sepa_debit" {
                Progress::Pending
            } else {
                Progress::Authorised
            },
            decline,
            disputed: false,
            method: method.id.clone(),
            family: method.family.clone(),
            card: method.card.clone(),
            billing: method.billing.clone(),
            cvc_check: behaviour.cvc_check,
            authentication,
            multicapture: is_card && intent.captures_manually && wants_several,
            capture_before: intent
                .captures_manually
                .then(|| self.now.saturating_add(AUTHORISED_FOR).as_secs()),
            movement: None,
            customer: intent.customer.clone(),
            metadata: intent.metadata.clone(),
            network_transaction_id: (is_card && decline.is_none()).then_some(network_id),
        })
    }

    fn decline(&mut self, id: &str, charge: &str, decline: Decline) -> Result<Refusal, Refusal> {
        self.emit("charge.failed", charge);
        let mut refusal =
            Refusal::card(decline.code, decline.message).with("charge", json!(charge));
        if decline.code == "card_declined" {
            refusal = refusal.with("decline_code", json!(decline.word));
        }
        if let Some(advice) = decline.advice {
            refusal = refusal.with("advice_code", json!(advice));
        }
        self.fail(id, &refusal)?;
        Ok(self.about(id, refusal))
    }

    /// Back to the choice of a method, with the error.
    pub(super) fn fail(&mut self, id: &str, refusal: &Refusal) -> Result<(), Refusal> {
        let method = self
            .intent(id)?
            .method
            .as_deref()
            .and_then(|method| self.show(method));
        let mut error = refusal.error().clone();
        if let Value::Object(members) = &mut error {
            members.insert("payment_method".to_owned(), json!(method));
        }
        let intent = self.intent_mut(id)?;
        intent.status = Status::RequiresPaymentMethod;
        intent.method = None;
        intent.last_error = Some(error);
        self.emit("payment_intent.payment_failed", id);
        Ok(())
    }

    /// Takes money of the authorisation.
    pub(super) fn take(&mut self, id: &str, amount: i64) -> Result<(), Refusal> {
        let intent = self.intent_mut(id)?;
        intent.amount_received = intent.amount_received.saturating_add(amount);
        let charge_id = intent.latest_charge.clone().unwrap_or_default();
        let currency = intent.currency.clone();
        let movement = self.move_money(&NewMovement {
            class: "charge",
            amount,
            fee: money::fee(amount),
            currency: &currency,
            source: &charge_id,
        });
        let charge = self.charges.get_mut(&charge_id, "charge")?;
        charge.amount_captured = charge.amount_captured.saturating_add(amount);
        charge.movement = Some(movement);
        Ok(())
    }

    /// Nothing more will be taken.
    pub(in crate::stripe) fn succeed(&mut self, id: &str) -> Result<(), Refusal> {
        let intent = self.intent_mut(id)?;
        intent.status = Status::Succeeded;
        intent.amount_capturable = 0;
        let charge = intent.latest_charge.clone().unwrap_or_default();
        let charge = self.charges.get_mut(&charge, "charge")?;
        charge.progress = Progress::Captured;
        self.emit("payment_intent.succeeded", id);
        Ok(())
    }

    /// A debit comes through.
    pub(in crate::stripe) fn debit(&mut self, id: &str) -> Result<(), Refusal> {
        if self.intent(id)?.status == Status::Processing {
            self.take(id, self.intent(id)?.amount)?;
            self.succeed(id)?;
            let charge = self.intent(id)?.latest_charge.clone().unwrap_or_default();
            self.emit("charge.succeeded", &charge);
        }
        Ok(())
    }
}
