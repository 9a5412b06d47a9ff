//! The sandbox's start page: what is where, for whoever opens the address in a browser.

use axum::response::Response;
use http::{HeaderMap, StatusCode, header};

use crate::pages::{Html, page};

/// The endpoint.
const API: &str = "/api/graphql";

/// The page, also `GET /` of a sandbox. It loads nothing and runs nothing.
pub(super) fn shown() -> Response {
    let body = Html::new()
        .paragraph(
            "This is a sandbox of Pointsman: a payments service with a simulated processor. No money moves here.",
        )
        .facts(&[
            ("API", "POST /api/graphql, GraphQL in JSON"),
            ("Credential", "the header Authorization: Bearer sk_test_…, the key that the first start printed"),
            ("Schema", "pointsman schema prints it; with a key, introspection gives it too"),
            ("In an IDE", "give Apollo Sandbox, Altair or Insomnia the address of the API and that header"),
            ("Books", "/sandbox/books, with the key: what the simulated processor charged"),
            ("Health", "/health/live and /health/ready"),
            ("Metrics", "/metrics"),
            ("Documentation", "README.md and docs/ of the project; test cards are in docs/sandbox.md"),
        ])
        .paragraph("A first request, in a shell:")
        .code(&format!(
            "curl -s http://localhost:8080{API} -H 'Authorization: Bearer sk_test_…' -H 'Content-Type: application/json' \
             -d '{{\"query\":\"{{ listPayments(first: 5) {{ edges {{ node {{ id status }} }} }} }}\"}}'"
        ));
    page(StatusCode::OK, "Pointsman, sandbox", &body)
}

/// Whether a browser asks to look at the address, as opposed to a client that sends a query to it.
pub(super) fn is_a_look(method: &http::Method, query: Option<&str>, headers: &HeaderMap) -> bool {
    let asks_for_html = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("text/html"));
    *method == http::Method::GET && query.is_none_or(str::is_empty) && asks_for_html
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_browser_without_a_query_gets_the_page() {
        let headers = |accept: &'static str| {
            HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))])
        };
        let browser = headers("text/html,application/xhtml+xml,*/*;q=0.8");
        let get = http::Method::GET;
        assert!(is_a_look(&get, None, &browser));
        assert!(!is_a_look(&get, Some("query={a}"), &browser));
        assert!(!is_a_look(&http::Method::POST, None, &browser));
        assert!(!is_a_look(&get, None, &headers("application/json")));
        assert!(!is_a_look(&get, None, &HeaderMap::new()));
    }
}
