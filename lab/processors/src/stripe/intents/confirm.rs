//! Confirming an intent: choosing the method, and asking the shopper where that is due.

use serde_json::Value;

use super::{Status, create::asked};
use crate::{
    form::Form,
    stripe::{
        books::Books,
        cards::{self, Behaviour, Challenging},
        methods::REDIRECTING,
        refusal::Refusal,
        rules::Rule,
    },
};

/// What confirmation takes besides what creation takes too.
pub(in crate::stripe) const CONFIRM: &[Rule] = &[Rule::integer("amount_to_confirm")];

/// Whether the shopper is asked before the issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    Needless,
    Due,
    /// The shopper isn't there.
    Impossible,
}

impl Books {
    pub(in crate::stripe) fn confirm(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let status = self.intent(id)?.status;
        if !matches!(
            status,
            Status::RequiresPaymentMethod | Status::RequiresConfirmation | Status::RequiresAction
        ) {
            let message = format!(
                "You cannot confirm this PaymentIntent because it has a status of {}.",
                status.word()
            );
            return Err(self.about(id, Refusal::unexpected(&message)));
        }
        let method = self.choose_method(id, form)?;
        self.check_mandate(id, &method, form)?;
        // Not published; the form of a transaction's id is that of the schemes.
        let network = "payment_method_options[card][mit_exemption][network_transaction_id]";
        let is_id = |id: &str| {
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte))
        };
        if form.text(network).is_some_and(|id| !is_id(id)) {
            return Err(Refusal::invalid("Invalid network_transaction_id").param(network));
        }
        if let Some(token) = form.text("payment_method_options[card][cvc_token]") {
            self.use_cvc_token(token)?;
        }
        let intent = self.intent_mut(id)?;
        intent.has_acted &= intent.method.as_ref() == Some(&method);
        intent.method = Some(method);
        intent.asked.extend(asked(form));
        intent.last_error = None;
        if let Some(return_url) = form.text("return_url") {
            intent.return_url = Some(return_url.to_owned());
        }
        if let Some(capture) = form.text("capture_method") {
            intent.captures_manually = capture == "manual";
        }
        match self.asking(id, form)? {
            Asking::Needless => self.attempt(id)?,
            Asking::Impossible => return Err(self.fail_authentication(id)?),
            Asking::Due => {
                self.intent_mut(id)?.status = Status::RequiresAction;
                self.emit("payment_intent.requires_action", id);
            }
        }
        self.show_intent(id)
    }

    fn choose_method(&mut self, id: &str, form: &Form) -> Result<String, Refusal> {
        if form.has("payment_method_data") {
            if form.text("payment_method_data[type]").is_none() {
                let param = "payment_method_data[type]";
                return Err(Refusal::parameter(
                    param,
                    "parameter_missing",
                    &format!("Missing required param: {param}."),
                ));
            }
            return self.make_method(form, "payment_method_data");
        }
        let named = form.text("payment_method").map(str::to_owned);
        let Some(named) = named.or_else(|| self.intents.find(id)?.method.clone()) else {
            let message = "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the \
                PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method.";
            return Err(self.about(id, Refusal::unexpected(message)));
        };
        let method = self.method_of(&named)?;
        let customer = self.intent(id)?.customer.clone();
        self.may_be_used(&method, customer.as_deref(), id)?;
        Ok(method)
    }

    /// A bank account is debited only with its holder's consent.
    fn check_mandate(&self, id: &str, method: &str, form: &Form) -> Result<(), Refusal> {
        let is_debit = self.methods.get(method, "payment_method")?.family == "sepa_debit";
        let is_there = |name: &str| {
            form.has(name)
                || self
                    .intents
                    .find(id)
                    .is_some_and(|intent| intent.asked(name).is_some())
        };
        if is_debit && !is_there("mandate_data[customer_acceptance][type]") {
            let message = "This PaymentIntent requires a mandate: provide `mandate_data`, or a method that has one.";
            return Err(self.about(id, Refusal::invalid(message).param("mandate_data")));
        }
        Ok(())
    }

    /// How the card of an intent behaves; methods without a card behave well.
    pub(super) fn behaviour_of(&self, id: &str) -> Result<Behaviour, Refusal> {
        let method = self.intent(id)?.method.as_deref().unwrap_or_default();
        let card = self
            .methods
            .find(method)
            .and_then(|method| method.card.as_ref());
        Ok(cards::behaviour(
            card.map_or("4242424242424242", |card| card.number.as_str()),
        ))
    }

    fn asking(&self, id: &str, form: &Form) -> Result<Asking, Refusal> {
        let intent = self.intent(id)?;
        let method = self.methods.get(
            intent.method.as_deref().unwrap_or_default(),
            "payment_method",
        )?;
        if REDIRECTING.contains(&method.family.as_str()) {
            if intent.return_url.is_none() {
                let message = "This PaymentIntent's payment method needs a `return_url`.";
                return Err(self.about(id, Refusal::invalid(message).param("return_url")));
            }
            return Ok(Asking::Due);
        }
        if intent.has_acted {
            return Ok(Asking::Needless);
        }
        let wanted = intent.asked("payment_method_options[card][request_three_d_secure]");
        let is_imported = intent
            .asked("payment_method_options[card][three_d_secure][cryptogram]")
            .is_some();
        let absent = form
            .text("off_session")
            .is_some_and(|value| value != "false");
        let is_wanted = matches!(wanted, Some("any" | "challenge"));
        let is_asked = match self.behaviour_of(id)?.challenging {
            Challenging::Never => false,
            Challenging::WhenAsked => is_wanted,
            Challenging::UnlessSetUp => is_wanted || !(absent && method.is_set_up),
            Challenging::Always => true,
        };
        if method.card.is_none() || is_imported || !is_asked {
            return Ok(Asking::Needless);
        }
        if absent || form.flag("error_on_requires_action") == Some(true) {
            return Ok(Asking::Impossible);
        }
        Ok(Asking::Due)
    }

    /// What the shopper did on the page. Gives the intent's status afterwards.
    pub(in crate::stripe) fn finish_action(
        &mut self,
        id: &str,
        passed: bool,
    ) -> Result<Status, Refusal> {
        if self.intent(id)?.status == Status::RequiresAction {
            if passed && self.intent(id)?.confirms_manually {
                let intent = self.intent_mut(id)?;
                intent.status = Status::RequiresConfirmation;
                intent.has_acted = true;
            } else if passed {
                // A decline is the shop's to read: the shopper is sent back with it.
                let _declined = self.attempt(id);
            } else {
                let message = "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new \
                    PaymentMethod to attempt to fulfill this PaymentIntent again.";
                let refusal = Refusal::card("payment_intent_authentication_failure", message);
                self.fail(id, &refusal)?;
            }
        }
        Ok(self.intent(id)?.status)
    }

    fn fail_authentication(&mut self, id: &str) -> Result<Refusal, Refusal> {
        let message = "Your card was declined. This transaction requires authentication.";
        let refusal = Refusal::card("authentication_required", message);
        let refusal = refusal.with("decline_code", Value::from("authentication_required"));
        self.fail(id, &refusal)?;
        Ok(self.about(id, refusal))
    }

    /// The error with the intent that it is about.
    pub(super) fn about(&self, id: &str, refusal: Refusal) -> Refusal {
        match self.show(id) {
            Some(intent) => refusal.with("payment_intent", intent),
            None => refusal,
        }
    }
}
