//! What the engine asks.

use domain::{
    card_number::{CardNumber, SecurityCode},
    expiry::Expiry,
    id::{ConnectionId, PaymentId},
    money::Money,
    person::Address,
};
use serde::{Deserialize, Serialize};

/// The reference under which a call is known at the processor and here: `{payment}-{n}`. It is the processor's
/// idempotency key, and leads back from its news to payment and operation without an index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reference(String);

impl Reference {
    /// The reference of the `n`-th operation of `payment`.
    pub fn new(payment: PaymentId, n: u32) -> Self {
        Self(format!("{}-{n}", payment.uuid().hyphenated()))
    }

    /// Reads payment and number from the text of a reference.
    pub fn parse(text: &str) -> Option<(PaymentId, u32)> {
        let (payment, n) = text.rsplit_once('-')?;
        Some((PaymentId::parse(payment)?, n.parse().ok()?))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A card as it is sent, opened for this one call. Can't be printed.
pub struct CardData {
    /// The full number.
    pub number: CardNumber,
    /// Month and year of expiry.
    pub expiry: Expiry,
    /// The security code, when there is one.
    pub cvc: Option<SecurityCode>,
    /// The cardholder's name.
    pub name: Option<String>,
    /// The billing address.
    pub address: Option<Address>,
}

/// A request for an authorisation.
pub struct Authorise<'a> {
    /// Our reference for it.
    pub reference: &'a Reference,
    /// The connection it goes to.
    pub connection: &'a ConnectionId,
    /// How much.
    pub money: Money,
    /// Capture at once (a sale).
    pub capture: bool,
    /// The card.
    pub card: &'a CardData,
    /// Whether the customer is absent (a merchant-initiated payment): no challenge is possible.
    pub merchant_initiated: bool,
    /// Text for the customer's statement.
    pub statement_descriptor: Option<&'a str>,
    /// Fraud data of the merchant's own provider, a JSON object.
    pub fraud: Option<&'a serde_json::Value>,
}

/// A later call about an authorisation: capture, cancel or refund.
#[derive(Debug)]
pub struct Follow<'a> {
    /// Our reference for this call.
    pub reference: &'a Reference,
    /// The reference of the authorisation it is about.
    pub authorisation: &'a Reference,
    /// The processor's own id of the authorisation, when it gave one.
    pub processor_id: Option<&'a str>,
    /// The connection.
    pub connection: &'a ConnectionId,
    /// How much (for a cancellation: what was authorised).
    pub money: Money,
    /// The merchant's reason.
    pub reason: Option<&'a str>,
}

/// Which call a look-up asks about.
#[derive(Debug)]
pub struct LookUp<'a> {
    /// The reference of the call that is looked up.
    pub reference: &'a Reference,
    /// The reference of the authorisation it is about (the same for an authorisation).
    pub authorisation: &'a Reference,
    /// The processor's own id of the authorisation, when it gave one.
    pub processor_id: Option<&'a str>,
    /// The connection.
    pub connection: &'a ConnectionId,
}
