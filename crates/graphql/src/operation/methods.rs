//! Stored payment methods.

use std::collections::BTreeMap;

use domain::{Fault, customer::StoredMethod};
use engine::Scope;

use super::{Operations, done};
use crate::{
    execute::{Answer, Arguments, LookAhead, Out, object},
    input::{ids, processor_token, security_code, tokenise},
    view::{CardTokenObject, MethodObject, ProcessorTokenObject},
};

impl Operations<'_> {
    pub(super) async fn tokenise(&self, arguments: Arguments<'_>) -> Answer {
        let once = self.once(|_| Scope::Tokenise, &arguments);
        let parsed = arguments
            .coerced
            .and_then(|given| tokenise::parse(given, self.caller.mode));
        let told = self.engine.tokenise(self.caller, once, parsed).await;
        let sight = self.sight();
        let result = told.result.map(|view| {
            object(CardTokenObject {
                method: view.method,
                customer: view.customer,
                sight,
            })
        });
        Answer {
            result,
            replayed: told.replayed,
        }
    }

    pub(super) async fn method(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
    ) -> Result<Out<'static>, Fault> {
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        let method = self.engine.method(self.caller, token).await?;
        let mut objects = self.method_objects(vec![method], look).await?;
        objects.pop().ok_or_else(Fault::unknown)
    }

    pub(super) async fn methods(
        &self,
        arguments: Arguments<'_>,
        look: LookAhead<'_>,
        argument: &str,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::customer(ids::argument(&arguments.coerced?, argument))?;
        let methods = self.engine.methods(self.caller, id).await?;
        self.method_objects(methods, look).await.map(Out::List)
    }

    pub(super) async fn attach_code(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let (token, code) = arguments.coerced.and_then(security_code::parse)?;
        done(self.engine.attach_code(self.caller, &token, &code).await)
    }

    pub(super) async fn processor_token(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = arguments.coerced.and_then(processor_token::parse)?;
        let token = self.engine.processor_token(self.caller, wanted).await?;
        Ok(object(ProcessorTokenObject { token }))
    }

    pub(super) async fn delete_method(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        done(self.engine.delete_method(self.caller, token).await)
    }

    pub(super) async fn make_default(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let token = ids::token(ids::argument(&arguments.coerced?, "token"))?;
        done(self.engine.make_default(self.caller, token).await)
    }

    pub(super) async fn attach_method(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let given = arguments.coerced?;
        let token = ids::token(ids::argument(&given, "token"))?;
        let customer = ids::customer(ids::argument(&given, "customerId"))?;
        done(
            self.engine
                .attach_method(self.caller, token, customer)
                .await,
        )
    }

    /// The methods as they are shown. A browser sees no processor's token.
    async fn method_objects(
        &self,
        methods: Vec<StoredMethod>,
        look: LookAhead<'_>,
    ) -> Result<Vec<Out<'static>>, Fault> {
        let sight = self.sight();
        let mut linked = if sight.is_server() && look.selects("linkedPaymentGateways") {
            self.engine.linked_gateways(self.caller, &methods).await?
        } else {
            BTreeMap::new()
        };
        let shown = methods.into_iter().map(|method| {
            let linked = linked.remove(&method.token).unwrap_or_default();
            object(MethodObject {
                method,
                linked,
                sight,
            })
        });
        Ok(shown.collect())
    }
}
