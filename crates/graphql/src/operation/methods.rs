//! Stored payment methods.

use domain::{Fault, customer::StoredMethod};
use engine::Scope;

use super::{Operations, done};
use crate::{
    execute::{Answer, Arguments, Out, object},
    input::{ids, tokenise},
    view::{CardTokenObject, MethodObject},
};

impl Operations<'_> {
    pub(super) async fn tokenise(&self, arguments: Arguments<'_>) -> Answer {
        let once = self.once(|_| Scope::Tokenise, &arguments);
        let parsed = arguments.coerced.and_then(|given| tokenise::parse(given, self.caller.mode));
        let told = self.engine.tokenise(self.caller, once, parsed).await;
        let sight = self.sight();
        let result =
            told.result.map(|view| object(CardTokenObject { method: view.method, customer: view.customer, sight }));
        Answer { result, replayed: told.replayed }
    }

    pub(super) async fn method(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        self.engine.method(self.caller, token).await.map(|method| self.method_object(method))
    }

    pub(super) async fn methods(&self, arguments: Arguments<'_>, argument: &str) -> Result<Out<'static>, Fault> {
        let id = ids::customer(ids::argument(&arguments.coerced?, argument))?;
        let methods = self.engine.methods(self.caller, id).await?;
        Ok(Out::List(methods.into_iter().map(|method| self.method_object(method)).collect()))
    }

    pub(super) async fn delete_method(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        self.caller.require_server()?;
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        done(self.engine.delete_method(self.caller, token).await)
    }

    pub(super) async fn make_default(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        self.caller.require_server()?;
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        done(self.engine.make_default(self.caller, token).await)
    }

    pub(super) async fn attach_method(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        self.caller.require_server()?;
        let given = arguments.coerced?;
        let token = ids::token(ids::argument(&given, "token"))?;
        let customer = ids::customer(ids::argument(&given, "customerId"))?;
        done(self.engine.attach_method(self.caller, token, customer).await)
    }

    fn method_object(&self, method: StoredMethod) -> Out<'static> {
        object(MethodObject { method, sight: self.sight() })
    }
}
