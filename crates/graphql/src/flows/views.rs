//! Flows and their trials.

use domain::Fault;
use engine::{FlowTrial, FlowView, TrialStep};
use serde_json::{Map, Value};

use crate::executor::{Object, Out, object, unknown_field};

/// `Flow`.
pub(crate) struct FlowObject(pub(crate) FlowView);

impl Object for FlowObject {
    fn type_name(&self) -> &'static str {
        "Flow"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let flow = &self.0;
        Ok(match name {
            "id" => flow.id.as_str().into(),
            "name" => (&flow.name).into(),
            "version" => flow.version.into(),
            "published" => flow.is_published.into(),
            "publishedVersion" => flow.published_version.into(),
            "latestVersion" => flow.latest_version.into(),
            "isDefault" => flow.is_default.into(),
            "document" => flow.document.clone().into(),
            "date" => flow.saved_at.rfc3339_millis().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `FlowTrial`.
pub(crate) struct FlowTrialObject(pub(crate) FlowTrial);

impl Object for FlowTrialObject {
    fn type_name(&self) -> &'static str {
        "FlowTrial"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "steps" => Out::List(
                self.0
                    .steps
                    .iter()
                    .map(|step| object(StepObject(step)))
                    .collect(),
            ),
            "outcome" => (&self.0.outcome).into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `FlowTrialStep`.
struct StepObject<'a>(&'a TrialStep);

impl Object for StepObject<'_> {
    fn type_name(&self) -> &'static str {
        "FlowTrialStep"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "step" => (&self.0.step).into(),
            "taken" => self.0.taken.into(),
            "reason" => self.0.reason.as_ref().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
