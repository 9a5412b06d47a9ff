use std::sync::Mutex;

use domain::Fault;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::*;
use crate::execute::{Answer, Object, Out, RootCall, object};

/// Records what was asked for, and answers with toy payments.
#[derive(Default)]
struct Toy {
    calls: Mutex<Vec<String>>,
    asked: Asked,
}

type Asked = Arc<Mutex<Vec<String>>>;

struct ToyPayment(Asked);
struct ToyPage(Asked);
struct ToyInfo;
struct ToyEdge(Asked, usize);
struct ToyAmount;

impl Object for ToyPayment {
    fn type_name(&self) -> &'static str {
        "Payment"
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        self.0.lock().unwrap().push(name.to_owned());
        Ok(match name {
            "id" => "payments:1".into(),
            "status" => "SUCCEEDED".into(),
            "metadata" => Out::Scalar(json!({"b": 1, "a": [null]})),
            "date" => Out::Text(format!("in {}", arguments["tz"].as_str().unwrap()).into()),
            "amount" => object(ToyAmount),
            "orderId" => return Err(Fault::unknown()),
            _ => Out::Null,
        })
    }
}

impl Object for ToyAmount {
    fn type_name(&self) -> &'static str {
        "Amount"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "rawAmount" => 5099_i64.into(),
            // Must not be null: the executor makes the whole amount null.
            _ => Out::Null,
        })
    }
}

impl Object for ToyPage {
    fn type_name(&self) -> &'static str {
        "PaymentsWithFilter"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(ToyInfo),
            "edges" => Out::List(
                (0..3)
                    .map(|at| object(ToyEdge(self.0.clone(), at)))
                    .collect(),
            ),
            _ => Out::Null,
        })
    }
}

impl Object for ToyInfo {
    fn type_name(&self) -> &'static str {
        "PageInfo"
    }

    fn field<'s>(&'s self, _: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Err(Fault::unknown())
    }
}

impl Object for ToyEdge {
    fn type_name(&self) -> &'static str {
        "PaymentEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        match name {
            "cursor" if self.1 == 1 => Err(Fault::unavailable()),
            "cursor" => Ok(Out::Text(format!("c{}", self.1).into())),
            _ => Ok(object(ToyPayment(self.0.clone()))),
        }
    }
}

struct Borrowed<'t>(&'t Toy);

impl crate::execute::Root for Borrowed<'_> {
    fn resolve<'a>(&'a self, call: RootCall<'a>) -> BoxFuture<'a, Answer> {
        let toy = self.0;
        toy.calls.lock().unwrap().push(format!(
            "{} total={}",
            call.name,
            call.look_ahead.selects("pageInfo.totalSize")
        ));
        let result = call.arguments.coerced.map(|_| match call.name {
            "listPayments" => object(ToyPage(toy.asked.clone())),
            "initializeSDK" | "deleteCustomer" => true.into(),
            "getCustomer" => Out::Null,
            _ => object(ToyPayment(toy.asked.clone())),
        });
        let replayed = call.name == "capturePayment";
        Box::pin(async move { Answer { result, replayed } })
    }
}

struct Ran {
    response: Response,
    toy: Toy,
}

impl Ran {
    fn body(&self) -> Value {
        serde_json::from_slice(&self.response.body).unwrap()
    }

    fn data_text(&self) -> String {
        serde_json::to_string(&self.body()["data"]).unwrap()
    }

    fn calls(&self) -> Vec<String> {
        self.toy.calls.lock().unwrap().clone()
    }
}

async fn run_with(
    query: &str,
    variables: Value,
    introspection: Introspection,
    method: Method,
) -> Ran {
    let executor = Executor::new(Limits::default(), introspection).unwrap();
    let Value::Object(variables) = variables else {
        panic!("variables are an object")
    };
    let request = Request {
        query: query.to_owned(),
        operation_name: None,
        variables,
        answer_by: None,
    };
    let toy = Toy::default();
    let response = executor.execute(&request, method, |_| Borrowed(&toy)).await;
    Ran { response, toy }
}

async fn run(query: &str, variables: Value) -> Ran {
    run_with(query, variables, Introspection::On, Method::Post).await
}

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
    assert_eq!(ran.response.kind, Kind::Executed);
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
    assert_eq!(ran.response.kind, Kind::Executed);
    assert_eq!(
        (ran.response.operation, ran.response.code),
        ("refundPayment", Some(Code::Validation))
    );
    assert_eq!(
        ran.body(),
        json!({
            "data": {"one": null, "two": true},
            "errors": [{
                "message": "amount: must be a whole number of 64 bits.",
                "path": ["one"],
                "extensions": {
                    "code": "error.validation", "noTrace": true, "field": "amount",
                    "reason": "must be a whole number of 64 bits",
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
async fn root_fields_run_in_order_and_a_replay_is_told() {
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

#[tokio::test]
async fn introspection_answers_beside_fields_when_it_is_on() {
    let text = "query ($n: String!) { initializeSDK __schema { queryType { name } } t: __type(name: $n) { kind } }";
    let ran = run(text, json!({"n": "Long"})).await;
    assert_eq!(
        ran.data_text(),
        r#"{"initializeSDK":true,"__schema":{"queryType":{"name":"Query"}},"t":{"kind":"SCALAR"}}"#
    );
    let missing = run(text, json!({})).await;
    assert_eq!(
        missing.response.kind,
        Kind::Rejected(Code::GraphqlValidation)
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
        Kind::Rejected(Code::GraphqlValidation)
    );
    assert_eq!(
        off("{ ...F } fragment F on Query { __type(name: \"Long\") { name } }")
            .await
            .response
            .kind,
        Kind::Rejected(Code::GraphqlValidation)
    );
    assert_eq!(
        off("{ __typename initializeSDK }").await.data_text(),
        r#"{"__typename":"Query","initializeSDK":true}"#
    );
}

#[tokio::test]
async fn a_whole_introspection_query_is_answered() {
    let ran = run(include_str!("introspection.graphql"), json!({})).await;
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
        assert_eq!(ran.response.kind, Kind::Rejected(code), "{text}");
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
    assert_eq!(ran.response.kind, Kind::MutationByGet);
    assert!(ran.calls().is_empty());
    let query = run_with(
        "{ initializeSDK }",
        json!({}),
        Introspection::On,
        Method::Get,
    )
    .await;
    assert_eq!(query.response.kind, Kind::Executed);
}

#[tokio::test]
async fn the_named_operation_runs() {
    let executor = Executor::new(Limits::default(), Introspection::On).unwrap();
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
    assert_eq!(response.kind, Kind::Rejected(Code::GraphqlValidation));
    assert!(!String::from_utf8(response.body).unwrap().contains("4242"));
}

#[tokio::test]
async fn root_fields_are_counted_as_they_would_run() {
    let executor = Executor::new(Limits::default(), Introspection::On).unwrap();
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
    assert_eq!(ran.response.kind, Kind::Rejected(Code::GraphqlLimit));
    assert!(ran.calls().is_empty());
    let ran = run(&query, json!({"s": 1})).await;
    assert_eq!(ran.response.kind, Kind::Executed);
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
            Kind::Rejected(Code::GraphqlValidation),
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
