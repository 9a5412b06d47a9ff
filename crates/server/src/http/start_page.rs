//! Where the sandbox's start page is shown, and what it says of the address.

use axum::extract::Request;
use http::{HeaderMap, header, uri::Authority};

/// The endpoint.
const API: &str = "/api/graphql";

/// A name of DNS has at most 253 characters; a port follows it.
const LONGEST_HOST: usize = 260;

/// Where the API is, as the client of a request sees it: `https` is whether the service is reached by TLS. Where the client does not
/// say it, or says something that is no host and port, the address is left to the reader.
pub(super) fn address_of(request: &Request, https: bool) -> String {
    let scheme = if https { "https" } else { "http" };
    // HTTP/2 has it in the address, HTTP/1.1 in a header.
    let host = match request.uri().authority() {
        Some(authority) => Some(authority.as_str()),
        None => request
            .headers()
            .get(header::HOST)
            .and_then(|host| host.to_str().ok()),
    };
    let host = host.filter(|host| is_host(host)).unwrap_or("ADDRESS");
    format!("{scheme}://{host}{API}")
}

/// Whether a text is a host, with a port or without, and nothing else: it is shown in a command that people paste into a shell.
fn is_host(text: &str) -> bool {
    text.len() <= LONGEST_HOST
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
        && text.parse::<Authority>().is_ok()
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
    fn the_address_is_the_requests_and_nothing_that_a_shell_would_run() {
        let address = |host: &[u8], https| {
            let request = Request::builder()
                .uri("/")
                .header(header::HOST, HeaderValue::from_bytes(host).unwrap())
                .body(axum::body::Body::empty())
                .unwrap();
            address_of(&request, https)
        };
        assert_eq!(
            address(b"127.0.0.1:18080", false),
            "http://127.0.0.1:18080/api/graphql"
        );
        assert_eq!(
            address(b"[::1]:9000", false),
            "http://[::1]:9000/api/graphql"
        );
        assert_eq!(
            address(b"pay.example", true),
            "https://pay.example/api/graphql"
        );
        let long = [b'a'; LONGEST_HOST + 1];
        for bad in [
            &b"a'; rm -rf /; '"[..],
            b"<script>",
            b"user@host",
            b"$(id)",
            b"h\xc3\xa9te",
            b"",
            &long,
        ] {
            assert_eq!(address(bad, false), "http://ADDRESS/api/graphql");
        }
        let from_http_2 = Request::builder()
            .uri("https://shop.example:8443/")
            .body(axum::body::Body::empty())
            .unwrap();
        assert_eq!(
            address_of(&from_http_2, true),
            "https://shop.example:8443/api/graphql"
        );
    }

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
