//! Events for merchants.

mod list;

use serde_json::{Value, json};
use testkit::Shop;

/// A page of events behind a cursor.
fn page(shop: &Shop, after: Option<&str>, first: u32, kinds: &[&str]) -> Value {
    let query = "query($after: String, $first: Int, $kinds: [String!]) { \
        listEvents(after: $after, first: $first, kinds: $kinds) { pageInfo { hasNextPage endCursor } \
        edges { cursor node { id kind date sequence data payload } } } }";
    let given = json!({"after": after, "first": first, "kinds": kinds});
    shop.gql(query, given).root().clone()
}

/// All events behind a cursor until there are none, and the cursor behind them.
fn all(
    shop: &Shop,
    after: Option<&str>,
    first: u32,
    kinds: &[&str],
) -> (Vec<Value>, Option<String>) {
    let (mut found, mut cursor) = (Vec::new(), after.map(str::to_owned));
    loop {
        let page = page(shop, cursor.as_deref(), first, kinds);
        let edges = page["edges"].as_array().unwrap();
        assert!(edges.len() <= usize::try_from(first).unwrap());
        found.extend(edges.iter().map(|edge| edge["node"].clone()));
        if let Some(end) = page["pageInfo"]["endCursor"].as_str() {
            cursor = Some(end.to_owned());
        }
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            return (found, cursor);
        }
    }
}

/// Kinds and sequences of the events of a payment.
fn of_payment(events: &[Value], id: &str) -> Vec<(String, i64)> {
    let own = events
        .iter()
        .filter(|event| event["data"]["paymentId"] == json!(id));
    own.map(|event| {
        let kind = event["kind"].as_str().unwrap().to_owned();
        (kind, event["sequence"].as_i64().unwrap())
    })
    .collect()
}
