//! The job that seals entries into the chains of their teams.

use crate::boxed;
use std::{collections::BTreeMap, time::Duration};

use db::Change;
use domain::{Timestamp, id::TeamId};
use parking_lot::Mutex;
use store::{
    audit::{Behind, Seal},
    audit_chain::Chain,
};

use super::{
    chain::{self, Spot},
    counts::Due,
};
use crate::{Engine, faults::EngineError};

/// Teams whose entries are sealed in one round.
const TEAMS: i64 = 100;

/// Entries that are sealed in one commit.
const TOGETHER: i64 = 200;

/// How often the ends of the chains go to the log.
const LOG_EVERY: Duration = Duration::from_hours(1);

/// When the ends of the chains were last written to the log, and when each broken one was.
#[derive(Default)]
pub(crate) struct Logged {
    ends: Mutex<Option<Timestamp>>,
    broken: Mutex<BTreeMap<String, Timestamp>>,
}

impl Logged {
    /// From which time on ends are written to the log now, at a start all of them; `None` when it is not time yet.
    fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let mut last = self.ends.lock();
        let since = last.unwrap_or(Timestamp::from_micros(-1));
        let is_due = last.is_none() || since > now || now.since(since) >= LOG_EVERY;
        is_due.then(|| {
            *last = Some(now);
            since
        })
    }

    /// From which time on ends are written to the log when the service stops.
    fn last(&self, now: Timestamp) -> Timestamp {
        let since = self.ends.lock().replace(now);
        since.unwrap_or(Timestamp::from_micros(-1)).min(now)
    }

    /// Whether it is time to report that a team's chain is broken.
    fn is_due_for(&self, team: &str, now: Timestamp) -> bool {
        let mut reported = self.broken.lock();
        let last = reported.get(team).copied();
        let is_due = last.is_none_or(|last| last > now || now.since(last) >= LOG_EVERY);
        if is_due {
            reported.insert(team.to_owned(), now);
        }
        is_due
    }
}

impl Engine {
    /// Writes counts of minutes that are over, and seals what is not sealed. Returns how many entries were sealed.
    pub(crate) async fn seal_audit(&self) -> Result<usize, EngineError> {
        let most = usize::try_from(TOGETHER).unwrap_or(usize::MAX);
        self.write_audit_counts(Due::Over, most).await?;
        let sealed = self.seal_round().await?;
        self.log_ends().await?;
        Ok(sealed)
    }

    /// Writes all counts of this node and seals everything, for somebody who wants to read the trail.
    pub(crate) async fn seal_everything(&self) -> Result<(), EngineError> {
        let most = usize::try_from(TOGETHER).unwrap_or(usize::MAX);
        while self.write_audit_counts(Due::Now, most).await? > 0 {}
        while self.seal_round().await? > 0 {}
        Ok(())
    }

    /// Writes what this node has counted and seals everything, before it ends. What can't be written is lost.
    #[boxed]
    pub async fn write_audit(&self) {
        if let Err(stop) = self.seal_everything().await {
            tracing::warn!(stop = ?stop, "counts of the audit trail were not written");
        }
        let since = self.inner.audit_logged.last(self.inner.world.now());
        if let Err(stop) = self.log_ends_since(since).await {
            tracing::warn!(stop = ?stop, "ends of the audit trail were not logged");
        }
    }

    /// Seals a batch of each team's entries. A team whose entries can't be sealed does not stop the others.
    async fn seal_round(&self) -> Result<usize, EngineError> {
        let (mut sealed, mut after) = (0, String::new());
        loop {
            let teams = store::audit::unsealed_teams(&self.inner.store, &after, TEAMS).await?;
            let Some(last) = teams.last() else {
                return Ok(sealed);
            };
            after.clone_from(last);
            for id in &teams {
                match TeamId::parse(id) {
                    Some(team) => sealed += self.seal_or_report(team).await,
                    None => self.report_broken(id, "an entry's team is no team's id"),
                }
            }
        }
    }

    async fn seal_or_report(&self, team: TeamId) -> usize {
        self.seal_team(team).await.unwrap_or_else(|stop| {
            tracing::warn!(team = %team, stop = ?stop, "entries of the audit trail were not sealed");
            0
        })
    }

    /// Reports a trail that somebody has changed, once an hour for each team.
    pub(super) fn report_broken(&self, team: &str, why: &str) {
        let now = self.inner.world.now();
        if self.inner.audit_logged.is_due_for(team, now) {
            tracing::error!(
                team,
                why,
                "the audit trail was changed: nothing of this team is sealed or removed any more"
            );
        }
    }

