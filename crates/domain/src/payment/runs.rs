//! The runs of flows on a payment: its own, and those that its outcomes have started.

use std::time::Duration;

use uuid::Uuid;

use super::{
    CaptureRule, FlowRun, FlowStarted, Occurrence, OperationKind, OperationState, Pause,
    PauseReason, Payment, PaymentEvent, Policy, ReceivedWebhook, Status,
};
use crate::{
    Timestamp,
    decline::{Decline, DeclineCode},
    id::{DisputeId, FlowId},
};

/// So long a step that fails is tried again: by then it is a matter for people.
const TRIED_FOR: Duration = Duration::from_hours(30 * 24);

/// A payment's outcomes start at most so many flows, so that flows that start each other come to an end.
pub const MOST_TRIGGERED: usize = 20;

/// A flow that an outcome starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedFlow {
    /// The flow.
    pub id: FlowId,
    /// Its name.
    pub name: String,
    /// The version that is published.
    pub version: u32,
    /// The id of the run.
    pub instance: Uuid,
    /// The position of its first step.
    pub first: u32,
    /// The dispute that starts it.
    pub dispute: Option<DisputeId>,
}

impl Payment {
    /// One run; `None` names the payment's own.
    pub fn run(&self, which: Option<Uuid>) -> Option<&FlowRun> {
        match which {
            None => self.flow.as_ref(),
            Some(instance) => self.triggered.iter().find(|run| run.instance == instance),
        }
    }

    fn run_mut(&mut self, which: Option<Uuid>) -> Option<&mut FlowRun> {
        match which {
            None => self.flow.as_mut(),
            Some(instance) => self
                .triggered
                .iter_mut()
                .find(|run| run.instance == instance),
        }
    }

    fn pause_mut(&mut self, which: Option<Uuid>) -> Option<&mut Pause> {
        self.run_mut(which)?.pause.as_mut()
    }

    /// A run rests; it will go on at position `next`, at `due` by itself. It keeps the webhook that let it go on last.
    pub fn rest(
        &mut self,
        which: Option<Uuid>,
        next: u32,
        why: PauseReason,
        due: Option<Timestamp>,
    ) {
        if let Some(run) = self.run_mut(which) {
            let received = run.pause.take().and_then(|pause| pause.received);
            run.pause = Some(Pause {
                received,
                ..Pause::new(next, why, due)
            });
        }
    }

    /// A run rests until operation `n`, which its step at position `step` has begun, has ended. A step that is tried again
    /// has failed since then still.
    pub fn rest_for(&mut self, which: Option<Uuid>, n: u32, step: u32, next: u32) {
        let before = self.run(which).and_then(|run| run.pause.as_ref());
        let failing_since = before
            .filter(|pause| pause.next == step)
            .and_then(|pause| pause.failing_since);
        self.rest(which, next, PauseReason::Outcome, None);
        if let Some(pause) = self.pause_mut(which) {
            pause.operation = Some(n);
            pause.step = Some(step);
            pause.failing_since = failing_since;
        }
    }

    /// A run has come to its end.
    pub fn end_run(&mut self, which: Option<Uuid>) {
        if let Some(run) = self.run_mut(which) {
            run.pause = None;
        }
    }

    /// A run that waits for an approval is approved, and goes on at once.
    pub fn approve(&mut self, which: Option<Uuid>, at: Timestamp) -> Occurrence {
        if let Some(pause) = self.pause_mut(which) {
            pause.why = PauseReason::Step;
            pause.due = Some(at);
        }
        Occurrence::new(at, "Approved")
    }

    /// What a run waits for did not come, or was refused: before an authorisation the payment is declined, after it the run
    /// ends. `title` says what did not come.
    pub fn not_given(
        &mut self,
        which: Option<Uuid>,
        title: &str,
        at: Timestamp,
    ) -> Vec<Occurrence> {
        let mut occurrences = vec![Occurrence::new(at, title)];
        if which.is_none() && self.attempt().is_none() {
            let decline = Decline::of(DeclineCode::CustomRule);
            occurrences.push(self.decline_by_rule(decline, at));
        } else {
            self.end_run(which);
        }
        occurrences
    }

