//! Health and metrics.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::Code;
use http::{HeaderValue, StatusCode, header};
use world::Elapsed;

use super::{
    envelope::{Envelope, Media, Told, json_answer},
    web::Web,
};

/// Why a node is not ready whose databases do not answer.
pub const NO_DATABASE: &str = "a database does not answer";
/// The answer takes no longer. Databases have less time, and `server.ready_patience` comes on top of that.
const PATIENCE: Duration = Duration::from_secs(4);

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
        match web.world.timeout(PATIENCE, web.backend.check()).await {
            Ok(checked) => checked,
            Err(Elapsed) => Err(NO_DATABASE),
        }
    };
    metrics::gauge!("pointsman_ready").set(if ready.is_ok() { 1.0 } else { 0.0 });
    ready
}

fn not_ready(why: &str) -> Response {
    let mut response = Envelope::new(
        StatusCode::SERVICE_UNAVAILABLE,
        Code::Unavailable,
        format!("Not ready: {why}."),
    )
    .answer(Media::Json);
    response.extensions_mut().insert(Told {
        operation: "health",
        code: Code::Unavailable.text(),
    });
    response
}

/// What is measured, in the text format of Prometheus.
pub(super) async fn metrics(State(web): State<Arc<Web>>) -> Response {
    // Whoever scrapes need not probe.
    let _ = readiness(&web).await;
    let mut response = (StatusCode::OK, Body::from(web.backend.metrics())).into_response();
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response.extensions_mut().insert(Told {
        operation: "metrics",
        code: "ok",
    });
    response
}
