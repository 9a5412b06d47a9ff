//! Stored methods: their end, their owner, and which is the default.

use domain::{
    Fault,
    caller::Caller,
    id::{CustomerId, TeamId, VaultToken},
};

use crate::{
    Engine,
    faults::{Stop, method_not_found},
    once::only_fault,
    payments::token_holder,
};

impl Engine {
    /// Deletes a stored method: it can't be used any more. Its number is erased by a job, after what uses it now.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.payment-method.not-found`.
    pub async fn delete_method(&self, caller: &Caller, token: VaultToken) -> Result<(), Fault> {
        caller.require_server()?;
        self.method_deleted(caller.team, &token)
            .await
            .map_err(only_fault)?;
        self.inner
            .vault
            .erase_cvc(&token_holder(caller.team, &token))
            .await;
        Ok(())
    }

    /// Makes a stored method its customer's default.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.payment-method.not-found`; `error.validation` when it is nobody's.
    pub async fn make_default(&self, caller: &Caller, token: VaultToken) -> Result<(), Fault> {
        caller.require_server()?;
        self.made_default(caller.team, &token)
            .await
            .map_err(only_fault)
    }

    /// Gives a stored method that is nobody's to a customer. It is the customer's already: nothing to do.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.customer.not-found`; `error.payment-method.not-found`, also when it is another
    /// customer's.
    pub async fn attach_method(
        &self,
        caller: &Caller,
        token: VaultToken,
        id: CustomerId,
    ) -> Result<(), Fault> {
        caller.require_server()?;
        self.attached(caller.team, &token, id)
            .await
            .map_err(only_fault)
    }

    async fn method_deleted(&self, team: TeamId, token: &VaultToken) -> Result<(), Stop> {
        loop {
            let method = self.known_method(team, token).await?;
            let now = self.inner.world.now();
            let deleted = match method.customer {
                None => {
                    let mut change = db::Change::new(self.change_id(), token.as_str());
                    change.push(store::method::delete(&method, now));
                    change.push(store::processor_token::delete(team, token));
                    change.push(store::token_request::delete(team, token));
                    self.commit_plain(change).await?.is_none()
                }
                Some(owner) => self.deleted_from(team, token, owner).await?,
            };
            if deleted {
                return Ok(());
            }
        }
    }

    /// Deletes a customer's method; the newest remaining one takes its place as the default. `false` when somebody else
    /// was first.
    async fn deleted_from(
        &self,
        team: TeamId,
        token: &VaultToken,
        owner: CustomerId,
    ) -> Result<bool, Stop> {
        let _turn = self.inner.turns.take(owner.uuid()).await;
        let Some(mut customer) = store::customer::of_team(&self.inner.store, team, owner).await?
        else {
            // An owner that is gone has taken its methods along.
            return Err(method_not_found().into());
        };
        let method = self.known_method(team, token).await?;
        if customer.default_method.as_ref() == Some(token) {
            let methods = store::method::of_customer(&self.inner.store, team, owner).await?;
            let remaining = methods
                .into_iter()
                .rev()
                .find(|other| other.token != *token);
            customer.default_method = remaining.map(|newest| newest.token);
        }
        let ends = vec![
            store::method::delete(&method, self.inner.world.now()),
            store::processor_token::delete(team, token),
            store::token_request::delete(team, token),
        ];
        self.commit_customer(customer, ends).await
    }

    async fn made_default(&self, team: TeamId, token: &VaultToken) -> Result<(), Stop> {
        let method = self.known_method(team, token).await?;
        let Some(owner) = method.customer else {
            return Err(Fault::invalid(
                "token",
                "belongs to no customer, so it can't be a customer's default",
            )
            .into());
        };
        loop {
            let _turn = self.inner.turns.take(owner.uuid()).await;
            let found = store::customer::of_team(&self.inner.store, team, owner).await?;
            let mut customer = found.ok_or_else(method_not_found)?;
            // Read after the customer: a deletion from here on is a conflict with the customer's version.
            let method = self.known_method(team, token).await?;
            if customer.default_method.as_ref() == Some(token) {
                return Ok(());
            }
            customer.default_method = Some(method.token);
            if self.commit_customer(customer, Vec::new()).await? {
                return Ok(());
            }
        }
    }

    async fn attached(&self, team: TeamId, token: &VaultToken, id: CustomerId) -> Result<(), Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut customer = self.known_customer(team, id).await?;
            let mut method = self.known_method(team, token).await?;
            match method.customer {
                None => {}
                Some(owner) if owner == id => return Ok(()),
                Some(_) => return Err(method_not_found().into()),
            }
            method.customer = Some(id);
            method.updated_at = self.inner.world.now();
            if customer.default_method.is_none() {
                customer.default_method = Some(token.clone());
            }
            let more = vec![
                store::method::attach(&method),
                store::once::follow_token(team, token, id),
            ];
            if self.commit_customer(customer, more).await? {
                return Ok(());
            }
        }
    }
}
