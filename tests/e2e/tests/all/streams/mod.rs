//! Subscriptions by server-sent events.

mod bounds;
mod ends;
mod follow;

use serde_json::{Value, json};
use testkit::Shop;

/// Every event that there is, with its cursor, in order.
fn all(shop: &Shop) -> Vec<(String, Value)> {
    let query = "query($after: String) { listEvents(first: 100, after: $after) { \
                 pageInfo { hasNextPage endCursor } edges { cursor node { id kind sequence data } } } }";
    let (mut found, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = shop.gql(query, json!({ "after": after })).root().clone();
        for edge in page["edges"].as_array().unwrap() {
            let cursor = edge["cursor"].as_str().unwrap().to_owned();
            found.push((cursor, edge["node"].clone()));
        }
        if page["pageInfo"]["hasNextPage"] != json!(true) {
            return found;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
}
