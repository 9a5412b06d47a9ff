//! Setup intents: a card is verified and kept for later payments, and no money moves.
//!
//! Source: npm `stripe` 23.1.0, `SetupIntents.d.ts`; docs/processors/stripe.md, "Stored credentials and wallets".

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    books::{Books, Row},
    cards::{self, Challenging, Issuer},
    intents::Status,
    refusal::Refusal,
    rules::Rule,
};
use crate::form::Form;

/// A card on its way to be kept. Its states are those of payments, without the ones of money.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) status: Status,
    pub(super) method: Option<String>,
    pub(super) customer: Option<String>,
    metadata: BTreeMap<String, String>,
    usage: String,
    last_error: Option<Value>,
    pub(super) return_url: Option<String>,
    pub(super) client_secret: String,
}

impl Row for Setup {
    const OBJECT: &'static str = "setup_intent";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, books: &Books) -> Value {
        let next_action = match (&self.return_url, self.status) {
            (Some(return_url), Status::RequiresAction) => {
                let url = format!(
                    "{}/3d_secure/{}/{}",
                    books.public, self.id, self.client_secret
                );
                json!({"type": "redirect_to_url", "redirect_to_url": {"return_url": return_url, "url": url}})
            }
            (None, Status::RequiresAction) => {
                json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}})
            }
            _ => Value::Null,
        };
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "application": null,
            "automatic_payment_methods": null,
            "cancellation_reason": null,
            "client_secret": self.client_secret,
            "created": self.created,
            "customer": self.customer,
            "description": null,
            "last_setup_error": self.last_error,
            "latest_attempt": null,
            "livemode": false,
            "mandate": null,
            "metadata": self.metadata,
            "next_action": next_action,
            "on_behalf_of": null,
            "payment_method": self.method,
            "payment_method_options": {"card": {"mandate_options": null, "network": null, "request_three_d_secure": "automatic"}},
            "payment_method_types": ["card"],
            "single_use_mandate": null,
            "status": self.status.word(),
            "usage": self.usage,
        })
    }
}

/// What creation takes besides what confirmation takes.
pub(super) const NEW_SETUP: &[Rule] = &[
    Rule::flag("confirm"),
    Rule::text("customer"),
    Rule::text("description"),
    Rule::text("metadata[*]"),
    Rule::text("payment_method_types[#]"),
    Rule::one_of("usage", &["off_session", "on_session"]),
];

/// What confirmation takes.
pub(super) const CONFIRM_SETUP: &[Rule] = &[
    Rule::text("payment_method"),
    Rule::text("return_url"),
    Rule::flag("use_stripe_sdk"),
    Rule::one_of(
        "payment_method_options[card][request_three_d_secure]",
        &["any", "automatic", "challenge"],
    ),
];

/// What a cancellation takes.
pub(super) const CANCEL_SETUP: &[Rule] = &[Rule::one_of(
    "cancellation_reason",
    &["abandoned", "duplicate", "requested_by_customer"],
)];

impl Books {
    pub(super) fn create_setup(&mut self, form: &Form) -> Result<Value, Refusal> {
        let confirms = form.flag("confirm") == Some(true);
        if !confirms && form.has("return_url") {
            return Err(
                Refusal::malformed("This parameter can only be used with `confirm=true`.")
                    .param("return_url"),
            );
        }
        if let Some(customer) = form.text("customer") {
            self.customers.get(customer, "customer")?;
        }
        let method = match form.text("payment_method") {
            Some(method) => Some(self.method_of(method)?),
            None => None,
        };
        let id = self.id("seti_");
        let setup = Setup {
            created: self.seconds(),
            status: if method.is_some() {
                Status::RequiresConfirmation
            } else {
                Status::RequiresPaymentMethod
            },
            method,
            customer: form.text("customer").map(str::to_owned),
            metadata: form.map("metadata"),
            usage: form.text("usage").unwrap_or("off_session").to_owned(),
            last_error: None,
            return_url: None,
            client_secret: self.id(&format!("{id}_secret_")),
            id: id.clone(),
        };
        self.setups.add(setup);
        self.emit("setup_intent.created", &id);
        if confirms {
            return self.confirm_setup(&id, form);
        }
        self.show_setup(&id)
    }

