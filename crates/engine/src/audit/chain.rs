//! The chain that holds a team's entries together, and how it is verified.
//!
//! # How it works
//! Each entry has a number, a link (SHA-256 over the link before, the number and the entry) and a keyed hash of the link
//! (HMAC-SHA-256 under a key of the vault). The end of the chain, and its beginning once older entries were removed, have
//! keyed hashes of their own, so that neither can be put elsewhere.
//!
//! Without the key the links show whether entries fit each other: a change, a gap, an addition, another order. A chain that
//! somebody has written from its beginning on shows only under the key, or by an end that was written to the log.

use domain::{Timestamp, audit::Entry, id::TeamId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::audit::{Seal, Stored};
use vault::AuditKey;

/// What a keyed hash is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Beginning,
    Entry,
    End,
}

impl Spot {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::Beginning => b"beginning",
            Self::Entry => b"entry",
            Self::End => b"end",
        }
    }
}

/// The link of an entry behind another one.
fn link(before: &str, seq: i64, entry: &Entry) -> String {
    let mut hash = Sha256::new();
    hash.update(before.as_bytes());
    hash.update(seq.to_be_bytes());
    hash.update(entry.bytes());
    hex::encode(hash.finalize())
}

/// A link with the number of its entry.
#[derive(Clone, Copy)]
struct NumberedLink<'a> {
    seq: i64,
    link: &'a str,
}

/// The keyed hash of a link at a spot of a team's chain.
fn keyed(key: &AuditKey, spot: Spot, team: &str, numbered: NumberedLink<'_>) -> String {
    key.seal(&[
        spot.label(),
        team.as_bytes(),
        &numbered.seq.to_be_bytes(),
        numbered.link.as_bytes(),
    ])
}

/// The mark of the beginning, before any entry.
pub(super) fn beginning(key: &AuditKey, team: TeamId) -> Seal {
    sealed(key, Spot::Beginning, team, 0, String::new())
}

/// The same place of the chain as another kind of spot.
pub(super) fn sealed(key: &AuditKey, spot: Spot, team: TeamId, seq: i64, link: String) -> Seal {
    Seal {
        mac: keyed(key, spot, &team.key(), NumberedLink { seq, link: &link }),
        seq,
        link,
    }
}

/// Whether a mark has the keyed hash that it must have at this spot.
pub(super) fn is_sealed(key: &AuditKey, spot: Spot, team: TeamId, mark: &Seal) -> bool {
    let numbered = NumberedLink {
        seq: mark.seq,
        link: &mark.link,
    };
    keyed(key, spot, &team.key(), numbered) == mark.mac
}

/// The seal of the entry behind `before`.
pub(super) fn next(key: &AuditKey, team: TeamId, before: &Seal, entry: &Entry) -> Seal {
    let seq = before.seq.saturating_add(1);
    sealed(key, Spot::Entry, team, seq, link(&before.link, seq, entry))
}

/// The beginning or the end of a chain as it is exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// The team's id.
    pub team: String,
    /// The number of the last entry before.
    pub seq: i64,
    /// Its link.
    pub link: String,
    /// The keyed hash.
    pub mac: String,
}

impl Mark {
    pub(super) fn of(team: TeamId, seal: &Seal) -> Self {
        Self {
            team: team.key(),
            seq: seal.seq,
            link: seal.link.clone(),
            mac: seal.mac.clone(),
        }
    }

    fn numbered_link(&self) -> NumberedLink<'_> {
        NumberedLink {
            seq: self.seq,
            link: &self.link,
        }
    }
}

/// An entry as it is listed and exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Its number; `None` until it is sealed.
    pub seq: Option<i64>,
    /// When it was done, for people: RFC 3339.
    pub at: String,
    /// What was done.
    pub what: Entry,
    /// Its link; empty until it is sealed.
    pub link: String,
    /// The keyed hash of the link; empty until it is sealed.
    pub mac: String,
}

impl From<Stored> for Listed {
    fn from(stored: Stored) -> Self {
        let (seq, link, mac) = match stored.seal {
            Some(seal) => (Some(seal.seq), seal.link, seal.mac),
            None => (None, String::new(), String::new()),
        };
        Self {
            seq,
            at: shown(stored.entry.at_micros),
            what: stored.entry,
            link,
            mac,
        }
    }
}

fn shown(at_micros: i64) -> String {
    Timestamp::from_micros(at_micros).rfc3339()
}

/// A line of an export. A team's chain is its beginning, its entries in their order, and its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// Where a team's chain begins.
    Beginning(Mark),
    /// A sealed entry.
    Entry(Box<Listed>),
    /// Where it ends.
    End(Mark),
}

