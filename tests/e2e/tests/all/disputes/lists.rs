//! `getDispute` and `listDisputes`.

use serde_json::{Value, json};
use testkit::{Shop, cards};

use super::{FIELDS, in_status, move_on, open, paid};
use crate::shared;

fn page(shop: &Shop, arguments: Value) -> Value {
    let query = "query($first: Int, $after: String, $last: Int, $before: String, $data: DisputeFilterInput) { \
        listDisputes(first: $first, after: $after, last: $last, before: $before, data: $data) { \
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor totalSize } edges { cursor node { id status reason \
        amount { rawAmount } currency paymentId } } } }";
    shop.gql(query, arguments).root().clone()
}

fn amounts(page: &Value) -> Vec<i64> {
    let edges = page["edges"].as_array().unwrap();
    let amount = |edge: &Value| edge["node"]["amount"]["rawAmount"].as_i64().unwrap();
    edges.iter().map(amount).collect()
}

/// Filters, each with the amounts of the disputes that it finds. `second`: the processor's id of the second dispute.
fn filters(payment: &str, second: &str) -> Vec<(Value, Vec<i64>)> {
    vec![
        (json!({"status": {"value": "WON"}}), vec![100]),
        (json!({"status": {"value": ["WON", "LOST"]}}), vec![100]),
        (json!({"reason": {"value": "FRAUD"}}), vec![300, 100]),
        (json!({"currency": {"value": "USD"}}), vec![300]),
        (
            json!({"lifecycleStage": {"value": "ARBITRATION"}}),
            vec![400],
        ),
        (
            json!({"lifecycleStage": {"value": "ARBITRATION", "selectedVerb": "NOT_EQUALS"}}),
            vec![300, 200, 100],
        ),
        (json!({"sourceDisputeId": {"value": second}}), vec![200]),
        (json!({"sourceDisputeId": {"value": "dp_none"}}), vec![]),
        (
            json!({"amount": {"value": [200, 300], "selectedVerb": "BETWEEN_INCLUSIVE"}}),
            vec![300, 200],
        ),
        (
            json!({"paymentId": {"value": payment}}),
            vec![400, 300, 200, 100],
        ),
        (
            json!({"disputeDate": {"value": "2020-01-01", "selectedVerb": "LESS_THAN"}}),
            vec![],
        ),
        (
            json!({"responseDate": {"selectedVerb": "IS_EMPTY"}}),
            vec![],
        ),
    ]
}

#[test]
fn disputes_are_filtered_sorted_and_paged_in_both_directions() {
    let shop = shared::server().other_team();
    let payment = paid(&shop, cards::VISA).id();
    let wishes = [
        json!({"amount": 100, "reason": "FRAUD", "responseDate": "2040-01-03T00:00:00Z"}),
        json!({"amount": 200, "reason": "AUTHORIZATION", "responseDate": "2040-01-01T00:00:00Z"}),
        json!({"amount": 300, "currencyCode": "USD", "responseDate": "2040-01-02T00:00:00Z"}),
        json!({"amount": 400, "reason": "UNCATEGORISED", "lifecycleStage": "ARBITRATION"}),
    ];
    let made: Vec<String> = wishes
        .iter()
        .map(|wish| {
            let source = open(&shop, &payment, wish.clone());
            in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE");
            source
        })
        .collect();
    move_on(&shop, &made[0], json!({"status": "WON"}));
    in_status(&shop, &payment, Some(&made[0]), "WON");
    let all = page(&shop, json!({}));
    assert_eq!(amounts(&all), [400, 300, 200, 100], "the newest first");
    assert_eq!(all["pageInfo"]["totalSize"], 4);
    for (filter, found) in filters(&payment, &made[1]) {
        let list = page(&shop, json!({"data": {"filter": filter}}));
        assert_eq!(amounts(&list), found, "{filter}");
    }
    let urgent = json!({"sort": [{"fieldName": "responseDate", "order": "ASC"}]});
    let first = page(&shop, json!({"first": 2, "data": urgent}));
    assert_eq!(amounts(&first), [400, 200]);
    let end = &first["pageInfo"]["endCursor"];
    let rest = page(&shop, json!({"first": 2, "after": end, "data": urgent}));
    assert_eq!(amounts(&rest), [300, 100]);
    let up = json!({"sort": [{"fieldName": "amount", "order": "ASC"}]});
    let first = page(&shop, json!({"first": 3, "data": up}));
    assert_eq!(amounts(&first), [100, 200, 300]);
    assert_eq!(first["pageInfo"]["hasNextPage"], true);
    let end = &first["pageInfo"]["endCursor"];
    let rest = page(&shop, json!({"first": 3, "after": end, "data": up}));
    assert_eq!(amounts(&rest), [400]);
    assert_eq!(rest["pageInfo"]["hasPreviousPage"], true);
    let start = &rest["pageInfo"]["startCursor"];
    let back = page(&shop, json!({"last": 2, "before": start, "data": up}));
    assert_eq!(amounts(&back), [200, 300]);
    assert_eq!(back["pageInfo"]["hasPreviousPage"], true);
    let newest = page(&shop, json!({"last": 1}));
    assert_eq!(amounts(&newest), [100]);
    let other = page(
        &shared::other_shop(),
        json!({"data": {"filter": {"paymentId": {"value": payment}}}}),
    );
    assert_eq!(amounts(&other), Vec::<i64>::new());
}

#[test]
fn a_dispute_is_read_by_its_id_and_by_nobody_else() {
    let shop = shared::shop();
    let payment = paid(&shop, cards::VISA).id();
    let source = open(&shop, &payment, json!({}));
    let id = in_status(&shop, &payment, Some(&source), "NEEDS_RESPONSE")["id"].clone();
    let query = format!("query($id: ID!) {{ getDispute(id: $id) {{ {FIELDS} }} }}");
    let read = shop.gql(&query, json!({ "id": id }));
    assert_eq!(read.root()["sourceDisputeId"], json!(source));
    let events = read.root()["disputeTimeline"]["events"].as_array().unwrap();
    assert_eq!(events[0]["title"], "The dispute was opened");
    for asker in [shared::other_shop(), shop.clone()] {
        let id = if asker.credential() == shop.credential() {
            json!("0192a000-0000-7000-8000-000000000000")
        } else {
            id.clone()
        };
        asker
            .gql(&query, json!({ "id": id }))
            .assert_error("error.dispute.not-found");
    }
    shop.client(json!({}))
        .gql(&query, json!({ "id": id }))
        .assert_error("api.key.forbidden");
}
