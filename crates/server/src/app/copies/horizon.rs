//! How far the installation had come when it was last served from a data directory.
//!
//! Every node writes the time into the store every few seconds, and after that commit into its own directory. So what a directory
//! has seen is never later than what the store says, unless the store was brought back to an earlier time: its files were
//! replaced by a base backup or a snapshot, it was recovered to a moment, or a standby took over that had not got all commits.
//! Nothing of the server tells that: the identifiers of cluster, database and table stay.
//!
//! What is not seen: a restore to a moment of the last seconds before a process was killed, and one of which no directory is left.

use anyhow::{Context, ensure};
use db::{Change, ChangeId, Committed, Db};
use domain::Timestamp;
use store::installation;
use world::World;

use crate::data_dir::{DataDir, Held};

/// More copies than these are not remembered: each is one that was served after a restore.
const REMEMBERED: usize = 16;

/// The latest time that a directory has seen in the store, for each copy of the installation that was served from it. The newest
/// copy comes last.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen(Vec<(String, Timestamp)>);

impl Seen {
    fn of(dir: &DataDir) -> anyhow::Result<Self> {
        let text = dir.seen()?.unwrap_or_default();
        Self::parse(&text).with_context(|| {
            format!(
                "the file `seen` of {} is damaged: remove it when the database was not restored",
                dir.path().display()
            )
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let line = |line: &str| {
            let (generation, micros) = line.split_once(' ')?;
            let at = Timestamp::from_micros(micros.parse().ok()?);
            Some((generation.to_owned(), at))
        };
        text.lines().map(line).collect::<Option<_>>().map(Self)
    }

    fn text(&self) -> String {
        let line = |(generation, at): &(String, Timestamp)| format!("{generation} {}", at.micros());
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn latest(&self, generation: &str) -> Option<Timestamp> {
        let seen = self.0.iter().find(|(there, _)| there == generation);
        seen.map(|(_, at)| *at)
    }

    fn note(&mut self, generation: &str, at: Timestamp) {
        self.0.retain(|(there, _)| there != generation);
        self.0.push((generation.to_owned(), at));
        let surplus = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..surplus);
    }
}

/// The time that the store says; the earliest where it says none.
async fn stored(store: &Db) -> anyhow::Result<Timestamp> {
    let text = installation::get(store, installation::SEEN).await?;
    let micros = text.map_or(Ok(0), |text| text.parse());
    Ok(Timestamp::from_micros(micros.context(
        "the store does not say until when it was served",
    )?))
}

/// Whether the store is at an earlier time than the one that the directory has seen of the same copy.
pub(super) async fn went_back(
    store: &Db,
    dir: &DataDir,
    generation: Option<&str>,
) -> anyhow::Result<bool> {
    let seen = generation.and_then(|generation| {
        Seen::of(dir)
            .map(|seen| seen.latest(generation))
            .transpose()
    });
    match seen.transpose()? {
        Some(latest) => Ok(stored(store).await? < latest),
        None => Ok(false),
    }
}

/// What a look at the store has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Course {
    /// It goes on.
    Onward,
    /// It is at an earlier time than before: it was restored while it was served.
    WentBack,
}

/// Writes the time into the store and, once that is committed, into the directory.
///
/// # Errors
/// The database's, or the operating system's.
pub async fn note(store: &Db, held: &Held, world: &World) -> anyhow::Result<Course> {
    let generation = installation::get(store, installation::GENERATION).await?;
    let Some(generation) = generation else {
        return Ok(Course::Onward);
    };
    let mut seen = Seen::of(held.dir())?;
    let there = stored(store).await?;
    if seen
        .latest(&generation)
        .is_some_and(|latest| there < latest)
    {
        held.note_restored(&world.now().rfc3339())?;
        return Ok(Course::WentBack);
    }
    let now = world.now().max(there);
    let change = Change::new(ChangeId(world.uuid_v7().as_u128()), installation::SEEN)
        .with(installation::raise(installation::SEEN, now.micros()));
    ensure!(
        store.commit(change).await? == Committed::Done,
        "the database does not say whether the time was noted"
    );
    seen.note(&generation, now);
    held.note_seen(&seen.text())?;
    Ok(Course::Onward)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn each_copy_has_a_time_of_its_own() {
        let mut seen = Seen::default();
        seen.note("first", at(5));
        seen.note("second", at(7));
        seen.note("first", at(9));
        assert_eq!(seen.text(), "second 7\nfirst 9");
        assert_eq!(seen.latest("first"), Some(at(9)));
        assert_eq!(seen.latest("third"), None);
        assert_eq!(Seen::parse(&seen.text()), Some(seen));
    }

    #[test]
    fn the_oldest_copies_are_forgotten() {
        let mut seen = Seen::default();
        for n in 0..=REMEMBERED {
            seen.note(&n.to_string(), at(1));
        }
        assert_eq!(seen.0.len(), REMEMBERED);
        assert_eq!(seen.latest("0"), None);
    }

    #[test]
    fn a_damaged_file_is_not_taken_for_an_empty_one() {
        for text in ["first", "first x", "first 1\nsecond"] {
            assert_eq!(Seen::parse(text), None, "{text}");
        }
        assert_eq!(Seen::parse(""), Some(Seen::default()));
    }
}
