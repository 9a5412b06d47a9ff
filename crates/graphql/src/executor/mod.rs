//! Runs GraphQL documents against a schema: from a request's text to its answer's bytes.
//!
//! The compiler (`apollo-compiler`) parses, validates and answers introspection; running an operation is ours and small,
//! so that faults of an operation's arguments belong to the operation (see `coerce`).
//!
//! It knows no product: what the schema is, what its own scalars mean and how its faults look is in a [`Product`], and
//! what answers the root fields is a [`Root`]. A test of the house's rules keeps it so. (Its unit tests run against this
//! product's schema.)

mod coerce;
mod collect;
mod complete;
mod document;
mod introspect;
mod look_ahead;
mod output;
mod product;
mod run;
mod schema;
mod stream;
mod wire;

use std::sync::Arc;

use apollo_compiler::{Node, executable::Operation};
use domain::{Code, Timestamp, wipe::wipe};
use serde_json::{Map, Value};
use zeroize::Zeroize;

use self::{
    coerce::Coercer,
    collect::{Scope, has_bad_condition},
    document::{Document, DocumentFault, Documents, is_bearable},
    introspect::introspect,
};
pub(crate) use self::{
    coerce::whole,
    look_ahead::{FieldOf, LookAhead},
    output::{Object, Out, object, optional, unknown_field},
    product::{Coerced, Given, Product},
    run::{Answer, Arguments, Root, RootCall},
    schema::ApiSchema,
    stream::{Item, Items},
    wire::refusal,
};
pub use self::{
    document::Limits,
    introspect::Introspection,
    schema::SchemaBroken,
    stream::{Frame, Sink},
};

/// The parameters of a GraphQL request. Its variables may hold secrets, so nothing prints it.
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

/// Wiped: the document and the variables may hold secret numbers.
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
pub enum Execution {
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
    pub kind: Execution,
    /// JSON.
    pub body: Vec<u8>,
    /// Whether a root field's answer was remembered from an earlier request.
    pub replayed: bool,
    /// For metrics: the first root field, a word of the schema; `rejected` when the operation did not run.
    pub operation: &'static str,
    /// For metrics: the code of the first error.
    pub code: Option<Code>,
}

/// The published schema and everything to run documents against it, whatever answers the root fields.
pub(crate) struct Executor {
    schema: Arc<ApiSchema>,
    documents: Documents,
    introspection: Introspection,
}

/// An operation that may run.
struct Chosen<'a> {
    document: &'a Document,
    operation: &'a Node<Operation>,
    variables: &'a Map<String, Value>,
}

impl Executor {
    /// Parses the product's schema.
    pub(crate) fn new(
        product: Product,
        limits: Limits,
        introspection: Introspection,
    ) -> Result<Self, SchemaBroken> {
        let schema = Arc::new(ApiSchema::load(product)?);
        Ok(Self {
            documents: Documents::new(schema.clone(), limits),
            schema,
            introspection,
        })
    }

    /// Runs a request, with `root` made for its chosen operation.
    pub(crate) async fn execute<R: Root>(
        &self,
        request: &Request,
        method: Method,
        root: impl FnOnce(&RootFields<'_>) -> R,
    ) -> Response {
        let document = match self.documents.prepare(&request.query) {
            Ok(document) => document,
            Err(faults) => return rejected(&faults),
        };
        let chosen = match Self::chosen(&document, request) {
            Ok(chosen) => chosen,
            Err(fault) => return rejected(&[fault]),
        };
        let operation = chosen.operation;
        if operation.is_subscription() {
            let message = "Subscriptions are answered with server-sent events: send the header `Accept: text/event-stream`.";
            return rejected(&[DocumentFault::new(Code::GraphqlValidation, message)]);
        }
        if method == Method::Get && !operation.is_query() {
            let fault = DocumentFault::new(Code::GraphqlValidation, "Mutations are sent by POST.");
            return Response {
                kind: Execution::MutationByGet,
                ..rejected(&[fault])
            };
        }
        self.run(&chosen, root).await
    }

    /// The operation of a document that a request wants.
    fn chosen<'a>(
        document: &'a Document,
        request: &'a Request,
    ) -> Result<Chosen<'a>, DocumentFault> {
        Ok(Chosen {
            document,
            operation: choose(document, request.operation_name.as_deref())?,
            variables: &request.variables,
        })
    }

    /// What is needed to see through the operation's selections, once its variables can be used.
    fn scope<'a>(&'a self, chosen: &Chosen<'a>) -> Result<Scope<'a>, DocumentFault> {
        let &Chosen {
            document,
            operation,
            variables,
        } = chosen;
        if !is_bearable(document, operation, variables) {
            let message = "The variables are too large for as often as the document uses them.";
            return Err(DocumentFault::new(Code::GraphqlLimit, message));
        }
        let coercer = Coercer {
            schema: &self.schema,
            definitions: &operation.variables,
            variables,
        };
        if has_bad_condition(document, &operation.selection_set, &coercer) {
            let message = "A variable of @skip or @include is not true or false.";
            return Err(DocumentFault::new(Code::GraphqlValidation, message));
        }
        Ok(Scope {
            schema: &self.schema,
            document,
            coercer,
        })
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
        let scope = match self.scope(chosen) {
            Ok(scope) => scope,
            Err(fault) => return rejected(&[fault]),
        };
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
        let root = root(&RootFields { scope, operation });
        let executed = run::run(scope, operation, &introspected, &root).await;
        Response {
            kind: Execution::Executed,
            body: executed.body,
            replayed: executed.replayed,
            operation: executed.operation,
            code: executed.code,
        }
    }
}

/// The root fields that will run.
pub(crate) struct RootFields<'a> {
    scope: Scope<'a>,
    operation: &'a Node<Operation>,
}

impl RootFields<'_> {
    /// How many of them have a name for which `counts` holds.
    pub(crate) fn count(&self, counts: impl Fn(&str) -> bool) -> usize {
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
        kind: Execution::Rejected(code),
        body: wire::document_refusal(faults),
        replayed: false,
        operation: "rejected",
        code: Some(code),
    }
}
