//! The interface: the published schema with the engine behind it.

use domain::caller::Caller;
use engine::Engine;

use crate::{
    executor::{
        Executor, Introspection, Limits, Method, Request, Response, RootFields, SchemaBroken, Sink,
    },
    operations::Operations,
    product::{MethodNames, product},
};

/// What comes with a request for a stream besides the document.
pub struct Wanted {
    /// How the request came.
    pub method: Method,
    /// The header's value as it came.
    pub idempotency_key: Option<String>,
    /// The place of the last answer that the client has had (`Last-Event-ID`).
    pub last_place: Option<String>,
}

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

    /// Runs a request whose answers go into `sink` as they come. Returns the refusal of one that can't run.
    pub async fn stream(
        &self,
        caller: &Caller,
        request: &Request,
        wanted: Wanted,
        sink: &mut dyn Sink,
    ) -> Option<Response> {
        let root = |fields: &RootFields<'_>| {
            let engine = self.engine.on_behalf_of(caller);
            Operations::new(engine, caller, wanted.idempotency_key, fields)
                .going_on_from(wanted.last_place)
        };
        self.executor
            .stream(request, wanted.method, root, sink)
            .await
    }
}
