//! Removes requests for processors' tokens that are over.

use domain::Timestamp;
use futures_util::{FutureExt, future::BoxFuture};

use super::{
    ORPHAN_AGE,
    job::{Bound, Done, Job, Pace, Round},
    timed,
};
use crate::Engine;

/// Removes requests for processors' tokens that are over.
pub(super) struct ForgetTokenRequests;

impl Job for ForgetTokenRequests {
    fn name(&self) -> &'static str {
        "forget_token_requests"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let (inner, until) = (&engine.inner, engine.requests_end(round.now));
            let look = inner.floors.token_requests.look(until);
            let behind = timed::behind(look, round);
            let gone = store::token_request::sweep(&inner.store, until, behind, round.rows).await?;
            Ok(timed::swept(
                &inner.floors.token_requests,
                look,
                &gone,
                round,
            ))
        }
        .boxed()
    }
}

impl Engine {
    /// A request for a processor's token of an earlier time is over: its customer had the time, and a day to load the pages
    /// again.
    pub(super) fn requests_end(&self, now: Timestamp) -> Timestamp {
        now.before(self.inner.settings.customer_lifetime)
            .before(ORPHAN_AGE)
    }
}
