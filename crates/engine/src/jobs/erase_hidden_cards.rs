//! Erases the numbers of raw cards whose authorisation has ended, and their security codes.

use std::time::Duration;

use futures_util::{FutureExt, TryStreamExt, future::BoxFuture, stream};

use super::{
    TOGETHER,
    job::{Batch, Bound, Done, Failure, Job, Pace, Round},
};
use crate::{Engine, payments::blob_holder};

/// Erases the numbers of raw cards whose authorisation has ended, and their security codes.
pub(super) struct EraseHiddenCards;

impl Job for EraseHiddenCards {
    fn name(&self) -> &'static str {
        "erase_hidden_cards"
    }

    fn pace(&self) -> Pace {
        Pace::Sweep
    }

    fn bound(&self) -> Bound {
        // What is still needed is looked at again a minute later.
        Bound::leased(500, Duration::from_mins(1))
    }

    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done> {
        engine.erase_hidden_cards(round).boxed()
    }
}

impl Engine {
    /// Erases the numbers of raw cards whose payment's authorisation has ended, and their security codes.
    async fn erase_hidden_cards(&self, round: &Round) -> Done {
        let floor = &self.inner.floors.hidden_cards;
        let (look, again_at) = (floor.look(round.now), round.lease_until);
        let store = &self.inner.store;
        let due = store::hidden_card::claim_due(store, round.now, again_at, look.after, round.rows)
            .await?;
        let taken = due.len();
        let work = async |(team, blob, payment)| {
            let found = store::payment::of_team(store, team, payment).await;
            let is_over = round
                .unless_given_up(&payment, found)?
                .is_some_and(|found| found.is_none_or(|payment| payment.authorisation_ended()));
            if is_over && self.vault_in_lane().erase_cvc(&blob_holder(blob)).await {
                self.erase_hidden(team, blob).await;
            }
            Ok(())
        };
        stream::iter(due.into_iter().map(Ok::<_, Failure>))
            .try_for_each_concurrent(TOGETHER, work)
            .await?;
        let batch = Batch::whole(taken, round.rows);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }
}
