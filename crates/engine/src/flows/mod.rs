//! Flows: a team's automation documents.
//!
//! # How it works
//! Each save is a version that never changes. A draft becomes what new payments run under when it is published; a payment
//! keeps to the version that it began under, so that any version can still be compiled. Compiled programs are kept by
//! team, flow and version, and a change is seen by every node as soon as what the team has configured is read again.

mod checked;
mod default;
mod delete;
mod instances;
mod outline;
mod publish;
mod read;
mod runnable;
mod save;
mod trial;

use domain::{
    Code, Fault, Timestamp,
    id::{FlowId, TeamId},
};
use store::{flow::Flow, flow_version::FlowVersion};

use crate::{
    Engine,
    faults::{EngineError, flow_not_found},
};

pub(crate) use checked::{Checked, Written, problems};
pub use read::FlowFormat;
pub(crate) use runnable::{Programs, Runnable};
pub use save::{SaveFlow, WrittenFlow};
pub use trial::{FlowTrial, TrialStep};

/// A version of a flow, as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowView {
    /// The flow.
    pub id: FlowId,
    /// What this version calls itself.
    pub name: String,
    /// Its number.
    pub version: u32,
    /// Whether new payments run under this version.
    pub is_published: bool,
    /// The version that new payments run under, if there is one.
    pub published_version: Option<u32>,
    /// The last version.
    pub latest_version: u32,
    /// Whether payments without a flow run under the flow.
    pub is_default: bool,
    /// What it says.
    pub document: serde_json::Value,
    /// When it was saved.
    pub saved_at: Timestamp,
}

impl FlowView {
    fn of(flow: &Flow, version: FlowVersion) -> Self {
        // What is stored was checked, so that it has a name.
        let name = version
            .document
            .get("name")
            .and_then(serde_json::Value::as_str)
            .unwrap_or(&flow.name);
        Self {
            id: flow.id.clone(),
            name: name.to_owned(),
            version: version.version,
            is_published: flow.published == Some(version.version),
            published_version: flow.published,
            latest_version: flow.latest,
            is_default: flow.is_default,
            document: version.document,
            saved_at: version.saved_at,
        }
    }
}

impl Engine {
    /// A team's flow, read now.
    async fn known_flow(&self, team: TeamId, id: &FlowId) -> Result<Flow, EngineError> {
        let flows = store::flow::of_team(&self.inner.store, team).await?;
        flows
            .into_iter()
            .find(|flow| flow.id == *id)
            .ok_or_else(|| flow_not_found().into())
    }

    async fn known_version(
        &self,
        team: TeamId,
        id: &FlowId,
        version: u32,
    ) -> Result<FlowVersion, EngineError> {
        let found = store::flow_version::find(&self.inner.store, team, id, version).await?;
        found.ok_or_else(|| Fault::new(Code::FlowNotFound, "The flow has no such version.").into())
    }
}

/// Changes of one flow are applied in the order in which they are made.
fn aggregate(team: TeamId, id: &FlowId) -> String {
    format!("{}/{id}", team.key())
}
