//! The GraphQL interface: the published schema, thin views over domain types, inputs that parse into commands.
//!
//! The compiler (`apollo-compiler`) parses, validates and answers introspection; running an operation is ours and small,
//! so that faults of an operation's arguments belong to the operation (see `coerce`) and so that the SDL file is the
//! schema, not something printed from code.

mod api;
mod coerce;
mod document;
mod execute;
mod input;
mod introspect;
mod operation;
mod schema;
mod view;
mod wire;

/// The root fields that take an idempotency key.
pub use self::operation::KEYED;
pub use self::{
    api::{Api, Executor, Kind, Method, Request, Response, RootFields},
    document::Limits,
    execute::{
        Answer, Arguments, LookAhead, MethodNames, Object, Out, Root, RootCall, object, optional,
    },
    introspect::Introspection,
    schema::{ROOT_FIELDS, SDL, SchemaBroken},
    wire::refusal,
};
