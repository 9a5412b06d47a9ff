//! Publishing a version.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, TeamId},
};
use store::flow::Flow;

use super::{Checked, FlowView, Written};
use crate::{
    Engine,
    faults::{EngineError, flow_not_found, only_fault},
};

impl Engine {
    /// Lets new payments run under a version of a flow. Payments under way keep theirs. An earlier version can be
    /// published again.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.validation` when it names a connection that is gone, and when
    /// the default flow would no longer be for payments.
    #[boxed]
    pub async fn publish_flow(
        &self,
        caller: &Caller,
        id: &FlowId,
        version: u32,
    ) -> Result<FlowView, Fault> {
        self.published_flow(caller.team, id, version)
            .await
            .map_err(only_fault)
    }

    pub(crate) async fn published_flow(
        &self,
        team: TeamId,
        id: &FlowId,
        version: u32,
    ) -> Result<FlowView, EngineError> {
        let flow = self.known_flow(team, id).await?;
        let found = self.known_version(team, id, version).await?;
        let connections = store::connection::of_team(&self.inner.store, team).await?;
        let connections: Vec<_> = connections
            .into_iter()
            .map(|connection| connection.id)
            .collect();
        let checked = Checked::of(&Written::Value(&found.document), &connections, "version")?;
        if flow.is_default && !checked.is_for_payments() {
            return Err(Fault::invalid(
                "version",
                "must be for payments, since the flow is the default",
            )
            .into());
        }
        // It is so already: nothing is done, and nothing is to be recorded.
        if flow.published == Some(version) {
            return Ok(FlowView::of(&flow, found));
        }
        let published = Flow {
            name: checked.document.name,
            published: Some(version),
            ..flow
        };
        let deed = Deed::on(team, Act::FlowPublished, "flow", id).with("version", version);
        let change = Change::new(self.change_id(), &super::aggregate(team, id))
            .with(store::flow::publish(&published))
            .with(store::flow_version::publish(
                team,
                id,
                version,
                self.inner.world.now(),
            ))
            .with(self.audit(&deed));
        if self.commit_plain(change).await?.is_some() {
            return Err(flow_not_found().into());
        }
        self.inner.registry.forget(&team);
        Ok(FlowView::of(&published, found))
    }
}