    /// A webhook of the merchant's has come: the runs that wait for it go on, at once or after the capture that it calls for.
    /// Returns which they are. `None` when none waits for it.
    pub fn receive_webhook(
        &mut self,
        webhook: &ReceivedWebhook,
        at: Timestamp,
    ) -> Option<(Vec<Option<Uuid>>, Occurrence)> {
        let waits = |pause: &Pause| matches!(&pause.why, PauseReason::Webhook { name, .. } if *name == webhook.name);
        let waiting = self
            .runs()
            .filter(|(_, run)| run.pause.as_ref().is_some_and(waits));
        let waiting: Vec<Option<Uuid>> = waiting.map(|(which, _)| which).collect();
        if waiting.is_empty() {
            return None;
        }
        for which in &waiting {
            self.take_webhook(*which, webhook, at);
        }
        let name = webhook.name.clone();
        let occurrence = Occurrence::new(at, "A webhook has come")
            .saying(format!("Its name is {name}."))
            .event(PaymentEvent::WebhookReceived { name });
        Some((waiting, occurrence))
    }

    fn take_webhook(&mut self, which: Option<Uuid>, webhook: &ReceivedWebhook, at: Timestamp) {
        let is_authorised = self.status == Status::Authorised;
        let Some(pause) = self.pause_mut(which) else {
            return;
        };
        let captures =
            matches!(pause.why, PauseReason::Webhook { captures: true, .. }) && is_authorised;
        pause.received = Some(webhook.clone());
        pause.why = if captures {
            PauseReason::Outcome
        } else {
            PauseReason::Step
        };
        pause.due = (!captures).then_some(at);
        if captures {
            self.decide_capture(CaptureRule::Immediate, at);
        }
    }

    /// Whether no more flows can be started by the payment's outcomes.
    pub fn has_started_most(&self) -> bool {
        self.triggered.len() >= MOST_TRIGGERED
    }

    /// A flow is started for a reason, a clause; its first step is due at once. Beyond [`MOST_TRIGGERED`] it is not
    /// started, and the entry says so.
    pub fn start_flow(&mut self, flow: StartedFlow, reason: &str, at: Timestamp) -> Occurrence {
        if self.has_started_most() {
            let words = format!("The payment has started {MOST_TRIGGERED} flows already.");
            return Occurrence::new(at, "A flow was not started").saying(words);
        }
        let words = format!("{}, version {}, since {reason}.", flow.id, flow.version);
        let started = FlowStarted {
            flow: flow.id.clone(),
            version: flow.version,
            instance: flow.instance,
        };
        let first = Pause::new(flow.first, PauseReason::Step, Some(at));
        self.triggered.push(FlowRun {
            id: flow.id,
            name: flow.name,
            version: flow.version,
            instance: flow.instance,
            started_at: at,
            dispute: flow.dispute,
            pause: Some(first),
        });
        Occurrence::new(at, "A flow was started")
            .saying(words)
            .event(PaymentEvent::FlowStarted(started))
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
        let captures = matches!(self.operation(n)?.kind, OperationKind::Capture);
        let awaits = self.last_part(n);
        self.triggered.iter().find(|run| {
            let Some(pause) = run
                .pause
                .as_ref()
                .filter(|pause| pause.why == PauseReason::Outcome)
            else {
                return false;
            };
            pause
                .operation
                .map_or(captures, |awaited| awaited == awaits)
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
            if pause.why == PauseReason::Outcome && over {
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
            && pause.why == PauseReason::Outcome
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
            OperationState::Refused { .. } => true,
            OperationState::Failed { .. } => false,
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Waiting { .. }
            | OperationState::Pending { .. }
            | OperationState::Done { .. } => return None,
        };
        let is_partly_done = self
            .parts_of_refund(n)
            .any(|part| part.state.is_open() || part.state.is_done());
        let fields = &mut **self;
        let own = fields.flow.iter_mut();
        let pause = own
            .chain(fields.triggered.iter_mut())
            .filter_map(|run| run.pause.as_mut())
            .find(|pause| pause.why == PauseReason::Outcome && pause.operation == Some(n))?;
        let since = pause.failing_since.unwrap_or(at);
        let why = if is_refused {
            "The processor has refused it, which another try would not change."
        } else if is_partly_done {
            "A part of the refund is made, which another try would make again."
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
    /// One that nothing is known of but where and when the run goes on.
    const fn new(next: u32, why: PauseReason, due: Option<Timestamp>) -> Self {
        Self {
            next,
            why,
            due,
            operation: None,
            step: None,
            failing_since: None,
            received: None,
        }
    }

    /// Goes on at this time, by itself.
    fn go_on(&mut self, due: Timestamp) {
        self.why = PauseReason::Step;
        self.due = Some(due);
        self.operation = None;
        self.step = None;
        self.failing_since = None;
    }
}
