//! Testing a connection.

use crate::boxed;
use domain::{Fault, caller::Caller, id::ConnectionId};

use super::ConnectionTest;
use crate::{Engine, faults::only_fault};

impl Engine {
    /// Asks the processor of a connection about its account. Nothing changes, here or there.
    ///
    /// # Errors
    /// `error.connection.not-found`; `error.validation` for a connection whose processor is not built in.
    #[boxed]
    pub async fn test_connection(
        &self,
        caller: &Caller,
        id: &ConnectionId,
    ) -> Result<ConnectionTest, Fault> {
        let line = self.stored_line(caller.team, id).await;
        let line = line.map_err(only_fault)?;
        self.probe_stored(&line).await.map_err(only_fault)
    }
}