    pub(super) fn confirm_setup(&mut self, id: &str, form: &Form) -> Result<Value, Refusal> {
        let status = self.setup(id)?.status;
        if !matches!(
            status,
            Status::RequiresPaymentMethod | Status::RequiresConfirmation | Status::RequiresAction
        ) {
            let message = format!(
                "You cannot confirm this SetupIntent because it has a status of {}.",
                status.word()
            );
            return Err(self.about_setup(id, unexpected(&message)));
        }
        let named = form.text("payment_method").map(str::to_owned);
        let Some(named) = named.or_else(|| self.setups.find(id)?.method.clone()) else {
            let message =
                "You cannot confirm this SetupIntent because it's missing a payment method.";
            return Err(self.about_setup(id, unexpected(message)));
        };
        let method = self.method_of(&named)?;
        let customer = self.setup(id)?.customer.clone();
        self.may_be_used(&method, customer.as_deref(), id)?;
        let setup = self.setup_mut(id)?;
        setup.method = Some(method.clone());
        setup.last_error = None;
        if let Some(return_url) = form.text("return_url") {
            setup.return_url = Some(return_url.to_owned());
        }
        let wanted = form.text("payment_method_options[card][request_three_d_secure]");
        let challenges = match self.behaviour_of_method(&method).challenging {
            Challenging::Never => false,
            Challenging::WhenAsked => matches!(wanted, Some("any" | "challenge")),
            Challenging::UnlessSetUp | Challenging::Always => true,
        };
        if challenges {
            self.setup_mut(id)?.status = Status::RequiresAction;
            self.emit("setup_intent.requires_action", id);
            return self.show_setup(id);
        }
        self.verify(id)?;
        self.show_setup(id)
    }

    /// Asks the issuer. The card is attached when it agrees.
    fn verify(&mut self, id: &str) -> Result<(), Refusal> {
        let method = self.setup(id)?.method.clone().unwrap_or_default();
        if let Issuer::Declines(decline) = self.behaviour_of_method(&method).issuer {
            let mut refusal = Refusal::card(decline.code, decline.message);
            if decline.code == "card_declined" {
                refusal = refusal.with("decline_code", json!(decline.word));
            }
            self.fail_setup(id, &refusal)?;
            return Err(self.about_setup(id, refusal));
        }
        if let Some(customer) = self.setup(id)?.customer.clone() {
            self.keep_method(&method, &customer)?;
        }
        self.setup_mut(id)?.status = Status::Succeeded;
        self.emit("setup_intent.succeeded", id);
        Ok(())
    }

    fn fail_setup(&mut self, id: &str, refusal: &Refusal) -> Result<(), Refusal> {
        let error = refusal.error().clone();
        let setup = self.setup_mut(id)?;
        setup.status = Status::RequiresPaymentMethod;
        setup.method = None;
        setup.last_error = Some(error);
        self.emit("setup_intent.setup_failed", id);
        Ok(())
    }

    /// What the shopper did on the page. Gives the status afterwards.
    pub(super) fn finish_setup(&mut self, id: &str, passed: bool) -> Result<Status, Refusal> {
        if self.setup(id)?.status == Status::RequiresAction {
            if passed {
                // A decline is the shop's to read: the shopper is sent back with it.
                let _declined = self.verify(id);
            } else {
                let message = "The provided PaymentMethod has failed authentication. You can provide a new PaymentMethod to attempt to \
                    fulfill this SetupIntent again.";
                let refusal = Refusal::card("setup_intent_authentication_failure", message);
                self.fail_setup(id, &refusal)?;
            }
        }
        Ok(self.setup(id)?.status)
    }

    pub(super) fn cancel_setup(&mut self, id: &str) -> Result<Value, Refusal> {
        let status = self.setup(id)?.status;
        if matches!(status, Status::Succeeded | Status::Canceled) {
            let message = format!(
                "You cannot cancel this SetupIntent because it has a status of {}.",
                status.word()
            );
            return Err(self.about_setup(id, unexpected(&message)));
        }
        self.setup_mut(id)?.status = Status::Canceled;
        self.emit("setup_intent.canceled", id);
        self.show_setup(id)
    }

    fn setup(&self, id: &str) -> Result<&Setup, Refusal> {
        self.setups.get(id, "intent")
    }

    fn setup_mut(&mut self, id: &str) -> Result<&mut Setup, Refusal> {
        self.setups.get_mut(id, "intent")
    }

    fn show_setup(&self, id: &str) -> Result<Value, Refusal> {
        Ok(self.setup(id)?.view(self))
    }

    fn behaviour_of_method(&self, id: &str) -> cards::Behaviour {
        let card = self
            .methods
            .find(id)
            .and_then(|method| method.card.as_ref());
        cards::behaviour(card.map_or("4242424242424242", |card| card.number.as_str()))
    }

    fn about_setup(&self, id: &str, refusal: Refusal) -> Refusal {
        match self.show(id) {
            Some(setup) => refusal.with("setup_intent", setup),
            None => refusal,
        }
    }
}

fn unexpected(message: &str) -> Refusal {
    Refusal::invalid(message).code("setup_intent_unexpected_state")
}
