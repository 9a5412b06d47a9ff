//! The documents of the SDK's frame, and where customers come back to from a bank's page.
//!
//! None of them sets a cookie or holds anything of a team; the credential reaches a frame by its channel, never by its
//! address.

use std::{io::Write as _, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::caller::Mode;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use web::sdk::{Assets, Refused, Surface};

use super::{
    super::web::Web,
    embedder::{Embedders, Refusal},
    files::{SharingDecided, labelled, manifest, takes_gzip},
};

/// A frame's document may be kept for so long by the browser that asked for it.
const SHORTLY: HeaderValue = HeaderValue::from_static("private, max-age=300");
pub(super) const NEVER: HeaderValue = HeaderValue::from_static("no-store");
/// Payments and passkeys stay possible: wallets and issuers need them.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()",
);

/// What a document of ours may load, and who may show it in a frame. Nothing inline runs, nothing is written into the page
/// as text of HTML (Trusted Types), and no form is ever sent by the browser itself: without our script a card number stays
/// where it was typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Policy<'a> {
    /// Whose pages may show it; nobody's when empty.
    pub(crate) ancestors: &'a str,
    /// What it may show in frames; nothing when empty.
    pub(crate) frames: &'a str,
    /// An origin whose pictures it shows besides its own.
    pub(crate) pictures: &'a str,
    /// The nonce of inline styles, where wallet A's network runs its script; empty where nobody else's script runs.
    pub(crate) network_nonce: &'a str,
}

/// What the script of wallet A's network loads and makes. Source for the nonce: `PaymentOptions` of the Google Pay API for the web,
/// as adyen-web's pull request 4173 uses it.
struct Network {
    scripts: &'static str,
    pictures: &'static str,
    connections: &'static str,
    frames: &'static str,
    /// The network's script has policies of its own for Trusted Types, under names that it does not publish.
    trusted_types: &'static str,
}

const NO_NETWORK: Network = Network {
    scripts: "",
    pictures: "",
    connections: "",
    frames: "",
    trusted_types: "'none'",
};

const WALLET_A: Network = Network {
    scripts: " https://pay.google.com",
    pictures: " https://www.gstatic.com",
    connections: " https://pay.google.com https://google.com",
    frames: " https://pay.google.com",
    trusted_types: "*",
};

impl Policy<'_> {
    fn header(&self) -> HeaderValue {
        let or_none = |sources: &str| match sources.trim() {
            "" => "'none'".to_owned(),
            sources => sources.to_owned(),
        };
        let (network, styles) = match self.network_nonce {
            "" => (NO_NETWORK, String::new()),
            nonce => (WALLET_A, format!(" 'nonce-{nonce}'")),
        };
        let text = format!(
            "default-src 'none'; script-src 'self'{}; style-src 'self'{styles}; img-src {}{}; connect-src 'self'{}; \
             frame-src {}{}; form-action 'none'; base-uri 'none'; frame-ancestors {}; require-trusted-types-for 'script'; \
             trusted-types {}",
            network.scripts,
            format!("'self' {}", self.pictures).trim_end(),
            network.pictures,
            network.connections,
            or_none(self.frames),
            network.frames,
            or_none(self.ancestors),
            network.trusted_types,
        );
        HeaderValue::from_str(&text).unwrap_or(STRICTEST)
    }
}

/// Where an origin can't stand in a header.
const STRICTEST: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Gives a page the policy of a document of ours.
pub(crate) fn with_policy(status: StatusCode, text: String, policy: &Policy<'_>) -> Response {
    let mut response = (status, Body::from(text)).into_response();
    let headers = response.headers_mut();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, html);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.header());
    headers.insert("permissions-policy", PERMISSIONS);
    headers.insert("origin-agent-cluster", HeaderValue::from_static("?1"));
    // Merchants open pages in windows of their own, and a page in a window tells the one that opened it that it is over.
    let none = HeaderValue::from_static("unsafe-none");
    headers.insert("cross-origin-opener-policy", none);
    response.extensions_mut().insert(SharingDecided);
    labelled(response)
}

/// The addresses of a page of our own: its script, and the style of the form with what stands around it.
pub(crate) fn page_assets(script: &str) -> Assets {
    let style = manifest().and_then(|manifest| manifest.address("hosted.css"));
    Assets {
        style: style.unwrap_or_default(),
        ..assets(script)
    }
}

/// The addresses of a document's script and style.
pub(super) fn assets(script: &str) -> Assets {
    let address = |name| {
        let found = manifest().and_then(|manifest| manifest.address(name));
        found.unwrap_or_default()
    };
    Assets {
        script: address(script),
        style: address(match script {
            // Pages of our own.
            "hosted.js" | "message.js" => "hosted.css",
            _ => "frame.css",
        }),
        nonce: String::new(),
    }
}

/// The mode as pages know it.
pub(crate) const fn mode(web: &Web) -> web::sdk::Mode {
    match web.rules.mode {
        Mode::Test => web::sdk::Mode::Test,
        Mode::Live => web::sdk::Mode::Live,
    }
}

/// `GET /sdk/v1/frame/card`: the card fields alone.
pub(super) async fn card(State(web): State<Arc<Web>>, uri: Uri, headers: HeaderMap) -> Response {
    compressed(frame(&web, &uri, Surface::Card).await, &headers).await
}

