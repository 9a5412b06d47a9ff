//! What the HTTP layer asks for, answered by the GraphQL interface and the engine.

use std::{sync::Arc, time::Duration};

use connectors::simulator::{BooksError, Page, read_books};
use domain::{Fault, Timestamp, caller::Caller, id::TeamId, network::Network};
use engine::{Engine, Heard, Returned, TokenReturn, Webhook};
use futures_util::{FutureExt, future::BoxFuture};
use graphql::{Api, Kind, Request};
use parking_lot::Mutex;
use serde_json::Value;
use vault::VaultError;
use world::World;

use super::Sandbox;
use crate::{
    http::{Answer, Backend, Method, NO_DATABASE, Operation, Outcome},
    telemetry::Metrics,
};

/// The service behind the HTTP layer.
pub(super) struct Service {
    pub(super) world: World,
    pub(super) engine: Engine,
    pub(super) api: Api,
    pub(super) sandbox: Option<Arc<Sandbox>>,
    pub(super) metrics: Metrics,
    pub(super) away: Away,
}

impl Backend for Service {
    fn authenticate<'a>(&'a self, bearer: &'a str) -> BoxFuture<'a, Result<Caller, Fault>> {
        self.engine.authenticate(bearer).boxed()
    }

    fn allows_origin<'a>(&'a self, team: TeamId, origin: &'a str) -> BoxFuture<'a, Option<bool>> {
        async move {
            let settings = self.engine.team_settings(team).await.ok()?;
            let allowed = settings.allowed_origins.as_ref()?;
            Some(allowed.iter().any(|listed| listed == origin))
        }
        .boxed()
    }

    fn frames<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Vec<String>>> {
        async move {
            let team = engine::team_of_return(token)?;
            let settings = self.engine.team_settings(team).await.ok()?;
            settings.allowed_origins.clone()
        }
        .boxed()
    }

    fn is_an_origin<'a>(&'a self, origin: &'a str) -> BoxFuture<'a, bool> {
        async move { self.engine.is_an_origin(origin).await.unwrap_or(false) }.boxed()
    }

    fn execute<'a>(&'a self, caller: &'a Caller, operation: Operation) -> BoxFuture<'a, Answer> {
        async move {
            let Operation {
                query,
                name: operation_name,
                variables,
                key,
                method,
                end_by,
            } = operation;
            let request = Request {
                query,
                operation_name,
                variables,
                answer_by: Some(end_by.before(super::ANSWERING)),
            };
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

    fn returned<'a>(&'a self, token: &'a str, network: Option<Network>) -> BoxFuture<'a, Returned> {
        self.engine.returned(token, network).boxed()
    }

    fn hear<'a>(
        &'a self,
        caller: &'a Caller,
        name: String,
        said: Value,
    ) -> BoxFuture<'a, Result<Heard, Fault>> {
        async move { self.engine.hear(caller, Webhook::of(name, said)?).await }.boxed()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), &'static str>> {
        async move {
            let looked = self.world.timeout(LOOK, self.look()).await;
            let found = looked.unwrap_or(Err(NO_DATABASE));
            if found == Err(NO_DATABASE) {
                return self.away.wait_out(self.world.now());
            }
            self.away.is_there();
            found
        }
        .boxed()
    }

    fn books<'a>(
        &'a self,
        team: TeamId,
        reference: Option<&'a str>,
    ) -> BoxFuture<'a, Option<Value>> {
        async move {
            let sandbox = self.sandbox.as_ref()?;
            match read_books(sandbox.books.as_ref(), reference, self.world.now()).await {
                Ok(books) => self.without_others(team, books).await,
                Err(error) => {
                    tracing::warn!(%error, "the simulator's books can't be read");
                    None
                }
            }
        }
        .boxed()
    }

    fn sandbox_page<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<Page>, Fault>> {
        async move {
            match &self.sandbox {
                Some(sandbox) => sandbox.simulator.page(token).await.map_err(unreadable),
                None => Ok(None),
            }
        }
        .boxed()
    }

    fn decide_sandbox_page<'a>(
        &'a self,
        token: &'a str,
        pass: bool,
    ) -> BoxFuture<'a, Result<Option<Page>, Fault>> {
        async move {
            match &self.sandbox {
                Some(sandbox) => sandbox
                    .simulator
                    .decide(token, pass)
                    .await
                    .map_err(unreadable),
                None => Ok(None),
            }
        }
        .boxed()
    }

    fn token_return<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<TokenReturn>, Fault>> {
        self.engine.token_return(token).boxed()
    }

    fn metrics(&self) -> String {
        self.metrics.render()
    }
}

/// Databases that take longer than this to answer are away.
const LOOK: Duration = Duration::from_secs(2);

/// Since when a database has been away, as far as readiness asked.
pub(super) struct Away {
    patience: Duration,
    since: Mutex<Option<Timestamp>>,
}

impl Away {
    /// One that is away for less than this is not told.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            since: Mutex::new(None),
        }
    }

    fn is_there(&self) {
        *self.since.lock() = None;
    }

    /// It is away now.
    fn wait_out(&self, now: Timestamp) -> Result<(), &'static str> {
        let since = *self.since.lock().get_or_insert(now);
        // A clock that was set back makes nobody ready for longer.
        if now < since || now.since(since) >= self.patience {
            return Err(NO_DATABASE);
        }
        Ok(())
    }
}

/// The books can't be read or written; trying again is harmless.
#[expect(clippy::needless_pass_by_value, reason = "used to map errors")]
fn unreadable(error: BooksError) -> Fault {
    tracing::warn!(%error, "a page of the simulator's has no answer");
    Fault::unavailable()
}

impl Service {
    /// Whether the databases answer and the keys are theirs.
    async fn look(&self) -> Result<(), &'static str> {
        if let Err(error) = self.engine.check().await {
            tracing::warn!(%error, "a database is away");
            return Err(NO_DATABASE);
        }
        self.engine.vault().check().await.map_err(|error| {
            tracing::warn!(%error, "the vault is not to be used");
            match error {
                VaultError::NoKey(_) | VaultError::WrongKey(_) => {
                    "its key file is not what the vault is sealed with"
                }
                _ => NO_DATABASE,
            }
        })
    }

    /// The entries that are not another team's: the team's own, and those that no payment explains, since finding such is
    /// what the books are read for.
    async fn without_others(&self, team: TeamId, mut books: Value) -> Option<Value> {
        let entries = books.get_mut("entries")?.as_array_mut()?;
        let mut own = Vec::with_capacity(entries.len());
        for entry in std::mem::take(entries) {
            let reference = entry
                .get("reference")
                .and_then(Value::as_str)
                .and_then(connector::Reference::parse);
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
