//! Stored payment methods.

use domain::{
    Fault,
    bank_account::{AccountKind, Mandate},
    customer::{Customer, Instrument, StoredMethod},
    expiry::Expiry,
};
use engine::LinkedGateway;
use serde_json::{Map, Value};

use crate::{
    customers::views::TokenCustomer,
    executor::{FieldOf, Object, Out, object, optional, unknown_field},
    shared::{Sight, address::AddressObject},
};

/// Processors' own tokens for a method are read.
pub(crate) const LINKED: FieldOf = FieldOf::new("PaymentMethod", "linkedPaymentGateways");

/// `PaymentMethod`, owning what it shows.
pub(crate) struct MethodObject {
    /// The method.
    pub(crate) method: StoredMethod,
    /// Processors' own tokens for it; read only where they are asked for and may be seen.
    pub(crate) linked: Vec<LinkedGateway>,
    /// What the credential may see.
    pub(crate) sight: Sight,
}

/// `LinkedPaymentGateway`
struct LinkedObject<'a>(&'a LinkedGateway);

/// `Mandate`
struct MandateObject<'a>(&'a Mandate);

/// `PaymentMethod` within a token.
struct BorrowedMethod<'a>(&'a StoredMethod, Sight);

/// `CardToken`.
pub(crate) struct CardTokenObject {
    /// What was stored.
    pub(crate) method: StoredMethod,
    /// Whose it is.
    pub(crate) customer: Option<Customer>,
    /// What the credential may see.
    pub(crate) sight: Sight,
}

impl Object for CardTokenObject {
    fn type_name(&self) -> &'static str {
        "CardToken"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => self.method.id.to_string().into(),
            "token" => self.method.token.as_str().into(),
            "createdDate" => self.method.created_at.rfc3339_millis().into(),
            "customer" => optional(
                self.customer
                    .as_ref()
                    .map(|customer| TokenCustomer(customer, self.sight)),
            ),
            "card" => object(BorrowedMethod(&self.method, self.sight)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for MethodObject {
    fn type_name(&self) -> &'static str {
        "PaymentMethod"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        if name == "linkedPaymentGateways" {
            return Ok(Out::List(
                self.linked
                    .iter()
                    .map(|gateway| object(LinkedObject(gateway)))
                    .collect(),
            ));
        }
        field(&self.method, self.sight, name).ok_or_else(|| unknown_field(self.type_name(), name))
    }
}

impl Object for LinkedObject<'_> {
    fn type_name(&self) -> &'static str {
        "LinkedPaymentGateway"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let gateway = self.0;
        Ok(match name {
            "id" => gateway.connection.as_str().into(),
            "name" => (&gateway.name).into(),
            "token" => (&gateway.token).into(),
            "created" => gateway.created_at.rfc3339_millis().into(),
            "updated" => gateway.updated_at.rfc3339_millis().into(),
            "reusable" => gateway.reusable.into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for MandateObject<'_> {
    fn type_name(&self) -> &'static str {
        "Mandate"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let mandate = self.0;
        Ok(match name {
            "acceptedAt" => mandate.accepted_at.rfc3339_millis().into(),
            "textVersion" => (&mandate.text_version).into(),
            "ipAddress" => mandate.ip_address.map(|address| address.to_string()).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for BorrowedMethod<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentMethod"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        field(self.0, self.1, name).ok_or_else(|| unknown_field(self.type_name(), name))
    }
}

fn field<'a>(method: &'a StoredMethod, sight: Sight, name: &str) -> Option<Out<'a>> {
    if let Some(value) = card_field(&method.instrument, name) {
        return Some(value);
    }
    if let Some(value) = account_field(&method.instrument, sight, name) {
        return Some(value);
    }
    Some(match name {
        "id" => method.id.to_string().into(),
        "token" => method.token.as_str().into(),
        // The token of a processor's fields has no digits that could be shown.
        "number" => Some(&method.masked)
            .filter(|masked| !masked.is_empty())
            .into(),
        "name" => sight.personal(method.holder.as_ref()).into(),
        "isDefault" => method.is_default.into(),
        "type" => method.funding.code().into(),
        "product" => method.product.as_ref().into(),
        "externalId" => method.external_id.as_ref().into(),
        "fingerprint" => sight.fingerprint(Some(&method.fingerprint)).into(),
        "vaultCustomerId" => method.customer.map(|id| id.to_string()).into(),
        "metadata" => method.metadata.clone().into(),
        "systemCreated" => method.created_at.rfc3339_seconds().into(),
        "systemUpdated" => method.updated_at.rfc3339_seconds().into(),
        "billingAddress" => optional(sight.personal(method.address.as_ref()).map(AddressObject)),
        // Filled from the issuer's ranges, of which we have no table.
        "country" | "category" => Out::Null,
        // A method that was stored just now; others show theirs in `MethodObject`.
        "linkedPaymentGateways" => Out::List(Vec::new()),
        _ => return None,
    })
}

/// What is known of a bank account alone. A browser sees nothing of it.
fn account_field<'a>(instrument: &'a Instrument, sight: Sight, name: &str) -> Option<Out<'a>> {
    let (kind, mandate) = match instrument {
        Instrument::BankAccount { kind, mandate, .. } => (Some(kind), mandate.as_ref()),
        Instrument::Card { .. } | Instrument::OfFields(_) => (None, None),
    };
    let code = |code: Option<&'a String>| -> Out<'a> { sight.personal(code).into() };
    Some(match name {
        "sortCode" => code(kind.and_then(|kind| match kind {
            AccountKind::Bacs { sort_code } => Some(sort_code),
            _ => None,
        })),
        "routingNumber" => code(kind.and_then(|kind| match kind {
            AccountKind::Ach { routing_number } => Some(routing_number),
            _ => None,
        })),
        "bsbNumber" => code(kind.and_then(|kind| match kind {
            AccountKind::Becs { bsb_number } => Some(bsb_number),
            _ => None,
        })),
        "mandate" => optional(sight.personal(mandate).map(MandateObject)),
        _ => return None,
    })
}

fn card_field<'a>(instrument: &'a Instrument, name: &str) -> Option<Out<'a>> {
    let (expiry, brand, bin, bank_name): (
        Option<Expiry>,
        Option<&'a String>,
        Option<&'a String>,
        Option<&'a String>,
    ) = match instrument {
        Instrument::Card { expiry, brand, bin } => (Some(*expiry), Some(brand), Some(bin), None),
        Instrument::BankAccount { bank_name, .. } => (None, None, None, bank_name.as_ref()),
        Instrument::OfFields(_) => (None, None, None, None),
    };
    Some(match name {
        "expMonth" => expiry.map(Expiry::month).into(),
        "expYear" => expiry.map(Expiry::year).into(),
        "brand" => brand.into(),
        "bin" => bin.into(),
        "bankName" => bank_name.into(),
        _ => return None,
    })
}
