//! Asks processors about disputes that are due, and warns of the time to respond.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Asks processors about disputes that are due, and warns of the time to respond.
pub(super) struct WatchDisputes;

impl Job for WatchDisputes {
    fn name(&self) -> &'static str {
        "watch_disputes"
    }

    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_secs(10))
    }

    fn bound(&self) -> Bound {
        Bound::leased(100, Duration::from_mins(5))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::look_again(engine.watch_disputes(round).await?)) }.boxed()
    }
}
