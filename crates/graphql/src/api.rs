//! The interface: the published schema with the engine behind it.

use domain::caller::Caller;
use engine::Engine;

use crate::{
    executor::{
        Executor, Introspection, Limits, Method, Request, Response, RootFields, SchemaBroken,
    },
    operations::Operations,
    product::{MethodNames, product},
};

/// The interface: the schema with the engine behind it.
pub struct Api {
    executor: Executor,
    engine: Engine,
}

impl Api {
    /// Parses the built-in schema. Methods of payment are written under these names.
    ///
    /// # Errors
    /// The schema is not valid: a defect of the build.
    pub fn new(
        engine: Engine,
        limits: Limits,
        introspection: Introspection,
        names: MethodNames,
    ) -> Result<Self, SchemaBroken> {
        Ok(Self {
            executor: Executor::new(product(names), limits, introspection)?,
            engine,
        })
    }

    /// Runs a request of a caller. `idempotency_key` is the header's value as it came; it is checked here, since an
    /// operation that takes no key ignores a bad one.
    pub async fn execute(
        &self,
        caller: &Caller,
        request: &Request,
        idempotency_key: Option<String>,
        method: Method,
    ) -> Response {
        let root = |fields: &RootFields<'_>| {
            let engine = self.engine.on_behalf_of(caller);
            let engine = match request.answer_by {
                Some(at) => engine.answering_by(at),
                None => engine,
            };
            Operations::new(engine, caller, idempotency_key, fields)
        };
        self.executor.execute(request, method, root).await
    }
}
