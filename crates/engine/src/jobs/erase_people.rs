//! Completes the erasure of customers who were deleted.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Completes the erasure of customers who were deleted.
pub(super) struct ErasePeople;

impl Job for ErasePeople {
    fn name(&self) -> &'static str {
        "erase_people"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::leased(16, Duration::from_mins(10))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(engine.erase_people(round).await?) }.boxed()
    }
}
