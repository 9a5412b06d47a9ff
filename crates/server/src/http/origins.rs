//! Cross-origin requests: which pages may call the API from a browser.

use std::sync::{Arc, OnceLock};

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::config::Origin;

/// Headers that scripts may send. The star stands for all others but `Authorization`, which it never covers.
const ALLOWED_HEADERS: &str =
    "authorization, content-type, x-idempotency-key, idempotency-key, x-request-id, *";
/// Headers that scripts may read.
const EXPOSED_HEADERS: &str = "x-request-id, idempotency-replayed, retry-after";
/// How long a browser may remember a preflight's answer, in seconds.
const MAX_AGE: &str = "600";

/// What a team's own list says of a request's origin; found while the request is answered, read when the answer is finished.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict(Arc<OnceLock<bool>>);

impl Verdict {
    /// Notes it; the first word counts.
    pub(super) fn say(&self, allowed: bool) {
        let _ = self.0.set(allowed);
    }

    /// What was noted.
    pub(super) fn said(&self) -> Option<bool> {
        self.0.get().copied()
    }
}

/// The origins that may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origins {
    /// Any.
    Any,
    /// These alone.
    Listed(Vec<Origin>),
}

impl Origins {
    /// Whether the request asks a browser's question before the real request.
    pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
        method == Method::OPTIONS
            && headers.contains_key(header::ORIGIN)
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// The answer to a preflight. An origin that may not call gets none of the permissions.
    /// `listed` says that a team has set it.
    pub(super) fn preflight(&self, origin: Option<&HeaderValue>, listed: bool) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        if self.permit(origin, listed.then_some(true), response.headers_mut()) {
            let headers = response.headers_mut();
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, POST, OPTIONS"),
            );
            headers.insert(
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                HeaderValue::from_static(ALLOWED_HEADERS),
            );
            headers.insert(
                header::ACCESS_CONTROL_MAX_AGE,
                HeaderValue::from_static(MAX_AGE),
            );
        }
        response
    }

    /// Adds what a browser needs to show the response to a page of that origin. False when it may not be shown.
    /// What the team has set counts more than the service's own setting.
    pub(super) fn permit(
        &self,
        origin: Option<&HeaderValue>,
        verdict: Option<bool>,
        headers: &mut HeaderMap,
    ) -> bool {
        let vary = HeaderValue::from_static("origin");
        let allowed = match (verdict, self) {
            (Some(allowed), _) => {
                headers.append(header::VARY, vary);
                match origin.filter(|_| allowed) {
                    Some(origin) => origin.clone(),
                    None => return false,
                }
            }
            (None, Self::Any) => HeaderValue::from_static("*"),
            (None, Self::Listed(listed)) => {
                headers.append(header::VARY, vary);
                match origin.filter(|origin| {
                    listed
                        .iter()
                        .any(|one| one.text().as_bytes() == origin.as_bytes())
                }) {
                    Some(origin) => origin.clone(),
                    None => return false,
                }
            }
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED_HEADERS),
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sandbox, Settings, Sources};

    fn listed() -> Origins {
        let environment = vec![(
            "POINTSMAN_SERVER__ALLOWED_ORIGINS".to_owned(),
            "https://shop.example".to_owned(),
        )];
        let settings = Settings::load(
            Sources {
                environment,
                ..Sources::default()
            },
            Sandbox::Open,
        )
        .unwrap();
        Origins::Listed(settings.server.allowed_origins.unwrap())
    }

    fn allowed(origins: &Origins, origin: &'static str) -> Option<HeaderValue> {
        let response = origins.preflight(Some(&HeaderValue::from_static(origin)), false);
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        let headers = response.headers();
        assert_eq!(
            headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN),
            headers.contains_key(header::ACCESS_CONTROL_ALLOW_HEADERS)
        );
        headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).cloned()
    }

    #[test]
    fn a_listed_origin_may_call_and_no_other() {
        assert_eq!(
            allowed(&listed(), "https://shop.example").unwrap(),
            "https://shop.example"
        );
        for other in [
            "https://evil.example",
            "http://shop.example",
            "https://shop.example.evil.example",
            "null",
        ] {
            assert_eq!(allowed(&listed(), other), None, "{other}");
        }
    }

    #[test]
    fn an_answer_that_depends_on_the_origin_says_so() {
        let mut headers = HeaderMap::new();
        assert!(!listed().permit(None, None, &mut headers));
        assert_eq!(headers.get(header::VARY).unwrap(), "origin");
    }

    #[test]
    fn any_origin_may_call_when_all_may() {
        assert_eq!(
            allowed(&Origins::Any, "https://anywhere.example").unwrap(),
            "*"
        );
    }
}
