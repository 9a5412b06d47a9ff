//! Customers that browsers made and nobody used: erased after a day.

use db::Change;
use domain::id::{CustomerId, TeamId, VaultToken};
use futures_util::{StreamExt, stream};
use store::browser_made::Made;

use crate::{
    Engine,
    change::Round,
    faults::EngineError,
    jobs::{self, Batch, TOGETHER},
};

impl Engine {
    /// Erases customers and intents that browsers made and that nothing needs.
    pub(crate) async fn forget_browser_made(
        &self,
        round: &jobs::Round,
    ) -> Result<Batch, EngineError> {
        let now = round.now;
        let (floor, store) = (&self.inner.floors.browser_made, &self.inner.store);
        let (look, again_at) = (floor.look(now), round.lease_until);
        let due =
            store::browser_made::claim_due(store, now, again_at, look.after, round.rows).await?;
        let taken = due.len();
        let work = async |(team, made)| {
            let (name, done) = match made {
                Made::Customer(id) => (id.to_string(), self.forget_customer(team, id).await),
                Made::Intent(id) => (id.to_string(), self.forget_intent(team, id).await),
                Made::Token(stored) => {
                    let done = self.forget_fields_token(team, &stored).await;
                    (stored.as_str().to_owned(), done)
                }
            };
            if let Err(stop) = done {
                round.item_failed(&name, stop);
            }
        };
        stream::iter(due).for_each_concurrent(TOGETHER, work).await;
        let batch = Batch::whole(taken, round.rows);
        if !batch.goes_on() {
            floor.exhausted(look);
        }
        Ok(batch)
    }

    /// Ends the record of a token of a processor's fields that has expired. One that was used has ended before.
    async fn forget_fields_token(
        &self,
        team: TeamId,
        token: &VaultToken,
    ) -> Result<(), EngineError> {
        let forget = || async move {
            let found = store::method::of_team(&self.inner.store, team, token).await?;
            let mut change = Change::new(self.change_id(), token.as_str());
            if let Some(method) = found {
                change.push(store::method::delete(&method, self.inner.world.now()));
            }
            let made = Made::Token(token.clone());
            change.push(store::browser_made::forget(team, &made));
            Ok(Round::of(self.commit_plain(change).await?, ()))
        };
        self.rounds(None, self.deadline(), forget).await
    }

    /// Erases a customer without method, payment or intent. One that has any of them stays.
    async fn forget_customer(&self, team: TeamId, id: CustomerId) -> Result<(), EngineError> {
        let forget = || async move {
            let change = self.forgetting_customer(team, id).await?;
            Ok(Round::of(self.commit_plain(change).await?, ()))
        };
        self.rounds(Some(id.uuid()), self.deadline(), forget).await
    }

    /// What is to be committed about a customer that a browser made. Refused when somebody changes it meanwhile.
    async fn forgetting_customer(
        &self,
        team: TeamId,
        id: CustomerId,
    ) -> Result<Change, EngineError> {
        let store = &self.inner.store;
        let found = store::customer::of_team(store, team, id).await?;
        let is_used = !store::method::of_customer(store, team, id)
            .await?
            .is_empty()
            || !store::payment::of_customer(store, team, id, None, 1)
                .await?
                .is_empty()
            || !store::intent::of_customer(store, team, id, None, 1)
                .await?
                .is_empty();
        let mut change = Change::new(self.change_id(), &id.key());
        if let Some(customer) = found.filter(|_| !is_used) {
            change.push(store::customer::delete(&customer));
            change.push(store::erasure::insert(
                team,
                id,
                self.erasure_due(self.inner.world.now()),
            ));
        }
        change.push(store::browser_made::forget(team, &Made::Customer(id)));
        Ok(change)
    }
}
