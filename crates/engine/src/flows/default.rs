//! Choosing the default.

use crate::boxed;
use db::Change;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::{FlowId, TeamId},
};
use flow::Trigger;

use crate::{
    Engine,
    change::Round,
    faults::{EngineError, only_fault},
};

impl Engine {
    /// Lets payments that name no flow run under this one.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.validation` for a flow that is not published or not for
    /// payments.
    #[boxed]
    pub async fn set_default_flow(&self, caller: &Caller, id: &FlowId) -> Result<(), Fault> {
        self.defaulted_flow(caller.team, id)
            .await
            .map_err(only_fault)
    }

    pub(crate) async fn defaulted_flow(
        &self,
        team: TeamId,
        id: &FlowId,
    ) -> Result<(), EngineError> {
        self.rounds(None, self.deadline(), || async move {
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
            if flow.is_default {
                return Ok(Round::Done(()));
            }
            // One aggregate for the team: two of these changes never meet in one batch.
            let change = Change::new(self.change_id(), &team.key())
                .with(store::flow::unset_default(team))
                .with(store::flow::set_default(team, id))
                .with(self.audit(&Deed::on(team, Act::FlowDefaultSet, "flow", id)));
            Ok(Round::of(self.commit_plain(change).await?, ()))
        })
        .await?;
        self.inner.registry.forget(&team);
        Ok(())
    }
}
