//! Sends events to webhook endpoints.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Sends events to webhook endpoints.
pub(super) struct DeliverEvents;

impl Job for DeliverEvents {
    fn name(&self) -> &'static str {
        "deliver_events"
    }

    fn pace(&self) -> Pace {
        Pace::Prompt
    }

    fn bound(&self) -> Bound {
        // Endpoints are taken under leases of their own.
        Bound::rows(16)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move { Ok(Batch::look_again(engine.deliver_due(round).await?)) }.boxed()
    }
}