/// Where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The number of the first entry that does not fit; that of the end when entries are missing there.
    pub seq: i64,
    /// What does not fit.
    pub why: &'static str,
}

/// What does not fit when a chain begins under another key.
const ANOTHER_KEY: &str = "the beginning was not sealed with this key";

/// What does not fit where entries wait for their seal.
const NOT_SEALED: &str =
    "entries that are older than a minute are not sealed: the service's log says why";

impl Verified {
    /// The chain of a team that has no sealed entry.
    pub(super) fn nothing_of(team: TeamId) -> Self {
        Self {
            team: team.key(),
            entries: 0,
            last: 0,
            broken: None,
        }
    }

    /// Entries that should be sealed are not. A break that was found before comes first.
    pub(super) fn is_not_sealed(&mut self) {
        let seq = self.last.saturating_add(1);
        self.broken.get_or_insert(Broken {
            seq,
            why: NOT_SEALED,
        });
    }

    /// Whether not even the beginning fits the key.
    pub fn has_another_key(&self) -> bool {
        let broken = self.broken.as_ref();
        broken.is_some_and(|broken| broken.why == ANOTHER_KEY)
    }
}

/// A chain that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The team's id.
    pub team: String,
    /// How many entries hold together.
    pub entries: u64,
    /// The number of the last one.
    pub last: i64,
    /// Where it is broken first; `None` when it holds.
    pub broken: Option<Broken>,
}

/// Follows one team's chain from its beginning to its end.
pub struct Verifier<'a> {
    key: Option<&'a AuditKey>,
    team: String,
    seq: i64,
    link: String,
    entries: u64,
    broken: Option<Broken>,
}

impl<'a> Verifier<'a> {
    /// Begins with a chain. Without the key the keyed hashes are not looked at.
    pub fn begin(mark: &Mark, key: Option<&'a AuditKey>) -> Self {
        let mut begun = Self {
            key,
            team: mark.team.clone(),
            seq: mark.seq,
            link: mark.link.clone(),
            entries: 0,
            broken: None,
        };
        if !begun.is_keyed(Spot::Beginning, mark.numbered_link(), &mark.mac) {
            begun.breaks(mark.seq, ANOTHER_KEY);
        }
        begun
    }

    /// The next entry. What follows a break is not looked at.
    pub fn entry(&mut self, listed: &Listed) {
        if self.broken.is_some() {
            return;
        }
        let wanted = self.seq.saturating_add(1);
        let Some(seq) = listed.seq else {
            return self.breaks(wanted, "an entry that is not sealed stands in the chain");
        };
        if seq != wanted {
            return self.breaks(wanted, "an entry is missing, or stands in another place");
        }
        if listed.what.team != self.team {
            return self.breaks(seq, "the entry is another team's");
        }
        if link(&self.link, seq, &listed.what) != listed.link {
            return self.breaks(seq, "the entry or the one before was changed");
        }
        if listed.at != shown(listed.what.at_micros) {
            return self.breaks(seq, "its two times are not the same");
        }
        let numbered = NumberedLink {
            seq,
            link: &listed.link,
        };
        if !self.is_keyed(Spot::Entry, numbered, &listed.mac) {
            return self.breaks(seq, "the entry was not sealed with this key");
        }
        self.seq = seq;
        self.link.clone_from(&listed.link);
        self.entries = self.entries.saturating_add(1);
    }

    /// Where the chain is broken, as far as it was followed.
    pub const fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// Ends with the chain.
    pub fn end(mut self, mark: Option<&Mark>) -> Verified {
        match mark {
            _ if self.broken.is_some() => {}
            None => self.breaks(self.seq, "the end is missing"),
            Some(mark) if mark.team != self.team => {
                self.breaks(self.seq, "the end is another team's");
            }
            Some(mark) if (mark.seq, &mark.link) != (self.seq, &self.link) => {
                self.breaks(
                    mark.seq,
                    "entries are missing before the end, or were added",
                );
            }
            Some(mark) => {
                if !self.is_keyed(Spot::End, mark.numbered_link(), &mark.mac) {
                    self.breaks(mark.seq, "the end was not sealed with this key");
                }
            }
        }
        Verified {
            team: self.team,
            entries: self.entries,
            last: self.seq,
            broken: self.broken,
        }
    }

    fn is_keyed(&self, spot: Spot, numbered: NumberedLink<'_>, mac: &str) -> bool {
        self.key
            .is_none_or(|key| keyed(key, spot, &self.team, numbered) == mac)
    }

    fn breaks(&mut self, seq: i64, why: &'static str) {
        self.broken.get_or_insert(Broken { seq, why });
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        audit::{Act, Deed, Origin},
        id::TeamId,
    };
    use uuid::Uuid;
    use vault::{Given, KeySource};
    use world::World;

    use super::*;

