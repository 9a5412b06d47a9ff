//! The job that removes entries which are older than they must be kept. The chain then begins behind them.

use db::Change;
use domain::{
    Timestamp,
    audit::{Act, Deed},
    id::TeamId,
};

use super::chain::{self, Spot};
use crate::{Engine, faults::Stop};

/// Entries that are removed in one commit.
const TOGETHER: i64 = 500;

impl Engine {
    /// Removes a batch of old entries of each team. Returns how many batches there were.
    pub(crate) async fn remove_old_audit(&self) -> Result<usize, Stop> {
        let before = self
            .inner
            .world
            .now()
            .before(self.inner.settings.audit_retention);
        let mut batches = 0;
        for team in store::audit::teams_before(&self.inner.store, before).await? {
            if self.remove_audit_of(team, before).await? {
                batches += 1;
            }
        }
        Ok(batches)
    }

    async fn remove_audit_of(&self, team: TeamId, before: Timestamp) -> Result<bool, Stop> {
        let db = &self.inner.store;
        let Some(known) = store::audit_chain::of_team(db, team).await? else {
            return Ok(false);
        };
        let Some(last) = store::audit::last_before(db, team, before, TOGETHER).await? else {
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
            .with(store::audit_chain::cut(
                team,
                known.anchor.seq,
                &anchor,
                now,
            ))
            .with(store::audit::delete_up_to(team, last.seq))
            .with(self.audit(&deed));
        Ok(self.commit_plain(change).await?.is_none())
    }
}
