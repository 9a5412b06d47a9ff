//! Reading customers and their stored methods.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    customer::{Customer, StoredMethod},
    id::{CustomerId, TeamId, VaultToken},
};

use crate::{
    Engine,
    faults::{EngineError, method_not_found, only_fault},
};

impl Engine {
    /// A team's customer.
    ///
    /// # Errors
    /// `error.customer.not-found`.
    #[boxed]
    pub async fn customer(&self, caller: &Caller, id: CustomerId) -> Result<Customer, Fault> {
        self.known_customer(caller.team, id)
            .await
            .map_err(only_fault)
    }

    /// A team's stored method.
    ///
    /// # Errors
    /// `error.payment-method.not-found`.
    #[boxed]
    pub async fn method(&self, caller: &Caller, token: VaultToken) -> Result<StoredMethod, Fault> {
        self.method_as_it_stands(caller.team, &token)
            .await
            .map_err(only_fault)
    }

    /// A customer's stored methods, oldest first. A client token reads those of the customers that it may name.
    ///
    /// # Errors
    /// `error.customer.not-found`.
    #[boxed]
    pub async fn methods(
        &self,
        caller: &Caller,
        id: CustomerId,
    ) -> Result<Vec<StoredMethod>, Fault> {
        self.methods_as_they_stand(caller, id)
            .await
            .map_err(only_fault)
    }

    async fn method_as_it_stands(
        &self,
        team: TeamId,
        token: &VaultToken,
    ) -> Result<StoredMethod, EngineError> {
        let mut method = self.known_method(team, token).await?;
        if let Some(owner) = method.customer {
            let owner = store::customer::of_team(&self.inner.store, team, owner).await?;
            method.is_default =
                owner.is_some_and(|owner| owner.default_method.as_ref() == Some(token));
        }
        Ok(method)
    }

    async fn methods_as_they_stand(
        &self,
        caller: &Caller,
        id: CustomerId,
    ) -> Result<Vec<StoredMethod>, EngineError> {
        let customer = self.nameable_customer(caller, id).await?;
        let mut methods = store::method::of_customer(&self.inner.store, caller.team, id).await?;
        for method in &mut methods {
            method.is_default = customer.default_method.as_ref() == Some(&method.token);
        }
        Ok(methods)
    }

    /// A team's token record, or the fault that there is none.
    pub(super) async fn known_method(
        &self,
        team: TeamId,
        token: &VaultToken,
    ) -> Result<StoredMethod, EngineError> {
        let found = store::method::of_team(&self.inner.store, team, token).await?;
        found.ok_or_else(|| EngineError::Fault(method_not_found()))
    }
}
