//! Looks after payments that are due: look-ups, captures, steps of flows, reversals.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Looks after payments that are due: look-ups, captures, steps of flows, reversals.
pub(super) struct Recover;

impl Job for Recover {
    fn name(&self) -> &'static str {
        "recover"
    }

    fn pace(&self) -> Pace {
        Pace::Prompt
    }

    fn bound(&self) -> Bound {
        Bound::leased(16, Duration::from_mins(1))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::look_again(engine.recover_due(round).await?)) }.boxed()
    }
}
