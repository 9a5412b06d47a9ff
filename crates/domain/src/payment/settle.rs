//! Settling: the one place where news about an operation changes a payment.

use super::{
    AbandonCause, CancelCause, CaptureRule, Initiator, Kind, Line, Operation, Payment, Policy, State, Status, Why,
};
use std::time::Duration;

use crate::{
    Timestamp,
    answer::{Action, ActionKind, Answer, Approval, Finding, LaterAnswer},
    decline::{Decline, DeclineCode},
    fault::{Code, Fault},
};

/// News about an operation.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it lives for a moment, and most news is the large one")]
pub enum News {
    /// The processor's answer to an authorisation.
    Answer(Answer),
    /// The processor's answer to a capture, cancellation, refund or reversal.
    Later(LaterAnswer),
    /// The call ended without an answer: it may have happened.
    NoAnswer,
    /// Nothing was sent, or the processor refused the request itself: nothing happened. With the reason.
    Nothing(String),
    /// The processor knows nothing under our reference.
    NotFound,
    /// The look-up itself brought nothing.
    LookUpFailed,
}

impl From<Finding> for News {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Authorisation(answer) => Self::Answer(answer),
            Finding::Later(answer) => Self::Later(answer),
            Finding::NotFound => Self::NotFound,
        }
    }
}

/// Who brings the news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The answer to the call itself.
    Call,
    /// A look-up.
    LookUp,
    /// The processor's webhook, or the customer's return.
    Processor,
}

/// What a person found out about a payment whose outcome stays unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// It is authorised.
    Authorised,
    /// It is captured.
    Captured,
    /// Nothing was charged.
    NotCharged,
}

/// What the news means for an operation, whatever its kind.
enum Meaning {
    /// It took effect; `captured` for a charge that includes the capture.
    Effect { captured: bool },
    /// The processor will decide later.
    Waits,
    /// The customer must do something first.
    Asks(Action),
    /// Refused; nothing happened.
    Refusal(String),
    /// It is proven that nothing happened.
    Nothing(String),
    /// It may have happened.
    Unclear,
    /// Nothing new.
    Same,
}

impl Payment {
    /// Takes news about operation `n`: the next state, and what the timeline says of it. An empty list means that
    /// nothing was worth a line; the payment may still have a new due time.
    pub fn settle(&mut self, n: u32, news: News, from: (Source, Timestamp), policy: &Policy) -> Vec<Line> {
        let (source, at) = from;
        let Some(operation) = self.operation(n) else { return Vec::new() };
        let kind = operation.kind;
        let open = operation.state.is_open();
        let meaning = self.meaning(n, &news, at, policy);
        if !open {
            return self.settle_late(n, &meaning, at);
        }
        if let Some(operation) = self.operation_mut(n) {
            operation.looks = operation.looks.saturating_add(u32::from(source == Source::LookUp));
            note_answer(operation, news);
        }
        let mut lines = match meaning {
            Meaning::Same => {
                self.look_again(n, at, policy);
                return Vec::new();
            }
            Meaning::Unclear => self.becomes_unknown(n, at, policy),
            Meaning::Waits => self.becomes_pending(n, at, policy),
            Meaning::Asks(action) => self.becomes_waiting(n, action, at, policy),
            Meaning::Effect { captured } => self.took_effect(n, captured, at, policy),
            Meaning::Refusal(reason) => self.ended(n, State::Refused { at, reason }, at, policy),
            Meaning::Nothing(reason) => self.ended(n, State::Failed { at, reason }, at, policy),
        };
        if source == Source::LookUp
            && let Some(first) = lines.first_mut()
        {
            let found = format!("Found out by asking the processor about the {}.", words(kind));
            first.message = Some(match first.message.take() {
                Some(message) => format!("{message} {found}"),
                None => found,
            });
        }
        lines
    }

