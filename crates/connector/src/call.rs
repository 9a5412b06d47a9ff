//! What the engine asks.

use domain::{
    Timestamp,
    answer::{ActionKind, Booking},
    bank_account::{AccountKind, Mandate},
    browser::Browser,
    card_number::{AccountNumber, CardNumber, SecurityCode},
    expiry::Expiry,
    method::Method,
    money::Money,
    payment::{Payer, RecurringReason, ThreeDsWish},
    person::Address,
    processor_token::{CardToken, OwnToken},
    returned::Returned,
};

use crate::Reference;

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
    /// What the customer's browser says of itself, for a challenge within the merchant's page.
    pub browser: Option<&'a Browser>,
}

/// A card as it is sent, opened for this one call. Can't be printed.
pub struct CardData {
    /// The full number.
    pub number: CardNumber,
    /// Month and year of expiry.
    pub expiry: Expiry,
    /// The security code, when there is one.
    pub cvc: Option<SecurityCode>,
    /// The brand under which it is charged: of a card that bears several, the one that the customer chose. A name such as `VISA` or
    /// `CARTES_BANCAIRES`.
    pub brand: String,
    /// The cardholder's name.
    pub name: Option<String>,
    /// The billing address.
    pub address: Option<Address>,
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

/// What the processor's own fields gave for a card, opened for one call. Can't be printed.
pub struct TokenData {
    /// The token. It pays once.
    pub token: CardToken,
    /// The cardholder's name, where it was asked for beside the fields.
    pub name: Option<String>,
    /// The billing address, likewise.
    pub address: Option<Address>,
}

/// A card of our vault that the processor stores as well ([`crate::Stored`]), for one call: its number stays in the vault. Can't be printed.
pub struct StoredCardData {
    /// The processor's own token. It pays as often as wanted, at this connection alone.
    pub token: OwnToken,
    /// The security code, where the customer has just typed it.
    pub cvc: Option<SecurityCode>,
    /// The brand under which it is charged.
    pub brand: String,
    /// The cardholder's name.
    pub name: Option<String>,
    /// The billing address.
    pub address: Option<Address>,
}

/// What an authorisation is paid with. Can't be printed.
#[derive(Clone, Copy)]
pub enum FundingSource<'a> {
    /// A card's own number.
    Card(&'a CardData),
    /// The number of a wallet's device, with what stands for the customer's authentication.
    NetworkToken {
        /// The device's number. It has no security code.
        card: &'a CardData,
        /// Single use.
        cryptogram: &'a Cryptogram,
    },
    /// A bank account from which the money is collected.
    Account(&'a AccountData),
    /// What the processor's own fields in the browser gave for a card ([`crate::HostedFields`]). It pays once, and is known to this connection
    /// alone. (A card of our vault that the processor stores is [`FundingSource::StoredCard`].)
    Token(&'a TokenData),
    /// A card of our vault, by the processor's own token for it, which is kept with the card. It comes in the place of
    /// [`FundingSource::Card`] wherever there is one for the connection: the processor's own record of the customer's consent goes before
    /// [`StoredCredential::network_id`]. [`crate::Cause::StoredCardGone`] when the processor doesn't know it any more.
    StoredCard(&'a StoredCardData),
    /// Nothing is sent: the customer approves at the method's own page.
    Page,
}

impl<'a> FundingSource<'a> {
    /// The card, or the device's number in its place.
    pub const fn card(self) -> Option<&'a CardData> {
        match self {
            Self::Card(card) | Self::NetworkToken { card, .. } => Some(card),
            Self::Account(_) | Self::Token(_) | Self::StoredCard(_) | Self::Page => None,
        }
    }

    /// What a wallet gave in place of the customer's authentication.
    pub const fn cryptogram(self) -> Option<&'a Cryptogram> {
        match self {
            Self::NetworkToken { cryptogram, .. } => Some(cryptogram),
            Self::Card(_)
            | Self::Account(_)
            | Self::Token(_)
            | Self::StoredCard(_)
            | Self::Page => None,
        }
    }

    /// The bank account.
    pub const fn account(self) -> Option<&'a AccountData> {
        match self {
            Self::Account(account) => Some(account),
            Self::Card(_)
            | Self::NetworkToken { .. }
            | Self::Token(_)
            | Self::StoredCard(_)
            | Self::Page => None,
        }
    }
}

/// What the schemes want to know of a payment that begins or continues an agreement with the customer on a stored card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredCredential<'a> {
    /// Why it is made.
    pub reason: RecurringReason,
    /// The customer is present and agrees to later payments with the card: where the processor stores cards, it is to store this one
    /// ([`crate::Approval::stored_card`]).
    pub first: bool,
    /// For a merchant-initiated payment: the scheme's id of the transaction by which the customer agreed, no matter at which processor that
    /// was. `None`: none is known, or it is paid with the processor's own token, which goes before it.
    pub network_id: Option<&'a str>,
}

