//! Choosing the default.

use db::Change;
use domain::{
    Fault,
    caller::Caller,
    id::{FlowId, TeamId},
};
use flow::Trigger;

use crate::{Engine, faults::Stop, once::only_fault};

/// How often the change begins again because another one was quicker.
const TRIES: u32 = 20;

impl Engine {
    /// Lets payments that name no flow run under this one.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.flow.not-found`; `error.validation` for a flow that is not published or not for
    /// payments.
    pub async fn set_default_flow(&self, caller: &Caller, id: &FlowId) -> Result<(), Fault> {
        caller.require_server()?;
        self.defaulted_flow(caller.team, id)
            .await
            .map_err(only_fault)
    }

    pub(crate) async fn defaulted_flow(&self, team: TeamId, id: &FlowId) -> Result<(), Stop> {
        for _ in 0..TRIES {
            let flow = self.known_flow(team, id).await?;
            let Some(published) = flow.published else {
                return Err(Fault::invalid("id", "must be a flow that is published").into());
            };
            if !matches!(
                self.program(team, id, published).await?.trigger(),
                Trigger::Payment
            ) {
                return Err(Fault::invalid("id", "must be a flow for payments").into());
            }
            // One aggregate for the team: two of these changes never meet in one batch.
            let change = Change::new(self.change_id(), &team.key())
                .with(store::flow::unset_default(team))
                .with(store::flow::set_default(team, id));
            if self.commit_plain(change).await?.is_none() {
                self.inner.registry.forget(&team);
                return Ok(());
            }
        }
        Err(Fault::unavailable().into())
    }
}
