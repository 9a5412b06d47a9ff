//! Removing a flow.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, TeamId},
};

use crate::{
    Engine,
    faults::{EngineError, flow_not_found, only_fault},
};

impl Engine {
    /// Removes a flow: nothing new runs under it. What began under it runs on, so its versions are kept, and a flow that is
    /// saved under the same id goes on with their numbers.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.validation` for the default flow.
    #[boxed]
    pub async fn delete_flow(&self, caller: &Caller, id: &FlowId) -> Result<(), Fault> {
        self.deleted_flow(caller.team, id).await.map_err(only_fault)
    }

    async fn deleted_flow(&self, team: TeamId, id: &FlowId) -> Result<(), EngineError> {
        if self.known_flow(team, id).await?.is_default {
            let reason = "must not be the default flow: make another one the default first";
            return Err(Fault::invalid("id", reason).into());
        }
        let now = self.inner.world.now();
        let change = Change::new(self.change_id(), &super::aggregate(team, id))
            .with(store::flow::delete(team, id, now))
            .with(self.audit(&Deed::on(team, Act::FlowDeleted, "flow", id)));
        if self.commit_plain(change).await?.is_some() {
            // It became the default, or was removed, at the same moment.
            return Err(flow_not_found().into());
        }
        self.inner.registry.forget(&team);
        Ok(())
    }
}
