//! What a team has configured, cached for less than a second.

use std::sync::Arc;

use domain::id::TeamId;
use store::{connection::Connection, flow::Flow};

use crate::{Engine, faults::EngineError, recent_reads::RecentReads};

/// Teams whose configuration is kept at the same time.
const TEAMS_KEPT: usize = 1_000;

/// The flows and connections of a team.
pub(crate) struct Configured {
    /// Its flows, in order of their ids.
    pub(crate) flows: Vec<Flow>,
    /// Its connections, in order of their ids.
    pub(crate) connections: Vec<Arc<Connection>>,
}

/// The configuration of teams, as read recently.
pub(crate) type Registry = RecentReads<TeamId, Arc<Configured>>;

/// The registry of a node that starts.
pub(crate) fn registry() -> Registry {
    RecentReads::at_most(TEAMS_KEPT)
}

impl Engine {
    /// The flows and connections of a team, as they were less than a second ago.
    pub(crate) async fn configured(&self, team: TeamId) -> Result<Arc<Configured>, EngineError> {
        let reading = match self.inner.registry.find(&team, self.inner.world.now()) {
            Ok(configured) => return Ok(configured),
            Err(reading) => reading,
        };
        let flows = store::flow::of_team(&self.inner.store, team).await?;
        let connections = store::connection::of_team(&self.inner.store, team).await?;
        let connections = connections.into_iter().map(Arc::new).collect();
        let configured = Arc::new(Configured { flows, connections });
        self.inner
            .registry
            .keep(team, Arc::clone(&configured), reading);
        Ok(configured)
    }
}
