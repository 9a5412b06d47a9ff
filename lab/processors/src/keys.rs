//! Answers that are kept under the key of their request.

use std::{collections::BTreeMap, time::Duration};

use sha2::{Digest, Sha256};

use crate::Reply;

/// A request that names a key.
#[derive(Debug, Clone)]
pub(crate) struct Keyed {
    key: String,
    fingerprint: [u8; 32],
}

impl Keyed {
    /// The request under `key`, compared by address and parameters.
    pub(crate) fn new(key: &str, path: &str, parameters: &[u8]) -> Self {
        let mut digest = Sha256::new();
        digest.update(path.as_bytes());
        digest.update([0]);
        digest.update(parameters);
        Self {
            key: key.to_owned(),
            fingerprint: digest.finalize().into(),
        }
    }

    pub(crate) fn key(&self) -> &str {
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

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing: the request must be carried out.
    Nothing,
    /// The answer to the same request.
    Kept(Reply),
    /// It was used for another request.
    Changed,
    /// The same request runs.
    Running,
}

/// The answers that are kept.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    kept_for: Duration,
    rows: BTreeMap<String, Kept>,
}

impl Keys {
    /// Each answer is kept for this time.
    pub(crate) const fn new(kept_for: Duration) -> Self {
        Self {
            kept_for,
            rows: BTreeMap::new(),
        }
    }

    pub(crate) fn find(&mut self, keyed: &Keyed, now: Duration) -> Found {
        let kept_for = self.kept_for;
        self.rows
            .retain(|_, kept| now.saturating_sub(kept.since) < kept_for);
        match self.rows.get(&keyed.key) {
            None => Found::Nothing,
            Some(kept) if kept.fingerprint != keyed.fingerprint => Found::Changed,
            Some(kept) if now < kept.answered_at => Found::Running,
            Some(kept) => Found::Kept(kept.reply.clone()),
        }
    }

    /// Keeps an answer that is given at `answered_at`.
    pub(crate) fn keep(
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
        self.rows.insert(keyed.key, kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const DAY: Duration = Duration::from_hours(24);

    fn keyed(path: &str, parameters: &str) -> Keyed {
        Keyed::new("key", path, parameters.as_bytes())
    }

    #[test]
    fn an_answer_is_kept_for_its_time() {
        let mut keys = Keys::new(DAY);
        let reply = Reply {
            status: 200,
            ..Reply::default()
        };
        keys.keep(keyed("/a", "x"), reply.clone(), SECOND, SECOND);
        assert_eq!(keys.find(&keyed("/a", "x"), DAY), Found::Kept(reply));
        assert_eq!(keys.find(&keyed("/a", "x"), DAY + SECOND), Found::Nothing);
    }

    #[test]
    fn a_changed_request_and_one_that_runs_are_seen() {
        let mut keys = Keys::new(DAY);
        keys.keep(keyed("/a", "x"), Reply::default(), SECOND, SECOND * 10);
        assert_eq!(keys.find(&keyed("/a", "y"), SECOND), Found::Changed);
        assert_eq!(keys.find(&keyed("/b", "x"), SECOND), Found::Changed);
        assert_eq!(keys.find(&keyed("/a", "x"), SECOND * 9), Found::Running);
        let kept = keys.find(&keyed("/a", "x"), SECOND * 10);
        assert_eq!(kept, Found::Kept(Reply::default()));
    }
}