    /// Settles an unknown authorisation on a person's word, with the evidence kept in the timeline.
    ///
    /// # Errors
    /// `error.resolve.invalid-status` unless the payment's outcome is unknown.
    pub fn resolve(
        &mut self,
        outcome: Resolution,
        evidence: &str,
        at: Timestamp,
        policy: &Policy,
    ) -> Result<Vec<Line>, Fault> {
        let unknown = self.operations.iter().find(|operation| {
            matches!(operation.kind, Kind::Authorise { .. }) && matches!(operation.state, State::Unknown { .. })
        });
        let Some(n) = unknown.map(|operation| operation.n).filter(|_| self.status == Status::NoAnswerFromPsp) else {
            let message = "Only a payment with status NO_ANSWER_FROM_PSP can be settled by a person.";
            return Err(Fault::new(Code::ResolveStatus, message).about(self.id).in_status(self.status));
        };
        let mut lines = vec![Line::new(at, "Settled by a person").saying(format!("Evidence: {evidence}"))];
        lines.extend(match outcome {
            Resolution::Authorised => self.took_effect(n, false, at, policy),
            Resolution::Captured => self.took_effect(n, true, at, policy),
            Resolution::NotCharged => {
                let reason = "a person found that nothing was charged".to_owned();
                self.ended(n, State::Failed { at, reason }, at, policy)
            }
        });
        Ok(lines)
    }

    /// What the merchant who asked for operation `n` is told: nothing (the payment itself), or why it was refused.
    pub fn verdict(&self, n: u32) -> Result<(), Fault> {
        let Some(operation) = self.operation(n) else { return Ok(()) };
        let (code, what) = match operation.kind {
            Kind::Authorise { .. } => return self.asks_customer(operation),
            Kind::Reverse { .. } | Kind::Abandon { .. } => return Ok(()),
            Kind::Capture => (Code::CaptureProcessor, "capture"),
            Kind::Cancel { .. } => (Code::CancelProcessor, "cancellation"),
            Kind::Refund { .. } => (Code::RefundProcessor, "refund"),
        };
        match &operation.state {
            State::Sent
            | State::Unknown { .. }
            | State::Pending { .. }
            | State::Waiting { .. }
            | State::Done { .. } => Ok(()),
            State::Refused { reason, .. } | State::Failed { reason, .. } => {
                Err(Fault::new(code, format!("The {what} did not take effect: {reason}."))
                    .because(reason.clone())
                    .about(self.id)
                    .in_status(self.status))
            }
        }
    }

    /// The fault that sends the customer to a page, while one is waited for.
    fn asks_customer(&self, operation: &Operation) -> Result<(), Fault> {
        let (State::Waiting { .. }, Some(action)) = (&operation.state, &operation.action) else { return Ok(()) };
        let (code, what) = match action.kind {
            ActionKind::ThreeDSecure => (Code::Requires3dSecure, "3D Secure is required"),
            ActionKind::Apm => (Code::RequiresApm, "The customer's approval is required"),
        };
        let message = format!("{what}. Send the customer to {}", action.url);
        Err(Fault::new(code, message).about(self.id).at_url(action.url.clone()))
    }

