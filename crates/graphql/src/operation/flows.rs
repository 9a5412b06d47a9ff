//! Flows.

use domain::Fault;

use super::{Operations, done};
use crate::{
    execute::{Arguments, Out, object},
    input::{decide, flow_version, ids, save_flow, try_flow},
    view::{FlowObject, FlowTrialObject},
};

impl Operations<'_> {
    pub(super) async fn flows(&self) -> Result<Out<'static>, Fault> {
        let flows = self.engine.list_flows(self.caller).await?;
        Ok(Out::List(
            flows
                .into_iter()
                .map(|flow| object(FlowObject(flow)))
                .collect(),
        ))
    }

    pub(super) async fn flow(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let wanted = arguments.coerced.and_then(flow_version::parse)?;
        self.engine
            .get_flow(self.caller, &wanted.id, wanted.version)
            .await
            .map(|flow| object(FlowObject(flow)))
    }

    pub(super) async fn export_flow(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = arguments.coerced.and_then(flow_version::parse)?;
        self.engine
            .export_flow(self.caller, &wanted.id, wanted.version, wanted.format)
            .await
            .map(Out::from)
    }

    pub(super) async fn try_flow(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let (wanted, facts) = arguments.coerced.and_then(try_flow::parse)?;
        let trial = self
            .engine
            .try_flow(self.caller, &wanted.id, wanted.version, &facts)
            .await?;
        Ok(object(FlowTrialObject(trial)))
    }

    pub(super) async fn save_flow(&self, arguments: Arguments<'_>) -> Result<Out<'static>, Fault> {
        let command = arguments.coerced.and_then(save_flow::parse)?;
        self.engine
            .save_flow(self.caller, command)
            .await
            .map(|flow| object(FlowObject(flow)))
    }

    pub(super) async fn publish_flow(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let wanted = arguments.coerced.and_then(flow_version::parse)?;
        // The schema requires it.
        let version = wanted.version.unwrap_or_default();
        self.engine
            .publish_flow(self.caller, &wanted.id, version)
            .await
            .map(|flow| object(FlowObject(flow)))
    }

    pub(super) async fn decide_approval(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let decision = arguments.coerced.and_then(decide::parse)?;
        done(self.engine.decide_approval(self.caller, decision).await)
    }

    pub(super) async fn delete_flow(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::flow(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.delete_flow(self.caller, &id).await)
    }

    pub(super) async fn set_default_flow(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Out<'static>, Fault> {
        let id = ids::flow(ids::argument(&arguments.coerced?, "id"))?;
        done(self.engine.set_default_flow(self.caller, &id).await)
    }
}
