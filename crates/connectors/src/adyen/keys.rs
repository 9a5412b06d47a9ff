//! The idempotency keys of requests. Source: docs/processors/adyen.md, "Idempotency".

use connector::CallError;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The longest key. Unit: characters.
pub(super) const KEY_MAX: usize = 64;

/// The key of a request under our reference. References are in reports and notifications, and everybody who has a credential of the company
/// account and guesses a key reads its answer: so it is a keyed hash.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(AdyenKeyChanges = super::bugs::change_key)
)]
pub(super) fn key(secret: &str, reference: &str, purpose: &str) -> Result<String, CallError> {
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(secret.as_bytes())
        .map_err(|_| CallError::not_sent("the key of the request can't be made"))?;
    for part in ["idempotency key", reference, purpose] {
        mac.update(part.as_bytes());
        mac.update(b"\0");
    }
    let mut key = hex::encode(mac.finalize().into_bytes());
    key.truncate(KEY_MAX);
    Ok(key)
}
