//! What happens too often for an entry each: counted in memory by minute, and written by a job.

use std::{collections::BTreeMap, net::Ipv6Addr};

use db::Change;
use domain::{
    Timestamp,
    audit::{Act, Actor, ActorKind, Deed, Entry, INSTALLATION, Origin, Source},
    id::{KeyId, TeamId},
    network::Network,
};
use parking_lot::Mutex;

use super::{REFUSED, TRIED};
use crate::{Engine, faults::EngineError};

/// So many different things are counted at the same time; further ones are counted together.
const MOST: usize = 2_000;

/// A minute. Unit: microseconds.
const MINUTE: i64 = 60_000_000;

/// What all further operations are counted as.
const OTHERS: &str = "others";

/// Why a credential was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// There is none in the request.
    Missing,
    /// It has not the form of one, or is of the other mode.
    Malformed,
    /// There is none like it.
    Unknown,
    /// It was revoked, it has expired, or its team is closed.
    Ended,
}

impl Failure {
    const fn text(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::Ended => "ended",
        }
    }
}

/// Whose credential it seems to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Party {
    /// A merchant's server, or nobody knows.
    Server,
    /// A browser's. Its address is a person's and is not kept.
    Browser,
}

/// A credential that was refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusedCredential {
    /// Why.
    pub(crate) why: Failure,
    /// Whose it seems to be.
    pub(crate) party: Party,
    /// Its team and its id, when there is one like it.
    pub(crate) credential: Option<(TeamId, KeyId)>,
}

/// An operation of a credential.
pub(super) type Operation = (TeamId, Actor, &'static str);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Accessed(Operation),
    Refused(Operation),
    Failed {
        why: Failure,
        from: Option<Network>,
        credential: Option<(TeamId, KeyId)>,
    },
}

impl What {
    /// The same without what tells it from others of its kind.
    const fn further(self) -> Self {
        let operation = (INSTALLATION, Actor::of(ActorKind::Unknown), OTHERS);
        match self {
            Self::Accessed(_) => Self::Accessed(operation),
            Self::Refused(_) => Self::Refused(operation),
            Self::Failed { why, .. } => Self::Failed {
                why,
                from: None,
                credential: None,
            },
        }
    }
}

/// Counts of this node that are not written yet.
#[derive(Default)]
pub(crate) struct Counts(Mutex<CountedActs>);

#[derive(Default)]
struct CountedActs {
    /// By minute, and by what is counted.
    counted: BTreeMap<(i64, What), u64>,
    /// Taken to be written. They stay until it is known that they are on disk.
    pending: Vec<(TeamId, Entry)>,
}

impl Counts {
    pub(super) fn accessed(&self, operation: Operation, now: Timestamp) {
        self.count(What::Accessed(operation), now);
    }

    pub(super) fn refused(&self, operation: Operation, now: Timestamp) {
        self.count(What::Refused(operation), now);
    }

    fn count(&self, what: What, now: Timestamp) {
        let minute = now.micros().div_euclid(MINUTE);
        let counted = &mut self.0.lock().counted;
        let is_full = counted.len() >= MOST;
        let what = if is_full && !counted.contains_key(&(minute, what)) {
            what.further()
        } else {
            what
        };
        let count = counted.entry((minute, what)).or_default();
        *count = count.saturating_add(1);
    }

    /// What is to be written now: what could not be written before, or else what has come since, each as the entry that `entry`
    /// makes of it. Taken and kept under one lock: of two callers at once, one would lose what it took.
    fn pending(
        &self,
        due: TakenUntil,
        entry: impl Fn(i64, What, u64) -> (TeamId, Entry),
    ) -> Vec<(TeamId, Entry)> {
        let state = &mut *self.0.lock();
        if state.pending.is_empty() {
            let taken = state.take(due);
            let entries = taken
                .into_iter()
                .map(|((minute, what), count)| entry(minute, what, count));
            state.pending = entries.collect();
        }
        state.pending.clone()
    }

