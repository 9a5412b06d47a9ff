//! What a payment is made of, besides its operations.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{ConsentWeight, NetworkReference};
use crate::{
    Timestamp,
    bank_account::{AccountKind, Mandate},
    expiry::Expiry,
    id::{BlobId, ConnectionId, CustomerId, DisputeId, FlowId, MethodId, VaultToken},
    method::{CardFunding, Method},
    person::{Address, Company, ShippingAddress},
    processor_text::OwnCard,
    processor_token::FieldsToken,
};

/// How a payment came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// By a flow.
    #[serde(rename = "AUTOMATION")]
    Automation,
    /// At a connection that the merchant named.
    #[serde(rename = "HEADLESS")]
    Headless,
    /// From another system.
    #[serde(rename = "IMPORT")]
    Import,
}

/// When a payment is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaptureRule {
    /// At once.
    Immediate,
    /// When the merchant calls for it.
    Api,
    /// So long after the authorisation.
    After {
        /// Unit: seconds.
        seconds: u64,
    },
    /// The flow's later steps decide.
    Flow,
}

/// What is wanted of 3D Secure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ThreeDsWish {
    /// Ask for it.
    Request,
    /// Ask to be spared it, where the rules allow an exemption.
    Avoid,
    /// As the issuer wants it.
    #[default]
    AsIssuer,
}

impl ThreeDsWish {
    /// Whether the issuer decides alone.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    pub fn is_as_issuer(&self) -> bool {
        *self == Self::AsIssuer
    }
}

/// What kind of number a wallet's token held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WalletNumber {
    /// The number of the device, with a cryptogram: the customer is authenticated already.
    Device,
    /// The card's own number: it may need 3D Secure.
    Card,
}

/// Where a payment goes when its attempt does not succeed, and after what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// The connections that are left, in order.
    pub rest: Vec<ConnectionId>,
    /// After a soft decline.
    pub soft_decline: bool,
    /// After a failure at the processor that proves that nothing was authorised.
    pub fault: bool,
    /// After a request that could not be sent.
    pub outage: bool,
}

/// Who started a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initiator {
    /// The customer, who is present.
    Customer,
    /// The merchant; nobody is present.
    Merchant,
}

/// One run of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRun {
    /// The flow.
    pub id: FlowId,
    /// Its name then.
    pub name: String,
    /// The version of it that was current then.
    #[serde(default = "first_version")]
    pub version: u32,
    /// The run.
    pub instance: Uuid,
    /// When it began.
    pub started_at: Timestamp,
    /// The dispute that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<DisputeId>,
    /// Where it rests; `None` when it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
}

const fn first_version() -> u32 {
    1
}

/// Where a run of a flow rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// The position in the flow's program at which it goes on.
    pub next: u32,
    /// What it waits for.
    pub why: PauseReason,
    /// When it goes on by itself, or gives up waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
    /// The refund or cancellation of the flow's own whose end it waits for. Without one it waits for a capture, or for
    /// whatever ends next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<u32>,
    /// The position of the step that began that operation, to which it goes back when the step is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Since when that step has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// The webhook that let it go on last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<ReceivedWebhook>,
}

/// A webhook of the merchant's that let a flow go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedWebhook {
    /// The name under which it came.
    pub name: String,
    /// What it said: any JSON, at most 16 KiB.
    pub body: serde_json::Value,
}

/// What a run of a flow waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PauseReason {
    /// Nothing: it goes on when it is due.
    Step,
    /// The outcome of the operation that it began.
    Outcome,
    /// The answer of a webhook of the merchant's that it calls.
    Calling {
        /// Its address.
        url: String,
    },
    /// A person's approval.
    Approval {
        /// What is to be approved.
        title: String,
    },
    /// A webhook from the merchant.
    Webhook {
        /// Its name.
        name: String,
        /// Whether the payment is captured when it comes.
        captures: bool,
    },
}

/// The processor's side as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gateway {
    /// The processor's identifier.
    pub processor: String,
    /// The connection's name.
    pub name: String,
    /// The address of a logo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
}

/// What a payment is paid with. Holds no number: `blob` points into the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidWith {
    /// The method asked for: the brand for a card.
    pub method: Method,
    /// The vault token, when one was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<VaultToken>,
    /// The token record, or the id given to a raw card.
    pub id: MethodId,
    /// The sealed number; none for a method that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// Whether the sealed number lives for this payment's authorisation alone (a raw card).
    #[serde(default)]
    pub hidden: bool,
    /// All but the last four digits masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<String>,
    /// The first six digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bin: Option<String>,
    /// Month and year of expiry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<Expiry>,
    /// The brand's identifier, such as `VISA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// What is known of a bank account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<PaidAccount>,
    /// What a wallet gave: its kind of number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wallet: Option<WalletNumber>,
    /// The cardholder's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// The billing address of the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// The same for the same card within a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Credit, debit or prepaid, when known.
    pub funding: CardFunding,
    /// Where a card was issued, by the operator's table of card ranges: ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_country: Option<String>,
    /// Where a processor's own fields took the card: what is sealed is its token, which no other processor knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields_token: Option<FieldsToken>,
    /// The product, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Of a merchant-initiated payment with a stored card: the transaction by which the customer agreed, as it was kept with the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkReference>,
    /// Of any other payment with a stored card: the weight of the transaction that was kept with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_weight: Option<ConsentWeight>,
}

impl PaidWith {
    /// Whether it is a card that is charged by its number, which may be kept.
    pub fn is_card_number(&self) -> bool {
        self.blob.is_some()
            && self.account.is_none()
            && self.wallet.is_none()
            && self.fields_token.is_none()
    }

    /// The card, as far as it is known, with which ids of processors are compared.
    pub fn own_card(&self) -> OwnCard<'_> {
        OwnCard {
            bin: self.bin.as_deref(),
            masked: self.masked.as_deref(),
        }
    }
}

/// What a payment keeps of the bank account that it is collected from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidAccount {
    /// In what form its number is.
    pub kind: AccountKind,
    /// The customer's consent, as it was when the payment was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mandate: Option<Mandate>,
}

/// Who pays, as given with the payment or as the vault had it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Payer {
    /// The customer in the vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<CustomerId>,
    /// E-mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Full or business name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Telephone number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// The merchant's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Billing address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billing: Option<Address>,
    /// Shipping address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipping: Option<ShippingAddress>,
    /// Company.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<Company>,
}
