//! The job that seals entries into the chains of their teams.

use std::time::Duration;

use db::Change;
use domain::{Timestamp, id::TeamId};
use parking_lot::Mutex;
use store::{audit::Seal, audit_chain::Chain};

use super::{
    chain::{self, Spot},
    counts::Due,
};
use crate::{Engine, faults::Stop};

/// Teams whose entries are sealed in one round.
const TEAMS: i64 = 100;

/// Entries that are sealed in one commit.
const TOGETHER: i64 = 200;

/// How often the ends of the chains go to the log.
const LOG_EVERY: Duration = Duration::from_hours(1);

/// When the ends of the chains were last written to the log.
#[derive(Default)]
pub(crate) struct Logged(Mutex<Option<Timestamp>>);

impl Logged {
    /// From which time on ends are written to the log now; `None` when it is not time yet.
    fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let mut last = self.0.lock();
        let since = last.unwrap_or_else(|| now.before(LOG_EVERY));
        let is_due = last.is_none() || since > now || now.since(since) >= LOG_EVERY;
        is_due.then(|| {
            *last = Some(now);
            since
        })
    }
}

impl Engine {
    /// Writes counts of minutes that are over, and seals what is not sealed. Returns how many entries were sealed.
    pub(crate) async fn seal_audit(&self) -> Result<usize, Stop> {
        let most = usize::try_from(TOGETHER).unwrap_or(usize::MAX);
        self.write_audit_counts(Due::Over, most).await?;
        let sealed = self.seal_round().await?;
        self.log_ends().await?;
        Ok(sealed)
    }

    /// Writes all counts of this node and seals everything, for somebody who wants to read the trail.
    pub(crate) async fn seal_everything(&self) -> Result<(), Stop> {
        let most = usize::try_from(TOGETHER).unwrap_or(usize::MAX);
        while self.write_audit_counts(Due::Now, most).await? > 0 {}
        while self.seal_round().await? > 0 {}
        Ok(())
    }

    /// Writes what this node has counted and seals everything, before it ends. What can't be written is lost.
    pub async fn write_audit(&self) {
        if let Err(stop) = self.seal_everything().await {
            tracing::warn!(stop = ?stop, "counts of the audit trail were not written");
        }
    }

    async fn seal_round(&self) -> Result<usize, Stop> {
        let teams = store::audit::unsealed_teams(&self.inner.store, TEAMS).await?;
        let mut sealed = 0;
        for team in teams {
            sealed += self.seal_team(team).await?;
        }
        Ok(sealed)
    }

    /// Seals a batch of a team's entries. None when another node was first: the end of the chain is the guard.
    async fn seal_team(&self, team: TeamId) -> Result<usize, Stop> {
        let (db, key) = (&self.inner.store, self.inner.vault.audit_key());
        let known = store::audit_chain::of_team(db, team).await?;
        let entries = store::audit::unsealed(db, team, TOGETHER).await?;
        let mut end = match &known {
            Some(chain) => chain.head.clone(),
            None => chain::beginning(&key, team),
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
            Some(before) => store::audit_chain::advance(team, before.head.seq, &head, now),
            None => {
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
    async fn log_ends(&self) -> Result<(), Stop> {
        let Some(since) = self.inner.audit_logged.due(self.inner.world.now()) else {
            return Ok(());
        };
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
        assert_eq!(logged.due(at(7200)), Some(at(3600)));
        assert_eq!(logged.due(at(7201)), None);
        assert_eq!(logged.due(at(10_799)), None);
        assert_eq!(logged.due(at(10_800)), Some(at(7200)));
        assert!(logged.due(at(9000)).is_some(), "a clock that was set back");
    }
}