    fn meaning(&self, n: u32, news: &News, at: Timestamp, policy: &Policy) -> Meaning {
        let Some(operation) = self.operation(n) else { return Meaning::Same };
        let asks_for_money = matches!(operation.kind, Kind::Authorise { .. });
        match news {
            News::Answer(answer) if asks_for_money => match answer {
                Answer::Approved { captured, .. } => Meaning::Effect { captured: *captured },
                Answer::Declined { decline, .. } => Meaning::Refusal(decline.code.code().to_owned()),
                Answer::Held { .. } => Meaning::Waits,
                Answer::ActionRequired { action, .. } => Meaning::Asks(action.clone()),
                Answer::Failed { reason } => Meaning::Nothing(reason.clone()),
            },
            News::Later(answer) if !asks_for_money => match answer {
                LaterAnswer::Done { .. } => Meaning::Effect { captured: false },
                LaterAnswer::Pending { .. } => Meaning::Waits,
                LaterAnswer::Refused { reason } => Meaning::Refusal(reason.clone()),
            },
            News::NoAnswer => match operation.state {
                State::Sent => Meaning::Unclear,
                State::Unknown { .. }
                | State::Pending { .. }
                | State::Waiting { .. }
                | State::Done { .. }
                | State::Refused { .. }
                | State::Failed { .. } => Meaning::Same,
            },
            News::Nothing(reason) => match operation.state {
                // What was to be completed is still at the processor: it waits again.
                State::Sent if operation.action.is_some() => {
                    operation.action.clone().map_or(Meaning::Same, Meaning::Asks)
                }
                State::Sent => Meaning::Nothing(reason.clone()),
                // Once it may have been sent, a later word that it was not is no evidence.
                State::Unknown { .. }
                | State::Pending { .. }
                | State::Waiting { .. }
                | State::Done { .. }
                | State::Refused { .. }
                | State::Failed { .. } => Meaning::Same,
            },
            News::NotFound => self.not_found(n, at, policy),
            // A look-up that failed, or an answer of the wrong sort, tells nothing; a call that has ended stays unknown.
            News::Answer(_) | News::Later(_) | News::LookUpFailed => match operation.state {
                State::Sent => Meaning::Unclear,
                State::Unknown { .. }
                | State::Pending { .. }
                | State::Waiting { .. }
                | State::Done { .. }
                | State::Refused { .. }
                | State::Failed { .. } => Meaning::Same,
            },
        }
    }

    /// "Not found" proves that nothing happened only when the call can't reach the processor any more.
    fn not_found(&self, n: u32, at: Timestamp, policy: &Policy) -> Meaning {
        let Some(operation) = self.operation(n) else { return Meaning::Same };
        let over = match &operation.state {
            State::Unknown { since } => *since,
            // The processor has said that it has it: that it can't find it now proves nothing.
            _ if operation.action.is_some() => {
                return if matches!(operation.state, State::Sent) { Meaning::Unclear } else { Meaning::Same };
            }
            State::Sent => operation.send_by.after(policy.call_timeout),
            State::Waiting { .. }
            | State::Pending { .. }
            | State::Done { .. }
            | State::Refused { .. }
            | State::Failed { .. } => {
                return Meaning::Same;
            }
        };
        match policy.not_found_final_after {
            Some(span) if at >= over.after(span) => {
                Meaning::Nothing("the processor knows nothing of it: nothing happened".to_owned())
            }
            Some(_) | None => match operation.state {
                State::Sent => Meaning::Unclear,
                State::Unknown { .. }
                | State::Pending { .. }
                | State::Waiting { .. }
                | State::Done { .. }
                | State::Refused { .. }
                | State::Failed { .. } => Meaning::Same,
            },
        }
    }

    fn look_again(&mut self, n: u32, at: Timestamp, policy: &Policy) {
        if let Some(operation) = self.operation_mut(n) {
            operation.next_at = match &operation.state {
                State::Unknown { since } => Some(policy.next_look(*since, at)),
                State::Pending { since } => Some(policy.next_ask(*since, at)),
                State::Waiting { since } => Some(policy.next_look(*since, at)),
                State::Sent => operation.next_at,
                State::Done { .. } | State::Refused { .. } | State::Failed { .. } => None,
            };
        }
    }

    fn becomes_unknown(&mut self, n: u32, at: Timestamp, policy: &Policy) -> Vec<Line> {
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        operation.state = State::Unknown { since: at };
        let kind = operation.kind;
        self.look_again(n, at, policy);
        if matches!(kind, Kind::Authorise { .. }) {
            self.status = Status::NoAnswerFromPsp;
        }
        self.refresh_refund_status(kind);
        let message = "It may have taken effect, so it is not sent again; the processor will be asked.";
        vec![Line::new(at, format!("No answer to the {}", words(kind))).saying(message)]
    }

    fn becomes_pending(&mut self, n: u32, at: Timestamp, policy: &Policy) -> Vec<Line> {
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        if matches!(operation.state, State::Pending { .. }) {
            self.look_again(n, at, policy);
            return Vec::new();
        }
        operation.state = State::Pending { since: at };
        let kind = operation.kind;
        self.look_again(n, at, policy);
        if matches!(kind, Kind::Authorise { .. }) {
            self.status = Status::GatewayHold;
            return vec![
                Line::new(at, "Held for review").saying("The processor reviews the payment and will decide later."),
            ];
        }
        self.refresh_refund_status(kind);
        let title = format!("The {} is pending", words(kind));
        vec![Line::new(at, title).saying("The processor has accepted it and will tell later whether it took effect.")]
    }

