//! Removes what browsers reported of guarded pages and report no more.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::{Engine, page_guard::VIOLATIONS_KEPT};

/// Removes what browsers reported of guarded pages and report no more.
pub(super) struct ForgetPageViolations;

impl Job for ForgetPageViolations {
    fn name(&self) -> &'static str {
        "forget_page_violations"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let before = round.now.before(VIOLATIONS_KEPT);
            let gone = store::page_violation::sweep(&engine.inner.store, before, round.rows);
            Ok(Batch::whole(gone.await?, round.rows))
        }
        .boxed()
    }
}
