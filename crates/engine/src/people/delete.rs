//! Deleting a customer.
//!
//! # How it works
//! One commit removes the customer, ends the customer's methods and notes that an erasure is due. From then on nobody
//! finds the customer, and what remains is erased by `people::erase`: at once, and again by a job once no request can be
//! under way any more that had read the customer before. The note makes a crash between the two harmless.

use crate::boxed;
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::Caller,
    id::{CustomerId, TeamId},
};

use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
    payments::token_holder,
};

impl Engine {
    /// Deletes a customer with the customer's methods and erases the personal data from what stays: payments keep the
    /// customer's id alone.
    ///
    /// # Errors
    /// `error.customer.not-found`.
    #[boxed]
    pub async fn delete_customer(&self, caller: &Caller, id: CustomerId) -> Result<(), Fault> {
        let (deadline, team, world) = (self.request_deadline(), caller.team, &self.inner.world);
        self.customer_ended(team, id).await.map_err(only_fault)?;
        let engine = self.clone();
        let erase = self.own(Box::pin(async move { engine.erase_person(team, id).await }));
        match world.timeout(deadline.left(world.now()), erase).await {
            Ok(Some(Ok(()))) => {}
            Ok(Some(Err(stop))) => {
                tracing::warn!(stop = ?stop, "a customer's data are yet to be erased by the job");
            }
            Ok(None) | Err(world::Elapsed) => {
                tracing::info!("a customer's data are still being erased");
            }
        }
        Ok(())
    }

    async fn customer_ended(&self, team: TeamId, id: CustomerId) -> Result<(), EngineError> {
        let end = || async move {
            let customer = self.known_customer(team, id).await?;
            let methods = store::method::of_customer(&self.inner.store, team, id).await?;
            let now = self.inner.world.now();
            let change = db::Change::new(self.change_id(), &id.key())
                .with(store::customer::delete(&customer))
                .with(store::method::delete_of_customer(team, id, now))
                .with(store::processor_token::delete_of_customer(team, id))
                .with(store::token_request::delete_of_customer(team, id))
                .with(store::erasure::insert(team, id, self.erasure_due(now)))
                .with(self.audit(&Deed::on(team, Act::CustomerDeleted, "customer", id)));
            Ok(Round::of(self.commit_plain(change).await?, methods))
        };
        let methods = self.rounds(Some(id.uuid()), self.deadline(), end).await?;
        for method in methods {
            self.inner
                .vault
                .erase_cvc(&token_holder(team, &method.token))
                .await;
        }
        Ok(())
    }

    /// When no request can be under way any more that read the customer at `now`.
    pub(super) fn erasure_due(&self, now: Timestamp) -> Timestamp {
        now.after(self.inner.settings.request_deadline * 2)
    }
}
