//! What a sandbox begins with: a team, a key, connections, flows. Further teams of test mode begin with the same
//! connections and flows.

use domain::id::{ConnectionId, FlowId};
use engine::{Engine, Seed, SeedConnection, SeedFlow};
use serde_json::{Value, json};

use super::SIMULATOR;
use crate::config::Settings;

/// Flows: id and document.
const FLOWS: [(&str, &str); 6] = [
    (DEFAULT, include_str!("../../flows/default.yaml")),
    (
        "capture-by-api",
        include_str!("../../flows/capture-by-api.yaml"),
    ),
    (
        "capture-after-delay",
        include_str!("../../flows/capture-after-delay.yaml"),
    ),
    ("force-3ds", include_str!("../../flows/force-3ds.yaml")),
    ("fallback", include_str!("../../flows/fallback.yaml")),
    (
        "route-by-currency",
        include_str!("../../flows/route-by-currency.yaml"),
    ),
];

/// The flow of payments that name none.
const DEFAULT: &str = "default";

/// Sets the sandbox up, once. Returns the secret key when one was made that nobody knows yet.
pub(super) async fn seed(engine: &Engine, settings: &Settings) -> anyhow::Result<Option<String>> {
    let given = settings
        .access_token
        .as_ref()
        .map(|token| token.expose().to_owned());
    let is_known = given.is_some();
    let made = engine
        .seed(Seed {
            secret_key: given,
            ..of_team("Sandbox")
        })
        .await?;
    Ok(made.filter(|_| !is_known).map(|key| key.token))
}

/// What a team begins with in test mode.
pub(super) fn of_team(name: &str) -> Seed {
    Seed {
        team_name: name.to_owned(),
        connections: connections(),
        flows: flows(),
        secret_key: None,
    }
}

/// Connections that speak to the simulator: two that work and one that can't be reached.
fn connections() -> Vec<SeedConnection> {
    let connection = |id: &str, name: &str, settings: Value| {
        let (processor, name) = (SIMULATOR.to_owned(), name.to_owned());
        Some(SeedConnection {
            id: ConnectionId::parse(id)?,
            processor,
            name,
            settings,
        })
    };
    let connections = [
        connection("simulator-a", "Simulator A", json!({})),
        connection("simulator-b", "Simulator B", json!({})),
        connection(
            "simulator-down",
            "Simulator that is down",
            json!({ "fault": "down" }),
        ),
    ];
    connections.into_iter().flatten().collect()
}

fn flows() -> Vec<SeedFlow> {
    let flow = |(id, document): (&str, &str)| {
        Some(SeedFlow {
            id: FlowId::parse(id)?,
            document: document.to_owned(),
            is_default: id == DEFAULT,
        })
    };
    FLOWS.into_iter().filter_map(flow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_begins_with_what_the_documents_name() {
        let ids: Vec<String> = connections()
            .iter()
            .map(|connection| connection.id.as_str().to_owned())
            .collect();
        assert_eq!(ids, ["simulator-a", "simulator-b", "simulator-down"]);
        let flows = flows();
        let ids: Vec<&str> = flows.iter().map(|flow| flow.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "default",
                "capture-by-api",
                "capture-after-delay",
                "force-3ds",
                "fallback",
                "route-by-currency"
            ]
        );
        assert_eq!(flows.iter().filter(|flow| flow.is_default).count(), 1);
    }

    #[test]
    fn the_flows_compile_and_name_connections_that_there_are() {
        let known: Vec<ConnectionId> = connections()
            .into_iter()
            .map(|connection| connection.id)
            .collect();
        for seed in flows() {
            let document = flow::Document::parse(&seed.document).unwrap();
            let program = flow::Program::compile(&document).unwrap();
            assert!(
                program
                    .connections()
                    .iter()
                    .all(|named| known.contains(named)),
                "{}",
                seed.id
            );
            assert_eq!(
                flow::Document::parse(&document.to_yaml()).unwrap(),
                document
            );
        }
    }
}
