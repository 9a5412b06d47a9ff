//! Pages for people, as responses. The crate `web` writes them; they link to its files and to nothing else.
//!
//! The headers that every response carries are set by `http::edge`. A page replaces only the content policy. Pages for shoppers may be
//! framed by the origins that may call the API: merchants show an issuer's challenge, and what comes after it, in a frame of the checkout. No page of ours
//! decides about money by being clicked: a payment is completed on the processor's evidence alone.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};

pub(crate) use web::{
    Language, Text,
    shopper::{Asked, Outcome, Purchase, Reader, Stage, form},
};

use crate::http::ResponseLabels;

/// A page for shoppers loads the style and the mark from its own server, and runs nothing. There is no `form-action`: browsers built on Chromium hold it
/// against every redirect after a form too, and that chain ends at the merchant's own address, which is not ours to know.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'";

/// A page of the sandbox without scripts. Nobody may frame it.
const START_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The explorer runs its own scripts, which can't make markup or scripts out of texts, and calls its own server.
const EXPLORER_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// Who may show a page in a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frames {
    /// Pages of any site: nothing was set, and no money is real.
    Any,
    /// Pages of these origins, and our own.
    Listed(Vec<String>),
}

impl Frames {
    /// The content policy of a page that these may frame.
    pub(crate) fn policy(&self) -> HeaderValue {
        let text = match self {
            Self::Any => POLICY.to_owned(),
            Self::Listed(origins) => {
                let listed = origins.join(" ");
                format!("{POLICY}; frame-ancestors 'self' {listed}")
            }
        };
        HeaderValue::from_str(text.trim_end()).unwrap_or(STRICTEST)
    }
}

/// Where a listed origin can't stand in a header.
const STRICTEST: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The page that says how something ended, or why there is nothing to see.
pub(crate) fn outcome(
    status: StatusCode,
    reader: Reader,
    purchase: &Purchase,
    outcome: &Outcome,
) -> Response {
    let text = web::shopper::outcome(reader, purchase, outcome);
    for_shopper(status, reader, text)
}

/// The page of the simulated bank.
pub(crate) fn errand(reader: Reader, purchase: &Purchase, asked: Asked, stage: Stage) -> Response {
    let text = web::shopper::errand(reader, purchase, asked, stage);
    for_shopper(StatusCode::OK, reader, text)
}

fn for_shopper(status: StatusCode, reader: Reader, text: String) -> Response {
    let mut response = with_page_headers((status, html(text)).into_response());
    let headers = response.headers_mut();
    let language = HeaderValue::from_static(reader.language.code());
    headers.insert(header::CONTENT_LANGUAGE, language);
    response
}

/// The sandbox's overview. `api` is the address of the API.
pub(crate) fn start(api: &str) -> Response {
    of_sandbox(web::sandbox::start(api), START_POLICY)
}

/// The sandbox's explorer of the API.
pub(crate) fn explorer() -> Response {
    of_sandbox(web::sandbox::explorer(), EXPLORER_POLICY)
}

fn of_sandbox(text: String, policy: &'static str) -> Response {
    let mut response = html(text).into_response();
    let policy = HeaderValue::from_static(policy);
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    labelled(response)
}

/// A file that pages link to. It never changes under its address, and holds nothing that a site must not load.
pub(crate) fn file(found: web::File) -> Response {
    let headers = [
        (header::CONTENT_TYPE, found.media_type()),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "cross-origin",
        ),
    ];
    labelled((headers, found.content).into_response())
}

fn html(text: String) -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        Body::from(text),
    )
}

/// Sends the browser to another address, to be read with `GET` (303). An address that can't stand in a header brings a
/// page that says so: the customer is not left with an empty window.
pub(crate) fn see_other(reader: Reader, location: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return outcome(
            status,
            reader,
            &Purchase::default(),
            &Outcome::ShopUnreachable,
        );
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    response.headers_mut().insert(header::LOCATION, location);
    with_page_headers(response)
}

/// Whether a response is a page, whose frames are still to be decided.
pub(crate) fn is_unframed(response: &Response) -> bool {
    let policy = response.headers().get(header::CONTENT_SECURITY_POLICY);
    policy.is_some_and(|policy| policy == POLICY)
}

/// Decides who may show a page in a frame.
pub(crate) fn frame(response: &mut Response, frames: &Frames) {
    let policy = frames.policy();
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
}

fn with_page_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    // Merchants open pages in windows of their own, and watch when they close; and they show them in frames.
    let none = HeaderValue::from_static("unsafe-none");
    headers.insert("cross-origin-opener-policy", none);
    let any = HeaderValue::from_static("cross-origin");
    headers.insert("cross-origin-resource-policy", any);
    labelled(response)
}

fn labelled(mut response: Response) -> Response {
    let status = response.status();
    let code = if status.is_client_error() || status.is_server_error() {
        "refused"
    } else {
        "ok"
    };
    response.extensions_mut().insert(ResponseLabels {
        operation: "page",
        code,
    });
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const READER: Reader = Reader {
        language: Language::German,
        is_test: false,
    };

    async fn text(response: Response) -> String {
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX)
            .await
            .unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_page_has_a_policy_and_the_language_of_its_reader() {
        let nothing = Purchase::default();
        let response = outcome(StatusCode::OK, READER, &nothing, &Outcome::Paid);
        let header = |name| response.headers().get(name).unwrap().to_str().unwrap();
        assert_eq!(header("content-type"), "text/html; charset=utf-8");
        assert_eq!(header("content-language"), "de");
        assert_eq!(header("content-security-policy"), POLICY);
        assert!(!POLICY.contains("unsafe") && !EXPLORER_POLICY.contains("unsafe"));
        let listed = Frames::Listed(vec!["https://shop.example".to_owned()]).policy();
        let listed = listed.to_str().unwrap();
        assert!(
            listed.ends_with("; frame-ancestors 'self' https://shop.example"),
            "{listed}"
        );
        let text = text(response).await;
        assert!(text.contains("<html lang=\"de\">"), "{text}");
    }

    #[tokio::test]
    async fn a_redirect_is_a_get_elsewhere_and_never_splits_a_header() {
        let response = see_other(READER, "https://shop.example/back?id=1");
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        assert_eq!(
            response.headers()[header::LOCATION],
            "https://shop.example/back?id=1"
        );
        let response = see_other(READER, "https://shop.example/\r\nset-cookie: a=b");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().get(header::LOCATION).is_none());
        assert!(text(response).await.contains("diese Seite schließen"));
    }
}
