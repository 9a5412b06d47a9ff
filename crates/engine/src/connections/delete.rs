//! Removing a connection.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{ConnectionId, TeamId},
};

use crate::{
    Engine,
    faults::{EngineError, connection_not_found, only_fault},
};

impl Engine {
    /// Removes a connection that nothing needs, and erases its credentials.
    ///
    /// # Errors
    /// `error.connection.not-found`; `error.validation` while payments made there may need it, and while
    /// a published flow names it.
    #[boxed]
    pub async fn delete_connection(&self, caller: &Caller, id: &ConnectionId) -> Result<(), Fault> {
        self.deleted_connection(caller.team, id)
            .await
            .map_err(only_fault)
    }

    async fn deleted_connection(&self, team: TeamId, id: &ConnectionId) -> Result<(), EngineError> {
        let known = store::connection::of_team(&self.inner.store, team).await?;
        let connection = known
            .into_iter()
            .find(|connection| connection.id == *id)
            .ok_or_else(connection_not_found)?;
        if let Some(flow) = self.flow_that_names(team, id).await? {
            let reason = format!("the published flow {flow} names it");
            return Err(Fault::invalid("id", reason).into());
        }
        if store::payment::needs_connection(&self.inner.store, team, id).await? {
            let reason = "payments that were made there may need it: switch it off with disableConnection instead";
            return Err(Fault::invalid("id", reason).into());
        }
        let change = Change::new(self.change_id(), &super::save::aggregate(team, id))
            .with(store::connection::delete(&connection))
            .with(self.audit(&Deed::on(team, Act::ConnectionDeleted, "connection", id)));
        if self.commit_plain(change).await?.is_some() {
            let reason =
                "payments were sent there, or it was changed, at the same moment: try again";
            return Err(Fault::invalid("id", reason).into());
        }
        self.inner.registry.forget(&team);
        let earlier = connection.earlier.map(|earlier| earlier.record);
        for record in [connection.credentials, earlier] {
            self.erase_credentials(team, record).await;
        }
        Ok(())
    }

    /// A published flow of the team that sends payments to a connection.
    async fn flow_that_names(
        &self,
        team: TeamId,
        id: &ConnectionId,
    ) -> Result<Option<String>, EngineError> {
        for flow in store::flow::of_team(&self.inner.store, team).await? {
            if let Some(version) = flow.published
                && self
                    .program(team, &flow.id, version)
                    .await?
                    .connections()
                    .contains(id)
            {
                return Ok(Some(flow.id.as_str().to_owned()));
            }
        }
        Ok(None)
    }
}
