//! Makes intents inactive whose time has come.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Makes intents inactive whose time has come.
pub(super) struct DeactivateIntents;

impl Job for DeactivateIntents {
    fn name(&self) -> &'static str {
        "deactivate_intents"
    }

    fn pace(&self) -> Pace {
        Pace::Prompt
    }

    fn bound(&self) -> Bound {
        Bound::leased(100, Duration::from_mins(1))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::look_again(engine.deactivate_intents(round).await?)) }.boxed()
    }
}
