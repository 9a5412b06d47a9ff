//! Erases the numbers of deleted tokens with their security codes, then their records.

use std::time::Duration;

use db::Change;
use domain::{
    audit::{Act, Deed},
    customer::StoredMethod,
};
use futures_util::{FutureExt, StreamExt, TryStreamExt, future::BoxFuture, stream};

use super::{
    TOGETHER,
    job::{Batch, Bound, Done, Failure, Job, Pace, Round},
    timed,
};
use crate::{Engine, faults::EngineError, payments::token_holder};

/// An attempt that began before its token was deleted has opened the number by then.
pub(super) const ERASE_GRACE: Duration = Duration::from_secs(30);

/// Erases the numbers of deleted tokens with their security codes, then their records.
pub(super) struct EraseDeletedMethods;

impl Job for EraseDeletedMethods {
    fn name(&self) -> &'static str {
        "erase_deleted_methods"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        Bound::rows(500)
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        engine.erase_deleted_methods(round).boxed()
    }
}

impl Engine {
    /// Erases the numbers of deleted tokens with their security codes, then their records.
    async fn erase_deleted_methods(&self, round: &mut Round) -> Done {
        let before = round.now.before(ERASE_GRACE);
        let floor = &self.inner.floors.deleted_methods;
        let look = floor.look(before);
        let behind = timed::behind(look, round);
        let store = &self.inner.store;
        let deleted = store::method::deleted(store, before, behind, round.rows).await?;
        let last = deleted.last().map(|(_, at)| *at);
        let taken = deleted.len();
        let job = *round;
        let done: usize = stream::iter(deleted)
            .map(async |(method, _)| {
                // The line before this one says which token can't be read.
                let item = "a deleted token";
                let Some(method) = job.unless_given_up(&item, method)? else {
                    return Ok::<_, Failure>(false);
                };
                let erased = self.erase_deleted(method).await;
                Ok(job.unless_given_up(&item, erased)?.unwrap_or(false))
            })
            .buffer_unordered(TOGETHER)
            .try_fold(0, async |done, erased| Ok(done + usize::from(erased)))
            .await?;
        let batch = Batch::of(taken, done, round.rows);
        if done == taken {
            round.after = last.map(timed::before).or(round.after);
            if !batch.goes_on() {
                floor.exhausted(look);
            }
        }
        Ok(batch)
    }

    /// Erases one deleted token's number, then its record. False when the number can't be erased yet.
    async fn erase_deleted(&self, method: StoredMethod) -> Result<bool, EngineError> {
        let (vault, holder) = (
            self.vault_in_lane(),
            token_holder(method.team, &method.token),
        );
        if !vault.erase_cvc(&holder).await {
            return Ok(false);
        }
        if let Err(error) = vault.erase(method.team, method.blob).await {
            tracing::warn!(error = %error, "a deleted token's number can't be erased yet");
            return Ok(false);
        }
        let mut change = Change::new(self.change_id(), method.token.as_str());
        change.push(store::method::forget(method.team, &method.token));
        change.push(store::processor_token::delete(method.team, &method.token));
        change.push(store::token_request::delete(method.team, &method.token));
        let act = Act::PaymentMethodErased;
        change.push(self.audit(&Deed::on(method.team, act, "payment method", &method.token)));
        self.commit_plain(change).await?;
        Ok(true)
    }
}
