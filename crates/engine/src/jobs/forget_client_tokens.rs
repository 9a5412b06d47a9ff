//! Removes client tokens that ended more than a day ago.

use futures_util::{FutureExt, future::BoxFuture};

use super::{
    ORPHAN_AGE,
    job::{Bound, Done, Job, Pace, Round},
    timed,
};
use crate::Engine;

/// Removes client tokens that ended more than a day ago.
pub(super) struct ForgetClientTokens;

impl Job for ForgetClientTokens {
    fn name(&self) -> &'static str {
        "forget_client_tokens"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let (inner, until) = (&engine.inner, round.now.before(ORPHAN_AGE));
            let look = inner.floors.client_tokens.look(until);
            let behind = timed::behind(look, round);
            let gone = store::credential::sweep(&inner.store, until, behind, round.rows).await?;
            Ok(timed::swept(
                &inner.floors.client_tokens,
                look,
                &gone,
                round,
            ))
        }
        .boxed()
    }
}
