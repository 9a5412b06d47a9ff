//! The GraphQL interface: the published schema, thin views over domain types, inputs that parse into commands.
//!
//! `executor` runs documents against a schema and knows nothing of payments; `product` tells it what this schema means.
//! Each area has a folder with its operations, inputs and views; `operations` joins their tables into one; `shared` holds
//! what several areas use. The file `schema.graphql` at the root of the project is the schema, not something printed from
//! code.

mod api;
mod attachments;
mod connections;
mod customers;
mod disputes;
mod events;
mod executor;
mod flows;
mod intents;
mod node;
mod notifications;
mod operations;
mod page_guard;
mod payment_links;
mod payments;
mod product;
mod shared;
mod teams_and_keys;
mod tokens;
mod wallets;
mod webhooks;

pub use self::{
    api::{Api, Wanted},
    executor::{
        Execution, Frame, Introspection, Limits, Method, Request, Response, SchemaBroken, Sink,
    },
    operations::{Operation, operations},
    product::{MethodNames, SDL, refusal},
};

/// The published schema, for tests.
#[cfg(test)]
fn schema() -> executor::ApiSchema {
    executor::ApiSchema::load(product::product(MethodNames::Specified)).unwrap()
}

#[cfg(test)]
mod tests;