    /// The customer must do something first.
    fn becomes_waiting(&mut self, n: u32, action: Action, at: Timestamp, policy: &Policy) -> Vec<Line> {
        let present = self.initiator == Initiator::Customer;
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        let kind = action.kind;
        let again = operation.action.replace(action).is_some();
        if !matches!(operation.state, State::Waiting { .. }) {
            operation.state = State::Waiting { since: at };
        }
        let lifetime = if present { policy.customer_lifetime } else { Duration::ZERO };
        operation.give_up_at.get_or_insert(at.after(lifetime));
        self.look_again(n, at, policy);
        let title = match kind {
            ActionKind::ThreeDSecure => {
                self.status = Status::Needs3dSecure;
                "3D Secure is required"
            }
            ActionKind::Apm => {
                self.status = Status::NeedsApmAuthorization;
                "The customer's approval is required"
            }
        };
        if again {
            return Vec::new();
        }
        vec![
            Line::new(at, title)
                .saying("Nothing is authorised until the customer has come back from the processor's page."),
        ]
    }

    fn took_effect(&mut self, n: u32, captured: bool, at: Timestamp, policy: &Policy) -> Vec<Line> {
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        operation.state = State::Done { at };
        operation.next_at = None;
        operation.action = None;
        operation.give_up_at = None;
        let (kind, amount) = (operation.kind, operation.amount);
        let sum = self.words(amount);
        match kind {
            Kind::Authorise { .. } if captured => {
                self.captured = amount;
                self.enter_captured(Status::Succeeded);
                self.flow_goes_on(at);
                vec![Line::new(at, "Authorised and captured").saying(sum)]
            }
            Kind::Authorise { .. } => {
                self.status = Status::Authorised;
                self.expires_at = Some(at.after(policy.lifetime));
                // Where the processor has no sale, or made it an authorisation alone, a capture completes it.
                self.capture_at = match self.capture_rule {
                    CaptureRule::Immediate => Some(at),
                    CaptureRule::After { seconds } => Some(at.after(Duration::from_secs(seconds))),
                    CaptureRule::Api | CaptureRule::Flow => None,
                };
                self.flow_goes_on(at);
                vec![Line::new(at, "Authorised").saying(sum)]
            }
            Kind::Capture if self.status == Status::Authorised => {
                self.captured = amount;
                self.enter_captured(Status::Succeeded);
                self.flow_goes_on(at);
                vec![Line::new(at, "Captured").saying(sum)]
            }
            Kind::Cancel { cause } if self.status == Status::Authorised => {
                self.enter_captured(Status::Cancelled);
                self.flow_goes_on(at);
                let message = match cause {
                    CancelCause::Merchant => "The processor has released the authorised amount.",
                    CancelCause::Lifetime => {
                        "The authorisation's life time had ended; the processor has released the amount."
                    }
                };
                vec![Line::new(at, "Cancelled").saying(message)]
            }
            // Excluded by begin_*; should a processor do both, people must look at it.
            Kind::Capture | Kind::Cancel { .. } => {
                vec![Line::new(at, format!("The {} took effect in an unexpected order", words(kind))).saying(sum)]
            }
            Kind::Refund { .. } => {
                self.refund_failed = false;
                self.refresh_refund_status(kind);
                self.flow_goes_on(at);
                vec![Line::new(at, "Refunded").saying(sum)]
            }
            Kind::Reverse { .. } => vec![Line::new(at, "Reversed").saying(sum)],
            Kind::Abandon { target, cause } => self.abandoned(target, cause, at),
        }
    }

