//! Trying a flow: what it would do, without doing it.

use domain::{Fault, caller::Caller, id::FlowId};
use flow::{Facts, Position, Program, Stop as Halt};
use serde_json::Value;

use super::{outline, problems};
use crate::{Engine, once::only_fault};

/// More halts than the longest document can have.
const HALTS_MAX: usize = 1_000;

/// What a flow would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowTrial {
    /// The steps on the way, taken or left.
    pub steps: Vec<TrialStep>,
    /// What it comes to, such as `authorise at bank-a, then capture at once`.
    pub outcome: String,
}

/// One step on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialStep {
    /// The step's id, or its place in the document.
    pub step: String,
    /// Whether it was taken.
    pub taken: bool,
    /// Why.
    pub reason: Option<String>,
}

impl Engine {
    /// Runs a version of a flow (the last one when `version` is absent) on facts that the caller made up. Nothing is
    /// charged, and nothing is kept. Where the flow waits or asks a processor it is taken that all goes well.
    ///
    /// # Errors
    /// `api.key.forbidden`, `error.flow.not-found`; `error.validation` for facts that there are not.
    pub async fn try_flow(
        &self,
        caller: &Caller,
        id: &FlowId,
        version: Option<u32>,
        facts: &Value,
    ) -> Result<FlowTrial, Fault> {
        caller.require_server()?;
        let facts = Facts::from_value(facts).map_err(|found| problems("facts", &found))?;
        let view = self
            .flow_view(caller.team, id, version)
            .await
            .map_err(only_fault)?;
        let program = self
            .program(caller.team, id, view.version)
            .await
            .map_err(only_fault)?;
        Ok(tried(&program, facts, &mut || self.inner.world.random()))
    }
}

fn tried(program: &Program, mut facts: Facts<'_>, draw: &mut dyn FnMut() -> u64) -> FlowTrial {
    let (mut steps, mut told) = (Vec::new(), Vec::new());
    let mut from = Position::START;
    for _ in 0..HALTS_MAX {
        let run = program.run(from, &facts, draw);
        told.extend(outline::beside(&run));
        steps.extend(run.trace.into_iter().map(|trace| {
            let (step, taken, reason) = (trace.step, trace.taken, trace.reason);
            TrialStep {
                step,
                taken,
                reason,
            }
        }));
        told.extend(outline::of(&run.stop));
        if let Halt::Authorise(authorisation) = &run.stop {
            goes_well(&mut facts, authorisation);
        }
        let Some(next) = next(&run.stop) else { break };
        from = next;
    }
    let outcome = if told.is_empty() {
        "nothing".to_owned()
    } else {
        told.join(", then ")
    };
    FlowTrial { steps, outcome }
}

/// What later steps see of an authorisation, unless the caller has said otherwise.
fn goes_well(facts: &mut Facts<'_>, authorisation: &flow::Authorisation) {
    facts
        .payment
        .status
        .get_or_insert_with(|| "AUTHORISED".into());
    let attempt = &mut facts.attempt;
    attempt.outcome.get_or_insert_with(|| "authorised".into());
    attempt.number.get_or_insert(1);
    if let (None, Some(first)) = (&attempt.connection, authorisation.candidates.first()) {
        attempt.connection = Some(first.connection.as_str().to_owned().into());
    }
}

/// Where a flow goes on after a halt.
fn next(halt: &Halt) -> Option<Position> {
    match halt {
        Halt::Authorise(authorisation) => Some(authorisation.next),
        Halt::Capture { next, .. }
        | Halt::Refund { next, .. }
        | Halt::Cancel { next, .. }
        | Halt::Delay { next, .. }
        | Halt::Approval { next, .. }
        | Halt::AwaitWebhook { next, .. }
        | Halt::CallWebhook { next, .. } => Some(*next),
        Halt::Decline { .. } | Halt::End => None,
    }
}
