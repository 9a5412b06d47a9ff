//! Removes idempotency keys whose retention is over.

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    job::{Bound, Done, Job, Pace, Round},
    timed,
};
use crate::Engine;

/// Removes idempotency keys whose retention is over.
pub(super) struct ForgetIdempotencyKeys;

impl Job for ForgetIdempotencyKeys {
    fn name(&self) -> &'static str {
        "forget_idempotency_keys"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let (inner, until) = (
                &engine.inner,
                round
                    .now
                    .before(engine.inner.settings.idempotency_retention),
            );
            let look = inner.floors.keys.look(until);
            let behind = timed::behind(look, round);
            let gone = store::once::sweep(&inner.store, until, behind, round.rows).await?;
            Ok(timed::swept(&inner.floors.keys, look, &gone, round))
        }
        .boxed()
    }
}
