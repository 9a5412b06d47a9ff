//! Flows that are ready to run.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Code, Fault,
    caller::Mode,
    id::{FlowId, TeamId},
};
use flow::{Program, Trigger};
use parking_lot::Mutex;

use crate::{Engine, faults::EngineError, registry::Configured};

/// Programs that are kept at the same time.
const PROGRAMS_KEPT: usize = 10_000;

/// Compiled versions of flows. A version never changes, so that none gets old.
#[derive(Default)]
pub(crate) struct Programs(Mutex<BTreeMap<(TeamId, FlowId, u32), Arc<Program>>>);

/// The published version of a flow.
pub(crate) struct Runnable {
    /// The flow.
    pub(crate) id: FlowId,
    /// What people call it.
    pub(crate) name: String,
    /// The version that is published.
    pub(crate) version: u32,
    /// What it does.
    pub(crate) program: Arc<Program>,
}

impl Engine {
    /// The flow asked for as it is published, else the team's default.
    ///
    /// # Errors
    /// `error.flow.not-found` also for a flow that is not published or not for payments; in test mode it names those
    /// that are.
    pub(crate) async fn runnable(
        &self,
        team: TeamId,
        wanted: Option<&str>,
    ) -> Result<Runnable, EngineError> {
        let configured = self.configured(team).await?;
        let published = configured
            .flows
            .iter()
            .filter_map(|flow| Some((flow, flow.published?)));
        let found = published.into_iter().find(|(flow, _)| match wanted {
            Some(id) => flow.id.as_str() == id,
            None => flow.is_default,
        });
        if let Some((flow, version)) = found {
            let program = self.program(team, &flow.id, version).await?;
            if matches!(program.trigger(), Trigger::Payment) {
                return Ok(Runnable {
                    id: flow.id.clone(),
                    name: flow.name.clone(),
                    version,
                    program,
                });
            }
        }
        Err(self.no_such_flow(&configured, wanted).into())
    }

    /// The published flows that something else than a payment starts, such as an outcome, in order of their ids. One that
    /// can't be compiled is left out: it has been logged, and must not hold up what would start it.
    pub(crate) async fn automations(&self, team: TeamId) -> Result<Vec<Runnable>, EngineError> {
        let configured = self.configured(team).await?;
        let mut found = Vec::new();
        for flow in &configured.flows {
            let Some(version) = flow.published else {
                continue;
            };
            let program = match self.program(team, &flow.id, version).await {
                Err(EngineError::Fault(fault))
                    if matches!(fault.code, Code::Unknown | Code::FlowNotFound) =>
                {
                    continue;
                }
                program => program?,
            };
            if !matches!(program.trigger(), Trigger::Payment) {
                found.push(Runnable {
                    id: flow.id.clone(),
                    name: flow.name.clone(),
                    version,
                    program,
                });
            }
        }
        Ok(found)
    }

    /// Any version of a flow, for what is under way.
    pub(crate) async fn program(
        &self,
        team: TeamId,
        id: &FlowId,
        version: u32,
    ) -> Result<Arc<Program>, EngineError> {
        let key = (team, id.clone(), version);
        if let Some(program) = self.inner.programs.0.lock().get(&key) {
            return Ok(Arc::clone(program));
        }
        // Boxed, since it is rare and payments' futures would bear its state.
        let found = Box::pin(self.known_version(team, id, version)).await?;
        let program = Arc::new(compiled(&found.document).map_err(|fault| {
            let reason = fault.reason.unwrap_or_default();
            tracing::error!(flow.id = %id, flow.version = version, reason, "a saved flow can't be compiled");
            Fault::unknown()
        })?);
        let mut kept = self.inner.programs.0.lock();
        if kept.len() >= PROGRAMS_KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&program));
        Ok(program)
    }

    fn no_such_flow(&self, configured: &Configured, wanted: Option<&str>) -> Fault {
        let mut message = match wanted {
            Some(_) => "There is no such flow that is published and for payments.".to_owned(),
            None => "The team has no default flow, so a flow must be named.".to_owned(),
        };
        let names: Vec<_> = configured
            .flows
            .iter()
            .filter(|flow| flow.published.is_some())
            .collect();
        if self.inner.settings.mode == Mode::Test && !names.is_empty() {
            let names: Vec<_> = names.iter().map(|flow| flow.id.as_str()).collect();
            message = format!("{message} The flows are: {}.", names.join(", "));
        }
        Fault::new(Code::FlowNotFound, message)
    }
}

/// The program of a version that was checked when it was saved. Its connections may be gone by now.
fn compiled(document: &serde_json::Value) -> Result<Program, Fault> {
    let document = flow::Document::from_value(document)
        .map_err(|found| super::problems("document", &found))?;
    Program::compile(&document).map_err(|found| super::problems("document", &found))
}
