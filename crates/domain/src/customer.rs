//! Customers and their stored payment methods.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    bank_account::{AccountKind, Mandate},
    card_number::{AccountNumber, CardNumber, SecurityCode},
    expiry::Expiry,
    id::{BlobId, CustomerId, MethodId, TeamId, VaultToken},
    method::CardFunding,
    payment::NetworkReference,
    person::{Address, Company, ShippingAddress},
    processor_token::{CardToken, FieldsToken},
};

/// A customer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// Its id.
    pub id: CustomerId,
    /// Whose it is.
    pub team: TeamId,
    /// Counts its commits.
    pub version: u64,
    /// Full or business name.
    pub name: String,
    /// E-mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
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
    /// The default payment method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_method: Option<VaultToken>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The client token that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<crate::id::KeyId>,
}

/// The details of a customer who is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerDraft {
    /// Full or business name.
    pub name: String,
    /// E-mail address.
    pub email: Option<String>,
    /// Telephone number.
    pub phone: Option<String>,
    /// The merchant's text.
    pub description: Option<String>,
    /// Billing address.
    pub billing: Option<Address>,
    /// Shipping address.
    pub shipping: Option<ShippingAddress>,
    /// Company.
    pub company: Option<Company>,
}

/// What becomes of one field in a partial update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// Not mentioned: stays.
    #[default]
    Keep,
    /// Explicit null: cleared.
    Clear,
    /// Set to this.
    Set(T),
}

impl<T> Patch<T> {
    /// Applies the patch to `field`.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}

/// A partial update of a customer. The name can be set, not cleared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomerPatch {
    /// Full or business name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Patch<String>,
    /// Telephone number.
    pub phone: Patch<String>,
    /// The merchant's text.
    pub description: Patch<String>,
    /// Billing address.
    pub billing: Patch<Address>,
    /// Shipping address.
    pub shipping: Patch<ShippingAddress>,
    /// Company.
    pub company: Patch<Company>,
}

impl Customer {
    /// Takes a partial update.
    pub fn update(&mut self, patch: CustomerPatch, at: Timestamp) {
        if let Some(name) = patch.name {
            self.name = name;
        }
        patch.email.apply(&mut self.email);
        patch.phone.apply(&mut self.phone);
        patch.description.apply(&mut self.description);
        patch.billing.apply(&mut self.billing);
        patch.shipping.apply(&mut self.shipping);
        patch.company.apply(&mut self.company);
        self.updated_at = at;
    }
}

/// What kind of instrument a stored method is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instrument {
    /// A card.
    Card {
        /// Month and year of expiry.
        expiry: Expiry,
        /// The brand's identifier, such as `VISA`.
        brand: String,
        /// The first six digits.
        bin: String,
    },
    /// A bank account.
    BankAccount {
        /// The bank's name.
        bank_name: Option<String>,
        /// In what form its number is.
        #[serde(default)]
        kind: AccountKind,
        /// The customer's consent to collect from it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mandate: Option<Mandate>,
    },
    /// A card that a processor's own fields took. It pays once, and belongs to no customer.
    OfFields(FieldsToken),
}

/// A token record: a stored payment method without its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMethod {
    /// Its id.
    pub id: MethodId,
    /// Whose it is.
    pub team: TeamId,
    /// The vault token.
    pub token: VaultToken,
    /// The customer it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerId>,
    /// Where its number is sealed.
    pub blob: BlobId,
    /// Card or bank account.
    pub instrument: Instrument,
    /// All but the last four characters masked.
    pub masked: String,
    /// Cardholder or account holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Credit, debit or prepaid, when known.
    pub funding: CardFunding,
    /// Where a card was issued, by the operator's table of card ranges: ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_country: Option<String>,
    /// The product, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// The same for the same number within a team.
    pub fingerprint: String,
    /// The merchant's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The merchant's own data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
    /// Billing address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Whether it is its customer's default. Known when it is read, not stored.
    #[serde(skip)]
    pub is_default: bool,
    /// Of a card: the transaction by which it may be charged later. Stored next to the record, not in it, and known where one is read by
    /// its token.
    #[serde(skip)]
    pub network: Option<NetworkReference>,
}

/// A card as it comes in. Can't be printed.
pub struct CardInput {
    /// The full number.
    pub number: CardNumber,
    /// Month and year of expiry.
    pub expiry: Expiry,
    /// The security code.
    pub cvc: Option<SecurityCode>,
    /// Which of a card's brands the customer chose.
    pub preferred_brand: Option<String>,
    /// The cardholder's name.
    pub holder: Option<String>,
    /// The billing address.
    pub address: Option<Address>,
    /// Make it the customer's default method.
    pub make_default: bool,
}

/// A bank account as it comes in. Can't be printed.
pub struct AccountInput {
    /// The full number.
    pub number: AccountNumber,
    /// The account holder's name.
    pub holder: String,
    /// In what form the number is.
    pub kind: AccountKind,
    /// The customer's consent to collect from it.
    pub mandate: Option<Mandate>,
    /// The bank's name.
    pub bank_name: Option<String>,
    /// Credit, debit or prepaid, when given.
    pub funding: CardFunding,
    /// The product, when given.
    pub product: Option<String>,
}

/// An instrument to store.
pub enum NewMethod {
    /// A card.
    Card(CardInput),
    /// A bank account.
    Account(AccountInput),
    /// A card that a processor's own fields took.
    OfFields(FieldsInput),
}

/// What a processor's own card fields gave. Can't be printed.
pub struct FieldsInput {
    /// The connection whose fields they are, as sent.
    pub connection: String,
    /// The token.
    pub token: CardToken,
    /// The cardholder's name, which the processor's fields do not ask for.
    pub holder: Option<String>,
    /// The billing address, which they do not ask for either.
    pub address: Option<Address>,
}
