//! What the HTTP layer asks of the rest of the service.

use connectors::simulator::Page;
use domain::{Code, Fault, Timestamp, caller::Caller, id::TeamId, network::Network};
use engine::{Heard, Returned, TokenReturn};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// The service behind the HTTP layer.
pub trait Backend: Send + Sync + 'static {
    /// Whose credential it is.
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Caller, Fault>>;

    /// Whether pages of an origin may see answers to a team's credentials. `None` when the team has not set that.
    fn allows_origin<'a>(&'a self, team: TeamId, origin: &'a str) -> BoxFuture<'a, Option<bool>>;

    /// The origins that may frame the page of a return, when its team has set that.
    fn frames<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Vec<String>>>;

    /// Whether any team has set that pages of this origin may call: a preflight names no credential.
    fn is_an_origin<'a>(&'a self, origin: &'a str) -> BoxFuture<'a, bool>;

    /// Runs a GraphQL operation.
    fn execute<'a>(&'a self, caller: &'a Caller, operation: Operation) -> BoxFuture<'a, Answer>;

    /// The customer has come back to the address of a return, from this network.
    fn returned<'a>(&'a self, token: &'a str, network: Option<Network>) -> BoxFuture<'a, Returned>;

    /// Takes a webhook of the merchant's: its name, and the object that it says.
    fn hear<'a>(
        &'a self,
        caller: &'a Caller,
        name: String,
        said: Value,
    ) -> BoxFuture<'a, Result<Heard, Fault>>;

    /// Whether payments can be taken; else why not, in words without secrets.
    fn check(&self) -> BoxFuture<'_, Result<(), &'static str>>;

    /// The simulator's books as JSON, without what belongs to another team's payments: of one reference, or whole. `None`
    /// when they can't be read.
    fn books<'a>(
        &'a self,
        team: TeamId,
        reference: Option<&'a str>,
    ) -> BoxFuture<'a, Option<Value>>;

    /// The simulator's page of this token; `None` when there is none.
    fn sandbox_page<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<Page>, Fault>>;

    /// Takes the customer's decision at a page of the simulator's, once. Returns the page as it is then.
    fn decide_sandbox_page<'a>(
        &'a self,
        token: &'a str,
        pass: bool,
    ) -> BoxFuture<'a, Result<Option<Page>, Fault>>;

    /// What a customer is to see who comes back from the authentication for a processor's token; `None` when the address
    /// was not given out.
    fn token_return<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<TokenReturn>, Fault>>;

    /// What is measured, in the text format of Prometheus.
    fn metrics(&self) -> String;
}

/// How the request came; `Get` may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
}

/// A GraphQL operation as it was asked for. It may hold card data, so it can't be printed.
pub struct Operation {
    /// The document.
    pub query: String,
    /// Which of its operations.
    pub name: Option<String>,
    /// Values of its variables.
    pub variables: Map<String, Value>,
    /// The idempotency key; one that can't be valid is empty.
    pub key: Option<String>,
    /// How it came.
    pub method: Method,
    /// When its answer must be there at the latest.
    pub end_by: Timestamp,
}

/// Whether an operation was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was, perhaps with errors; there is `data`.
    Executed,
    /// It was refused before execution; there is no `data`.
    Rejected(Code),
    /// It was a mutation that came by `GET`; there is no `data`.
    MutationByGet,
}

/// The answer to an operation.
pub struct Answer {
    /// Whether it was executed.
    pub outcome: Outcome,
    /// The JSON.
    pub body: Vec<u8>,
    /// Whether the result was remembered.
    pub replayed: bool,
    /// For metrics: the root field, a word of the schema.
    pub operation: &'static str,
    /// For metrics: the first error's code.
    pub code: Option<Code>,
}
