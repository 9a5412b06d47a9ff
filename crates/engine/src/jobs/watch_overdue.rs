//! Looks at the oldest row of each queue, for the gauge and for the floors.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Looks at the oldest row of each queue, for the gauge and for the floors.
pub(super) struct WatchOverdue;

impl Job for WatchOverdue {
    fn name(&self) -> &'static str {
        "watch_overdue"
    }

    fn pace(&self) -> Pace {
        // No sweep: it must show that sweeps hang.
        Pace::Every(Duration::from_secs(30))
    }

    fn bound(&self) -> Bound {
        Bound::rows(1)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            engine.look_for_overdue().await;
            Ok(Batch::whole(0, round.rows))
        }
        .boxed()
    }
}
