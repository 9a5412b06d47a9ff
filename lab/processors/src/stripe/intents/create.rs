//! Making and changing an intent.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Intent, Status};
use crate::{
    form::Form,
    stripe::{books::Books, money, refusal::Refusal, rules::Rule},
};

/// What creation takes besides what confirmation takes.
pub(in crate::stripe) const CREATE: &[Rule] = &[
    Rule::integer("amount").required(),
    Rule::text("currency").required(),
    Rule::flag("confirm"),
    Rule::one_of("confirmation_method", &["automatic", "manual"]),
    Rule::text("customer"),
    Rule::text("description"),
    Rule::text("metadata[*]"),
    Rule::text("payment_method_types[#]"),
    Rule::flag("automatic_payment_methods[enabled]"),
    Rule::one_of(
        "automatic_payment_methods[allow_redirects]",
        &["always", "never"],
    ),
    Rule::text("statement_descriptor"),
    Rule::text("statement_descriptor_suffix"),
    Rule::text("transfer_group"),
];

/// What a change takes.
pub(in crate::stripe) const UPDATE: &[Rule] = &[
    Rule::integer("amount"),
    Rule::text("currency"),
    Rule::text("customer"),
    Rule::clearable("description"),
    Rule::clearable("metadata[*]"),
    Rule::text("payment_method"),
    Rule::clearable("receipt_email"),
    Rule::text("statement_descriptor_suffix"),
];

/// The longest statement descriptor. Source: the SDK's docstring of `statement_descriptor`.
const DESCRIPTOR: usize = 22;

impl Books {
    pub(in crate::stripe) fn create_intent(&mut self, form: &Form) -> Result<Value, Refusal> {
        let confirms = form.flag("confirm") == Some(true);
        if !confirms
            && let Some(name) = ["error_on_requires_action", "off_session"]
                .into_iter()
                .find(|name| form.has(name))
        {
            return Err(
                Refusal::malformed("This parameter can only be used with `confirm=true`.")
                    .param(name),
            );
        }
        let id = self.add_intent(form)?;
        if confirms {
            self.confirm(&id, form)
        } else {
            self.show_intent(&id)
        }
    }

    fn add_intent(&mut self, form: &Form) -> Result<String, Refusal> {
        let amount = form.integer("amount").unwrap_or_default();
        let currency = form.text("currency").unwrap_or_default();
        money::check(amount, currency)?;
        if let Some(customer) = form.text("customer") {
            self.customers.get(customer, "customer")?;
        }
        for name in ["statement_descriptor", "statement_descriptor_suffix"] {
            if form
                .text(name)
                .is_some_and(|text| text.chars().count() > DESCRIPTOR)
            {
                let message = format!("The {name} must be at most {DESCRIPTOR} characters.");
                return Err(Refusal::malformed(&message).param(name));
            }
        }
        let method = match form.text("payment_method") {
            Some(method) => Some(self.method_of(method)?),
            None => None,
        };
        let id = self.id("pi_");
        let secret = self.id(&format!("{id}_secret_"));
        let intent = Intent {
            created: self.seconds(),
            amount,
            amount_capturable: 0,
            amount_received: 0,
            currency: currency.to_owned(),
            status: if method.is_some() {
                Status::RequiresConfirmation
            } else {
                Status::RequiresPaymentMethod
            },
            captures_manually: form.text("capture_method") == Some("manual"),
            confirms_manually: form.text("confirmation_method") == Some("manual"),
            has_acted: false,
            method,
            customer: form.text("customer").map(str::to_owned),
            metadata: form.map("metadata"),
            latest_charge: None,
            last_error: None,
            return_url: form.text("return_url").map(str::to_owned),
            canceled_at: None,
            cancellation_reason: None,
            client_secret: secret,
            asked: asked(form),
            id: id.clone(),
        };
        self.intents.add(intent);
        self.emit("payment_intent.created", &id);
        Ok(id)
    }

    pub(in crate::stripe) fn update_intent(
        &mut self,
        id: &str,
        form: &Form,
    ) -> Result<Value, Refusal> {
        let intent = self.intent(id)?;
        let open = matches!(
            intent.status,
            Status::RequiresPaymentMethod | Status::RequiresConfirmation | Status::RequiresAction
        );
        let only_metadata = form
            .names()
            .all(|name| name.starts_with("metadata[") || name.starts_with("expand["));
        if !open && !only_metadata {
            let message = format!(
                "This PaymentIntent's parameters could not be updated because it has a status of {}.",
                intent.status.word()
            );
            return Err(Refusal::unexpected(&message));
        }
        let amount = form.integer("amount").unwrap_or(intent.amount);
        let currency = form.text("currency").unwrap_or(&intent.currency).to_owned();
        money::check(amount, &currency)?;
        let method = match form.text("payment_method") {
            Some(method) => Some(self.method_of(method)?),
            None => None,
        };
        let intent = self.intent_mut(id)?;
        intent.amount = amount;
        intent.currency = currency;
        if method.is_some() {
            intent.method = method;
            intent.status = Status::RequiresConfirmation;
        }
        intent.last_error = None;
        for (name, value) in form.map("metadata") {
            if value.is_empty() {
                intent.metadata.remove(&name);
            } else {
                intent.metadata.insert(name, value);
            }
        }
        intent.asked.extend(asked(form));
        self.show_intent(id)
    }
}

/// What was asked for, without the means of payment.
pub(super) fn asked(form: &Form) -> BTreeMap<String, String> {
    let shown = form
        .names()
        .filter(|name| !name.starts_with("payment_method_data"));
    shown
        .filter_map(|name| Some((name.to_owned(), form.raw(name)?.to_owned())))
        .collect()
}
