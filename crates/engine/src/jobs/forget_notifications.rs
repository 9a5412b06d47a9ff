//! Removes notifications that are older than 30 days.

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    job::{Bound, Done, Job, Pace, Round},
    timed,
};
use crate::Engine;

/// Removes notifications that are older than 30 days.
pub(super) struct ForgetNotifications;

impl Job for ForgetNotifications {
    fn name(&self) -> &'static str {
        "forget_notifications"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let (inner, until) = (&engine.inner, Engine::notifications_end(round.now));
            let look = inner.floors.old_notifications.look(until);
            let behind = timed::behind(look, round);
            let gone = store::notification::sweep(&inner.store, until, behind, round.rows).await?;
            Ok(timed::swept(
                &inner.floors.old_notifications,
                look,
                &gone,
                round,
            ))
        }
        .boxed()
    }
}
