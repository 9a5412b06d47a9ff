//! What the HTTP layer asks for, answered by the GraphQL interface and the engine.

use std::sync::Arc;

use connectors::simulator::{Books, read_books};
use domain::{Fault, caller::Caller, id::TeamId};
use engine::{Engine, Returned};
use futures_util::{FutureExt, future::BoxFuture};
use graphql::{Api, Kind, Request};
use serde_json::Value;
use world::World;

use crate::{
    http::{Answer, Backend, Method, Operation, Outcome},
    telemetry::Metrics,
};

/// The service behind the HTTP layer.
pub(super) struct Service {
    pub(super) world: World,
    pub(super) engine: Engine,
    pub(super) api: Api,
    pub(super) books: Option<Arc<dyn Books>>,
    pub(super) metrics: Metrics,
}

impl Backend for Service {
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Caller, Fault>> {
        self.engine.authenticate(bearer).boxed()
    }

    fn execute<'a>(&'a self, caller: &'a Caller, operation: Operation) -> BoxFuture<'a, Answer> {
        async move {
            let Operation { query, name: operation_name, variables, key, method } = operation;
            let request = Request { query, operation_name, variables };
            let method = match method {
                Method::Get => graphql::Method::Get,
                Method::Post => graphql::Method::Post,
            };
            let response = self.api.execute(caller, &request, key, method).await;
            let outcome = match response.kind {
                Kind::Executed => Outcome::Executed,
                Kind::Rejected(code) => Outcome::Rejected(code),
                Kind::MutationByGet => Outcome::MutationByGet,
            };
            Answer {
                outcome,
                body: response.body,
                replayed: response.replayed,
                operation: response.operation,
                code: response.code,
            }
        }
        .boxed()
    }

    fn returned<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Returned> {
        self.engine.returned(token).boxed()
    }

    fn check(&self) -> BoxFuture<'_, bool> {
        async move {
            let checked = self.engine.check().await;
            if let Err(error) = &checked {
                tracing::warn!(%error, "a database does not answer");
            }
            checked.is_ok()
        }
        .boxed()
    }

    fn books<'a>(&'a self, team: TeamId, reference: Option<&'a str>) -> BoxFuture<'a, Option<Value>> {
        async move {
            let books = self.books.as_ref()?;
            match read_books(books.as_ref(), reference, self.world.now()).await {
                Ok(books) => self.without_others(team, books).await,
                Err(error) => {
                    tracing::warn!(%error, "the simulator's books can't be read");
                    None
                }
            }
        }
        .boxed()
    }

    fn metrics(&self) -> String {
        self.metrics.render()
    }
}

impl Service {
    /// The entries that are not another team's: the team's own, and those that no payment explains, since finding such is
    /// what the books are read for.
    async fn without_others(&self, team: TeamId, mut books: Value) -> Option<Value> {
        let entries = books.get_mut("entries")?.as_array_mut()?;
        let mut own = Vec::with_capacity(entries.len());
        for entry in std::mem::take(entries) {
            let reference = entry.get("reference").and_then(Value::as_str).and_then(connector::Reference::parse);
            let is_others = match reference {
                Some((payment, _)) => self.engine.is_another_teams(team, payment).await.ok()?,
                None => false,
            };
            if !is_others {
                own.push(entry);
            }
        }
        *entries = own;
        Some(books)
    }
}
