//! Removes the content of attachments that nothing uses any more, or has never used.

use std::time::Duration;

use db::Change;
use futures_util::{FutureExt, future::BoxFuture};
use store::attachment::DueObject;

use super::job::{Batch, Bound, Done, Job, Pace, Round};
use crate::{Engine, faults::EngineError};

/// Removes the content of attachments that nothing uses any more, or has never used.
pub(super) struct RemoveObjects;

impl Job for RemoveObjects {
    fn name(&self) -> &'static str {
        "remove_objects"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::leased(100, Duration::from_mins(10))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        engine.remove_objects(round).boxed()
    }
}

impl Engine {
    async fn remove_objects(&self, round: &Round) -> Done {
        let floor = &self.inner.floors.objects;
        let (look, again_at) = (floor.look(round.now), round.lease_until);
        let store = &self.inner.store;
        let due = store::attachment::claim_due(store, round.now, again_at, look.after, round.rows)
            .await?;
        let (taken, mut done) = (due.len(), 0);
        for object in due {
            match self.removed_object(&object, round).await {
                Ok(()) => done += 1,
                Err(stop) => round.item_failed(&object.key, stop),
            }
        }
        let batch = Batch::of(taken, done, round.rows);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }

    /// Removes one content, then the row that names it: whenever it ends in between, it is done again.
    async fn removed_object(&self, object: &DueObject, round: &Round) -> Result<(), EngineError> {
        let Some(objects) = &self.inner.objects else {
            // It is there still when a place for attachments is configured again.
            return Ok(());
        };
        if let Err(error) = objects.remove(&object.key).await {
            tracing::warn!(%error, place = objects.place(), "the content of an attachment can't be removed yet");
            return Err(domain::Fault::unavailable().into());
        }
        let change = Change::new(self.change_id(), &object.key)
            .with(store::attachment::delete_object(object, round.lease_until))
            .with(store::attachment::forget_deleted(
                object.team,
                object.attachment,
            ));
        self.commit_plain(change).await?;
        Ok(())
    }
}
