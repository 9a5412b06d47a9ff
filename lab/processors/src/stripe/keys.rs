//! Idempotency keys, as docs/processors/stripe.md describes them.

use std::time::Duration;

use super::refusal::Refusal;
use crate::{
    Reply,
    keys::{Found, Keyed, Keys},
};

/// How long an answer is kept. Source: `docs.stripe.com/api/idempotent_requests` ("at least 24 hours").
pub(super) const KEPT: Duration = Duration::from_hours(24);
/// The longest key. Unit: characters. Source: the same page.
const LONGEST: usize = 255;

/// The request under `key`.
pub(super) fn keyed(key: &str, path: &str, parameters: &str) -> Result<Keyed, Refusal> {
    if key.is_empty() || key.chars().count() > LONGEST {
        let message = format!("Invalid Idempotency-Key: it must have 1 to {LONGEST} characters");
        return Err(Refusal::malformed(&message));
    }
    Ok(Keyed::new(key, path, parameters.as_bytes()))
}

/// The answer that is kept for the request; `None` when it must be carried out.
pub(super) fn kept(
    keys: &mut Keys,
    keyed: &Keyed,
    now: Duration,
) -> Result<Option<Reply>, Refusal> {
    match keys.find(keyed, now) {
        Found::Nothing => Ok(None),
        Found::Changed => Err(Refusal::key_reused(keyed.key())),
        Found::Running => Err(Refusal::key_in_use(keyed.key())),
        Found::Kept(mut reply) => {
            reply
                .headers
                .insert("idempotent-replayed".to_owned(), "true".to_owned());
            Ok(Some(reply))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_at_most_255_characters() {
        assert!(keyed(&"k".repeat(255), "/a", "x").is_ok());
        assert!(keyed(&"k".repeat(256), "/a", "x").is_err());
        assert!(keyed("", "/a", "x").is_err());
    }
}
