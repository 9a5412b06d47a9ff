//! Removes counts of numbers of which nothing counts any more.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Removes counts of numbers of which nothing counts any more.
pub(super) struct ForgetNumberQuotas;

impl Job for ForgetNumberQuotas {
    fn name(&self) -> &'static str {
        "forget_number_quotas"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let swept = engine.forget_number_quotas(round.rows).await?;
            Ok(Batch::whole(swept, round.rows))
        }
        .boxed()
    }
}
