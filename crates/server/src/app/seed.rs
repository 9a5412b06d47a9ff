//! What the first start of a sandbox makes: a team, a key, two connections, two flows. Further teams of test mode begin
//! with the same connections and flows.

use domain::{
    id::{ConnectionId, FlowId},
    payment::CaptureRule,
};
use engine::{Engine, Seed, SeedConnection, SeedFlow};

use super::SIMULATOR;
use crate::config::Settings;

/// Connections that speak to the simulator: id and name.
const CONNECTIONS: [(&str, &str); 2] = [("simulator-a", "Simulator A"), ("simulator-b", "Simulator B")];

/// Sets the sandbox up, once. Returns the secret key when one was made that nobody knows yet.
pub(super) async fn seed(engine: &Engine, settings: &Settings) -> anyhow::Result<Option<String>> {
    let given = settings.access_token.as_ref().map(|token| token.expose().to_owned());
    let is_known = given.is_some();
    let made = engine.seed(Seed { secret_key: given, ..of_team("Sandbox") }).await?;
    Ok(made.filter(|_| !is_known).map(|key| key.token))
}

/// What a team begins with in test mode.
pub(super) fn of_team(name: &str) -> Seed {
    Seed { team_name: name.to_owned(), connections: connections(), flows: flows(), secret_key: None }
}

fn connections() -> Vec<SeedConnection> {
    CONNECTIONS
        .iter()
        .filter_map(|(id, name)| {
            Some(SeedConnection {
                id: ConnectionId::parse(id)?,
                processor: SIMULATOR.to_owned(),
                name: (*name).to_owned(),
                settings: serde_json::json!({}),
            })
        })
        .collect()
}

fn flows() -> Vec<SeedFlow> {
    let flows = [
        ("default", "Default", CaptureRule::Immediate, true),
        ("capture-by-api", "Capture by API", CaptureRule::Api, false),
    ];
    flows
        .into_iter()
        .filter_map(|(id, name, capture, is_default)| {
            Some(SeedFlow {
                id: FlowId::parse(id)?,
                name: name.to_owned(),
                connection: ConnectionId::parse("simulator-a")?,
                capture,
                is_default,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_begins_with_what_the_documents_name() {
        let ids: Vec<String> = connections().iter().map(|connection| connection.id.as_str().to_owned()).collect();
        assert_eq!(ids, ["simulator-a", "simulator-b"]);
        let flows = flows();
        let ids: Vec<&str> = flows.iter().map(|flow| flow.id.as_str()).collect();
        assert_eq!(ids, ["default", "capture-by-api"]);
        assert_eq!(flows.iter().filter(|flow| flow.is_default).count(), 1);
    }
}