    /// Forgets what is on disk. Returns how many there were.
    fn forget(&self, written: &[(TeamId, Entry)]) -> usize {
        let is_written = |id: &str| written.iter().any(|(_, entry)| entry.id == id);
        let pending = &mut self.0.lock().pending;
        pending.retain(|(_, entry)| !is_written(&entry.id));
        written.len()
    }
}

/// Which counts are taken.
#[derive(Debug, Clone, Copy)]
struct TakenUntil {
    /// Of the minutes before this one.
    minute: i64,
    /// So many at most.
    most: usize,
}

impl CountedActs {
    fn take(
        &mut self,
        TakenUntil {
            minute: until,
            most,
        }: TakenUntil,
    ) -> Vec<((i64, What), u64)> {
        let counted = &mut self.counted;
        let due: Vec<_> = counted
            .range(..)
            .take_while(|((minute, _), _)| *minute < until)
            .take(most)
            .map(|(key, count)| (*key, *count))
            .collect();
        for (key, _) in &due {
            counted.remove(key);
        }
        due
    }
}

/// Which counts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Those of minutes that are over.
    Over,
    /// All.
    Now,
}

impl Engine {
    /// Counts a credential that was refused.
    pub(crate) fn note_refused_credential(&self, refused: RefusedCredential) {
        let RefusedCredential {
            why,
            party,
            credential,
        } = refused;
        let address = self.origin.source.address;
        let what = What::Failed {
            why,
            from: address
                .filter(|_| party == Party::Server)
                .map(Network::from),
            credential,
        };
        self.inner.audit.count(what, self.inner.world.now());
    }

    /// Counts a request that has no credential.
    pub fn note_missing_credential(&self) {
        self.note_refused_credential(RefusedCredential {
            why: Failure::Missing,
            party: Party::Server,
            credential: None,
        });
    }

    /// Writes counts, at most so many. Returns how many were written; the others are written at the next time.
    pub(crate) async fn write_audit_counts(
        &self,
        due: Due,
        most: usize,
    ) -> Result<usize, EngineError> {
        let minute = match due {
            Due::Over => self.inner.world.now().micros().div_euclid(MINUTE),
            Due::Now => i64::MAX,
        };
        let entry = |minute, what, count| self.counted_entry(minute, what, count);
        let counts = &self.inner.audit;
        let pending = counts.pending(TakenUntil { minute, most }, entry);
        if pending.is_empty() {
            return Ok(0);
        }
        let mut change = Change::new(self.change_id(), "audit counts");
        for (team, entry) in &pending {
            change.push(store::audit::insert(*team, entry));
        }
        if self.commit_plain(change).await?.is_none() {
            return Ok(counts.forget(&pending));
        }
        // Refused: an answer was lost, or another task wrote the same. What is there is not written again.
        let mut written = Vec::new();
        for (team, entry) in pending {
            if store::audit::is_there(&self.inner.store, team, &entry.id).await? {
                written.push((team, entry));
            }
        }
        Ok(counts.forget(&written))
    }

    fn counted_entry(&self, minute: i64, what: What, count: u64) -> (TeamId, Entry) {
        let minute = Timestamp::from_micros(minute.saturating_mul(MINUTE)).rfc3339_seconds();
        let (deed, actor, outcome) = match what {
            What::Accessed((team, actor, name)) => {
                let deed = Deed::on(team, Act::DataAccessed, "operation", name);
                (deed, actor, TRIED)
            }
            What::Refused((team, actor, name)) => {
                let deed = Deed::on(team, Act::AccessRefused, "operation", name);
                (deed, actor, REFUSED)
            }
            What::Failed {
                why,
                from,
                credential,
            } => (
                failed(why, from, credential),
                Actor::of(ActorKind::Unknown),
                REFUSED,
            ),
        };
        let origin = Origin {
            actor,
            source: Source::default(),
        };
        let deed = deed.with("minute", minute).with("count", count);
        (deed.team, self.entry(&deed, &origin, outcome))
    }
}

