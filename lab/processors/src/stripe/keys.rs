//! Idempotency keys, as docs/processors/stripe.md describes them.

use std::{collections::BTreeMap, time::Duration};

use sha2::{Digest, Sha256};

use super::refusal::Refusal;
use crate::Reply;

/// How long an answer is kept. Source: `docs.stripe.com/api/idempotent_requests` ("at least 24 hours").
pub(super) const KEPT: Duration = Duration::from_hours(24);
/// The longest key. Unit: characters. Source: the same page.
const LONGEST: usize = 255;

/// A request that names a key.
#[derive(Debug, Clone)]
pub(super) struct Keyed {
    key: String,
    fingerprint: [u8; 32],
}

impl Keyed {
    /// The request under `key`, compared by address and parameters.
    pub(super) fn new(key: &str, path: &str, parameters: &str) -> Result<Self, Refusal> {
        if key.is_empty() || key.chars().count() > LONGEST {
            let message =
                format!("Invalid Idempotency-Key: it must have 1 to {LONGEST} characters");
            return Err(Refusal::malformed(&message));
        }
        let mut digest = Sha256::new();
        digest.update(path.as_bytes());
        digest.update([0]);
        digest.update(parameters.as_bytes());
        Ok(Self {
            key: key.to_owned(),
            fingerprint: digest.finalize().into(),
        })
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

#[derive(Debug, Clone)]
struct Kept {
    fingerprint: [u8; 32],
    since: Duration,
    /// The request runs until then.
    answered_at: Duration,
    reply: Reply,
}

/// The answers that are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(BTreeMap<String, Kept>);

impl Keys {
    /// The answer that is kept for the request; `None` when it must be carried out.
    pub(super) fn find(&mut self, keyed: &Keyed, now: Duration) -> Result<Option<Reply>, Refusal> {
        self.0
            .retain(|_, kept| now.saturating_sub(kept.since) < KEPT);
        let Some(kept) = self.0.get(&keyed.key) else {
            return Ok(None);
        };
        if kept.fingerprint != keyed.fingerprint {
            return Err(Refusal::key_reused(&keyed.key));
        }
        if now < kept.answered_at {
            return Err(Refusal::key_in_use(&keyed.key));
        }
        let mut reply = kept.reply.clone();
        reply
            .headers
            .insert("idempotent-replayed".to_owned(), "true".to_owned());
        Ok(Some(reply))
    }

    /// Keeps an answer that is given at `answered_at`.
    pub(super) fn keep(
        &mut self,
        keyed: Keyed,
        reply: Reply,
        now: Duration,
        answered_at: Duration,
    ) {
        let kept = Kept {
            fingerprint: keyed.fingerprint,
            since: now,
            answered_at,
            reply,
        };
        self.0.insert(keyed.key, kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn keyed(path: &str, parameters: &str) -> Keyed {
        Keyed::new("key", path, parameters).unwrap()
    }

    #[test]
    fn an_answer_is_given_again_for_a_day() {
        let mut keys = Keys::default();
        let reply = Reply {
            status: 200,
            ..Reply::default()
        };
        keys.keep(keyed("/a", "x"), reply, SECOND, SECOND);
        let again = keys.find(&keyed("/a", "x"), KEPT).unwrap().unwrap();
        assert_eq!(again.headers["idempotent-replayed"], "true");
        assert_eq!(keys.find(&keyed("/a", "x"), KEPT + SECOND).unwrap(), None);
    }

    #[test]
    fn a_changed_request_or_one_that_runs_is_refused() {
        let mut keys = Keys::default();
        keys.keep(keyed("/a", "x"), Reply::default(), SECOND, SECOND * 10);
        assert_eq!(
            keys.find(&keyed("/a", "y"), SECOND).unwrap_err().status,
            400
        );
        assert_eq!(
            keys.find(&keyed("/b", "x"), SECOND).unwrap_err().status,
            400
        );
        assert_eq!(
            keys.find(&keyed("/a", "x"), SECOND * 9).unwrap_err().status,
            409
        );
        assert!(keys.find(&keyed("/a", "x"), SECOND * 10).unwrap().is_some());
        assert!(Keyed::new(&"k".repeat(256), "/a", "x").is_err());
    }
}
