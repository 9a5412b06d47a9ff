//! When keys were last used: noted in memory, and written by a job, so that no request waits for it.

use std::{collections::BTreeMap, time::Duration};

use db::Change;
use domain::{
    Timestamp,
    id::{KeyId, TeamId},
};
use parking_lot::Mutex;
use store::credential;

use crate::{Engine, faults::EngineError};

/// A key's last use is written at most once within this time, whichever nodes it is used on.
const WRITTEN_EVERY: Duration = Duration::from_mins(5);

/// Keys whose use is remembered at the same time; the use of others is noted later.
const MOST: usize = 10_000;

/// Uses of keys that this node has seen.
#[derive(Default)]
pub(crate) struct Uses {
    of_key: Mutex<BTreeMap<KeyId, Use>>,
}

#[derive(Debug, Clone, Copy)]
struct Use {
    team: TeamId,
    last: Timestamp,
    written: Option<Timestamp>,
}

impl Use {
    /// A clock that was set back makes it due too.
    fn is_due(&self, now: Timestamp) -> bool {
        self.written.is_none_or(|written| {
            self.last > written && (now < written || now.since(written) >= WRITTEN_EVERY)
        })
    }
}

impl Uses {
    /// Notes that a key is used.
    pub(super) fn note(&self, team: TeamId, key: KeyId, now: Timestamp) {
        let mut of_key = self.of_key.lock();
        if let Some(known) = of_key.get_mut(&key) {
            known.last = now;
        } else if of_key.len() < MOST {
            let (last, written) = (now, None);
            of_key.insert(
                key,
                Use {
                    team,
                    last,
                    written,
                },
            );
        }
    }

    /// When this node saw a key last.
    pub(crate) fn last(&self, key: KeyId) -> Option<Timestamp> {
        self.of_key.lock().get(&key).map(|known| known.last)
    }

    /// Uses to be written now; keys that have not been used since the last writing are forgotten.
    fn take_due(&self, now: Timestamp, most: usize) -> Vec<(KeyId, TeamId, Timestamp)> {
        let mut of_key = self.of_key.lock();
        of_key.retain(|_, known| {
            known.written.is_none_or(|written| {
                known.last > written || (now >= written && now.since(written) < WRITTEN_EVERY)
            })
        });
        let due = of_key
            .iter_mut()
            .filter(|(_, known)| known.is_due(now))
            .take(most);
        due.map(|(key, known)| {
            known.written = Some(now);
            (*key, known.team, known.last)
        })
        .collect()
    }
}

impl Engine {
    /// Writes when keys were last used, of `limit` keys. What fails is written with a later use.
    pub(crate) async fn note_key_uses(&self, limit: i64) -> Result<usize, EngineError> {
        let most = usize::try_from(limit).unwrap_or_default();
        let now = self.inner.world.now();
        let due = self.inner.key_uses.take_due(now, most);
        if due.is_empty() {
            return Ok(0);
        }
        let unless_after = now.before(WRITTEN_EVERY);
        let mut change = Change::new(self.change_id(), "key uses");
        for (key, team, last) in &due {
            change.push(credential::note_use(*team, *key, *last, unless_after));
        }
        self.commit_plain(change).await?;
        Ok(due.len())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_use_is_written_once_within_five_minutes_and_forgotten_when_there_is_no_other() {
        let (uses, key) = (Uses::default(), KeyId::new(Uuid::from_u128(1)));
        let team = TeamId::new(Uuid::from_u128(2));
        uses.note(team, key, at(10));
        assert_eq!(uses.take_due(at(11), 9), [(key, team, at(10))]);
        uses.note(team, key, at(20));
        assert_eq!(uses.take_due(at(21), 9), []);
        assert_eq!(uses.last(key), Some(at(20)));
        assert_eq!(uses.take_due(at(311), 9), [(key, team, at(20))]);
        assert_eq!(uses.take_due(at(610), 9), []);
        assert_eq!(uses.take_due(at(611), 9), []);
        assert_eq!(uses.last(key), None);
    }

    #[test]
    fn a_commit_takes_so_many_and_the_memory_has_a_bound() {
        let uses = Uses::default();
        let team = TeamId::new(Uuid::from_u128(1));
        for n in 0..=MOST {
            let n = u128::try_from(n).unwrap();
            uses.note(team, KeyId::new(Uuid::from_u128(n)), at(1));
        }
        assert_eq!(uses.of_key.lock().len(), MOST);
        assert_eq!(uses.take_due(at(2), 100).len(), 100);
        assert_eq!(uses.take_due(at(3), 100).len(), 100);
    }
}
