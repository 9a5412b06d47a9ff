//! `/api/graphql`, as the GraphQL-over-HTTP draft describes it.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use domain::{Code, Fault, Timestamp, audit::Source, caller::Caller, network::Network};
use futures_util::FutureExt;
use graphql::{Execution, Method};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::{
    body,
    edge::{network_of, source_of},
    envelope::{Envelope, Media, ResponseLabels, status_of},
    key, media,
    origins::Verdict,
    parameters::Parameters,
    request_id::RequestId,
    start_page, streams,
    web::Web,
};
use crate::pages;

/// Tells that a result was remembered.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The methods that the endpoint takes.
const METHODS: &str = "GET, POST, OPTIONS";

/// The request's own time less this is the engine's, so that its answer still reaches the client.
pub const ANSWERING: Duration = Duration::from_secs(1);

/// How much longer an answer is waited for by a process that may have been stopped.
const STOPPED: Duration = Duration::from_millis(500);

/// Answers a GraphQL request, within its time, whatever happens.
pub(super) async fn endpoint(
    State(web): State<Arc<Web>>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Response {
    if web.rules.sandbox
        && start_page::is_a_look(request.method(), request.uri().query(), request.headers())
    {
        let address = start_page::address_of(&request, web.rules.https);
        return pages::start(&address);
    }
    if streams::is_wanted(request.headers()) {
        return streams::answer(&web, request).await;
    }
    let accepted = media::acceptable(request.headers());
    let media = accepted.unwrap_or(Media::Json);
    let end_by = web.world.now().after(web.rules.request_timeout);
    let work = answer(&web, accepted, request, end_by);
    bounded(&web, &id, media, work).await
}

/// The answer that some work leads to: within a request's time, whatever happens.
pub(super) async fn bounded(
    web: &Web,
    id: &RequestId,
    media: Media,
    work: impl Future<Output = Result<graphql::Response, Envelope>>,
) -> Response {
    let mut work = Box::pin(AssertUnwindSafe(work).catch_unwind());
    let world = &web.world;
    let mut ended = world.timeout(web.rules.request_timeout, &mut work).await;
    if ended.is_err() {
        // A process that was stopped finds all its times over at once: what is executed names what it has made in a moment.
        ended = world.timeout(STOPPED, &mut work).await;
    }
    match ended {
        Ok(Ok(Ok(answer))) => respond(answer, media),
        Ok(Ok(Err(envelope))) => envelope_response(envelope, media),
        Ok(Err(_panic)) => defect(id, media),
        Err(_elapsed) => {
            tracing::warn!("a request ran out of time");
            // What is executed ends in time by itself: this came before, or the machine is very slow.
            let message = "The request did not end in time. Look whether it took effect before you send it again, or send it \
                           again under the same idempotency key.";
            // Not 503: that says that nothing was begun, and a balancer may repeat it elsewhere.
            Envelope::new(StatusCode::GATEWAY_TIMEOUT, Code::Unavailable, message).answer(media)
        }
    }
}

async fn answer(
    web: &Arc<Web>,
    accepted: Option<Media>,
    request: Request,
    end_by: Timestamp,
) -> Result<graphql::Response, Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let method = method_of(request.method())?;
    if accepted.is_none() {
        let message = "Answers are application/json or application/graphql-response+json; Accept allows neither.";
        return Err(Envelope::new(
            StatusCode::NOT_ACCEPTABLE,
            Code::GraphqlValidation,
            message,
        ));
    }
    let source = source_of(&request, &web.rules.trusted_proxies);
    let (address, network) = (
        source.address,
        network_of(&request, &web.rules.trusted_proxies),
    );
    let mut caller = caller_of(web, request.headers(), source, network).await?;
    let verdict = request.extensions().get().cloned();
    judge_origin(web, &caller, request.headers(), verdict.as_ref()).await;
    if !caller.is_server() {
        caller.seen_in = address.and_then(|address| web.rules.places.country(address));
    }
    let key = key::idempotency(request.headers());
    let mut request = parameters(web, method, request).await?;
    request.answer_by = Some(end_by.before(ANSWERING));
    let executed = web.service.api.execute(&caller, &request, key, method);
    Ok(Box::pin(executed).await)
}

/// Notes what the caller's team has set about pages of the request's origin.
async fn judge_origin(web: &Web, caller: &Caller, headers: &HeaderMap, verdict: Option<&Verdict>) {
    let origin = headers.get(header::ORIGIN);
    if let (Some(origin), Some(verdict)) = (origin.and_then(|origin| origin.to_str().ok()), verdict)
        && let Ok(settings) = web.service.engine.team_settings(caller.team).await
        && let Some(allowed) = &settings.allowed_origins
    {
        verdict.say(allowed.iter().any(|listed| listed == origin));
    }
}

