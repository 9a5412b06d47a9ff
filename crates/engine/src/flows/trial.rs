//! Trying a flow: what it would do, without doing it.

use crate::boxed;
use domain::{Fault, caller::Caller, id::FlowId};
use flow::{Effect, Facts, Position, Program};
use serde_json::Value;

use super::{outline, problems};
use crate::{Engine, faults::only_fault};

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
    /// charged, and nothing is kept. Where the flow waits or asks a processor it is taken that all goes well, unless the
    /// facts say of the first attempt that it was declined, failed or got no answer.
    ///
    /// # Errors
    /// `error.flow.not-found`; `error.validation` for facts that there are not.
    #[boxed]
    pub async fn try_flow(
        &self,
        caller: &Caller,
        id: &FlowId,
        version: Option<u32>,
        facts: &Value,
    ) -> Result<FlowTrial, Fault> {
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
    let (mut steps, mut reported) = (Vec::new(), Vec::new());
    let mut from = Position::START;
    for _ in 0..HALTS_MAX {
        let run = program.run(from, &facts, draw);
        reported.extend(outline::alongside(&run));
        steps.extend(run.trace.into_iter().map(|trace| {
            let (step, taken, reason) = (trace.step, trace.taken, trace.reason);
            TrialStep {
                step,
                taken,
                reason,
            }
        }));
        reported.extend(outline::of(&run.stop));
        if let Effect::Authorise(authorisation) = &run.stop {
            let attempt = Attempt::of(&facts);
            if attempt == Attempt::Authorised {
                goes_well(&mut facts, authorisation);
            } else if let Some(other) = attempt.goes_on_at(authorisation) {
                let other = other.to_owned();
                reported.push(format!("when it {attempt}, authorise at {other}"));
                fell_back(&mut facts, &other);
            } else {
                reported.push(attempt.end().to_owned());
                break;
            }
        }
        let Some(next) = next(&run.stop) else { break };
        from = next;
    }
    let outcome = if reported.is_empty() {
        "nothing".to_owned()
    } else {
        reported.join(", then ")
    };
    FlowTrial { steps, outcome }
}

/// What comes of the first attempt, by the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Authorised,
    SoftDeclined,
    Declined,
    Failed,
    Unknown,
}

impl Attempt {
    fn of(facts: &Facts<'_>) -> Self {
        let attempt = &facts.attempt;
        match attempt.outcome.as_deref() {
            Some("declined") if attempt.decline_type.as_deref() == Some("SOFT") => {
                Self::SoftDeclined
            }
            Some("declined") => Self::Declined,
            Some("failed") => Self::Failed,
            Some("unknown") => Self::Unknown,
            _ => Self::Authorised,
        }
    }

    /// The connection that is asked next, where the flow names one for this case.
    fn goes_on_at(self, authorisation: &flow::Authorisation) -> Option<&str> {
        let after = authorisation.fallback;
        let may = match self {
            Self::SoftDeclined => after.soft_decline,
            Self::Failed => after.fault || after.outage,
            Self::Authorised | Self::Declined | Self::Unknown => false,
        };
        let other = authorisation.candidates.get(1).filter(|_| may)?;
        Some(other.connection.as_str())
    }

    /// What the payment comes to when nobody else is asked.
    const fn end(self) -> &'static str {
        match self {
            Self::Authorised => "it is authorised",
            Self::SoftDeclined | Self::Declined => "it is declined, and the flow ends",
            Self::Failed => "it fails, and the flow ends",
            Self::Unknown => {
                "its outcome is unknown: nobody else is asked, and the flow waits until it is known"
            }
        }
    }
}

impl std::fmt::Display for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Authorised => "is authorised",
            Self::SoftDeclined => "is declined softly",
            Self::Declined => "is declined",
            Self::Failed => "fails",
            Self::Unknown => "gets no answer",
        })
    }
}

/// What later steps see when the attempt after the first one goes well.
fn fell_back(facts: &mut Facts<'_>, connection: &str) {
    facts.payment.status = Some("AUTHORISED".into());
    let attempt = &mut facts.attempt;
    attempt.number = Some(2);
    attempt.connection = Some(connection.to_owned().into());
    attempt.outcome = Some("authorised".into());
    attempt.decline_code = None;
    attempt.decline_type = None;
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
fn next(effect: &Effect) -> Option<Position> {
    match effect {
        Effect::Authorise(authorisation) => Some(authorisation.next),
        Effect::Capture { next, .. }
        | Effect::Refund { next, .. }
        | Effect::Cancel { next, .. }
        | Effect::Delay { next, .. }
        | Effect::Approval { next, .. }
        | Effect::AwaitWebhook { next, .. }
        | Effect::CallWebhook { next, .. } => Some(*next),
        Effect::Decline { .. } | Effect::End => None,
    }
}
