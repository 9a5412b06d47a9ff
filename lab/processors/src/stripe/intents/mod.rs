//! Payment intents.

mod attempt;
mod capture;
mod confirm;
mod create;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    books::{Books, Row},
    refusal::Refusal,
    rules::Rule,
};

pub(super) use capture::{CANCEL, CAPTURE};
pub(super) use confirm::CONFIRM;
pub(super) use create::{CREATE, UPDATE};

/// Where an intent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    RequiresPaymentMethod,
    RequiresConfirmation,
    RequiresAction,
    Processing,
    RequiresCapture,
    Succeeded,
    Canceled,
}

impl Status {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::RequiresPaymentMethod => "requires_payment_method",
            Self::RequiresConfirmation => "requires_confirmation",
            Self::RequiresAction => "requires_action",
            Self::Processing => "processing",
            Self::RequiresCapture => "requires_capture",
            Self::Succeeded => "succeeded",
            Self::Canceled => "canceled",
        }
    }
}

/// A payment.
#[derive(Debug, Clone)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) amount: i64,
    pub(super) amount_capturable: i64,
    pub(super) amount_received: i64,
    pub(super) currency: String,
    pub(super) status: Status,
    pub(super) captures_manually: bool,
    /// Nothing is charged by the shopper's part alone: the shop confirms once more.
    pub(super) confirms_manually: bool,
    /// The shopper has done what was asked.
    pub(super) has_acted: bool,
    pub(super) method: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) latest_charge: Option<String>,
    pub(super) last_error: Option<Value>,
    pub(super) return_url: Option<String>,
    pub(super) canceled_at: Option<u64>,
    pub(super) cancellation_reason: Option<String>,
    pub(super) client_secret: String,
    /// All parameters of creation, changes and confirmations, the last ones last: what has no field of its own is shown from here.
    pub(super) asked: BTreeMap<String, String>,
}

impl Intent {
    /// The value that was given last for a parameter.
    pub(super) fn asked(&self, name: &str) -> Option<&str> {
        self.asked
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    fn next_action(&self, public: &str) -> Value {
        if self.status != Status::RequiresAction {
            return Value::Null;
        }
        match &self.return_url {
            None => {
                json!({"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}})
            }
            Some(return_url) => json!({
                "type": "redirect_to_url",
                "redirect_to_url": {"return_url": return_url, "url": format!("{public}/3d_secure/{}/{}", self.id, self.client_secret)},
            }),
        }
    }

    fn families(&self) -> Vec<String> {
        let named: Vec<String> = (0..20)
            .map_while(|index| {
                self.asked
                    .get(&format!("payment_method_types[{index}]"))
                    .cloned()
            })
            .collect();
        if named.is_empty() {
            vec!["card".to_owned()]
        } else {
            named
        }
    }
}

impl Row for Intent {
    const OBJECT: &'static str = "payment_intent";

    fn id(&self) -> &str {
        &self.id
    }

    fn created(&self) -> u64 {
        self.created
    }

    fn view(&self, books: &Books) -> Value {
        let automatic = self
            .asked("automatic_payment_methods[enabled]")
            .map(|_| json!({"allow_redirects": "always", "enabled": true}));
        json!({
            "id": self.id,
            "object": Self::OBJECT,
            "amount": self.amount,
            "amount_capturable": self.amount_capturable,
            "amount_details": {"tip": {}},
            "amount_received": self.amount_received,
            "application": null,
            "application_fee_amount": null,
            "automatic_payment_methods": automatic,
            "canceled_at": self.canceled_at,
            "cancellation_reason": self.cancellation_reason,
            "capture_method": if self.captures_manually { "manual" } else { "automatic" },
            "client_secret": self.client_secret,
            "confirmation_method": if self.confirms_manually { "manual" } else { "automatic" },
            "created": self.created,
            "currency": self.currency,
            "customer": self.customer,
            "description": self.asked("description"),
            "last_payment_error": self.last_error,
            "latest_charge": self.latest_charge,
            "livemode": false,
            "metadata": self.metadata,
            "next_action": self.next_action(&books.public),
            "on_behalf_of": null,
            "payment_method": self.method,
            "payment_method_types": self.families(),
            "processing": null,
            "receipt_email": self.asked("receipt_email"),
            "review": null,
            "setup_future_usage": self.asked("setup_future_usage"),
            "shipping": null,
            "source": null,
            "statement_descriptor": self.asked("statement_descriptor"),
            "statement_descriptor_suffix": self.asked("statement_descriptor_suffix"),
            "status": self.status.word(),
            "transfer_data": null,
            "transfer_group": null,
        })
    }
}

/// What creation and confirmation take.
pub(super) const SHARED: &[Rule] = &[
    Rule::text("payment_method"),
    Rule::text("return_url"),
    Rule::flag("error_on_requires_action"),
    Rule::one_of("off_session", &["true", "false", "one_off", "recurring"]),
    Rule::one_of("setup_future_usage", &["off_session", "on_session"]),
    Rule::one_of(
        "capture_method",
        &["automatic", "automatic_async", "manual"],
    ),
    Rule::clearable("receipt_email"),
    Rule::flag("use_stripe_sdk"),
    Rule::text("mandate_data[customer_acceptance][type]"),
    Rule::text("mandate_data[customer_acceptance][online][*]"),
    Rule::one_of(
        "payment_method_options[card][request_three_d_secure]",
        &["any", "automatic", "challenge"],
    ),
    Rule::one_of(
        "payment_method_options[card][request_multicapture]",
        &["if_available", "never"],
    ),
    Rule::one_of(
        "payment_method_options[card][request_overcapture]",
        &["if_available", "never"],
    ),
    Rule::one_of(
        "payment_method_options[card][request_extended_authorization]",
        &["if_available", "never"],
    ),
    Rule::one_of("payment_method_options[card][capture_method]", &["manual"]),
    Rule::flag("payment_method_options[card][moto]"),
    Rule::one_of(
        "payment_method_options[card][three_d_secure][version]",
        &["1.0.2", "2.1.0", "2.2.0", "2.3.0", "2.3.1"],
    ),
    Rule::one_of(
        "payment_method_options[card][three_d_secure][electronic_commerce_indicator]",
        &["01", "02", "05", "06", "07"],
    ),
    Rule::one_of(
        "payment_method_options[card][three_d_secure][ares_trans_status]",
        &["A", "C", "I", "N", "R", "U", "Y"],
    ),
    Rule::one_of(
        "payment_method_options[card][three_d_secure][exemption_indicator]",
        &["low_risk", "none"],
    ),
    Rule::text("payment_method_options[card][three_d_secure][cryptogram]"),
    Rule::text("payment_method_options[card][three_d_secure][transaction_id]"),
    Rule::text("payment_method_options[card][mit_exemption][network_transaction_id]"),
    Rule::text("payment_method_options[card][cvc_token]"),
];

impl Books {
    pub(super) fn intent(&self, id: &str) -> Result<&Intent, Refusal> {
        self.intents.get(id, "intent")
    }

    pub(super) fn intent_mut(&mut self, id: &str) -> Result<&mut Intent, Refusal> {
        self.intents.get_mut(id, "intent")
    }

    pub(super) fn show_intent(&self, id: &str) -> Result<Value, Refusal> {
        Ok(self.intent(id)?.view(self))
    }
}
