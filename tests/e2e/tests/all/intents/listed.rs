//! Lists of intents.

use serde_json::{Value, json};
use testkit::{Setup, Shop};

use super::id;

fn list(shop: &Shop, arguments: &str) -> Value {
    let query = format!(
        "{{ listIntents{arguments} {{ pageInfo {{ hasNextPage hasPreviousPage endCursor totalSize }} \
         edges {{ cursor node {{ id trackingId status linkedPayments {{ paymentId }} }} }} }} }}"
    );
    shop.gql(&query, json!({})).root().clone()
}

fn ids(page: &Value) -> Vec<String> {
    page["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| id(&edge["node"]))
        .collect()
}

#[test]
fn intents_are_listed_newest_first_by_status_and_tracking_id_of_one_team() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    other.start_intent(json!({}));
    let made: Vec<String> = ["a", "b", "a", "c"]
        .iter()
        .map(|tracking| id(&shop.start_intent(json!({"trackingId": tracking}))))
        .collect();
    shop.try_complete_intent(&made[1], Value::Null).data();
    let expected = |places: &[usize]| places.iter().map(|n| made[*n].clone()).collect::<Vec<_>>();
    for (arguments, places) in [
        ("", vec![3, 2, 1, 0]),
        ("(status: [COMPLETE])", vec![1]),
        ("(status: [ACTIVE, INACTIVE])", vec![3, 2, 0]),
        (r#"(trackingId: "a")"#, vec![2, 0]),
        (r#"(trackingId: "a", status: [COMPLETE])"#, vec![]),
        (r#"(trackingId: "nobody")"#, vec![]),
        ("(first: 2)", vec![3, 2]),
        ("(last: 2)", vec![1, 0]),
    ] {
        assert_eq!(
            ids(&list(&shop, arguments)),
            expected(&places),
            "{arguments}"
        );
    }
    let first = list(&shop, "(first: 3)");
    assert_eq!(
        (
            &first["pageInfo"]["hasNextPage"],
            &first["pageInfo"]["totalSize"]
        ),
        (&json!(true), &json!(4))
    );
    let after = first["pageInfo"]["endCursor"].as_str().unwrap();
    let rest = list(&shop, &format!(r#"(first: 3, after: "{after}")"#));
    assert_eq!(ids(&rest), expected(&[0]));
    assert_eq!(
        (
            &rest["pageInfo"]["hasNextPage"],
            &rest["pageInfo"]["hasPreviousPage"]
        ),
        (&json!(false), &json!(true))
    );
    for bad in [
        "(first: 0)",
        "(first: 1, last: 1)",
        r#"(after: "nonsense")"#,
    ] {
        shop.gql(
            &format!("{{ listIntents{bad} {{ edges {{ cursor }} }} }}"),
            json!({}),
        )
        .assert_error("error.validation");
    }
}
