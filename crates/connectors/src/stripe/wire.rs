//! The parts of Stripe's objects that are read. Source: npm `stripe` 23.1.0, API version `2026-10-28.endive`; unknown members are
//! passed over, since Stripe adds members within a version.

use std::collections::BTreeMap;

use connector::Reference;
use serde::Deserialize;

use super::answers;

/// A list of objects, newest first.
#[derive(Debug, Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
    #[serde(default)]
    pub(super) has_more: bool,
}

/// The texts that the makers of an object put with it.
pub(super) type Metadata = BTreeMap<String, String>;

/// Something that has an id and nothing else that matters.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Made {
    pub(super) id: String,
}

/// What has an id.
pub(super) trait HasId {
    fn id(&self) -> &str;
}

impl HasId for Made {
    fn id(&self) -> &str {
        &self.id
    }
}

impl HasId for Charge {
    fn id(&self) -> &str {
        &self.id
    }
}

impl<T: HasId> HasId for Expandable<T> {
    fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            Self::Whole(object) => object.id(),
        }
    }
}

/// A member that is an id, or the object where it was expanded.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Expandable<T> {
    Id(String),
    Whole(Box<T>),
}

impl Expandable<Made> {
    /// The id, in either form.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Id(id) => id,
            Self::Whole(made) => &made.id,
        }
    }
}

impl<T> Expandable<T> {
    pub(super) fn whole(&self) -> Option<&T> {
        match self {
            Self::Id(_) => None,
            Self::Whole(object) => Some(object),
        }
    }
}

/// `PaymentIntent`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Intent {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) amount: i64,
    #[serde(default)]
    pub(super) amount_received: i64,
    pub(super) currency: String,
    pub(super) capture_method: String,
    #[serde(default)]
    pub(super) metadata: Metadata,
    #[serde(default)]
    pub(super) payment_method_types: Vec<String>,
    pub(super) latest_charge: Option<Expandable<Charge>>,
    pub(super) last_payment_error: Option<Error>,
    pub(super) next_action: Option<NextAction>,
    pub(super) customer: Option<Expandable<Made>>,
    pub(super) payment_method: Option<Expandable<Made>>,
    pub(super) setup_future_usage: Option<String>,
}

/// `SetupIntent`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Setup {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) customer: Option<Expandable<Made>>,
    pub(super) payment_method: Option<Expandable<Made>>,
    pub(super) last_setup_error: Option<Error>,
    pub(super) next_action: Option<NextAction>,
}

/// What the customer must do.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct NextAction {
    pub(super) redirect_to_url: Option<RedirectToUrl>,
}

/// A page that the customer is sent to.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct RedirectToUrl {
    pub(super) url: Option<String>,
}

/// `Charge`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Charge {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) amount: i64,
    pub(super) currency: String,
    #[serde(default)]
    pub(super) amount_captured: i64,
    #[serde(default)]
    pub(super) amount_refunded: i64,
    #[serde(default)]
    pub(super) captured: bool,
    pub(super) created: i64,
    #[serde(default)]
    pub(super) metadata: Metadata,
    pub(super) payment_intent: Option<Expandable<Made>>,
    pub(super) outcome: Option<Outcome>,
    pub(super) receipt_url: Option<String>,
    pub(super) calculated_statement_descriptor: Option<String>,
    pub(super) payment_method_details: Option<MethodDetails>,
    pub(super) balance_transaction: Option<Expandable<BalanceTransaction>>,
}

impl Charge {
    /// The id of its intent.
    pub(super) fn intent(&self) -> Option<&str> {
        self.payment_intent.as_ref().map(HasId::id)
    }
}

/// What the network and Stripe's own rules said.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Outcome {
    pub(super) network_status: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) risk_level: Option<String>,
    /// A number of 0 to 100; read as a text, since no arithmetic is done with it.
    pub(super) risk_score: Option<serde_json::Number>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
}

/// How a charge was paid.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct MethodDetails {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) card: Option<CardDetails>,
}

/// What Stripe says of the card of a charge.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct CardDetails {
    pub(super) country: Option<String>,
    pub(super) funding: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) last4: Option<String>,
    pub(super) network_transaction_id: Option<String>,
    pub(super) capture_before: Option<i64>,
    pub(super) checks: Option<Checks>,
    pub(super) multicapture: Option<Available>,
    pub(super) three_d_secure: Option<ThreeDSecure>,
}

/// What the issuer compared.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Checks {
    #[serde(rename = "address_line1_check")]
    pub(super) street: Option<String>,
    #[serde(rename = "address_postal_code_check")]
    pub(super) postal_code: Option<String>,
    #[serde(rename = "cvc_check")]
    pub(super) security_code: Option<String>,
}

/// Whether something can be had.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Available {
    pub(super) status: String,
}

/// What 3D Secure brought.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ThreeDSecure {
    pub(super) electronic_commerce_indicator: Option<String>,
    pub(super) result: Option<String>,
    pub(super) version: Option<String>,
}

/// `BalanceTransaction`: what Stripe puts to the account for a charge.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct BalanceTransaction {
    pub(super) amount: i64,
    pub(super) currency: String,
    pub(super) fee: i64,
    pub(super) net: i64,
    pub(super) exchange_rate: Option<serde_json::Number>,
}

/// `Refund`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Refund {
    pub(super) id: String,
    pub(super) status: Option<String>,
    pub(super) amount: i64,
    pub(super) currency: String,
    #[serde(default)]
    pub(super) metadata: Option<Metadata>,
    pub(super) failure_reason: Option<String>,
    /// What it moved on the account.
    pub(super) balance_transaction: Option<Expandable<Made>>,
    pub(super) payment_intent: Option<Expandable<Made>>,
    pub(super) charge: Option<Expandable<Made>>,
}

impl Refund {
    /// Our reference for it; `None`: somebody else made it.
    pub(super) fn reference(&self) -> Option<Reference> {
        self.metadata.as_ref().and_then(answers::reference_in)
    }
}

/// The member `error` of an answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Error {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) code: Option<String>,
    pub(super) decline_code: Option<String>,
    pub(super) advice_code: Option<String>,
    pub(super) network_decline_code: Option<String>,
    pub(super) message: Option<String>,
    pub(super) param: Option<String>,
    pub(super) payment_intent: Option<Box<Intent>>,
}

impl Error {
    /// Whether it is a decline of the card, under whatever type: some come as invalid requests.
    pub(super) fn is_decline(&self) -> bool {
        self.kind.as_deref() == Some("card_error")
            || self.decline_code.is_some()
            || self.code.as_deref() == Some("card_declined")
    }
}

/// An answer that is an error.
#[derive(Debug, Deserialize)]
pub(super) struct Failed {
    pub(super) error: Error,
}
