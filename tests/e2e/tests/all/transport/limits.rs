//! Limits of size, depth, number and rate.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;
use testkit::{Answer, Order, Setup, cards};

use crate::shared;

/// The contract's limit of a body.
const BODY_LIMIT: usize = 256 * 1024;

fn padded_to(size: usize) -> String {
    let bare = json!({"query": "{ __typename }", "variables": {"pad": ""}}).to_string();
    bare.replace(
        r#""pad":"""#,
        &format!(r#""pad":"{}""#, "x".repeat(size - bare.len())),
    )
}

#[test]
fn a_body_up_to_the_limit_is_read() {
    let shop = shared::shop();
    let body = padded_to(BODY_LIMIT);
    assert_eq!(body.len(), BODY_LIMIT);
    let answer = Answer::of(shop.graphql(body).send(shop.address()));
    assert_eq!(answer.root(), "Query");
}

#[test]
fn a_body_above_the_limit_is_413_with_errors_alone() {
    let shop = shared::shop();
    let answer = Answer::of(shop.graphql(padded_to(BODY_LIMIT + 1)).send(shop.address()));
    answer.assert_refused(413);
}

#[test]
fn a_body_above_the_limit_that_names_no_length_is_413_too() {
    let shop = shared::shop();
    let mut stream = TcpStream::connect(shop.address()).unwrap();
    let body = padded_to(BODY_LIMIT + 1);
    // The server may close as soon as it has seen too much, so that not all can be written.
    let _ = write!(
        stream,
        "POST /api/graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        shop.credential(),
        body.len()
    );
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_document_deeper_than_the_limit_is_refused_also_through_fragments() {
    let server = Setup::new().setting("limits.depth", "2").start();
    let shop = server.shop();
    let id = shop
        .gql(
            "mutation($o: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $o) { id } }",
            json!({"o": Order::card(cards::VISA).json()}),
        )
        .root()["id"]
        .clone();
    shop.gql(
        "query($id: ID!) { getPayment(id: $id) { status } }",
        json!({"id": id}),
    )
    .data();
    for selection in [
        "amount { rawAmount }",
        "... on Payment { amount { rawAmount } }",
        "...deep",
    ] {
        let fragment = if selection == "...deep" {
            "fragment deep on Payment { amount { rawAmount } }"
        } else {
            ""
        };
        let answer = shop.gql(
            &format!("query($id: ID!) {{ getPayment(id: $id) {{ {selection} }} }} {fragment}"),
            json!({"id": id}),
        );
        answer.assert_refused(200);
        assert_eq!(
            answer.error_code(),
            Some("error.graphql.limit"),
            "{selection}"
        );
    }
}

#[test]
fn wide_introspection_is_bounded() {
    let types = "fields { type { fields { type { fields { type { name kind description } } } } } }"
        .repeat(400);
    let answer = shared::shop().gql(
        &format!("{{ __schema {{ types {{ {types} }} }} }}"),
        json!({}),
    );
    answer.assert_refused(200);
    assert_eq!(answer.error_code(), Some("error.graphql.limit"));
}

#[test]
fn a_document_that_is_absurdly_deep_is_refused_without_harm() {
    let shop = shared::shop();
    let answer = shop.gql(
        &format!("{}{}", "{ a".repeat(20_000), "}".repeat(20_000)),
        json!({}),
    );
    answer.assert_refused(200);
    let value = format!("{}{}", "[".repeat(40_000), "]".repeat(40_000));
    let answer = shop.gql(
        &format!("{{ getPayment(id: {value}) {{ id }} }}"),
        json!({}),
    );
    answer.assert_refused(200);
    shop.gql("{ __typename }", json!({})).data();
}

#[test]
fn very_many_aliases_and_root_fields_are_refused() {
    let shop = shared::shop();
    let many: Vec<String> = (0..2000)
        .map(|number| format!("a{number}: initializeSDK"))
        .collect();
    let many = many.join(" ");
    let answer = shop.gql(&format!("{{ {many} }}"), json!({}));
    answer.assert_refused(200);
    assert_eq!(answer.error_code(), Some("error.graphql.limit"));
}

#[test]
fn very_many_aliases_of_inner_fields_are_refused() {
    let payment = shared::shop().authorise(cards::VISA).id();
    let many: Vec<String> = (0..5000)
        .map(|number| format!("a{number}: status"))
        .collect();
    let many = many.join(" ");
    let answer = shared::shop().gql(
        &format!("query($id: ID!) {{ getPayment(id: $id) {{ {many} }} }}"),
        json!({"id": payment}),
    );
    answer.assert_refused(200);
    assert_eq!(answer.error_code(), Some("error.graphql.limit"));
}

#[test]
fn fragments_in_a_circle_are_refused() {
    let document = "{ getPayment(id: 1) { ...a } } fragment a on Payment { ...b } fragment b on Payment { ...a }";
    shared::shop().gql(document, json!({})).assert_refused(200);
}

#[test]
fn the_body_limit_is_a_setting() {
    let server = Setup::new().setting("limits.body", "2000").start();
    let shop = server.shop();
    assert_eq!(
        shop.graphql(padded_to(2001)).send(shop.address()).status,
        413
    );
    assert_eq!(
        shop.graphql(padded_to(2000)).send(shop.address()).status,
        200
    );
}

#[test]
fn above_the_configured_rate_it_is_429_with_retry_after() {
    let server = Setup::new()
        .setting("limits.requests_per_second", "5")
        .start();
    let shop = server.shop();
    let refused = (0..50)
        .map(|_| shop.gql("{ __typename }", json!({})))
        .find(|answer| answer.status() != 200)
        .expect("one of fifty at once is too many");
    refused.assert_refused(429);
    assert_eq!(refused.error_code(), Some("error.rate-limited"));
    let wait = refused
        .reply
        .header("retry-after")
        .and_then(|seconds| seconds.parse::<u32>().ok());
    assert!(
        wait.is_some_and(|seconds| (1..=60).contains(&seconds)),
        "{wait:?}"
    );
}

#[test]
fn without_a_setting_test_mode_has_no_rate_limit() {
    let shop = shared::shop();
    for _ in 0..300 {
        shop.gql("{ __typename }", json!({})).data();
    }
}
