use super::*;

#[tokio::test]
async fn data_follows_the_document_and_only_selected_fields_are_asked_for() {
    let ran = run(
        "query ($id: ID!, $no: Boolean = false) {
            z: getPayment(id: $id) { status ...F metadata @skip(if: true) eci @include(if: $no) }
            a: initializeSDK
            __typename
        }
        fragment F on Node { id ... on Payment { me: __typename status }  }",
        json!({"id": 1}),
    )
    .await;
    assert_eq!(ran.response.kind, Execution::Executed);
    assert_eq!(
        ran.data_text(),
        r#"{"z":{"status":"SUCCEEDED","id":"payments:1","me":"Payment"},"a":true,"__typename":"Query"}"#
    );
    assert!(ran.body().get("errors").is_none());
    assert_eq!(*ran.toy.asked.lock().unwrap(), ["status", "id"]);
}

#[tokio::test]
async fn selections_of_one_key_are_merged() {
    let ran = run(
        "{ getPayment(id: 1) { id } ... { getPayment(id: 1) { status } } }",
        json!({}),
    )
    .await;
    assert_eq!(
        ran.data_text(),
        r#"{"getPayment":{"id":"payments:1","status":"SUCCEEDED"}}"#
    );
    assert_eq!(ran.calls().len(), 1);
}

#[tokio::test]
async fn a_null_in_a_place_that_must_have_a_value_empties_what_holds_it() {
    let ran = run(
        "{ getPayment(id: 1) { id amount { rawAmount formattedAmount } status } }",
        json!({}),
    )
    .await;
    let body = ran.body();
    assert_eq!(
        body["data"],
        json!({"getPayment": {"id": "payments:1", "amount": null, "status": "SUCCEEDED"}})
    );
    assert_eq!(body["errors"].as_array().unwrap().len(), 1);
    assert_eq!(
        body["errors"][0]["path"],
        json!(["getPayment", "amount", "formattedAmount"])
    );
    assert_eq!(body["errors"][0]["extensions"]["code"], "error.unknown");
}

#[tokio::test]
async fn a_failed_item_leaves_the_others_of_its_list() {
    let ran = run(
        "{ listPayments { edges { c: cursor node { id } } } }",
        json!({}),
    )
    .await;
    let edge = |cursor| json!({"c": cursor, "node": {"id": "payments:1"}});
    assert_eq!(
        ran.body()["data"]["listPayments"]["edges"],
        json!([edge("c0"), null, edge("c2")])
    );
    assert_eq!(
        ran.body()["errors"][0]["path"],
        json!(["listPayments", "edges", 1, "c"])
    );
}

#[tokio::test]
async fn a_null_goes_up_to_the_next_place_that_may_be_null() {
    let ran = run(
        "{ listPayments { pageInfo { hasNextPage } } initializeSDK }",
        json!({}),
    )
    .await;
    assert_eq!(
        ran.body()["data"],
        json!({"listPayments": null, "initializeSDK": true})
    );
    assert_eq!(
        ran.body()["errors"][0]["path"],
        json!(["listPayments", "pageInfo", "hasNextPage"])
    );
}

#[tokio::test]
async fn an_argument_that_does_not_fit_fails_its_own_field_only() {
    let text = "mutation ($a: Long) { one: refundPayment(id: 1, amount: $a) { id } two: deleteCustomer(id: 2) }";
    let ran = run(text, json!({"a": "4242424242424242x"})).await;
    assert_eq!(ran.response.kind, Execution::Executed);
    assert_eq!(
        (ran.response.operation, ran.response.code),
        ("refundPayment", Some(Code::Validation))
    );
    assert_eq!(
        ran.body(),
        json!({
            "data": {"one": null, "two": true},
            "errors": [{
                "message": "amount: must be a whole number.",
                "path": ["one"],
                "extensions": {
                    "code": "error.validation", "noTrace": true, "field": "amount",
                    "reason": "must be a whole number",
                },
            }],
        })
    );
}

#[tokio::test]
async fn arguments_of_fields_below_the_root_are_coerced_where_they_stand() {
    let text = "query ($z: String) { getPayment(id: 1) { date b: date(tz: $z) } }";
    let ran = run(text, json!({"z": "+02:00"})).await;
    assert_eq!(
        ran.data_text(),
        r#"{"getPayment":{"date":"in Z","b":"in +02:00"}}"#
    );
    let bad = run(text, json!({"z": 5})).await;
    assert_eq!(bad.body()["data"], json!({"getPayment": null}));
    assert_eq!(bad.body()["errors"][0]["extensions"]["field"], "tz");
}

#[tokio::test]
async fn a_failed_field_that_may_be_null_is_null_with_an_error() {
    let ran = run(
        "{ getPayment(id: 1) { orderId id } getCustomer(id: \"1\") { id } }",
        json!({}),
    )
    .await;
    assert_eq!(
        ran.data_text(),
        r#"{"getPayment":{"orderId":null,"id":"payments:1"},"getCustomer":null}"#
    );
    assert_eq!(ran.body()["errors"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn resolvers_see_what_is_selected_below_them() {
    let with = "{ listPayments { ...P } } fragment P on PaymentsWithFilter { info: pageInfo { n: totalSize } }";
    assert_eq!(
        run(with, json!({})).await.calls(),
        ["listPayments total=true"]
    );
    let without = "{ listPayments { pageInfo { totalSize @skip(if: true) endCursor } } }";
    assert_eq!(
        run(without, json!({})).await.calls(),
        ["listPayments total=false"]
    );
}

#[tokio::test]
async fn root_fields_run_in_order_and_a_replay_is_reported() {
    let ran = run(
        "mutation { b: deleteCustomer(id: 1) a: capturePayment(id: 1) { id } }",
        json!({}),
    )
    .await;
    assert_eq!(
        ran.calls(),
        ["deleteCustomer total=false", "capturePayment total=false"]
    );
    assert!(ran.response.replayed);
    assert!(!run("{ initializeSDK }", json!({})).await.response.replayed);
}
