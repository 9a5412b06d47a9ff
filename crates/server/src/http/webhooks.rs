//! `POST /api/webhooks/{name}`: a merchant's server tells that something has happened which a flow waits for.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use domain::{Code, Fault, bounded::JsonBlob, rights};
use engine::{Inbound, Webhook, WebhookOutcome};
use futures_util::FutureExt;
use http::StatusCode;
use serde_json::{Value, json};

use super::{
    body,
    edge::{network_of, source_of},
    envelope::{Envelope, Media, json_answer, status_of},
    graphql::caller_of,
    media,
    notifications::headers as texts,
    strict::Strict,
    web::Web,
};

/// The largest body. Unit: bytes.
const BODY: usize = 16 * 1024;

/// Takes a webhook.
pub(super) async fn take(
    State(web): State<Arc<Web>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(name)) = name else {
        return Envelope::malformed(Code::Validation, "The address has a broken escape.")
            .answer(Media::Json);
    };
    let work = taken(&web, name, request).boxed();
    let answered = web.world.timeout(web.rules.request_timeout, work).await;
    match answered.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable()))) {
        Ok(answer) => json_answer(StatusCode::ACCEPTED, "webhook", answer.to_string()),
        Err(envelope) => envelope.answer(Media::Json),
    }
}

/// `POST /hooks/{token}/{name}`: the same from the server of a webhook endpoint, signed as Standard Webhooks says.
pub(super) async fn take_signed(
    State(web): State<Arc<Web>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path((token, name))) = path else {
        return Envelope::malformed(Code::Validation, "The address has a broken escape.")
            .answer(Media::Json);
    };
    let work = signed(&web, &token, name, request).boxed();
    let answered = web.world.timeout(web.rules.request_timeout, work).await;
    match answered.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable()))) {
        Ok(answer) => json_answer(StatusCode::ACCEPTED, "webhook", answer.to_string()),
        Err(envelope) => envelope.answer(Media::Json),
    }
}

async fn signed(
    web: &Arc<Web>,
    token: &str,
    name: String,
    request: Request,
) -> Result<Value, Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let engine = &web.service.engine;
    let address = engine.incoming_address(token).await;
    let Some(address) = address.map_err(Envelope::of)? else {
        let message = "No webhook endpoint has this address.";
        let code = Code::Validation;
        return Err(Envelope::new(StatusCode::NOT_FOUND, code, message));
    };
    let headers = texts(request.headers());
    let bytes = body::read(request.into_body(), BODY).await?;
    let inbound = Inbound {
        headers,
        body: bytes.to_vec(),
    };
    let proven = engine.prove_webhook(address, &inbound).await;
    let proven = proven.map_err(envelope)?;
    let webhook = read(name, &bytes)?;
    let outcome = engine.receive_signed_webhook(&proven, webhook).await;
    Ok(answer(outcome.map_err(envelope)?))
}

/// What the body says.
fn read(name: String, bytes: &[u8]) -> Result<Webhook, Envelope> {
    let said = serde_json::from_slice(bytes)
        .map(|Strict(value)| value)
        .map_err(|_| {
            // The parser's own words may quote the body.
            Envelope::malformed(
                Code::Validation,
                "The body is no JSON, or names a member twice.",
            )
        })?;
    let said = JsonBlob::parse_object(said, "body")
        .map_err(envelope)?
        .into_value();
    Webhook::of(name, said).map_err(envelope)
}

fn answer(outcome: WebhookOutcome) -> Value {
    json!({"resumed": outcome.resumed, "started": outcome.started})
}

async fn taken(web: &Arc<Web>, name: String, request: Request) -> Result<Value, Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let network = network_of(&request, &web.rules.trusted_proxies);
    let source = source_of(&request, &web.rules.trusted_proxies);
    let caller = caller_of(web, request.headers(), source, network).await?;
    let engine = web.service.engine.on_behalf_of(&caller);
    engine
        .permit(&caller, rights::WEBHOOK.name)
        .map_err(envelope)?;
    if !media::is_json(request.headers()) {
        let message = "The body must be JSON in UTF-8, sent with Content-Type: application/json.";
        return Err(Envelope::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::Validation,
            message,
        ));
    }
    let bytes = body::read(request.into_body(), BODY).await?;
    let webhook = read(name, &bytes)?;
    let outcome = engine
        .receive_webhook(&caller, webhook)
        .await
        .map_err(envelope)?;
    Ok(answer(outcome))
}

/// A fault with the status that says where it lies.
fn envelope(fault: Fault) -> Envelope {
    let status = match fault.code {
        Code::PaymentNotFound | Code::FlowNotFound => StatusCode::NOT_FOUND,
        Code::Forbidden => StatusCode::FORBIDDEN,
        code => status_of(code).unwrap_or(StatusCode::BAD_REQUEST),
    };
    Envelope::of(fault).with_status(status)
}
