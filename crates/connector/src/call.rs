//! What the engine asks.

use domain::{
    answer::Action,
    bank_account::{AccountKind, Mandate},
    card_number::{AccountNumber, CardNumber, SecurityCode},
    decline::Decline,
    expiry::Expiry,
    id::{ConnectionId, PaymentId},
    method::Method,
    money::{Currency, Money},
    payment::ThreeDsWish,
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

    /// The reference of something that is no operation of a payment, such as a request for a processor's token: 1 to 100
    /// of `A-Z a-z 0-9 _ -`.
    pub fn other(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        ((1..=100).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a wallet gave in place of the customer's authentication. Can't be printed.
pub struct Cryptogram {
    /// The cryptogram as the wallet's token held it, base64. Single use.
    pub value: String,
    /// The Electronic Commerce Indicator, when the token had one.
    pub eci: Option<String>,
}

/// What is wanted of 3D Secure for a call.
#[derive(Debug, Clone, Copy)]
pub struct ThreeDsCall<'a> {
    /// Ask, avoid, or as the issuer wants.
    pub wish: ThreeDsWish,
    /// Where the customer comes back to from the processor's page, an address of ours. `None`: nobody is there who could be
    /// sent anywhere.
    pub return_url: Option<&'a str>,
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
    /// The wallet's cryptogram; the number is the device's then.
    pub cryptogram: Option<Cryptogram>,
}

/// A bank account as it is sent, opened for this one call. Can't be printed.
pub struct AccountData {
    /// The full number.
    pub number: AccountNumber,
    /// In what form it is, with what names the bank.
    pub kind: AccountKind,
    /// The account holder's name.
    pub holder: Option<String>,
    /// The customer's consent to collect from it.
    pub mandate: Option<Mandate>,
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
    /// The connection's settings, as its descriptor's processor reads them.
    pub settings: &'a serde_json::Value,
    /// What it is paid with: a card's brand, a wallet, or an alternative method.
    pub method: Method,
    /// The card, where the method is one (wallets included).
    pub card: Option<&'a CardData>,
    /// The bank account, where the method collects from one.
    pub account: Option<&'a AccountData>,
    /// 3D Secure and the customer's way back.
    pub three_ds: ThreeDsCall<'a>,
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
    /// Its settings.
    pub settings: &'a serde_json::Value,
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
    /// Its settings.
    pub settings: &'a serde_json::Value,
}

/// Completes an authorisation for which the customer has done what was asked.
#[derive(Debug)]
pub struct Complete<'a> {
    /// The reference of the authorisation.
    pub reference: &'a Reference,
    /// The processor's own id of it, when it gave one.
    pub processor_id: Option<&'a str>,
    /// The connection.
    pub connection: &'a ConnectionId,
    /// Its settings.
    pub settings: &'a serde_json::Value,
    /// How much.
    pub money: Money,
    /// Capture at once (a sale).
    pub capture: bool,
}

/// Asks for a token of the processor's own that stands for a card there. Verifies the card where the processor does.
pub struct Tokenise<'a> {
    /// Our reference for it: the same request repeated under it has no second effect, and after the customer was
    /// authenticated it brings the token.
    pub reference: &'a str,
    /// The connection.
    pub connection: &'a ConnectionId,
    /// Its settings.
    pub settings: &'a serde_json::Value,
    /// The card.
    pub card: &'a CardData,
    /// In which currency it will be charged.
    pub currency: Currency,
    /// Where the customer comes back to; `None`: nobody is there.
    pub return_url: Option<&'a str>,
}

/// How a processor answers to [`Tokenise`].
#[derive(Debug, Clone, PartialEq)]
pub enum Tokenised {
    /// The token.
    Token {
        /// The processor's token.
        token: String,
        /// Whether it can be used more than once.
        reusable: bool,
    },
    /// The card was refused.
    Declined(Decline),
    /// The customer must be authenticated first.
    ActionRequired(Action),
}
