//! The runs of flows on a payment: its own, and those that its outcomes have started.

use std::time::Duration;

use uuid::Uuid;

use super::{FlowRun, Kind, Occurrence, Pause, Payment, PaymentEvent, Policy, State, Status, Why};
use crate::Timestamp;

/// So long a step that fails is tried again: by then it is a matter for people.
const TRIED_FOR: Duration = Duration::from_hours(30 * 24);

/// A payment's outcomes start at most so many flows, so that flows that start each other come to an end.
pub const MOST_TRIGGERED: usize = 20;

impl Payment {
    /// One run; `None` names the payment's own.
    pub fn run(&self, which: Option<Uuid>) -> Option<&FlowRun> {
        match which {
            None => self.flow.as_ref(),
            Some(instance) => self.triggered.iter().find(|run| run.instance == instance),
        }
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self, which: Option<Uuid>) -> Option<&mut FlowRun> {
        match which {
            None => self.flow.as_mut(),
            Some(instance) => self
                .triggered
                .iter_mut()
                .find(|run| run.instance == instance),
        }
    }

    /// Every run, the payment's own first, each with its name for [`Self::run`].
    pub fn runs(&self) -> impl Iterator<Item = (Option<Uuid>, &FlowRun)> {
        let own = self.flow.iter().map(|run| (None, run));
        own.chain(self.triggered.iter().map(|run| (Some(run.instance), run)))
    }

    /// The name of an instance for [`Self::run`].
    pub fn named(&self, instance: Uuid) -> Option<Uuid> {
        let is_own = self
            .flow
            .as_ref()
            .is_some_and(|run| run.instance == instance);
        (!is_own).then_some(instance)
    }

    /// The run started by an outcome that waits for operation `n`: what the operation changes is its doing.
    pub fn run_behind(&self, n: u32) -> Option<&FlowRun> {
        let captures = matches!(self.operation(n)?.kind, Kind::Capture);
        self.triggered.iter().find(|run| {
            let Some(pause) = run.pause.as_ref().filter(|pause| pause.why == Why::Outcome) else {
                return false;
            };
            pause.operation.map_or(captures, |awaited| awaited == n)
        })
    }

    /// Lets runs started by an outcome go on when what they wait for has ended.
    pub(super) fn wake_runs(&mut self, at: Timestamp) {
        let open: Vec<u32> = self
            .operations
            .iter()
            .filter(|operation| operation.state.is_open())
            .map(|operation| operation.n)
            .collect();
        let captured = self.status != Status::Authorised;
        for pause in self
            .triggered
            .iter_mut()
            .filter_map(|run| run.pause.as_mut())
        {
            // Without an operation it is a capture that is due, and tried until it succeeds.
            let over = pause
                .operation
                .map_or(captured, |awaited| !open.contains(&awaited));
            if pause.why == Why::Outcome && over {
                pause.go_on(at);
            }
        }
    }

    /// What the payment's own flow began has ended: it goes on.
    pub(super) fn flow_goes_on(&mut self, at: Timestamp) {
        let awaited = self
            .flow
            .as_ref()
            .and_then(|run| run.pause.as_ref()?.operation);
        let is_open = awaited
            .and_then(|awaited| self.operation(awaited))
            .is_some_and(|awaited| awaited.state.is_open());
        if let Some(pause) = self.flow.as_mut().and_then(|run| run.pause.as_mut())
            && pause.why == Why::Outcome
            && !is_open
        {
            pause.go_on(at);
        }
    }

    /// Operation `n` has ended without effect. The step of a flow that began it is tried again on the schedule, as a new
    /// operation; unless the processor has refused it, or it has failed for too long.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(FlowStepNotRetried = super::bugs::leave_failed_step)
    )]
    pub(super) fn step_failed(
        &mut self,
        n: u32,
        at: Timestamp,
        policy: &Policy,
    ) -> Option<Occurrence> {
        let is_refused = match &self.operation(n)?.state {
            State::Refused { .. } => true,
            State::Failed { .. } => false,
            State::Sent
            | State::Unknown { .. }
            | State::Waiting { .. }
            | State::Pending { .. }
            | State::Done { .. } => return None,
        };
        let own = self.flow.iter_mut();
        let pause = own
            .chain(self.triggered.iter_mut())
            .filter_map(|run| run.pause.as_mut())
            .find(|pause| pause.why == Why::Outcome && pause.operation == Some(n))?;
        let since = pause.failing_since.unwrap_or(at);
        let why = if is_refused {
            "The processor has refused it, which another try would not change."
        } else if at >= since.after(TRIED_FOR) {
            "It has failed for 30 days."
        } else {
            let step = pause.step?;
            let due = policy.next_try(since, at);
            pause.go_on(due);
            pause.next = step;
            pause.failing_since = Some(since);
            let words = format!("At {}.", due.rfc3339_millis());
            let retried = PaymentEvent::StepRetried { operation: n, due };
            return Some(
                Occurrence::new(at, "A step of the flow is tried again")
                    .saying(words)
                    .event(retried),
            );
        };
        let given_up = PaymentEvent::StepGivenUp { operation: n };
        Some(
            Occurrence::new(at, "A step of the flow was given up")
                .saying(why)
                .event(given_up),
        )
    }

    /// When a run started by an outcome goes on, and which.
    pub(super) fn triggered_due(&self) -> impl Iterator<Item = (Timestamp, Uuid)> + '_ {
        self.triggered
            .iter()
            .filter_map(|run| Some((run.pause.as_ref()?.due?, run.instance)))
    }
}

impl Pause {
    /// Goes on at this time, by itself.
    fn go_on(&mut self, due: Timestamp) {
        self.why = Why::Step;
        self.due = Some(due);
        self.operation = None;
        self.step = None;
        self.failing_since = None;
    }
}
