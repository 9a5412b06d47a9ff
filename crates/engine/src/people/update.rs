//! Changing a customer.

use domain::{Fault, caller::Caller, customer::CustomerPatch, id::CustomerId};

use crate::{Engine, faults::Stop, once::only_fault};

impl Engine {
    /// Changes what is given, clears what is null, leaves the rest.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.customer.not-found`.
    pub async fn update_customer(
        &self,
        caller: &Caller,
        id: CustomerId,
        patch: CustomerPatch,
    ) -> Result<(), Fault> {
        caller.require_server()?;
        self.updated(caller, id, &patch).await.map_err(only_fault)
    }

    async fn updated(
        &self,
        caller: &Caller,
        id: CustomerId,
        patch: &CustomerPatch,
    ) -> Result<(), Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut customer = self.known_customer(caller.team, id).await?;
            customer.update(patch.clone(), self.inner.world.now());
            if self.commit_customer(customer, Vec::new()).await? {
                return Ok(());
            }
        }
    }
}
