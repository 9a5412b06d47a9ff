//! `POST /page-reports/{token}`: browsers report what the policy of a merchant's page did not let happen.
//!
//! They send no credential, and from any origin: the address says which page it is, and nothing is answered but that it was taken.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::{IntoResponse, Response},
};
use domain::{Code, Fault, page_guard::ReportFormat};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::{
    body,
    edge::network_of,
    envelope::{Envelope, Media, ResponseLabels},
    origins::Origins,
    web::Web,
};

/// Where browsers send reports; the page's token follows.
const PATH: &str = "/page-reports/";

/// The largest body: a browser sends some reports together. Unit: bytes.
const BODY: usize = 64 * 1024;

/// Takes reports.
pub(super) async fn take(
    State(web): State<Arc<Web>>,
    token: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(token)) = token else {
        return Envelope::malformed(Code::Validation, "The address has a broken escape.")
            .answer(Media::Json);
    };
    let work = taken(&web, &token, request).boxed();
    let answered = web.world.timeout(web.rules.request_timeout, work).await;
    let answered = answered.unwrap_or_else(|_elapsed| Err(Envelope::of(Fault::unavailable())));
    let mut response = match answered {
        Ok(()) => {
            let mut response = StatusCode::NO_CONTENT.into_response();
            response.extensions_mut().insert(ResponseLabels {
                operation: "page_report",
                code: "ok",
            });
            response
        }
        Err(envelope) => envelope.answer(Media::Json),
    };
    // The merchant's page is of another origin: its browser would print each answer as blocked.
    let cross = HeaderValue::from_static("cross-origin");
    response
        .headers_mut()
        .insert("cross-origin-resource-policy", cross);
    response
}

async fn taken(web: &Arc<Web>, token: &str, request: Request) -> Result<(), Envelope> {
    let Some(_working) = web.begin() else {
        return Err(Envelope::of(Fault::unavailable()));
    };
    let Some(format) = format_of(request.headers()) else {
        let message = "The body must be application/csp-report or application/reports+json.";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Envelope::new(status, Code::Validation, message));
    };
    let engine = &web.service.engine;
    let network = network_of(&request, &web.rules.trusted_proxies);
    let admitted = engine.admit_page_reporter(token, network);
    let address = if admitted.map_err(Envelope::of)? {
        engine.report_address(token).await.map_err(Envelope::of)?
    } else {
        None
    };
    let Some(address) = address else {
        let message = "No page has this address for reports.";
        return Err(Envelope::new(
            StatusCode::NOT_FOUND,
            Code::Validation,
            message,
        ));
    };
    engine
        .admit_page_report(&address, network)
        .map_err(Envelope::of)?;
    let bytes = body::read(request.into_body(), BODY).await?;
    // The parser's own words may quote the body.
    let said = serde_json::from_slice(&bytes)
        .map_err(|_| Envelope::malformed(Code::Validation, "The body is no JSON."))?;
    let counted = engine.take_page_reports(&address, format, &said).await;
    counted.map_err(Envelope::of)
}

fn format_of(headers: &HeaderMap) -> Option<ReportFormat> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let media = text.split(';').next().unwrap_or_default().trim();
    match media.to_ascii_lowercase().as_str() {
        "application/csp-report" => Some(ReportFormat::Single),
        "application/reports+json" => Some(ReportFormat::Several),
        _ => None,
    }
}

/// The answer to a browser's question whether a page of any origin may send reports; `None` for a request to another address.
/// A merchant's page reports here whether or not it may call the API.
pub(super) fn preflight(request: &Request) -> Option<Response> {
    let asks = Origins::is_preflight(request.method(), request.headers());
    if !asks || !request.uri().path().starts_with(PATH) {
        return None;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, Method::POST.as_str()),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    Some(response)
}