    /// The team's chain, which new entries go behind; `None` where that would cover up a change that somebody has made.
    async fn sound_chain(&self, team: TeamId) -> Result<Option<Sound>, EngineError> {
        let (db, key) = (&self.inner.store, self.inner.vault.audit_key());
        if let Some(chain) = store::audit_chain::of_team(db, team).await? {
            if chain::is_sealed(&key, Spot::End, team, &chain.head) {
                return Ok(Some(Sound::Chain(Box::new(chain))));
            }
            self.report_broken(&team.key(), "the end was not sealed with this key");
            return Ok(None);
        }
        let sealed = store::audit::sealed(db, team, &Behind::NOTHING, 1).await?;
        if sealed.is_empty() {
            return Ok(Some(Sound::New));
        }
        // Unless another node has begun it meanwhile.
        if store::audit_chain::of_team(db, team).await?.is_none() {
            self.report_broken(&team.key(), "the end is missing");
        }
        Ok(None)
    }

    /// Seals a batch of a team's entries. None when another node was first: the end of the chain is the guard.
    async fn seal_team(&self, team: TeamId) -> Result<usize, EngineError> {
        let (db, key) = (&self.inner.store, self.inner.vault.audit_key());
        let Some(known) = self.sound_chain(team).await? else {
            return Ok(0);
        };
        let entries = store::audit::unsealed(db, team, TOGETHER).await?;
        let mut end = match &known {
            Sound::Chain(chain) => chain.head.clone(),
            Sound::New => chain::beginning(&key, team),
        };
        let mut seals = Vec::with_capacity(entries.len());
        for entry in &entries {
            end = chain::next(&key, team, &end, entry);
            seals.push(store::audit::seal(team, &entry.id, &end));
        }
        if seals.is_empty() {
            return Ok(0);
        }
        let count = seals.len();
        let head = chain::sealed(&key, Spot::End, team, end.seq, end.link);
        let now = self.inner.world.now();
        let guard = match known {
            Sound::Chain(before) => store::audit_chain::advance(team, &before.head, &head, now),
            Sound::New => {
                store::audit_chain::insert(team, &begun(head, chain::beginning(&key, team), now))
            }
        };
        let mut change = Change::new(self.change_id(), &format!("audit {}", team.key()));
        change.push(guard);
        for seal in seals {
            change.push(seal);
        }
        Ok(match self.commit_plain(change).await? {
            None => count,
            Some(_) => 0,
        })
    }

    /// Writes the ends of the chains to the log, where others than those who hold the database keep them.
    async fn log_ends(&self) -> Result<(), EngineError> {
        let Some(since) = self.inner.audit_logged.due(self.inner.world.now()) else {
            return Ok(());
        };
        self.log_ends_since(since).await
    }

    async fn log_ends_since(&self, since: Timestamp) -> Result<(), EngineError> {
        for (team, end) in store::audit_chain::sealed_after(&self.inner.store, since).await? {
            tracing::info!(
                team = %team,
                seq = end.seq,
                link = end.link,
                mac = end.mac,
                "the end of the audit trail"
            );
        }
        Ok(())
    }
}

/// What new entries go behind.
enum Sound {
    /// A chain whose end is the service's own.
    Chain(Box<Chain>),
    /// Nothing was sealed yet.
    New,
}

fn begun(head: Seal, anchor: Seal, now: Timestamp) -> Chain {
    Chain {
        head,
        sealed_at: now,
        anchor,
        anchored_at: now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_logged_at_the_start_and_every_hour() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let logged = Logged::default();
        let start = Timestamp::from_micros(-1);
        assert_eq!(logged.due(at(7200)), Some(start), "all of them");
        assert_eq!(logged.due(at(7201)), None);
        assert_eq!(logged.due(at(10_799)), None);
        assert_eq!(logged.due(at(10_800)), Some(at(7200)));
        assert!(logged.due(at(9000)).is_some(), "a clock that was set back");
        assert_eq!(logged.last(at(9100)), at(9000), "at the end of the service");
    }

    #[test]
    fn a_broken_chain_is_reported_once_an_hour() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let logged = Logged::default();
        let due = |team: &str, seconds| logged.is_due_for(team, at(seconds));
        assert!(due("a", 7200) && due("b", 7201));
        assert!(!due("a", 10_799) && due("a", 10_800));
        assert!(due("b", 7000), "a clock that was set back");
    }
}