    /// The processor has given up the authorisation that waited: nothing is charged any more.
    fn abandoned(&mut self, target: u32, cause: AbandonCause, at: Timestamp) -> Vec<Line> {
        let Some(operation) = self.operation_mut(target).filter(|operation| operation.state.is_open()) else {
            return Vec::new();
        };
        let action = operation.action.take().map(|action| action.kind);
        let code = match (cause, action) {
            (AbandonCause::Lifetime, Some(ActionKind::ThreeDSecure)) => DeclineCode::ThreeDSecure,
            (AbandonCause::NobodyPresent, _) => DeclineCode::AuthorizationRequired,
            (
                AbandonCause::Merchant | AbandonCause::Lifetime | AbandonCause::Superseded | AbandonCause::AlreadyPaid,
                _,
            ) => DeclineCode::PaymentCancelled,
        };
        let approval = match operation.answer.take() {
            Some(Answer::ActionRequired { approval, .. } | Answer::Held { approval }) => approval,
            Some(Answer::Approved { .. } | Answer::Declined { .. } | Answer::Failed { .. }) | None => {
                Approval::default()
            }
        };
        operation.answer = Some(Answer::Declined { decline: Decline::of(code), approval });
        operation.state = State::Refused { at, reason: code.code().to_owned() };
        operation.next_at = None;
        operation.give_up_at = None;
        let apm = action == Some(ActionKind::Apm);
        self.status = if apm { Status::Cancelled } else { Status::Declined };
        self.flow_goes_on(at);
        let title = if apm { "Cancelled" } else { "Declined" };
        vec![Line::new(at, title).saying(format!("Reason: {}. It was given up; nothing was charged.", code.code()))]
    }

    /// What the flow began has ended: the flow that waits for it goes on.
    fn flow_goes_on(&mut self, at: Timestamp) {
        if let Some(pause) = self.flow.as_mut().and_then(|run| run.pause.as_mut())
            && pause.why == Why::Outcome
        {
            pause.why = Why::Step;
            pause.due = Some(at);
        }
    }

    /// The operation ended without effect.
    fn ended(&mut self, n: u32, state: State, at: Timestamp, policy: &Policy) -> Vec<Line> {
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        let refused = matches!(state, State::Refused { .. });
        let was_promised = !matches!(operation.state, State::Sent);
        let reason = match &state {
            State::Refused { reason, .. } | State::Failed { reason, .. } => format!("Reason: {reason}."),
            State::Sent
            | State::Unknown { .. }
            | State::Pending { .. }
            | State::Waiting { .. }
            | State::Done { .. } => String::new(),
        };
        operation.state = state;
        operation.action = None;
        operation.give_up_at = None;
        operation.next_at = None;
        let kind = operation.kind;
        let first = self.first_try(kind).unwrap_or(at);
        match kind {
            Kind::Authorise { .. } => {
                self.status = if refused { Status::Declined } else { Status::Failed };
                let title = if refused { "Declined" } else { "Failed" };
                self.flow_goes_on(at);
                return vec![Line::new(at, title).saying(reason)];
            }
            // Money that should be captured at once is tried again; the reversal too, until it succeeds.
            Kind::Capture => self.capture_at = self.capture_at.map(|_| policy.next_try(first, at)),
            Kind::Cancel { cause: CancelCause::Lifetime } => self.expires_at = Some(policy.next_try(first, at)),
            Kind::Cancel { cause: CancelCause::Merchant } => self.flow_goes_on(at),
            Kind::Reverse { .. } => self.reverse_at = Some(policy.next_try(first, at)),
            // The processor would not: it is asked how the authorisation stands, and again later to give it up.
            Kind::Abandon { target, .. } => {
                if let Some(target) = self.operation_mut(target).filter(|target| target.state.is_open()) {
                    target.next_at = Some(at);
                    target.give_up_at = target.give_up_at.map(|_| policy.next_try(first, at));
                }
            }
            Kind::Refund { .. } => {
                self.refund_failed |= was_promised;
                self.refresh_refund_status(kind);
                self.flow_goes_on(at);
            }
        }
        let verb = if refused { "was refused" } else { "did not take effect" };
        vec![Line::new(at, format!("The {} {verb}", words(kind))).saying(reason)]
    }

