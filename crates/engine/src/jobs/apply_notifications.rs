//! Applies notifications that could not be applied when they came.

use std::time::Duration;

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Applies notifications that could not be applied when they came.
pub(super) struct ApplyNotifications;

impl Job for ApplyNotifications {
    fn name(&self) -> &'static str {
        "apply_notifications"
    }

    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_secs(2))
    }

    fn bound(&self) -> Bound {
        Bound::leased(100, Duration::from_mins(5))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            Ok(Batch::look_again(
                engine.apply_due_notifications(round).await?,
            ))
        }
        .boxed()
    }
}