/// `GET /sdk/v1/frame/checkout`: the whole checkout.
pub(super) async fn checkout(
    State(web): State<Arc<Web>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    compressed(frame(&web, &uri, Surface::Checkout).await, &headers).await
}

/// The document, compressed where the browser takes it: it counts before a card can be typed in. Only for what holds no secret.
async fn compressed(response: Response, request: &HeaderMap) -> Response {
    let (mut parts, body) = response.into_parts();
    let vary = HeaderValue::from_static("accept-encoding");
    parts.headers.insert(header::VARY, vary);
    if !takes_gzip(request) {
        return Response::from_parts(parts, body);
    }
    // It is in memory already.
    let Ok(text) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    match encoder.write_all(&text).and_then(|()| encoder.finish()) {
        Ok(zipped) => {
            let gzip = HeaderValue::from_static("gzip");
            parts.headers.insert(header::CONTENT_ENCODING, gzip);
            Response::from_parts(parts, Body::from(zipped))
        }
        Err(_) => Response::from_parts(parts, Body::from(text)),
    }
}

async fn frame(web: &Web, uri: &Uri, surface: Surface) -> Response {
    let embedders = match Embedders::of(uri.query(), web).await {
        Ok(embedders) => embedders,
        Err(refusal) => return embedded(refused(&refusal)),
    };
    let script = match surface {
        Surface::Card => "card.js",
        Surface::Checkout => "checkout.js",
        Surface::Hosted => "hosted.js",
    };
    let text = web::sdk::frame(
        surface,
        &assets(script),
        mode(web),
        embedders.shop(),
        web.service.engine.has_hosted_fields(),
    );
    let policy = Policy {
        ancestors: &embedders.listed(),
        // The document of a processor's own fields.
        frames: "'self'",
        ..Policy::default()
    };
    let mut response = embedded(with_policy(StatusCode::OK, text, &policy));
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, SHORTLY);
    response
}

/// `GET /sdk/v1/frame/challenge`: the inside of the dialog in which an issuer asks the customer. It shows the issuer's page
/// in a frame, so that the merchant's own policy needs nothing but our origin.
pub(super) async fn challenge(State(web): State<Arc<Web>>, uri: Uri) -> Response {
    let embedders = match Embedders::of(uri.query(), &web).await {
        Ok(embedders) => embedders,
        Err(refusal) => return embedded(refused(&refusal)),
    };
    let text = web::sdk::challenge(&assets("challenge.js"), mode(&web), embedders.shop());
    let frames = match web.rules.mode {
        Mode::Live => "https:",
        Mode::Test => "https: 'self' http://localhost:* http://127.0.0.1:*",
    };
    let policy = Policy {
        ancestors: &embedders.listed(),
        frames,
        ..Policy::default()
    };
    let mut response = embedded(with_policy(StatusCode::OK, text, &policy));
    // An issuer's page sends no such header, and could not be shown within one that asks for it.
    response
        .headers_mut()
        .remove("cross-origin-embedder-policy");
    response.headers_mut().insert(header::CACHE_CONTROL, NEVER);
    response
}

/// `GET` or `POST /sdk/v1/return`: where the customer comes back to. It decides nothing: it tells the page around it, or
/// the one that opened it, to ask the service. Everybody who comes is answered, since a customer stands in front of it; the shop's
/// page learns of it only when its origin is allowed.
pub(super) async fn back(State(web): State<Arc<Web>>, uri: Uri) -> Response {
    let embedders = Embedders::of(uri.query(), &web).await.ok();
    let shop = embedders.as_ref().map_or("", Embedders::shop);
    let text = web::sdk::back(&assets("return.js"), mode(&web), shop);
    let around = embedders.as_ref().map(Embedders::listed);
    let ancestors = format!("'self' {}", around.unwrap_or_default());
    let policy = Policy {
        ancestors: &ancestors,
        ..Policy::default()
    };
    let mut response = with_policy(StatusCode::OK, text, &policy);
    response.headers_mut().insert(header::CACHE_CONTROL, NEVER);
    response
}

/// What a frame's document needs to be shown by a page of another origin, also by one that is isolated from others.
pub(super) fn embedded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let cross = HeaderValue::from_static("cross-origin");
    headers.insert("cross-origin-resource-policy", cross);
    let required = HeaderValue::from_static("require-corp");
    headers.insert("cross-origin-embedder-policy", required);
    response
}

/// The page in place of a frame that is not served. Anybody may show it: it names the setting to the people who build the shop.
pub(super) fn refused(refusal: &Refusal) -> Response {
    let (status, page) = match refusal {
        Refusal::Missing => (StatusCode::BAD_REQUEST, Refused::Missing),
        Refusal::Malformed => (StatusCode::BAD_REQUEST, Refused::Malformed),
        Refusal::NotAllowed(origin) => (StatusCode::FORBIDDEN, Refused::NotAllowed { origin }),
        Refusal::Unknown => (StatusCode::SERVICE_UNAVAILABLE, Refused::Unknown),
    };
    let text = web::sdk::refused(page, &assets("card.js").style);
    let policy = Policy {
        ancestors: "*",
        ..Policy::default()
    };
    with_policy(status, text, &policy)
}
