//! From a request's text to its answer's bytes.

use std::sync::Arc;

use apollo_compiler::{Node, executable::Operation};
use domain::{Code, Timestamp, caller::Caller, wipe::wipe};
use engine::Engine;
use serde_json::{Map, Value};
use zeroize::Zeroize;

use crate::{
    coerce::Coercer,
    document::{Document, DocumentFault, Documents, Limits, is_bearable},
    execute::{self, MethodNames, Root, Scope, has_bad_condition},
    introspect::{Introspection, introspect},
    operation::Operations,
    schema::{ApiSchema, SchemaBroken},
    wire,
};

/// The parameters of a GraphQL request. Its variables may hold card data, so nothing prints it.
pub struct Request {
    /// The document.
    pub query: String,
    /// Which of its operations; needed when there are several.
    pub operation_name: Option<String>,
    /// Values of its variables.
    pub variables: Map<String, Value>,
    /// When every root field must have its answer; counted from the beginning of each when absent.
    pub answer_by: Option<Timestamp>,
}

/// Wiped: the document and the variables may hold a card number.
impl Drop for Request {
    fn drop(&mut self) {
        self.query.zeroize();
        self.variables.values_mut().for_each(wipe);
    }
}

/// How the request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Queries only.
    Get,
    /// Anything.
    Post,
}

/// Whether the operation ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It ran; the body has `data`, and `errors` where fields failed.
    Executed,
    /// It did not run; the body has `errors` alone.
    Rejected(Code),
    /// It did not run: a mutation came by GET.
    MutationByGet,
}

/// An answer.
pub struct Response {
    /// Whether the operation ran.
    pub kind: Kind,
    /// JSON.
    pub body: Vec<u8>,
    /// Whether a root field's answer was remembered from an earlier request.
    pub replayed: bool,
    /// For metrics: the first root field, a word of the schema; `rejected` when the operation did not run.
    pub operation: &'static str,
    /// For metrics: the code of the first error.
    pub code: Option<Code>,
}

/// The interface: the schema with the engine behind it.
pub struct Api {
    executor: Executor,
    engine: Engine,
}

impl Api {
    /// Parses the built-in schema.
    pub fn new(
        engine: Engine,
        limits: Limits,
        introspection: Introspection,
    ) -> Result<Self, SchemaBroken> {
        Ok(Self {
            executor: Executor::new(limits, introspection)?,
            engine,
        })
    }

    /// The same, writing methods of payment under these names.
    #[must_use]
    pub fn naming(self, names: MethodNames) -> Self {
        Self {
            executor: self.executor.naming(names),
            ..self
        }
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
            let engine = match request.answer_by {
                Some(at) => self.engine.answering_by(at),
                None => self.engine.clone(),
            };
            Operations::new(engine, caller, idempotency_key, fields)
        };
        self.executor.execute(request, method, root).await
    }
}

/// The published schema and everything to run documents against it, whatever answers the root fields.
pub struct Executor {
    schema: Arc<ApiSchema>,
    documents: Documents,
    introspection: Introspection,
    names: MethodNames,
}

/// An operation that may run.
struct Chosen<'a> {
    document: &'a Document,
    operation: &'a Node<Operation>,
    variables: &'a Map<String, Value>,
}

impl Executor {
    /// Parses the built-in schema.
    pub fn new(limits: Limits, introspection: Introspection) -> Result<Self, SchemaBroken> {
        let schema = Arc::new(ApiSchema::load()?);
        Ok(Self {
            documents: Documents::new(schema.clone(), limits),
            schema,
            introspection,
            names: MethodNames::default(),
        })
    }

    /// The same, writing methods of payment under these names.
    #[must_use]
    pub fn naming(mut self, names: MethodNames) -> Self {
        self.names = names;
        self
    }

    /// Runs a request, with `root` made for its chosen operation.
    pub async fn execute<R: Root>(
        &self,
        request: &Request,
        method: Method,
        root: impl FnOnce(&RootFields<'_>) -> R,
    ) -> Response {
        let document = match self.documents.prepare(&request.query) {
            Ok(document) => document,
            Err(faults) => return rejected(&faults),
        };
        let operation = match choose(&document, request.operation_name.as_deref()) {
            Ok(operation) => operation,
            Err(fault) => return rejected(&[fault]),
        };
        if method == Method::Get && !operation.is_query() {
            let fault = DocumentFault::new(Code::GraphqlValidation, "Mutations are sent by POST.");
            return Response {
                kind: Kind::MutationByGet,
                ..rejected(&[fault])
            };
        }
        let chosen = Chosen {
            document: &document,
            operation,
            variables: &request.variables,
        };
        self.run(&chosen, root).await
    }

    async fn run<R: Root>(
        &self,
        chosen: &Chosen<'_>,
        root: impl FnOnce(&RootFields<'_>) -> R,
    ) -> Response {
        let &Chosen {
            document,
            operation,
            variables,
        } = chosen;
        if !is_bearable(document, operation, variables) {
            let message = "The variables are too large for as often as the document uses them.";
            return rejected(&[DocumentFault::new(Code::GraphqlLimit, message)]);
        }
        let coercer = Coercer {
            schema: &self.schema.schema,
            definitions: &operation.variables,
            variables,
        };
        if has_bad_condition(document, &operation.selection_set, &coercer) {
            let message = "A variable of @skip or @include is not true or false.";
            return rejected(&[DocumentFault::new(Code::GraphqlValidation, message)]);
        }
        let introspected = match introspect(
            &self.schema,
            document,
            operation,
            variables,
            self.introspection,
        ) {
            Ok(introspected) => introspected,
            Err(fault) => return rejected(&[fault]),
        };
        let scope = Scope {
            schema: &self.schema,
            document,
            coercer,
        };
        let root = root(&RootFields { scope, operation });
        let executed = execute::run((scope, self.names), operation, &introspected, &root).await;
        Response {
            kind: Kind::Executed,
            body: executed.body,
            replayed: executed.replayed,
            operation: executed.operation,
            code: executed.code,
        }
    }
}

/// The root fields that will run.
pub struct RootFields<'a> {
    scope: Scope<'a>,
    operation: &'a Node<Operation>,
}

impl RootFields<'_> {
    /// How many of them have a name for which `counts` holds.
    pub fn count(&self, counts: impl Fn(&str) -> bool) -> usize {
        let set = std::iter::once(&self.operation.selection_set);
        let fields = self.scope.collect(self.operation.object_type(), set);
        fields
            .iter()
            .filter(|field| counts(&field.first.name))
            .count()
    }
}

fn choose<'a>(
    document: &'a Document,
    name: Option<&str>,
) -> Result<&'a Node<Operation>, DocumentFault> {
    // Some clients send an empty name for an operation without one.
    document
        .operations
        .get(name.filter(|name| !name.is_empty()))
        .map_err(|_| {
            let message = match name {
                Some(_) => "The document has no operation of that name.",
                None if document.operations.is_empty() => "The document has no operation.",
                None => "The document has several operations: say which in operationName.",
            };
            DocumentFault::new(Code::GraphqlValidation, message)
        })
}

fn rejected(faults: &[DocumentFault]) -> Response {
    let code = wire::leading_code(faults);
    Response {
        kind: Kind::Rejected(code),
        body: wire::document_refusal(faults),
        replayed: false,
        operation: "rejected",
        code: Some(code),
    }
}

#[cfg(test)]
mod tests;