/// What is asked for.
pub(super) async fn parameters(
    web: &Web,
    method: Method,
    request: Request,
) -> Result<graphql::Request, Envelope> {
    let Parameters {
        query,
        operation_name,
        variables,
    } = match method {
        Method::Get => Parameters::from_address(request.uri().query().unwrap_or_default())?,
        Method::Post => from_body(web, request).await?,
    };
    Ok(graphql::Request {
        query,
        operation_name,
        variables,
        answer_by: None,
    })
}

pub(super) fn method_of(method: &http::Method) -> Result<Method, Envelope> {
    match *method {
        http::Method::GET => Ok(Method::Get),
        http::Method::POST => Ok(Method::Post),
        _ => {
            let message = "GraphQL requests are sent with POST; queries may be sent with GET too.";
            Err(Envelope::new(
                StatusCode::METHOD_NOT_ALLOWED,
                Code::GraphqlValidation,
                message,
            ))
        }
    }
}

async fn from_body(web: &Web, request: Request) -> Result<Parameters, Envelope> {
    if !media::is_json(request.headers()) {
        let message = "The body must be JSON in UTF-8, sent with Content-Type: application/json and not compressed.";
        return Err(Envelope::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::GraphqlValidation,
            message,
        ));
    }
    Parameters::from_body(&body::read(request.into_body(), web.rules.body).await?)
}

/// Who asks, when the credential is good and does not ask too often.
///
/// A browser's credential is everybody's, so it is counted by the networks that it is used from; what they may do together
/// is bounded by the quotas of the engine.
pub(super) async fn caller_of(
    web: &Web,
    headers: &HeaderMap,
    source: Source,
    network: Option<Network>,
) -> Result<Caller, Envelope> {
    let engine = web.service.engine.asked_from(source);
    let Some(bearer) = key::bearer(headers) else {
        engine.note_missing_credential();
        let message = "The request needs one header `Authorization: Bearer <access token>`.";
        return Err(Envelope::of(Fault::new(Code::Unauthorized, message)));
    };
    let mut caller = engine.authenticate(bearer).await.map_err(Envelope::of)?;
    let span = tracing::Span::current();
    span.record("team", tracing::field::display(caller.team));
    span.record("credential", caller.credential.word());
    let asker = if caller.is_server() {
        Some((caller.key, None))
    } else {
        caller.network = network;
        network.map(|network| (caller.key, Some(network)))
    };
    match (&web.rules.rate, asker) {
        (Some(rate), Some(asker)) if !rate.take(asker, web.world.now()) => {
            metrics::counter!("pointsman_http_rate_limited_total", "credential" => caller.credential.word()).increment(1);
            let message = "This credential sends too many requests. Please wait a second.";
            Err(Envelope::of(Fault::new(Code::RateLimited, message)))
        }
        _ => Ok(caller),
    }
}

pub(super) fn respond(answer: graphql::Response, media: Media) -> Response {
    let status = match answer.kind {
        Execution::Executed => StatusCode::OK,
        Execution::MutationByGet => StatusCode::METHOD_NOT_ALLOWED,
        Execution::Rejected(code) => status_of(code).unwrap_or(match media {
            // Older clients read the body of a 200 alone.
            Media::Json => StatusCode::OK,
            Media::GraphqlResponse => StatusCode::BAD_REQUEST,
        }),
    };
    let mut response = (status, Body::from(answer.body)).into_response();
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, media.header());
    if answer.kind == Execution::MutationByGet {
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    if answer.replayed {
        metrics::counter!("pointsman_idempotent_replays_total", "operation" => answer.operation)
            .increment(1);
        response
            .headers_mut()
            .insert(REPLAYED, HeaderValue::from_static("true"));
    }
    let code = answer.code.map_or("ok", Code::text);
    response.extensions_mut().insert(ResponseLabels {
        operation: answer.operation,
        code,
    });
    response
}

fn envelope_response(envelope: Envelope, media: Media) -> Response {
    let mut response = envelope.answer(media);
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static(METHODS));
    }
    response
}

/// A defect of ours. Where errors come with status 200 this one does too; it has been logged by the panic's hook.
fn defect(id: &RequestId, media: Media) -> Response {
    let envelope = Envelope::defect(id.text());
    match media {
        Media::Json => envelope.with_status(StatusCode::OK).answer(media),
        Media::GraphqlResponse => envelope.answer(media),
    }
}
