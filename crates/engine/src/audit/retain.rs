//! The job that removes entries which are older than they must be kept. The chain then begins behind them.
//!
//! What is removed is verified first: the new beginning has a keyed hash, which must not cover a change that somebody has made.

use db::Change;
use domain::{
    Timestamp,
    audit::{Act, Deed},
    id::TeamId,
};
use store::{
    audit::{Behind, Seal},
    audit_chain::Chain,
};

use super::chain::{self, Listed, Mark, Spot, Verifier};
use crate::{Engine, faults::EngineError};

/// Entries that are removed in one commit.
const TOGETHER: i64 = 500;

impl Engine {
    /// Removes a batch of old entries of each team. Returns how many batches there were. A team whose entries can't be removed
    /// does not stop the others.
    pub(crate) async fn remove_old_audit(&self) -> Result<usize, EngineError> {
        let before = self
            .inner
            .world
            .now()
            .before(self.inner.settings.audit_retention);
        let mut batches = 0;
        for id in store::audit::teams_before(&self.inner.store, before).await? {
            let Some(team) = TeamId::parse(&id) else {
                self.report_broken(&id, "an entry's team is no team's id");
                continue;
            };
            match self.remove_audit_of(team, before).await {
                Ok(is_removed) => batches += usize::from(is_removed),
                Err(stop) => {
                    tracing::warn!(team = %team, stop = ?stop, "old entries of the audit trail were not removed");
                }
            }
        }
        Ok(batches)
    }

    async fn remove_audit_of(&self, team: TeamId, before: Timestamp) -> Result<bool, EngineError> {
        let Some(known) = store::audit_chain::of_team(&self.inner.store, team).await? else {
            return Ok(false);
        };
        let Some(last) = self.last_before(team, &known, before).await? else {
            return Ok(false);
        };
        let key = self.inner.vault.audit_key();
        let anchor = chain::sealed(&key, Spot::Beginning, team, last.seq, last.link);
        let removed = last.seq.saturating_sub(known.anchor.seq);
        let deed = Deed::on_team(team, Act::AuditRemoved)
            .with("count", removed)
            .with("up_to", last.seq);
        let now = self.inner.world.now();
        let change = Change::new(self.change_id(), &format!("audit {}", team.key()))
            .with(store::audit_chain::cut(team, &known.anchor, &anchor, now))
            .with(store::audit::delete_up_to(team, last.seq))
            .with(self.audit(&deed));
        Ok(self.commit_plain(change).await?.is_none())
    }

    /// The last entry of the beginning of a chain that is older than `before`, of a batch. `None` when there is none, and when the
    /// entries before it were changed.
    async fn last_before(
        &self,
        team: TeamId,
        known: &Chain,
        before: Timestamp,
    ) -> Result<Option<Seal>, EngineError> {
        let (db, key) = (&self.inner.store, self.inner.vault.audit_key());
        if !chain::is_sealed(&key, Spot::End, team, &known.head) {
            self.report_broken(&team.key(), "the end was not sealed with this key");
            return Ok(None);
        }
        let mut verifier = Verifier::begin(&Mark::of(team, &known.anchor), Some(&key));
        let mut last = None;
        for stored in store::audit::sealed(db, team, &Behind::NOTHING, TOGETHER).await? {
            let is_old = stored.entry.at_micros < before.micros();
            let seal = stored.seal.clone();
            let is_within = |seal: &Seal| seal.seq <= known.head.seq;
            if !is_old || !seal.as_ref().is_some_and(is_within) {
                break;
            }
            verifier.entry(&Listed::from(stored));
            last = seal;
        }
        if let (Some(broken), Some(_)) = (verifier.broken(), &last) {
            self.report_broken(&team.key(), broken.why);
            return Ok(None);
        }
        Ok(last)
    }
}
