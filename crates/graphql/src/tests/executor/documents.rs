use super::*;

#[tokio::test]
async fn introspection_answers_alongside_fields_when_it_is_on() {
    let text = "query ($n: String!) { initializeSDK __schema { queryType { name } } t: __type(name: $n) { kind } }";
    let ran = run(text, json!({"n": "Long"})).await;
    assert_eq!(
        ran.data_text(),
        r#"{"initializeSDK":true,"__schema":{"queryType":{"name":"Query"}},"t":{"kind":"SCALAR"}}"#
    );
    let missing = run(text, json!({})).await;
    assert_eq!(
        missing.response.kind,
        Execution::Rejected(Code::GraphqlValidation)
    );
    assert!(missing.calls().is_empty());
}

#[tokio::test]
async fn introspection_is_refused_when_it_is_off() {
    let off = |text: &'static str| run_with(text, json!({}), Introspection::Off, Method::Post);
    assert_eq!(
        off("{ __schema { queryType { name } } }")
            .await
            .response
            .kind,
        Execution::Rejected(Code::GraphqlValidation)
    );
    assert_eq!(
        off("{ ...F } fragment F on Query { __type(name: \"Long\") { name } }")
            .await
            .response
            .kind,
        Execution::Rejected(Code::GraphqlValidation)
    );
    assert_eq!(
        off("{ __typename initializeSDK }").await.data_text(),
        r#"{"__typename":"Query","initializeSDK":true}"#
    );
}

#[tokio::test]
async fn a_whole_introspection_query_is_answered() {
    let ran = run(include_str!("../introspection.graphql"), json!({})).await;
    assert!(ran.body().get("errors").is_none(), "{}", ran.body());
    assert!(
        ran.body()["data"]["__schema"]["types"]
            .as_array()
            .unwrap()
            .len()
            > 40
    );
}

#[tokio::test]
async fn rejected_documents_have_errors_and_places_and_no_data() {
    for (text, code) in [
        ("{", Code::GraphqlSyntax),
        ("{ nope }", Code::GraphqlValidation),
        (
            "query ($b: Boolean!) { initializeSDK @include(if: $b) }",
            Code::GraphqlValidation,
        ),
        (
            "query A { initializeSDK } query B { initializeSDK }",
            Code::GraphqlValidation,
        ),
        (
            "fragment F on Query { initializeSDK }",
            Code::GraphqlValidation,
        ),
    ] {
        let ran = run(text, json!({})).await;
        assert_eq!(ran.response.kind, Execution::Rejected(code), "{text}");
        assert!(ran.body().get("data").is_none());
        assert_eq!(ran.body()["errors"][0]["extensions"]["code"], code.text());
        assert!(ran.calls().is_empty());
    }
    assert_eq!(
        run("{ nope }", json!({})).await.body()["errors"][0]["locations"],
        json!([{"line": 1, "column": 3}])
    );
}

#[tokio::test]
async fn a_mutation_by_get_does_not_run() {
    let ran = run_with(
        "mutation { deleteCustomer(id: 1) }",
        json!({}),
        Introspection::On,
        Method::Get,
    )
    .await;
    assert_eq!(ran.response.kind, Execution::MutationByGet);
    assert!(ran.calls().is_empty());
    let query = run_with(
        "{ initializeSDK }",
        json!({}),
        Introspection::On,
        Method::Get,
    )
    .await;
    assert_eq!(query.response.kind, Execution::Executed);
}

#[tokio::test]
async fn the_named_operation_runs() {
    let executor = executor(Introspection::On);
    let toy = Toy::default();
    let mut request = Request {
        query: "query A { initializeSDK } mutation B { deleteCustomer(id: 1) }".to_owned(),
        operation_name: Some("B".to_owned()),
        variables: Map::new(),
        answer_by: None,
    };
    executor
        .execute(&request, Method::Post, |_| Borrowed(&toy))
        .await;
    assert_eq!(*toy.calls.lock().unwrap(), ["deleteCustomer total=false"]);
    request.operation_name = Some("4242424242424242".to_owned());
    let response = executor
        .execute(&request, Method::Post, |_| Borrowed(&toy))
        .await;
    assert_eq!(response.kind, Execution::Rejected(Code::GraphqlValidation));
    assert!(!String::from_utf8(response.body).unwrap().contains("4242"));
}

#[tokio::test]
async fn root_fields_are_counted_as_they_would_run() {
    let executor = executor(Introspection::On);
    let query = "mutation { a: capturePayment(id: 1) { id } b: capturePayment(id: 2) @skip(if: true) { id } deleteCustomer(id: 1) }";
    let request = Request {
        query: query.to_owned(),
        operation_name: None,
        variables: Map::new(),
        answer_by: None,
    };
    let toy = Toy::default();
    let mut count = 0;
    executor
        .execute(&request, Method::Post, |fields| {
            count = fields.count(|name| name == "capturePayment");
            Borrowed(&toy)
        })
        .await;
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_variable_can_not_be_multiplied_into_memory() {
    let list = vec!["$s"; 300].join(" ");
    let query = format!(
        "query ($s: JSON) {{ listPayments(data: {{filter: {{amount: {{value: [{list}]}}}}}}) {{ pageInfo {{ hasNextPage }} }} }}"
    );
    let large = json!({"s": vec![0; 100_000]});
    let ran = run(&query, large).await;
    assert_eq!(ran.response.kind, Execution::Rejected(Code::GraphqlLimit));
    assert!(ran.calls().is_empty());
    let ran = run(&query, json!({"s": 1})).await;
    assert_eq!(ran.response.kind, Execution::Executed);
}

#[tokio::test]
async fn an_input_object_that_gives_a_field_twice_is_refused() {
    for query in [
        "mutation { capturePayment(id: \"a\", metadata: {a: 1, a: 2}) { id } }",
        "mutation ($m: JSON = {b: [{a: 1, a: 2}]}) { capturePayment(id: \"a\", metadata: $m) { id } }",
    ] {
        let ran = run(query, json!({})).await;
        assert_eq!(
            ran.response.kind,
            Execution::Rejected(Code::GraphqlValidation),
            "{query}"
        );
        assert!(ran.calls().is_empty());
    }
}

#[tokio::test]
async fn numbers_that_a_float_does_not_hold_are_no_whole_numbers() {
    let query = "mutation ($a: Long) { capturePayment(id: \"a\", amount: $a) { id } }";
    for (amount, fits) in [
        ("9007199254740991.0", true),
        ("9007199254740993.0", false),
        ("9007199254740993", true),
    ] {
        let variables: Value = serde_json::from_str(&format!("{{\"a\": {amount}}}")).unwrap();
        let errors = run(query, variables).await.body().get("errors").cloned();
        assert_eq!(errors.is_none(), fits, "{amount}: {errors:?}");
    }
}
