//! Writes counts of the audit trail and seals its entries.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Writes counts of the audit trail and seals its entries.
pub(super) struct SealAudit;

impl Job for SealAudit {
    fn name(&self) -> &'static str {
        "seal_audit"
    }

    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_secs(1))
    }

    fn bound(&self) -> Bound {
        Bound::rows(200)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::whole(engine.seal_audit().await?, round.rows)) }.boxed()
    }
}
