//! What a team has configured, cached for less than a second.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::{Timestamp, id::TeamId};
use parking_lot::Mutex;
use store::{connection::Connection, flow::Flow};

use crate::{Engine, faults::Stop};

/// A change made elsewhere is seen after this time at the latest.
const FRESH_FOR: Duration = Duration::from_millis(500);

/// Teams whose configuration is kept at the same time.
const TEAMS_KEPT: usize = 1_000;

/// The flows and connections of a team.
pub(crate) struct Configured {
    /// Its flows, in order of their ids.
    pub(crate) flows: Vec<Flow>,
    /// Its connections, in order of their ids.
    pub(crate) connections: Vec<Arc<Connection>>,
}

/// The configuration of teams, as read lately.
#[derive(Default)]
pub(crate) struct Registry(Mutex<BTreeMap<TeamId, (Timestamp, Arc<Configured>)>>);

impl Registry {
    /// Lets a change of this node's be seen at once.
    pub(crate) fn forget(&self, team: TeamId) {
        self.0.lock().remove(&team);
    }
}

impl Engine {
    /// The flows and connections of a team, as they were less than a second ago.
    pub(crate) async fn configured(&self, team: TeamId) -> Result<Arc<Configured>, Stop> {
        let now = self.inner.world.now();
        let cache = &self.inner.registry.0;
        if let Some((until, configured)) = cache.lock().get(&team) {
            // A clock that jumps back must not keep an old reading alive.
            if now < *until && until.since(now) <= FRESH_FOR {
                return Ok(Arc::clone(configured));
            }
        }
        // Boxed, since it is rare and payments' futures would bear its state.
        let flows = Box::pin(self.flows_now(team)).await?;
        let connections = store::connection::of_team(&self.inner.store, team).await?;
        let connections = connections.into_iter().map(Arc::new).collect();
        let configured = Arc::new(Configured { flows, connections });
        let mut cache = cache.lock();
        if cache.len() >= TEAMS_KEPT {
            cache.clear();
        }
        cache.insert(team, (now.after(FRESH_FOR), Arc::clone(&configured)));
        Ok(configured)
    }
}