    const KEYS: &str = r#"{"current":1,"keys":{"1":"dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="},"index":"P8TM/nRYcOLA2Z9x8w/wZWyN7dQcwdfT03aw2+aF4vM="}"#;
    const OTHERS: &str = r#"{"current":1,"keys":{"1":"dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0="},"index":"i1udsME9skJWyCmqNkqpDG0uujGLkjKkq5MTuVTTVV8="}"#;

    fn key(text: &str) -> AuditKey {
        KeySource::Given(Given::new(text.to_owned()))
            .audit_key()
            .unwrap()
    }

    fn team() -> TeamId {
        TeamId::new(Uuid::from_u128(7))
    }

    /// A chain of five entries: its beginning, them, and its end.
    fn chain(key: &AuditKey) -> (Mark, Vec<Listed>, Mark) {
        let (world, _sim) = World::simulated(1);
        let first = beginning(key, team());
        let (mut before, mut entries) = (first.clone(), Vec::new());
        for n in 0..5 {
            let deed = Deed::on(team(), Act::KeyCreated, "key", n);
            let entry = super::super::entry(&world, &deed, &Origin::operator(), "done");
            let seal = next(key, team(), &before, &entry);
            before = seal.clone();
            entries.push(Listed::from(Stored {
                entry,
                seal: Some(seal),
            }));
        }
        let end = sealed(key, Spot::End, team(), before.seq, before.link);
        (Mark::of(team(), &first), entries, Mark::of(team(), &end))
    }

    fn verified(
        key: Option<&AuditKey>,
        beginning: &Mark,
        entries: &[Listed],
        end: &Mark,
    ) -> Verified {
        let mut verifier = Verifier::begin(beginning, key);
        for entry in entries {
            verifier.entry(entry);
        }
        verifier.end(Some(end))
    }

    fn broken(key: Option<&AuditKey>, change: impl FnOnce(&mut Vec<Listed>)) -> Option<i64> {
        let (beginning, mut entries, end) = chain(&self::key(KEYS));
        change(&mut entries);
        verified(key, &beginning, &entries, &end)
            .broken
            .map(|broken| broken.seq)
    }

    #[test]
    fn a_chain_that_nobody_touched_holds_with_the_key_and_without() {
        let key = key(KEYS);
        let (beginning, entries, end) = chain(&key);
        for key in [Some(&key), None] {
            let verified = verified(key, &beginning, &entries, &end);
            assert_eq!(verified.broken, None);
            assert_eq!((verified.entries, verified.last), (5, 5));
        }
        let other = self::key(OTHERS);
        assert!(
            verified(Some(&other), &beginning, &entries, &end)
                .broken
                .is_some()
        );
    }

    #[test]
    fn an_entry_that_is_changed_removed_added_or_moved_is_found_at_its_place() {
        let key = key(KEYS);
        for key in [Some(&key), None] {
            let at = |change: fn(&mut Vec<Listed>)| broken(key, change);
            assert_eq!(
                at(|entries| entries[2].what.act = "key.revoked".to_owned()),
                Some(3)
            );
            assert_eq!(
                at(|entries| entries[2].at = "2020-05-05T05:05:05Z".to_owned()),
                Some(3)
            );
            assert_eq!(at(|entries| drop(entries.remove(2))), Some(3));
            assert_eq!(at(|entries| drop(entries.remove(0))), Some(1));
            assert_eq!(at(|entries| drop(entries.pop())), Some(5));
            assert_eq!(at(|entries| entries.insert(3, entries[1].clone())), Some(4));
            assert_eq!(at(|entries| entries.swap(1, 2)), Some(2));
            assert_eq!(at(|entries| entries[4].seq = None), Some(5));
        }
    }

    #[test]
    fn a_chain_that_was_written_again_holds_without_the_key_alone() {
        let (ours, others) = (key(KEYS), key(OTHERS));
        let (beginning, entries, end) = chain(&others);
        assert_eq!(verified(None, &beginning, &entries, &end).broken, None);
        assert!(
            verified(Some(&ours), &beginning, &entries, &end)
                .broken
                .is_some()
        );
    }

    #[test]
    fn neither_end_can_be_put_elsewhere() {
        let key = key(KEYS);
        let (beginning, entries, end) = chain(&key);
        let third = &entries[2];
        let mark = Mark {
            seq: 3,
            link: third.link.clone(),
            mac: third.mac.clone(),
            ..end.clone()
        };
        let cut_end = verified(Some(&key), &beginning, &entries[..3], &mark);
        assert_eq!(cut_end.broken.unwrap().seq, 3);
        let cut_beginning = verified(Some(&key), &mark, &entries[3..], &end);
        assert_eq!(cut_beginning.broken.unwrap().seq, 3);
    }
}