/// A request for an authorisation.
pub struct Authorise<'a> {
    /// Our reference for it.
    pub reference: &'a Reference,
    /// How much.
    pub money: Money,
    /// Capture at once (a sale).
    pub capture: bool,
    /// What the merchant asked to be paid with: a card's brand, a wallet, or an alternative method.
    pub method: Method,
    /// What is sent for it.
    pub funding_source: FundingSource<'a>,
    /// 3D Secure and the customer's way back.
    pub three_ds: ThreeDsCall<'a>,
    /// Whether the customer is absent (a merchant-initiated payment): no challenge is possible.
    pub merchant_initiated: bool,
    /// The agreement on a stored card that it begins or goes by. Always there when it is merchant-initiated and paid by card.
    pub stored: Option<StoredCredential<'a>>,
    /// Our own name for the owner of the card, for processors that file stored cards under one: the same for all cards of a customer,
    /// 36 characters, and nothing personal. `None` where the card isn't kept.
    pub shopper: Option<&'a str>,
    /// Who pays, as far as the merchant says: some methods ask for the name, the e-mail address or the country.
    pub payer: Option<&'a Payer>,
    /// Text for the customer's statement.
    pub statement_descriptor: Option<&'a str>,
    /// Fraud data of the merchant's own provider, a JSON object.
    pub fraud: Option<&'a serde_json::Value>,
}

/// An operation that was sent before, as the processor can know it.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    /// Our reference for it. The processor does not know it where somebody else made the payment (an import): then the id counts.
    pub reference: &'a Reference,
    /// The processor's own id of it, when it gave one.
    pub processor_id: Option<&'a str>,
}

/// A capture of an authorisation.
#[derive(Debug, Clone, Copy)]
pub struct Capture<'a> {
    /// Our reference for this call.
    pub reference: &'a Reference,
    /// The authorisation it is about.
    pub authorisation: Earlier<'a>,
    /// How much.
    pub money: Money,
    /// Whether it is the last capture: the processor releases what it leaves. Without it the rest stays authorised for another
    /// capture; asked for only where the authorisation takes several ([`crate::Capabilities::several_captures`],
    /// [`crate::Approval::several_captures`]).
    pub is_final: bool,
    /// The merchant's reason.
    pub reason: Option<&'a str>,
}

/// A cancellation of an authorisation. After captures that were not final it releases the rest and leaves what was captured as
/// it is.
#[derive(Debug, Clone, Copy)]
pub struct Cancel<'a> {
    /// Our reference for this call.
    pub reference: &'a Reference,
    /// The authorisation it is about.
    pub authorisation: Earlier<'a>,
    /// How much is released: what was authorised less what was captured.
    pub money: Money,
    /// What the customer was asked for and has not done, where the authorisation waits for that. Nothing completes it after this call.
    pub asked: Option<ActionKind>,
    /// The merchant's reason.
    pub reason: Option<&'a str>,
}

/// A refund of captured money.
#[derive(Debug, Clone, Copy)]
pub struct Refund<'a> {
    /// Our reference for this call.
    pub reference: &'a Reference,
    /// The authorisation under which the money was captured.
    pub authorisation: Earlier<'a>,
    /// The capture that is refunded; `None` after a sale.
    pub capture: Option<Earlier<'a>>,
    /// How much.
    pub money: Money,
    /// The merchant's reason.
    pub reason: Option<&'a str>,
}

/// Completes an authorisation for which the customer has done what was asked.
#[derive(Debug, Clone, Copy)]
pub struct Complete<'a> {
    /// The authorisation.
    pub authorisation: Earlier<'a>,
    /// How much.
    pub money: Money,
    /// Capture at once (a sale).
    pub capture: bool,
    /// What the customer came back with, where the connector asks for that ([`crate::Descriptor::returned`]).
    pub returned: Option<&'a Returned>,
}

/// Between which times an operation can have reached the processor, by our clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentBetween {
    /// Not before this.
    pub from: Timestamp,
    /// Not after this.
    pub until: Timestamp,
}

/// Which call a look-up asks about.
#[derive(Debug, Clone, Copy)]
pub struct LookUp<'a> {
    /// The call that is looked up.
    pub asked: Earlier<'a>,
    /// What that call was for.
    pub what: Booking,
    /// When the authorisation was sent: for processors that can be asked by time alone.
    pub sent: SentBetween,
    /// The authorisation it is about (the same for an authorisation).
    pub authorisation: Earlier<'a>,
    /// The connector's own word for the step of the call that got no answer ([`crate::Known::phase`]).
    pub phase: Option<&'a str>,
}

impl<'a> LookUp<'a> {
    /// Asks about an operation that was sent at any time.
    pub fn new(asked: Earlier<'a>, authorisation: Earlier<'a>) -> Self {
        let is_own = asked.reference == authorisation.reference;
        Self {
            asked,
            what: if is_own {
                Booking::Authorisation
            } else {
                Booking::Capture
            },
            sent: SentBetween {
                from: Timestamp::from_micros(0),
                until: Timestamp::from_micros(i64::MAX),
            },
            authorisation,
            phase: None,
        }
    }

    /// Whether an authorisation is looked up.
    pub fn is_of_authorisation(&self) -> bool {
        self.asked.reference == self.authorisation.reference
    }
}
