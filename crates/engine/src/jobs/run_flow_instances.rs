//! Runs instances of flows that are due.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Runs instances of flows that are due.
pub(super) struct RunFlowInstances;

impl Job for RunFlowInstances {
    fn name(&self) -> &'static str {
        "run_flow_instances"
    }

    fn pace(&self) -> Pace {
        Pace::Prompt
    }

    fn bound(&self) -> Bound {
        Bound::leased(16, Duration::from_mins(1))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::look_again(engine.run_instances(round).await?)) }.boxed()
    }
}
