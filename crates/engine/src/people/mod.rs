//! People: customers and their stored payment methods.
//!
//! # How it works
//! A method's number is sealed in the vault first; the store's one commit then makes the token, with its idempotency
//! record and its answer. A number whose commit never came is found by the job for orphans.
//!
//! Every change of a customer's methods is also a new version of the customer, guarded by the version before it. So two
//! changes of one customer never pass each other, and the default is always one of the customer's methods.

mod create;
mod delete;
mod erase;
mod forget;
mod list;
mod methods;
mod read;
mod seal;
mod security_code;
mod tokenise;
mod update;

use db::{Change, Date, Statement};
use domain::{
    Fault,
    caller::{Caller, Credential},
    customer::{Customer, CustomerDraft},
    id::{CustomerId, TeamId},
};
use uuid::Uuid;

use crate::{
    Engine,
    change::{Aggregate, Key},
    commit::Ended,
    faults::{EngineError, customer_not_found},
    payments::may_use,
    request::Request,
};

pub use create::CreateCustomer;
#[cfg(test)]
pub(crate) use create::StoredId;
pub use list::{CustomerPage, ListCustomers};
#[cfg(test)]
pub(crate) use tokenise::StoredToken;
pub use tokenise::{Owner, TokenView, Tokenise};

/// What a request makes.
struct Making<'a> {
    /// By what an answer names it.
    id: String,
    /// Under what its answer is found when a customer is erased.
    stream: &'a str,
    /// What its idempotency key tells.
    answer: &'a str,
}

impl Aggregate for Customer {
    type Id = CustomerId;
    type Before = ();
    /// What is written with it.
    type Effects = Vec<Statement>;

    fn lock_id(id: CustomerId) -> Uuid {
        id.uuid()
    }

    async fn find(engine: &Engine, key: Key<CustomerId>) -> Result<Option<Self>, EngineError> {
        Ok(store::customer::of_team(&engine.inner.store, key.team, key.id).await?)
    }

    fn missing() -> Fault {
        customer_not_found()
    }

    fn before(&self) -> Self::Before {}

    async fn commit(
        &mut self,
        engine: &Engine,
        (): Self::Before,
        statements: Vec<Statement>,
    ) -> Result<Ended, EngineError> {
        self.version += 1;
        self.updated_at = engine.inner.world.now();
        let mut change = Change::new(engine.change_id(), &self.id.key());
        change.push(store::customer::update(self));
        for statement in statements {
            change.push(statement);
        }
        Ok(match engine.commit_plain(change).await? {
            None => Ended::Done,
            Some(_) => Ended::Overtaken,
        })
    }
}

impl Engine {
    /// A team's customer, or the fault that there is none.
    async fn known_customer(&self, team: TeamId, id: CustomerId) -> Result<Customer, EngineError> {
        let found = store::customer::of_team(&self.inner.store, team, id).await?;
        found.ok_or_else(|| EngineError::Fault(customer_not_found()))
    }

    /// The customer, if there is one that the credential may name.
    async fn nameable_customer(
        &self,
        caller: &Caller,
        id: CustomerId,
    ) -> Result<Customer, EngineError> {
        let customer = self.known_customer(caller.team, id).await?;
        if may_use(caller, &customer) {
            Ok(customer)
        } else {
            Err(customer_not_found().into())
        }
    }

    fn new_customer(&self, caller: &Caller, draft: CustomerDraft, date: &Date) -> Customer {
        let CustomerDraft {
            name,
            email,
            phone,
            description,
            billing,
            shipping,
            company,
        } = draft;
        let now = date.at();
        Customer {
            id: CustomerId::new(self.inner.world.uuid_at(now)),
            team: caller.team,
            version: 1,
            name,
            email,
            phone,
            description,
            billing,
            shipping,
            company,
            default_method: None,
            created_at: now,
            updated_at: now,
            made_by: matches!(caller.credential, Credential::Client(_)).then_some(caller.key),
        }
    }

    /// Commits what a request makes, naming it by its id. `false` when somebody else was first; [`EngineError::Taken`] when its key is taken.
    async fn commit_request(
        &self,
        request: &Request,
        made: Making<'_>,
        statements: Vec<Statement>,
        date: Option<&Date>,
    ) -> Result<bool, EngineError> {
        let Making { id, stream, answer } = made;
        let mut change = Change::new(self.change_id(), stream).until(request.deadline.at());
        if let Some(claim) = &request.claim {
            change.push(self.claim(claim, Some(stream), Some(answer)));
        }
        for statement in statements {
            change.push(statement);
        }
        if let Some(date) = date {
            change = change.dated(date);
        }
        match self.commit_naming(change, id).await? {
            None => Ok(true),
            Some(0) if request.claim.is_some() => Err(EngineError::Taken),
            Some(_) => Ok(false),
        }
    }
}
