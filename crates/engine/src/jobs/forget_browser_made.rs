//! Erases customers and intents that browsers made and nobody used.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Erases customers and intents that browsers made and nobody used.
pub(super) struct ForgetBrowserMade;

impl Job for ForgetBrowserMade {
    fn name(&self) -> &'static str {
        "forget_browser_made"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::leased(100, Duration::from_mins(10))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(engine.forget_browser_made(round).await?) }.boxed()
    }
}