    /// When the first operation of this kind began: further tries are counted from it, so that they become rarer.
    fn first_try(&self, kind: Kind) -> Option<Timestamp> {
        let same = |other: &&super::Operation| match (kind, other.kind) {
            (Kind::Capture, Kind::Capture) => true,
            (Kind::Cancel { cause }, Kind::Cancel { cause: other }) => cause == other,
            (Kind::Reverse { target, .. }, Kind::Reverse { target: other, .. })
            | (Kind::Abandon { target, .. }, Kind::Abandon { target: other, .. }) => target == other,
            (
                Kind::Authorise { .. }
                | Kind::Capture
                | Kind::Cancel { .. }
                | Kind::Refund { .. }
                | Kind::Abandon { .. }
                | Kind::Reverse { .. },
                _,
            ) => false,
        };
        self.operations.iter().find(same).map(|operation| operation.started_at)
    }

    /// News after the operation has ended. Only a charge that was taken for none matters: it is given back.
    fn settle_late(&mut self, n: u32, meaning: &Meaning, at: Timestamp) -> Vec<Line> {
        let Meaning::Effect { captured } = meaning else { return Vec::new() };
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        if operation.state.is_done() {
            return Vec::new();
        }
        if !matches!(operation.kind, Kind::Authorise { .. }) {
            return self.late_effect(n, at);
        }
        operation.state = State::Done { at };
        self.reverse_at = Some(at);
        self.reverse_target = Some((n, *captured));
        let message =
            "The processor reports a charge for a payment that had ended otherwise. It is given back at once.";
        vec![Line::new(at, "Late charge").saying(message)]
    }

    /// A later operation that was taken for failed has taken effect: the payment follows the processor.
    fn late_effect(&mut self, n: u32, at: Timestamp) -> Vec<Line> {
        let Some(operation) = self.operation_mut(n) else { return Vec::new() };
        operation.state = State::Done { at };
        let (kind, amount) = (operation.kind, operation.amount);
        let title = format!("The {} took effect after all", words(kind));
        match kind {
            Kind::Capture if self.status == Status::Authorised => {
                self.captured = amount;
                self.enter_captured(Status::Succeeded);
            }
            Kind::Cancel { .. } if self.status == Status::Authorised => self.enter_captured(Status::Cancelled),
            Kind::Refund { .. } => self.refresh_refund_status(kind),
            Kind::Reverse { .. } => self.reverse_at = None,
            Kind::Abandon { target, cause } => return self.abandoned(target, cause, at),
            Kind::Authorise { .. } | Kind::Capture | Kind::Cancel { .. } => {}
        }
        vec![Line::new(at, title).saying(self.words(amount))]
    }

    /// Leaves AUTHORISED for good: its due times end.
    fn enter_captured(&mut self, status: Status) {
        self.status = status;
        self.capture_at = None;
        self.expires_at = None;
    }

    fn refresh_refund_status(&mut self, kind: Kind) {
        if matches!(kind, Kind::Refund { .. }) && self.captured > 0 {
            self.status = self.refunded_status();
        }
    }
}

fn note_answer(operation: &mut super::Operation, news: News) {
    match news {
        News::Answer(answer) => {
            if let Answer::Approved { approval, .. }
            | Answer::Held { approval }
            | Answer::ActionRequired { approval, .. }
            | Answer::Declined { approval, .. } = &answer
            {
                operation.processor_id.clone_from(&approval.processor_id);
            }
            operation.answer = Some(answer);
        }
        News::Later(LaterAnswer::Done { processor_id } | LaterAnswer::Pending { processor_id }) => {
            operation.processor_id = processor_id;
        }
        News::Later(LaterAnswer::Refused { .. })
        | News::NoAnswer
        | News::Nothing(_)
        | News::NotFound
        | News::LookUpFailed => {}
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Authorise { .. } => "authorisation",
        Kind::Capture => "capture",
        Kind::Cancel { .. } => "cancellation",
        Kind::Refund { .. } => "refund",
        Kind::Reverse { .. } => "reversal",
        Kind::Abandon { .. } => "giving up",
    }
}
