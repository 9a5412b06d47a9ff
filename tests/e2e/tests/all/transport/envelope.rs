//! The form of answers and failures.

use serde_json::{Value, json};
use testkit::Answer;
use testkit::http::Request;

use crate::shared;

#[test]
fn a_result_stands_under_data_without_errors() {
    let answer = shared::shop().gql("{ __typename }", json!({}));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.json(), &json!({"data": {"__typename": "Query"}}));
}

#[test]
fn a_failed_operation_is_null_alongside_its_error_with_status_200() {
    let answer = shared::shop().try_payment("payments:0192a000-0000-7000-8000-000000000000");
    answer.assert_error("error.payment.not-found");
    assert_eq!(answer.json()["data"], json!({"getPayment": null}));
    assert_eq!(answer.json()["errors"][0]["path"], json!(["getPayment"]));
}

#[test]
fn a_failed_operation_under_an_alias_has_the_alias_in_its_path() {
    let answer = shared::shop().gql(r#"{ mine: getPayment(id: "nothing") { id } }"#, json!({}));
    answer.assert_error("error.payment.not-found");
    assert_eq!(answer.json()["data"], json!({"mine": null}));
    assert_eq!(answer.json()["errors"][0]["path"], json!(["mine"]));
}

#[test]
fn one_failed_root_field_leaves_the_other_standing() {
    let answer = shared::shop().gql(
        r#"{ good: initializeSDK bad: getPayment(id: "nothing") { id } }"#,
        json!({}),
    );
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.json()["data"], json!({"good": true, "bad": null}));
    assert_eq!(answer.errors().len(), 1);
}

#[test]
fn operation_names_aliases_fragments_and_explicit_nulls_are_accepted() {
    let shop = shared::shop();
    let body = json!({
        "query": "query One { __typename } query Two($after: String) { a: listPayments(first: 1, after: $after) { ...page } } \
                  fragment page on PaymentsWithFilter { __typename pageInfo { hasNextPage } }",
        "operationName": "Two",
        "variables": {"after": null},
        "extensions": null,
    });
    let answer = Answer::of(
        shop.graphql(body.to_string())
            .header("X-Something-New", "1")
            .send(shop.address()),
    );
    assert_eq!(answer.root()["__typename"], json!("PaymentsWithFilter"));
}

#[test]
fn several_operations_without_a_name_are_refused() {
    let shop = shared::shop();
    let body = json!({"query": "query One { __typename } query Two { __typename }"});
    let answer = Answer::of(shop.graphql(body.to_string()).send(shop.address()));
    assert!(!answer.errors().is_empty());
    assert!(answer.json()["data"].is_null());
}

#[test]
fn a_syntax_error_has_errors_alone_and_its_code() {
    let answer = shared::shop().gql("{ getPayment(", json!({}));
    answer.assert_refused(200);
    assert_eq!(answer.error_code(), Some("error.graphql.syntax"));
    assert!(
        answer.json().get("data").is_none(),
        "no data at all: {}",
        answer.json()
    );
}

#[test]
fn an_unknown_field_is_refused_before_anything_runs() {
    let shop = shared::shop();
    let before = shop.books().entries.len();
    let answer = shop.gql("{ getPayment(id: 1) { id colour } }", json!({}));
    answer.assert_refused(200);
    assert_eq!(answer.error_code(), Some("error.graphql.validation"));
    assert!(
        answer.json().get("data").is_none(),
        "no data at all: {}",
        answer.json()
    );
    assert!(shop.books().entries.len() >= before);
}

#[test]
fn every_answer_has_a_request_id() {
    let shop = shared::shop();
    let address = shop.address();
    let replies = [
        shop.get("/health/live"),
        shop.get("/nowhere"),
        shop.graphql("{").send(address),
        shop.gql("{ __typename }", json!({})).reply,
        shared::server()
            .stranger()
            .gql("{ __typename }", json!({}))
            .reply,
    ];
    for reply in replies {
        let id = reply
            .header("x-request-id")
            .unwrap_or_else(|| panic!("no id: {reply:?}"));
        assert!(id.len() >= 8, "{id}");
    }
}

#[test]
fn two_requests_have_different_ids() {
    let shop = shared::shop();
    let id = || {
        shop.get("/health/live")
            .header("x-request-id")
            .map(str::to_owned)
    };
    assert_ne!(id(), id());
}

#[test]
fn a_well_formed_request_id_is_kept_and_another_is_replaced() {
    let shop = shared::shop();
    let echoed = |given: &str| {
        let request = shop
            .request("{ __typename }", json!({}), None)
            .header("X-Request-Id", given);
        request
            .send(shop.address())
            .header("x-request-id")
            .map(str::to_owned)
    };
    assert_eq!(
        echoed("0192a000-1111-7000-8000-abcdefabcdef").as_deref(),
        Some("0192a000-1111-7000-8000-abcdefabcdef")
    );
    for bad in ["no spaces please", "<script>", "a\"b", &"x".repeat(1000)] {
        let answer = echoed(bad);
        assert!(answer.is_some(), "an id is there");
        assert_ne!(answer.as_deref(), Some(bad));
    }
}

#[test]
fn other_paths_are_not_found_and_other_methods_not_allowed() {
    let shop = shared::shop();
    assert_eq!(shop.get("/api/nothing").status, 404);
    assert_eq!(shop.get("/api").status, 404);
    for method in ["PUT", "DELETE", "PATCH"] {
        let request = Request::new(method, "/api/graphql")
            .header("Authorization", format!("Bearer {}", shop.credential()));
        assert_eq!(request.send(shop.address()).status, 405, "{method}");
    }
}

#[test]
fn introspection_is_on_in_test_mode() {
    let answer = shared::shop().gql(
        "{ __schema { queryType { name } mutationType { name } } }",
        json!({}),
    );
    assert_eq!(
        answer.root(),
        &json!({"queryType": {"name": "Query"}, "mutationType": {"name": "Mutation"}})
    );
}

#[test]
fn a_batch_is_refused() {
    let shop = shared::shop();
    let body: Value = json!([{"query": "{ __typename }"}, {"query": "{ __typename }"}]);
    let reply = shop.graphql(body.to_string()).send(shop.address());
    assert!((400..500).contains(&reply.status), "{}", reply.text());
}
