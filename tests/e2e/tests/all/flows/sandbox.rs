//! What a sandbox begins with.

use serde_json::{Value, json};

use crate::shared;

fn ids(listed: &Value) -> Vec<&str> {
    listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect()
}

#[test]
fn both_teams_begin_with_the_flows_and_connections_that_the_documents_name() {
    for shop in [&shared::shop(), &shared::other_shop()] {
        let flows = shop
            .gql("{ listFlows { id published document } }", json!({}))
            .root()
            .clone();
        for id in [
            "capture-after-delay",
            "capture-by-api",
            "default",
            "fallback",
            "force-3ds",
            "route-by-currency",
        ] {
            assert!(ids(&flows).contains(&id), "{id}");
        }
        let connections = shop
            .gql("{ listConnections { id enabled } }", json!({}))
            .root()
            .clone();
        for id in ["simulator-a", "simulator-b", "simulator-down"] {
            assert!(ids(&connections).contains(&id), "{id}");
        }
    }
}
