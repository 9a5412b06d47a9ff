//! Changing a customer.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    customer::{Customer, CustomerPatch},
    id::CustomerId,
};

use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, only_fault},
};

impl Engine {
    /// Changes what is given, clears what is null, leaves the rest.
    ///
    /// # Errors
    /// `error.customer.not-found`.
    #[boxed]
    pub async fn update_customer(
        &self,
        caller: &Caller,
        id: CustomerId,
        patch: CustomerPatch,
    ) -> Result<(), Fault> {
        self.updated(caller, id, &patch).await.map_err(only_fault)
    }

    async fn updated(
        &self,
        caller: &Caller,
        id: CustomerId,
        patch: &CustomerPatch,
    ) -> Result<(), EngineError> {
        let key = Key {
            team: caller.team,
            id,
        };
        let update = |mut customer: Customer| async move {
            customer.update(patch.clone(), self.inner.world.now());
            Ok(Decision::Write(customer, Vec::new(), ()))
        };
        self.change(key, update).await?;
        Ok(())
    }
}
