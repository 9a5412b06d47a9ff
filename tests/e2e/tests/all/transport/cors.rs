//! Browsers of other origins.

use serde_json::json;
use testkit::http::Request;

use crate::shared;

#[test]
fn in_test_mode_a_browser_of_any_origin_may_ask() {
    let shop = shared::shop();
    let request = shop
        .request("{ __typename }", json!({}), None)
        .header("Origin", "https://shop.example");
    let reply = request.send(shop.address());
    let allowed = reply.header("access-control-allow-origin");
    assert!(
        matches!(allowed, Some("*" | "https://shop.example")),
        "{allowed:?}"
    );
}

#[test]
fn a_preflight_needs_no_credential_and_names_what_clients_send() {
    let reply = Request::new("OPTIONS", "/api/graphql")
        .header("Origin", "https://shop.example")
        .header("Access-Control-Request-Method", "POST")
        .header(
            "Access-Control-Request-Headers",
            "authorization, content-type, x-idempotency-key",
        )
        .send(shared::shop().address());
    assert!(matches!(reply.status, 200 | 204), "{}", reply.status);
    assert!(
        reply
            .header("access-control-allow-methods")
            .is_some_and(|methods| methods.contains("POST"))
    );
    let headers = reply
        .header("access-control-allow-headers")
        .unwrap_or_default()
        .to_ascii_lowercase();
    for name in ["authorization", "content-type", "x-idempotency-key"] {
        assert!(
            headers == "*" || headers.contains(name),
            "{name} is missing: {headers}"
        );
    }
}

#[test]
fn a_browser_may_read_the_headers_that_we_define() {
    let shop = shared::shop();
    let request = shop
        .request("{ __typename }", json!({}), None)
        .header("Origin", "https://shop.example");
    let reply = request.send(shop.address());
    let exposed = reply
        .header("access-control-expose-headers")
        .unwrap_or_default()
        .to_ascii_lowercase();
    for name in ["x-request-id", "idempotency-replayed"] {
        assert!(exposed.contains(name), "{name} is missing: {exposed}");
    }
}

#[test]
fn a_refusal_can_be_read_by_a_browser_too() {
    let stranger = shared::server().stranger();
    let request = stranger
        .request("{ __typename }", json!({}), None)
        .header("Origin", "https://shop.example");
    let reply = request.send(stranger.address());
    assert_eq!(reply.status, 401);
    assert!(reply.header("access-control-allow-origin").is_some());
}
