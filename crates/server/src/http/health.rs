//! Health and metrics.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{Code, Timestamp};
use engine::Engine;
use http::{HeaderValue, StatusCode, header};
use parking_lot::Mutex;
use vault::VaultError;
use world::Elapsed;

use super::{
    envelope::{Envelope, Media, ResponseLabels, json_answer},
    web::Web,
};

/// Why a node is not ready whose databases do not answer.
const NO_DATABASE: &str = "a database does not answer";
/// The answer takes no longer. Databases have less time, and `server.ready_patience` comes on top of that.
const PATIENCE: Duration = Duration::from_secs(4);

/// Databases that take longer than this to answer are away.
const LOOK: Duration = Duration::from_secs(2);

/// Since when a database has been away, as far as readiness asked.
pub(super) struct Away {
    patience: Duration,
    since: Mutex<Option<Timestamp>>,
}

impl Away {
    /// A database that is away for less than `patience` makes no node unready.
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

/// The process lives.
pub(super) async fn live() -> Response {
    json_answer(StatusCode::OK, "health", r#"{"status":"live"}"#.to_owned())
}

/// The service takes work: it is not stopping, its databases answer and can be written to, and its keys are the vault's.
pub(super) async fn ready(State(web): State<Arc<Web>>) -> Response {
    match readiness(&web).await {
        Ok(()) => json_answer(StatusCode::OK, "health", r#"{"status":"ready"}"#.to_owned()),
        Err(why) => not_ready(why),
    }
}

/// Whether the node takes work, else why not. The gauge says the same from then on.
async fn readiness(web: &Web) -> Result<(), &'static str> {
    let ready = if web.is_leaving() {
        Err("stopping")
    } else {
        match web.world.timeout(PATIENCE, check(web)).await {
            Ok(checked) => checked,
            Err(Elapsed) => Err(NO_DATABASE),
        }
    };
    metrics::gauge!("pointsman_ready").set(if ready.is_ok() { 1.0 } else { 0.0 });
    ready
}

/// Whether payments can be taken; else why not, in words without secrets.
async fn check(web: &Web) -> Result<(), &'static str> {
    let looked = web.world.timeout(LOOK, look(&web.service.engine)).await;
    let found = looked.unwrap_or(Err(NO_DATABASE));
    if found == Err(NO_DATABASE) {
        return web.away.wait_out(web.world.now());
    }
    web.away.is_there();
    found
}

/// Whether the databases answer and the keys are theirs.
async fn look(engine: &Engine) -> Result<(), &'static str> {
    if let Err(error) = engine.check().await {
        tracing::warn!(%error, "a database is away");
        return Err(NO_DATABASE);
    }
    engine.vault().check().await.map_err(|error| {
        tracing::warn!(%error, "the vault is not to be used");
        match error {
            VaultError::NoKey(_) | VaultError::WrongKey(_) => {
                "its key file is not what the vault is sealed with"
            }
            _ => NO_DATABASE,
        }
    })
}

fn not_ready(why: &str) -> Response {
    let mut response = Envelope::new(
        StatusCode::SERVICE_UNAVAILABLE,
        Code::Unavailable,
        format!("Not ready: {why}."),
    )
    .answer(Media::Json);
    response.extensions_mut().insert(ResponseLabels {
        operation: "health",
        code: Code::Unavailable.text(),
    });
    response
}

/// What is measured, in the text format of Prometheus.
pub(super) async fn metrics(State(web): State<Arc<Web>>) -> Response {
    // A scraper need not probe.
    let _ = readiness(&web).await;
    let mut response = (StatusCode::OK, Body::from(web.service.metrics.render())).into_response();
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response.extensions_mut().insert(ResponseLabels {
        operation: "metrics",
        code: "ok",
    });
    response
}