/// What is recorded of credentials that were refused.
fn failed(why: Failure, from: Option<Network>, credential: Option<(TeamId, KeyId)>) -> Deed {
    let deed = match credential {
        Some((team, key)) => Deed::on(team, Act::AuthenticationFailed, "credential", key),
        None => Deed::on_whole(INSTALLATION, Act::AuthenticationFailed, "credential"),
    };
    let deed = deed.with("why", why.text());
    match from {
        Some(network) => deed.with("from", shown(network)),
        None => deed,
    }
}

/// A network as people write it.
fn shown(network: Network) -> String {
    match network {
        Network::V4(address) => address.to_string(),
        Network::V6(bits) => format!("{}/64", Ipv6Addr::from_bits(u128::from(bits) << 64)),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn from(number: u32) -> What {
        What::Failed {
            why: Failure::Unknown,
            from: Some(Network::V4(Ipv4Addr::from_bits(number))),
            credential: None,
        }
    }

    fn take(counts: &Counts, minute: i64) -> Vec<((i64, What), u64)> {
        let most = usize::MAX;
        counts.0.lock().take(TakenUntil { minute, most })
    }

    fn entry_of(number: u64, count: u64) -> (TeamId, Entry) {
        let (world, _sim) = world::World::simulated(number);
        let deed = Deed::on_whole(INSTALLATION, Act::DataAccessed, "operation");
        let deed = deed.with("count", count);
        let entry = super::super::entry(&world, &deed, &Origin::operator(), TRIED);
        (INSTALLATION, entry)
    }

    #[test]
    fn two_tasks_that_write_at_once_lose_no_count() {
        const EACH: u64 = 2_000;
        let counts = Counts::default();
        let written = Mutex::new(BTreeMap::new());
        let next = std::sync::atomic::AtomicU64::new(0);
        let write = || {
            let until = TakenUntil {
                minute: i64::MAX,
                most: 1,
            };
            let pending = counts.pending(until, |_, _, count| {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                entry_of(number, count)
            });
            for (_, entry) in &pending {
                let details: serde_json::Value = serde_json::from_str(&entry.details).unwrap();
                let count = details["count"].as_u64().unwrap();
                written.lock().insert(entry.id.clone(), count);
            }
            counts.forget(&pending);
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..EACH {
                        counts.count(from(1), at(60));
                        write();
                    }
                });
            }
        });
        write();
        write();
        assert_eq!(written.lock().values().sum::<u64>(), 2 * EACH);
    }

    #[test]
    fn the_same_within_a_minute_is_one_count_which_is_taken_when_the_minute_is_over() {
        let counts = Counts::default();
        for second in [60, 61, 119, 120] {
            counts.count(from(1), at(second));
        }
        counts.count(from(2), at(60));
        assert_eq!(take(&counts, 1), []);
        assert_eq!(take(&counts, 2), [((1, from(1)), 3), ((1, from(2)), 1)]);
        assert_eq!(take(&counts, i64::MAX), [((2, from(1)), 1)]);
        assert_eq!(take(&counts, i64::MAX), []);
    }

    #[test]
    fn the_memory_has_a_bound_and_nothing_is_left_uncounted() {
        let counts = Counts::default();
        let all = u32::try_from(3 * MOST).unwrap();
        for number in 0..all {
            counts.count(from(number), at(60));
        }
        counts.count(from(0), at(60));
        let taken = take(&counts, i64::MAX);
        assert_eq!(taken.len(), MOST + 1);
        let total: u64 = taken.iter().map(|(_, count)| count).sum();
        assert_eq!(total, u64::from(all) + 1);
        let further = from(0).further();
        let rest = taken
            .iter()
            .find(|((_, what), _)| *what == further)
            .unwrap();
        assert_eq!(rest.1, u64::from(all) - MOST as u64);
    }

    #[test]
    fn a_network_is_shown_as_people_write_it() {
        let network = |text: &str| shown(Network::from(text.parse::<std::net::IpAddr>().unwrap()));
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
        assert_eq!(network("2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
    }
}
