//! The reference of a call.

use domain::id::PaymentId;
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
