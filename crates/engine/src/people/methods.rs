//! Stored methods: their end, their owner, and which is the default.

use crate::boxed;
use db::{Change, Statement};
use domain::{
    Fault, Timestamp,
    audit::{Act, Deed},
    caller::Caller,
    customer::{Customer, StoredMethod},
    id::{CustomerId, TeamId, VaultToken},
};

use crate::{
    Engine,
    change::{Decision, Key, Round},
    faults::{EngineError, method_not_found, only_fault},
    payments::{of_fields, token_holder},
};

impl Engine {
    /// Deletes a stored method: it can't be used any more. Its number is erased by a job, after what uses it now.
    ///
    /// # Errors
    /// `error.payment-method.not-found`.
    #[boxed]
    pub async fn delete_method(&self, caller: &Caller, token: VaultToken) -> Result<(), Fault> {
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
    /// `error.payment-method.not-found`; `error.validation` when it is nobody's.
    #[boxed]
    pub async fn make_default(&self, caller: &Caller, token: VaultToken) -> Result<(), Fault> {
        self.made_default(caller.team, &token)
            .await
            .map_err(only_fault)
    }

    /// Gives a stored method that is nobody's to a customer. It is the customer's already: nothing to do.
    ///
    /// # Errors
    /// `error.customer.not-found`; `error.payment-method.not-found`, also when it is another
    /// customer's.
    #[boxed]
    pub async fn attach_method(
        &self,
        caller: &Caller,
        token: VaultToken,
        id: CustomerId,
    ) -> Result<(), Fault> {
        self.attached(caller.team, &token, id)
            .await
            .map_err(only_fault)
    }

    async fn method_deleted(&self, team: TeamId, token: &VaultToken) -> Result<(), EngineError> {
        let delete = || async move {
            let method = self.known_method(team, token).await?;
            if let Some(owner) = method.customer {
                return self.deleted_from(token, Key { team, id: owner }).await;
            }
            let mut change = Change::new(self.change_id(), token.as_str());
            for statement in ends(&method, self.inner.world.now()) {
                change.push(statement);
            }
            change.push(self.audit(&deleted(&method)));
            Ok(Round::of(self.commit_plain(change).await?, ()))
        };
        self.rounds(None, self.deadline(), delete).await
    }

    /// Deletes a customer's method; the newest remaining one takes its place as the default.
    async fn deleted_from(
        &self,
        token: &VaultToken,
        owner: Key<CustomerId>,
    ) -> Result<Round<()>, EngineError> {
        let delete = |mut customer: Customer| async move {
            let method = self.known_method(owner.team, token).await?;
            if customer.default_method.as_ref() == Some(token) {
                let store = &self.inner.store;
                let methods = store::method::of_customer(store, owner.team, owner.id).await?;
                let mut newest_first = methods.into_iter().rev();
                let remaining = newest_first.find(|other| other.token != *token);
                customer.default_method = remaining.map(|newest| newest.token);
            }
            let mut statements = Vec::from(ends(&method, self.inner.world.now()));
            statements.push(self.audit(&deleted(&method)));
            Ok(Decision::Write(customer, statements, ()))
        };
        match self.change_if_there(owner, delete).await? {
            Some(_) => Ok(Round::Done(())),
            // An owner that is gone has taken its methods along.
            None => Err(method_not_found().into()),
        }
    }

    async fn made_default(&self, team: TeamId, token: &VaultToken) -> Result<(), EngineError> {
        let method = self.known_method(team, token).await?;
        let Some(id) = method.customer else {
            return Err(Fault::invalid(
                "token",
                "belongs to no customer, so it can't be a customer's default",
            )
            .into());
        };
        let choose = |mut customer: Customer| async move {
            // Read after the customer: a deletion from here on is a conflict with the customer's version.
            let method = self.known_method(team, token).await?;
            if customer.default_method.as_ref() == Some(token) {
                return Ok(Decision::Leave(customer, ()));
            }
            customer.default_method = Some(method.token);
            Ok(Decision::Write(customer, Vec::new(), ()))
        };
        let made = self.change_if_there(Key { team, id }, choose).await?;
        made.map(|_| ()).ok_or_else(|| method_not_found().into())
    }

    async fn attached(
        &self,
        team: TeamId,
        token: &VaultToken,
        id: CustomerId,
    ) -> Result<(), EngineError> {
        let attach = |mut customer: Customer| async move {
            let mut method = self.known_method(team, token).await?;
            match method.customer {
                None if of_fields(&method).is_some() => {
                    let reason = "must be a stored card or bank account: the token of a processor's fields pays once";
                    return Err(Fault::invalid("token", reason).into());
                }
                None => {}
                Some(owner) if owner == id => return Ok(Decision::Leave(customer, ())),
                Some(_) => return Err(method_not_found().into()),
            }
            method.customer = Some(id);
            method.updated_at = self.inner.world.now();
            if customer.default_method.is_none() {
                customer.default_method = Some(token.clone());
            }
            let statements = vec![
                store::method::attach(&method),
                store::once::follow_token(team, token, id),
            ];
            Ok(Decision::Write(customer, statements, ()))
        };
        self.change(Key { team, id }, attach).await?;
        Ok(())
    }
}

/// The statements that end a method.
fn ends(method: &StoredMethod, now: Timestamp) -> [Statement; 3] {
    let StoredMethod { team, token, .. } = method;
    [
        store::method::delete(method, now),
        store::processor_token::delete(*team, token),
        store::token_request::delete(*team, token),
    ]
}

/// What is recorded of a method that is deleted. Its token is what it is known by, and opens nothing by itself.
fn deleted(method: &StoredMethod) -> Deed {
    Deed::on(
        method.team,
        Act::PaymentMethodDeleted,
        "payment method",
        &method.token,
    )
}
