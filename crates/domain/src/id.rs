//! Identifiers, each a type of its own, so that none can be taken for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Prefix that a payment's id carries on output (specification 2.2).
const PAYMENT_PREFIX: &str = "payments:";

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID.
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            /// The bare UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The bare UUID in its hyphenated form, as it is stored.
            pub fn key(self) -> String {
                self.0.hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned()
            }
        }
    };
}

macro_rules! plain_uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        uuid_id!($(#[$doc])* $name);

        impl $name {
            /// Reads the hyphenated form.
            pub fn parse(text: &str) -> Option<Self> {
                parse_uuid(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
    };
}

plain_uuid_id!(
    /// A team: the owner of every row.
    TeamId
);
plain_uuid_id!(
    /// A customer in the vault.
    CustomerId
);
plain_uuid_id!(
    /// A token record (`CardToken.id`, `PaymentMethod.id`).
    MethodId
);
plain_uuid_id!(
    /// A file that is kept with a payment.
    AttachmentId
);
plain_uuid_id!(
    /// A credential.
    KeyId
);
plain_uuid_id!(
    /// A sealed record in the vault's database.
    BlobId
);
plain_uuid_id!(
    /// A refund of a payment.
    RefundId
);
plain_uuid_id!(
    /// A checkout intent.
    IntentId
);
plain_uuid_id!(
    /// A payment link.
    LinkId
);
plain_uuid_id!(
    /// A dispute.
    DisputeId
);
plain_uuid_id!(
    /// A request for a processor's token.
    TokenRequestId
);
plain_uuid_id!(
    /// A webhook endpoint.
    EndpointId
);
plain_uuid_id!(
    /// The delivery of an event to a webhook endpoint.
    DeliveryId
);
plain_uuid_id!(
    /// A page of the merchant's on which customers pay.
    PageId
);
uuid_id!(
    /// A payment. Shown with the prefix `payments:`, read with or without it.
    PaymentId
);

impl PaymentId {
    /// Reads the id with or without its prefix.
    pub fn parse(text: &str) -> Option<Self> {
        parse_uuid(text.strip_prefix(PAYMENT_PREFIX).unwrap_or(text)).map(Self)
    }
}

impl fmt::Display for PaymentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PAYMENT_PREFIX}{}", self.0.hyphenated())
    }
}

/// Only the hyphenated form counts, so that one id has one spelling (case aside).
fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() != 36 {
        return None;
    }
    Uuid::try_parse(text).ok()
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Reads the id; `None` when it can't be one.
            pub fn parse(text: &str) -> Option<Self> {
                let valid: fn(&str) -> bool = $valid;
                valid(text).then(|| Self(text.to_owned()))
            }

            /// The id that is made of a UUID.
            pub fn of_uuid(id: Uuid) -> Self {
                Self(id.simple().to_string())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// A vault token: at least 16 letters and digits (behaviour contract, section 4).
    VaultToken,
    |text| (16..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
);
text_id!(
    /// A team's configured account at a processor.
    ConnectionId,
    is_slug
);
text_id!(
    /// A team's automation document.
    FlowId,
    is_slug
);

fn is_slug(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payment_ids_are_read_with_and_without_their_prefix() {
        let bare = "01929f6e-0000-7000-8000-000000000001";
        let id = PaymentId::parse(bare).unwrap();
        assert_eq!(PaymentId::parse(&format!("payments:{bare}")), Some(id));
        assert_eq!(id.to_string(), format!("payments:{bare}"));
        assert_eq!(PaymentId::parse(&format!("payment:{bare}")), None);
        assert_eq!(PaymentId::parse("01929f6e000070008000000000000001"), None);
        assert_eq!(PaymentId::parse(""), None);
    }

    #[test]
    fn what_is_made_of_a_uuid_is_an_id_of_its_kind() {
        let uuid = Uuid::from_u128(7);
        assert!(VaultToken::parse(VaultToken::of_uuid(uuid).as_str()).is_some());
        assert!(FlowId::parse(FlowId::of_uuid(uuid).as_str()).is_some());
    }

    #[test]
    fn vault_tokens_are_long_and_plain() {
        assert!(VaultToken::parse("abcdefgh12345678").is_some());
        assert!(VaultToken::parse("abcdefgh1234567").is_none());
        assert!(VaultToken::parse("abcdefgh1234567-").is_none());
    }
}
