//! Removes deliveries to webhook endpoints that were over long ago.

use futures_util::{FutureExt, future::BoxFuture};

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::Engine;

/// Removes deliveries to webhook endpoints that were over long ago.
pub(super) struct ForgetWebhookDeliveries;

impl Job for ForgetWebhookDeliveries {
    fn name(&self) -> &'static str {
        "forget_webhook_deliveries"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        async move {
            let before = round.now.before(engine.inner.settings.webhooks.retention);
            let store = &engine.inner.store;
            let gone = store::webhook_delivery::sweep(store, before, round.rows).await?;
            let received = store::webhook_received::sweep(store, before, round.rows).await?;
            Ok(Batch::whole(gone.max(received), round.rows))
        }
        .boxed()
    }
}
