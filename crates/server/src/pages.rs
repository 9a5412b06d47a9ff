//! Pages for shoppers, as responses. The crate `web` writes them: plain HTML without anything that would have to be loaded.
//!
//! The headers that every response carries are set by `http::edge`. A page replaces only the content policy, and may be
//! framed by the origins that may call the API: merchants show an issuer's challenge, and what comes after it, in a frame of the checkout. No page of ours
//! decides about money by being clicked: a payment is completed on the processor's evidence alone.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};

pub(crate) use web::Html;

use crate::http::ResponseLabels;

/// Nothing may be loaded; the style stands in the page. There is no `form-action`: browsers built on Chromium hold it
/// against every redirect after a form too, and that chain ends at the merchant's own address, which is not ours to know.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'";

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

/// A page with its title, which is its heading too.
pub(crate) fn page(status: StatusCode, title: &str, body: &Html) -> Response {
    let text = web::page(title, body);
    let mut response = (status, Body::from(text)).into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    with_page_headers(response)
}

/// Sends the browser to another address, to be read with `GET` (303). An address that can't stand in a header brings a
/// page that says so: the customer is not left with an empty window.
pub(crate) fn see_other(location: &str) -> Response {
    let Ok(location) = HeaderValue::from_str(location) else {
        let body =
            Html::new().paragraph("The shop's address can't be opened. You may close this page.");
        return page(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Please go back to the shop",
            &body,
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
    let code = if response.status().is_client_error() || response.status().is_server_error() {
        "refused"
    } else {
        "ok"
    };
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
    response.extensions_mut().insert(ResponseLabels {
        operation: "page",
        code,
    });
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn text(response: Response) -> String {
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX)
            .await
            .unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_page_has_a_language_a_title_a_heading_and_no_scripts() {
        let response = page(StatusCode::OK, "Pay <now>", &Html::new().paragraph("10.00"));
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/html; charset=utf-8"
        );
        assert_eq!(response.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
        let listed = Frames::Listed(vec!["https://shop.example".to_owned()]).policy();
        let listed = listed.to_str().unwrap();
        assert!(
            listed.ends_with("; frame-ancestors 'self' https://shop.example"),
            "{listed}"
        );
        let text = text(response).await;
        assert!(
            text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"),
            "{text}"
        );
        assert!(
            text.contains("<title>Pay &#60;now&#62;</title>")
                && text.contains("<h1>Pay &#60;now&#62;</h1>"),
            "{text}"
        );
        assert!(
            text.contains("<p>10.00</p>") && !text.contains("<script"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_redirect_is_a_get_elsewhere_and_never_splits_a_header() {
        let response = see_other("https://shop.example/back?id=1");
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        assert_eq!(
            response.headers()[header::LOCATION],
            "https://shop.example/back?id=1"
        );
        let response = see_other("https://shop.example/\r\nset-cookie: a=b");
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(response.headers().get(header::LOCATION).is_none());
        assert!(text(response).await.contains("close this page"));
    }
}
