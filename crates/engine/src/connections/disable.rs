//! Switching a connection off and on.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::ConnectionId,
};

use crate::{
    Engine,
    faults::{connection_not_found, database, only_fault},
};

impl Engine {
    /// Lets no new payment be sent to a connection. What was sent there is still looked after. Saving the connection
    /// switches it on again.
    ///
    /// # Errors
    /// `error.connection.not-found`.
    #[boxed]
    pub async fn disable_connection(
        &self,
        caller: &Caller,
        id: &ConnectionId,
    ) -> Result<(), Fault> {
        self.switch_connection(caller, id, false).await
    }

    /// Lets new payments be sent to a connection again.
    ///
    /// # Errors
    /// `error.connection.not-found`.
    #[boxed]
    pub async fn enable_connection(&self, caller: &Caller, id: &ConnectionId) -> Result<(), Fault> {
        self.switch_connection(caller, id, true).await
    }

    async fn switch_connection(
        &self,
        caller: &Caller,
        id: &ConnectionId,
        is_on: bool,
    ) -> Result<(), Fault> {
        let act = if is_on {
            Act::ConnectionEnabled
        } else {
            Act::ConnectionDisabled
        };
        // Each further turn follows another switch that was made in between.
        loop {
            let change = Change::new(self.change_id(), &super::save::aggregate(caller.team, id))
                .with(store::connection::switch(caller.team, id, is_on))
                .with(self.audit(&Deed::on(caller.team, act, "connection", id)));
            let refused = self.commit_plain(change).await.map_err(only_fault)?;
            if refused.is_none() {
                self.inner.registry.forget(&caller.team);
                return Ok(());
            }
            let connections = store::connection::of_team(&self.inner.store, caller.team).await;
            let found = connections
                .map_err(|error| database(&error))?
                .into_iter()
                .find(|connection| connection.id == *id);
            match found {
                None => return Err(connection_not_found()),
                Some(connection) if connection.enabled == is_on => return Ok(()),
                Some(_) => {}
            }
        }
    }
}
