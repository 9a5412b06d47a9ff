//! Looking at flows.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    id::{FlowId, TeamId},
};
use store::flow_version::FlowVersion;

use super::{FlowView, problems};
use crate::{
    Engine,
    faults::{EngineError, only_fault},
};

/// How a flow is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowFormat {
    /// JSON, indented.
    Json,
    /// YAML.
    Yaml,
}

impl Engine {
    /// The last version of each of the team's flows, in order of their ids.
    #[boxed]
    pub async fn list_flows(&self, caller: &Caller) -> Result<Vec<FlowView>, Fault> {
        self.listed_flows(caller.team).await.map_err(only_fault)
    }

    /// A version of a flow; the last one when `version` is absent.
    ///
    /// # Errors
    /// `error.flow.not-found`.
    #[boxed]
    pub async fn get_flow(
        &self,
        caller: &Caller,
        id: &FlowId,
        version: Option<u32>,
    ) -> Result<FlowView, Fault> {
        self.flow_view(caller.team, id, version)
            .await
            .map_err(only_fault)
    }

    /// A version of a flow as a file; the last one when `version` is absent. Saving the text gives the same flow again.
    ///
    /// # Errors
    /// `error.flow.not-found`.
    #[boxed]
    pub async fn export_flow(
        &self,
        caller: &Caller,
        id: &FlowId,
        version: Option<u32>,
        format: FlowFormat,
    ) -> Result<String, Fault> {
        let view = self.get_flow(caller, id, version).await?;
        let document = flow::Document::from_value(&view.document)
            .map_err(|found| problems("document", &found))?;
        Ok(match format {
            FlowFormat::Yaml => document.to_yaml(),
            // A document has text keys and no floats that could fail to be written.
            FlowFormat::Json => {
                serde_json::to_string_pretty(&document.to_value()).unwrap_or_default() + "\n"
            }
        })
    }

    pub(crate) async fn listed_flows(&self, team: TeamId) -> Result<Vec<FlowView>, EngineError> {
        let flows = store::flow::of_team(&self.inner.store, team).await?;
        let versions = store::flow_version::latest_of_team(&self.inner.store, team).await?;
        let of = |version: FlowVersion| {
            // A flow that was made between the two looks is shown the next time.
            let flow = flows.iter().find(|flow| flow.id == version.flow)?;
            Some(FlowView::of(flow, version))
        };
        Ok(versions.into_iter().filter_map(of).collect())
    }

    pub(super) async fn flow_view(
        &self,
        team: TeamId,
        id: &FlowId,
        version: Option<u32>,
    ) -> Result<FlowView, EngineError> {
        let flow = self.known_flow(team, id).await?;
        let version = version.unwrap_or(flow.latest);
        Ok(FlowView::of(
            &flow,
            self.known_version(team, id, version).await?,
        ))
    }
}
