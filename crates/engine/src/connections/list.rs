//! Looking at connections.

use crate::boxed;
use domain::{Fault, caller::Caller};

use super::ConnectionView;
use crate::{Engine, faults::database};

impl Engine {
    /// The team's connections, in order of their ids.
    #[boxed]
    pub async fn list_connections(&self, caller: &Caller) -> Result<Vec<ConnectionView>, Fault> {
        let found = store::connection::of_team(&self.inner.store, caller.team).await;
        let found = found.map_err(|error| database(&error))?;
        Ok(found
            .into_iter()
            .map(|connection| self.connection_view(connection))
            .collect())
    }
}
