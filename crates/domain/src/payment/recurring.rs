//! Stored credentials: a payment that begins an agreement with the customer, or goes by one.
//!
//! The schemes want to know of every payment with a stored card why it is made and whether the customer agreed just now, and that a later
//! one names the transaction of the agreement. Source: the schemes' stored credential frameworks (Visa "Stored Credential
//! Transaction", Mastercard "Credential on File").

use serde::{Deserialize, Serialize};

use super::{Initiator, Operation, OperationKind, Payment};
use crate::{
    Timestamp,
    answer::Approval,
    id::{ConnectionId, PaymentId},
    text_enum::text_enum,
};

text_enum!(
    /// Why a stored card is charged.
    RecurringReason {
        /// The customer pays with a card that the merchant keeps.
        CardOnFile = "CARD_ON_FILE",
        /// At fixed intervals, without an end.
        Subscription = "SUBSCRIPTION",
        /// When something happens (a top-up, a late charge), at no fixed time or amount.
        Unscheduled = "UNSCHEDULED",
        /// At fixed intervals, a purchase in parts.
        Instalments = "INSTALMENTS",
    }
);

/// What a merchant says of a payment with a stored card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recurring {
    /// Why it is made.
    pub reason: RecurringReason,
    /// The customer is present and agrees to later payments with the card: it stores the consent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
}

impl Recurring {
    /// What a payment of this initiator is when its merchant says nothing.
    pub const fn usual(initiator: Initiator) -> Option<Self> {
        match initiator {
            Initiator::Customer => None,
            Initiator::Merchant => Some(Self {
                reason: RecurringReason::Unscheduled,
                first: false,
            }),
        }
    }
}

/// The scheme's id of the transaction by which a stored card may be charged later, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkReference {
    /// The id. It is the scheme's, so every processor can be given it.
    pub id: String,
    /// The connection whose processor reported it.
    pub connection: ConnectionId,
    /// That processor's identifier.
    pub processor: String,
    /// The payment.
    pub payment: PaymentId,
    /// How much the payment says of the customer's consent.
    pub weight: ConsentWeight,
    /// When it was reported.
    pub at: Timestamp,
}

/// How much a payment says of the customer's consent. A reference is replaced by one of more weight; one that stores a consent also by a
/// later one that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentWeight {
    /// Nobody was present.
    Merchant,
    /// The customer was present.
    Customer,
    /// The customer was present and agreed to later payments.
    Consent,
}

impl ConsentWeight {
    /// That of a payment.
    pub const fn of(initiator: Initiator, recurring: Option<Recurring>) -> Self {
        match (initiator, recurring) {
            (Initiator::Merchant, _) => Self::Merchant,
            (Initiator::Customer, Some(Recurring { first: true, .. })) => Self::Consent,
            (Initiator::Customer, _) => Self::Customer,
        }
    }

    /// Its place in the order, as it is stored.
    pub const fn rank(self) -> i64 {
        match self {
            Self::Merchant => 1,
            Self::Customer => 2,
            Self::Consent => 3,
        }
    }
}

/// Longest id of a transaction of a scheme. Those that are known have at most 23 characters. Unit: bytes.
const ID_MAX: usize = 64;

/// Whether a text can be a scheme's id of a transaction, to be sent to another processor as it is.
fn is_network_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/');
    (1..=ID_MAX).contains(&text.len()) && text.bytes().all(fits)
}

impl Payment {
    /// How much it says of the customer's consent.
    pub fn consent_weight(&self) -> ConsentWeight {
        ConsentWeight::of(self.initiator, self.recurring)
    }

    /// What the approval of operation `n` brings for later payments with its stored card; `None` where it says no more than what was kept
    /// when the payment was made. The store compares again ([`ConsentWeight`]).
    pub fn network_reference(
        &self,
        n: u32,
        approval: &Approval,
        at: Timestamp,
    ) -> Option<NetworkReference> {
        let operation = self.standing_authorisation(n)?;
        let id = approval.scheme_transaction_id.as_deref();
        let id = id.filter(|id| is_network_id(id))?;
        let (method, weight) = (&self.method, self.consent_weight());
        method.token.as_ref().filter(|_| method.is_card_number())?;
        let known = method.network.as_ref().map(|known| known.weight);
        let known = known.or(method.network_weight);
        let says_more =
            weight == ConsentWeight::Consent || known.is_none_or(|known| weight > known);
        says_more.then(|| NetworkReference {
            id: id.to_owned(),
            connection: operation.connection.clone(),
            processor: self
                .gateway
                .as_ref()
                .map(|gateway| gateway.processor.clone())
                .unwrap_or_default(),
            payment: self.id,
            weight,
            at,
        })
    }

    /// Operation `n`, if it is an authorisation that was approved and is not to be given back.
    pub fn standing_authorisation(&self, n: u32) -> Option<&Operation> {
        self.operation(n).filter(|operation| {
            matches!(operation.kind, OperationKind::Authorise { .. })
                && operation.state.is_done()
                && operation.owed.is_none()
        })
    }

    /// What the timeline says of the agreement, in whole sentences; empty when it is about none.
    pub fn agreement_words(&self) -> String {
        let Some(Recurring { reason, first }) = self.recurring else {
            return String::new();
        };
        match (self.initiator, first) {
            (Initiator::Customer, true) => {
                format!(" The customer agrees to later payments with the card ({reason}).")
            }
            (Initiator::Customer, false) => format!(" Paid with a kept card ({reason})."),
            (Initiator::Merchant, _) => {
                let by = match &self.method.network {
                    Some(kept) => format!(
                        "by the scheme's transaction of {}, at the connection {}",
                        kept.payment, kept.connection
                    ),
                    None => "without a transaction by which the customer agreed".to_owned(),
                };
                format!(" Merchant-initiated ({reason}), {by}.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payment_that_stores_a_consent_weighs_most() {
        let recurring = |first| {
            Some(Recurring {
                reason: RecurringReason::Subscription,
                first,
            })
        };
        let of = ConsentWeight::of;
        assert_eq!(
            of(Initiator::Customer, recurring(true)),
            ConsentWeight::Consent
        );
        assert_eq!(
            of(Initiator::Customer, recurring(false)),
            ConsentWeight::Customer
        );
        assert_eq!(of(Initiator::Customer, None), ConsentWeight::Customer);
        assert_eq!(
            of(Initiator::Merchant, recurring(false)),
            ConsentWeight::Merchant
        );
        assert!(ConsentWeight::Merchant < ConsentWeight::Customer);
        assert!(ConsentWeight::Customer < ConsentWeight::Consent);
    }

    #[test]
    fn only_plain_words_are_ids_of_a_scheme() {
        for right in [
            "MCC0123456789012",
            "016150703802094",
            "123456789012345",
            "a-b_c/D",
        ] {
            assert!(is_network_id(right), "{right}");
        }
        for wrong in ["", "a b", "************4242", "é", "x\ny"] {
            assert!(!is_network_id(wrong), "{wrong}");
        }
        assert!(!is_network_id(&"1".repeat(65)));
    }
}
