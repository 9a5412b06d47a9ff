//! Removes entries of the audit trail that are older than they must be kept.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Removes entries of the audit trail that are older than they must be kept.
pub(super) struct RemoveOldAudit;

impl Job for RemoveOldAudit {
    fn name(&self) -> &'static str {
        "remove_old_audit"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        // A batch of entries of each team; the next one follows where there was any.
        Bound::rows(1)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::whole(engine.remove_old_audit().await?, round.rows)) }.boxed()
    }
}
