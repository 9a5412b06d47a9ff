//! Which media types are spoken.

use serde_json::json;
use testkit::http::Reply;

use crate::shared;

const RESPONSE: &str = "application/graphql-response+json";

fn asked_with(accept: Option<&str>, query: &str) -> Reply {
    let shop = shared::shop();
    let mut request = shop.request(query, json!({}), None);
    if let Some(accept) = accept {
        request = request.header("Accept", accept);
    }
    request.send(shop.address())
}

fn media_type(reply: &Reply) -> &str {
    reply.header("content-type").unwrap_or_default()
}

#[test]
fn without_accept_or_with_any_it_is_plain_json() {
    for accept in [
        None,
        Some("*/*"),
        Some("application/json"),
        Some("application/*"),
    ] {
        let reply = asked_with(accept, "{ __typename }");
        assert_eq!(reply.status, 200, "{accept:?}");
        assert!(
            media_type(&reply).starts_with("application/json"),
            "{accept:?}: {}",
            media_type(&reply)
        );
    }
}

#[test]
fn the_type_of_the_draft_is_spoken_when_asked_for() {
    for accept in [
        RESPONSE,
        "application/graphql-response+json; charset=utf-8, application/json; q=0.9",
    ] {
        let reply = asked_with(Some(accept), "{ __typename }");
        assert_eq!(reply.status, 200);
        assert!(
            media_type(&reply).starts_with(RESPONSE),
            "{accept}: {}",
            media_type(&reply)
        );
    }
}

#[test]
fn a_refused_document_is_200_in_plain_json_and_400_in_the_type_of_the_draft() {
    for query in ["{", "{ nothing }"] {
        assert_eq!(
            asked_with(Some("application/json"), query).status,
            200,
            "{query}"
        );
        assert_eq!(asked_with(Some(RESPONSE), query).status, 400, "{query}");
    }
}

#[test]
fn a_failed_operation_is_200_in_both() {
    for accept in ["application/json", RESPONSE] {
        let reply = asked_with(Some(accept), r#"{ getPayment(id: "nothing") { id } }"#);
        assert_eq!(reply.status, 200, "{accept}: {}", reply.text());
    }
}

#[test]
fn a_type_that_is_not_spoken_is_not_acceptable() {
    assert_eq!(asked_with(Some("text/html"), "{ __typename }").status, 406);
}

#[test]
fn a_body_of_another_type_is_refused() {
    let shop = shared::shop();
    let request = testkit::http::Request::new("POST", "/api/graphql")
        .header("Authorization", format!("Bearer {}", shop.credential()))
        .body(json!({"query": "{ __typename }"}).to_string());
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let reply = request
            .clone()
            .header("Content-Type", kind)
            .send(shop.address());
        assert_eq!(reply.status, 415, "{kind}: {}", reply.text());
    }
}
