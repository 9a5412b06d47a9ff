//! Subscriptions by server-sent events.

mod bounds;
mod ends;
mod follow;

use serde_json::{Value, json};
use testkit::{PATIENCE, Shop, until};

/// The events of a sale: created, authorised, captured.
const OF_SALE: usize = 3;

/// Every event that there is, as soon as there are so many. On PostgreSQL an event is not shown while an older transaction of anybody's is
/// open.
fn settled(shop: &Shop, count: usize) -> Vec<(String, Value)> {
    until(PATIENCE, "the events are shown", || {
        let found = all(shop);
        (found.len() >= count).then_some(found)
    })
}

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
