//! What the list says of its own filter.

use serde_json::{Value, json};
use testkit::Setup;

const ECHO: &str = "query($data: PaymentFilterInput) { listPayments(first: 1, data: $data) { data { \
    id teamId customerId name sort { fieldName order } \
    filter { amount { value verbs selectedVerb } status { value verbs selectedVerb } date { verbs selectedVerb } \
    dateRange { verbs selectedVerb } currency { verbs } } } pageInfo { hasNextPage } } }";

#[test]
fn without_a_filter_the_verbs_of_each_field_are_named() {
    let server = Setup::new().start();
    let answer = server.shop().gql(ECHO, json!({}));
    let filter = &answer.root()["data"]["filter"];
    for field in ["amount", "status", "date", "currency"] {
        let verbs: Vec<&str> = filter[field]["verbs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|verb| verb.as_str().unwrap())
            .collect();
        assert!(
            verbs.contains(&"EQUALS") && verbs.contains(&"ALL"),
            "{field}: {verbs:?}"
        );
    }
    assert_eq!(filter["amount"]["selectedVerb"], "ALL");
    assert!(
        filter["amount"]["verbs"]
            .to_string()
            .contains("BETWEEN_INCLUSIVE")
    );
    assert!(!filter["status"]["verbs"].to_string().contains("LESS_THAN"));
}

#[test]
fn the_filter_and_the_sort_come_back_as_they_were_understood() {
    let server = Setup::new().start();
    let data = json!({"name": "mine", "filter": {"amount": {"value": [5, 10], "selectedVerb": "BETWEEN_INCLUSIVE"},
        "status": {"value": ["SUCCEEDED"]}}, "sort": [{"fieldName": "amount", "order": "ASC"}]});
    let answer = server.shop().gql(ECHO, json!({"data": data}));
    let shown = &answer.root()["data"];
    assert_eq!(shown["name"], "mine");
    assert_eq!(
        shown["sort"],
        json!([{"fieldName": "amount", "order": "ASC"}])
    );
    assert_eq!(shown["filter"]["amount"]["value"], json!([5, 10]));
    assert_eq!(
        shown["filter"]["amount"]["selectedVerb"],
        "BETWEEN_INCLUSIVE"
    );
    assert_eq!(shown["filter"]["status"]["selectedVerb"], "IN_LIST");
    assert_eq!(shown["filter"]["dateRange"]["selectedVerb"], "ALL");
}

#[test]
fn every_verb_that_is_named_is_accepted() {
    let server = Setup::new().start();
    let shop = server.shop();
    let verbs = shop.gql(ECHO, json!({})).root()["data"]["filter"].clone();
    for (field, one) in [
        ("amount", json!(5)),
        ("status", json!("SUCCEEDED")),
        ("date", json!("2026-01-01")),
        ("currency", json!("EUR")),
    ] {
        for verb in verbs[field]["verbs"].as_array().unwrap() {
            let value = match verb.as_str().unwrap() {
                "BETWEEN_INCLUSIVE" | "BETWEEN_EXCLUSIVE" => json!([one, one]),
                "IN_LIST" => json!([one]),
                "IS_EMPTY" | "NOT_EMPTY" | "ALL" => Value::Null,
                _ => one.clone(),
            };
            let answer = shop.gql(
                ECHO,
                json!({"data": {"filter": {field: {"value": value, "selectedVerb": verb}}}}),
            );
            assert!(
                answer.errors().is_empty(),
                "{field} {verb}: {}",
                answer.json()
            );
        }
    }
}
