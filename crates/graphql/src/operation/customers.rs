//! Customers, one by one.

use domain::Fault;
use engine::Scope;

use super::{Operations, done};
use crate::{
    execute::{Answer, Arguments, Out, object},
    input::{create_customer, ids, update_customer},
    view::OwnCustomer,
};

impl Operations<'_> {
    pub(super) async fn create_customer(&self, arguments: Arguments<'_>) -> Answer {
        let once = self.once(|_| Scope::CreateCustomer, &arguments);
        let parsed = arguments
            .coerced
            .and_then(|given| create_customer::parse(given, self.caller.mode));
        let told = self.engine.create_customer(self.caller, once, parsed).await;
        Answer {
            result: told.result.map(|id| id.to_string().into()),
            replayed: told.replayed,
        }
    }

    pub(super) async fn update_customer(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let (id, patch) = arguments.coerced.and_then(update_customer::parse)?;
        done(self.engine.update_customer(self.caller, id, patch).await)
    }

    pub(super) async fn delete_customer(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::customer(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.delete_customer(self.caller, id).await)
    }

    pub(super) async fn customer(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let id = ids::customer(ids::argument(&arguments.coerced?, "id"))?;
        self.engine
            .customer(self.caller, id)
            .await
            .map(|customer| object(OwnCustomer(customer)))
    }
}
