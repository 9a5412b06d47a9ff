//! Connections and their credentials: probed, tested, rotated, by the API and by commands.

mod commands;
mod probe;
mod registered;
mod rotate;

use serde_json::{Value, json};
use testkit::{Answer, Shop};

/// A key that the simulated account accepts.
const KEY: &str = "simulator-key";

/// A connection to be saved.
fn connection(id: &str, credentials: Value) -> Value {
    json!({"id": id, "settings": {}, "credentials": credentials})
}

/// Saves a connection to the simulator.
fn try_save(shop: &Shop, connection: Value) -> Answer {
    let query = "mutation($id: ID, $settings: JSON!, $credentials: JSON, $skip: Boolean) { \
        saveConnection(id: $id, processor: \"simulator\", name: \"Mine\", settings: $settings, credentials: $credentials, \
        skipProbe: $skip) { id notificationUrl notificationSetUp previousSecretEndsAt warnings \
        test { outcome accountId accountName country live capabilities warnings } } }";
    shop.gql(query, connection)
}

fn try_rotate(shop: &Shop, id: &str, credentials: Value, end: bool) -> Answer {
    let query = "mutation($id: ID!, $credentials: JSON!, $end: Boolean) { \
        rotateConnection(id: $id, credentials: $credentials, endPrevious: $end) { id previousSecretEndsAt warnings } }";
    shop.gql(
        query,
        json!({"id": id, "credentials": credentials, "end": end}),
    )
}

fn try_test(shop: &Shop, id: &str) -> Answer {
    let query =
        "mutation($id: ID!) { testConnection(id: $id) { outcome accountId live warnings } }";
    shop.gql(query, json!({ "id": id }))
}

/// The ids of the team's connections.
fn ids(shop: &Shop) -> Vec<String> {
    let listed = shop.gql("{ listConnections { id } }", json!({}));
    let listed = listed.root().as_array().unwrap().iter();
    listed
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}
