//! The edge: what every request and every response has, whichever handler it is for.

use std::{
    net::{IpAddr, SocketAddr},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use domain::{audit::Source, network::Network};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use tracing::{Instrument, field};
use world::Stopwatch;

use super::{
    envelope::{Envelope, Media, ResponseLabels},
    head,
    left_over::LeftOver,
    origins::{Origins, Verdict},
    page_reports,
    request_id::{self, RequestId},
    sdk::SharingDecided,
    web::Web,
};
use crate::{
    config::IpRange,
    log::ACCESS,
    pages::{frame, is_unframed},
};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// What no response lacks. Nothing may be kept by a cache; what brings no content policy of its own is no page, and may
/// not be framed, loaded by other sites, or share a window's group with them.
const HEADERS: [(HeaderName, HeaderValue); 7] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static(
            "camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), usb=()",
        ),
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Gives the request its id, lets the handler answer, and finishes the answer.
pub(super) async fn edge(
    State(web): State<Arc<Web>>,
    mut request: Request,
    next: Next,
) -> Response {
    let watch = Stopwatch::start();
    let id = RequestId::of(request.headers(), &web.world);
    let origin = request.headers().get(header::ORIGIN).cloned();
    // At the highest level, so that lines of every level have it; it writes no line of its own.
    let span = tracing::error_span!(
        "request",
        request_id = id.text(),
        team = field::Empty,
        credential = field::Empty,
        operations = field::Empty,
        payment.id = field::Empty,
    );
    let client = client_of(&request, &web.rules.trusted_proxies);
    let left = LeftOver::of(&mut request);
    let mut response = if let Err(refused) = head::check(&request) {
        closing(refused.answer(Media::Json))
    } else if let Some(answer) = page_reports::preflight(&request) {
        answer
    } else if Origins::is_preflight(request.method(), request.headers()) {
        preflight(&web, origin.as_ref()).await
    } else {
        let verdict = Verdict::default();
        request.extensions_mut().insert(verdict.clone());
        request.extensions_mut().insert(id.clone());
        let answered = AssertUnwindSafe(next.run(request))
            .catch_unwind()
            .instrument(span.clone())
            .await;
        let mut response =
            answered.unwrap_or_else(|_panic| Envelope::defect(id.text()).answer(Media::Json));
        if response.extensions().get::<SharingDecided>().is_none() {
            web.rules
                .origins
                .permit(origin.as_ref(), verdict.said(), response.headers_mut());
        }
        response
    };
    if let Some(left) = left
        && !left.read_away(&web.world, web.rules.body).await
    {
        response = closing(response);
    }
    if is_unframed(&response) {
        frame(&mut response, &web.rules.frames);
    }
    finish(&web, &id, response.headers_mut());
    let labels = response
        .extensions()
        .get::<ResponseLabels>()
        .copied()
        .unwrap_or(ResponseLabels {
            operation: "none",
            code: "ok",
        });
    let elapsed = watch.elapsed();
    measure(labels, elapsed.as_secs_f64());
    let line = AccessLine {
        labels,
        status: response.status(),
        elapsed,
        client,
    };
    span.in_scope(|| line.write(web.rules.slow_request));
    response
}

/// The answer to a browser's question before the real request.
async fn preflight(web: &Web, origin: Option<&HeaderValue>) -> Response {
    let listed = match (&web.rules.origins, text(origin)) {
        (Origins::Listed(_), Some(origin)) => {
            let known = web.service.engine.is_an_origin(origin).await;
            known.unwrap_or(false)
        }
        (Origins::Listed(_), None) | (Origins::Any, _) => false,
    };
    web.rules.origins.preflight(origin, listed)
}

fn text(header: Option<&HeaderValue>) -> Option<&str> {
    header.and_then(|header| header.to_str().ok())
}

/// The last response of its connection.
fn closing(mut response: Response) -> Response {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// The line that the log gets for each request. Team, credential and payment are the span's.
struct AccessLine {
    labels: ResponseLabels,
    status: StatusCode,
    elapsed: Duration,
    client: Option<IpAddr>,
}

impl AccessLine {
    /// A warning when the request was slow; of probes and scrapes only for those who debug.
    fn write(&self, slow: Option<Duration>) {
        // A macro, since the level of a line is fixed where it is written.
        macro_rules! line {
            ($level:ident, $message:literal) => {
                tracing::$level!(
                    target: ACCESS,
                    operation = self.labels.operation,
                    code = self.labels.code,
                    status = self.status.as_u16(),
                    duration_ms = u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
                    client = self.client.map(field::display),
                    $message
                )
            };
        }
        if slow.is_some_and(|slow| self.elapsed >= slow) {
            line!(warn, "answered slowly");
        } else if matches!(self.labels.operation, "health" | "metrics") {
            line!(debug, "answered");
        } else {
            line!(info, "answered");
        }
    }
}

fn finish(web: &Web, id: &RequestId, headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(value);
    }
    if web.rules.https {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    if let Some(id) = id.header() {
        headers.insert(request_id::HEADER, id);
    }
    if web.is_draining() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
}

fn measure(labels: ResponseLabels, seconds: f64) {
    let ResponseLabels { operation, code } = labels;
    metrics::counter!("pointsman_http_requests_total", "operation" => operation, "code" => code)
        .increment(1);
    metrics::histogram!("pointsman_http_request_duration_seconds", "operation" => operation)
        .record(seconds);
}

/// The client's address: the peer's, or what trusted proxies say of it.
pub(super) fn client_of(request: &Request, trusted: &[IpRange]) -> Option<IpAddr> {
    let peer = request.extensions().get::<SocketAddr>()?.ip();
    Some(behind(peer, request.headers(), trusted))
}

/// Where the request comes from, as the audit trail records it.
pub(super) fn source_of(request: &Request, trusted: &[IpRange]) -> Source {
    let id = request.extensions().get::<RequestId>();
    Source {
        address: client_of(request, trusted),
        request: id.map(|id| id.text().into()),
    }
}

/// The client's network. A proxy's own address is nobody's.
pub(super) fn network_of(request: &Request, trusted: &[IpRange]) -> Option<Network> {
    let address = client_of(request, trusted)?.to_canonical();
    let is_proxy = trusted.iter().any(|range| range.contains(address));
    (!is_proxy).then(|| Network::from(address))
}

/// The nearest address of the chain that is not a trusted proxy's own.
fn behind(peer: IpAddr, headers: &HeaderMap, trusted: &[IpRange]) -> IpAddr {
    let is_trusted = |address: IpAddr| {
        trusted
            .iter()
            .any(|range| range.contains(address.to_canonical()))
    };
    let lines: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .collect();
    let mut nearest = peer;
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        if !is_trusted(nearest) {
            break;
        }
        match hop.trim().parse() {
            Ok(address) => nearest = address,
            Err(_) => break,
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sandbox, Settings, Sources};

    fn client(peer: &str, forwarded: &'static str) -> String {
        let environment = vec![(
            "POINTSMAN_SERVER__TRUSTED_PROXIES".to_owned(),
            "10.0.0.0/8".to_owned(),
        )];
        let settings = Settings::load(
            Sources {
                environment,
                ..Sources::default()
            },
            Sandbox::Open,
        )
        .unwrap();
        let headers = HeaderMap::from_iter([(FORWARDED_FOR, HeaderValue::from_static(forwarded))]);
        behind(
            peer.parse().unwrap(),
            &headers,
            &settings.server.trusted_proxies,
        )
        .to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client("10.0.0.1", "198.51.100.7"), "198.51.100.7");
        assert_eq!(client("192.0.2.1", "198.51.100.7"), "192.0.2.1");
        assert_eq!(
            client("10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2"),
            "198.51.100.7"
        );
        assert_eq!(client("10.0.0.1", "garbage"), "10.0.0.1");
    }
}
