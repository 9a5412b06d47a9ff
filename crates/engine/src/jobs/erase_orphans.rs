//! Erases sealed numbers that no record refers to.

use db::Change;
use domain::id::BlobId;
use futures_util::{FutureExt, future::BoxFuture};

use super::{
    ORPHAN_AGE,
    job::{Batch, Bound, Done, Job, Pace, Round},
};
use crate::{Engine, faults::EngineError};

/// Under which name its place is stored.
const ORPHANS: &str = "erase_orphans";

/// Erases sealed numbers that no record refers to.
pub(super) struct EraseOrphans;

impl Job for EraseOrphans {
    fn name(&self) -> &'static str {
        "erase_orphans"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(engine.erase_orphans(round).await?) }.boxed()
    }
}

impl Engine {
    /// Erases sealed numbers that no record refers to: a crash came between the vault's commit and the store's. They are looked
    /// at in the order of their ids, which is that of time, each once: where a restart or another node goes on stands in the
    /// store.
    async fn erase_orphans(&self, round: &Round) -> Result<Batch, EngineError> {
        let before = round.now.before(ORPHAN_AGE);
        let store = &self.inner.store;
        let there = store::job_place::get(store, ORPHANS).await?;
        let after = there.as_deref().and_then(BlobId::parse);
        let vault = self.vault_in_lane();
        let old = vault.older_than(before, after, round.rows).await?;
        let (taken, mut last) = (old.len(), None);
        for (team, blob) in old {
            let used = store::method::uses_blob(store, team, blob).await?
                || store::hidden_card::exists(store, team, blob).await?;
            if !used && let Err(error) = vault.erase(team, blob).await {
                tracing::warn!(error = %error, "a number that nothing uses can't be erased yet");
                break;
            }
            last = Some(blob);
        }
        self.go_on_from(ORPHANS, there.as_deref(), last).await?;
        Ok(Batch::whole(last.map_or(0, |_| taken), round.rows))
    }

    /// Writes down how far a search has come: up to the record `last`, if it looked at any.
    pub(super) async fn go_on_from(
        &self,
        job: &'static str,
        before: Option<&str>,
        last: Option<BlobId>,
    ) -> Result<(), EngineError> {
        let Some(last) = last else { return Ok(()) };
        let go_on = store::job_place::go_on(job, before, &last.key());
        // Refused where another node has gone on meanwhile: then it is from there.
        self.commit_plain(Change::new(self.change_id(), job).with(go_on))
            .await?;
        Ok(())
    }
}
