//! Settling: the one place where news about an operation changes a payment.

use super::{
    ActionRequired, CancelCause, CaptureRule, Cause, Evidence, Initiator, Kind, News, Occurrence,
    Operation, Payment, PaymentEvent, Policy, Resolution, Source, State, Status, ThreeDsWish,
    differs::Taken,
    news::{Meaning, note_answer},
};
use std::time::Duration;

use crate::{
    Timestamp,
    answer::{Action, ActionKind, Answer},
    decline::{Decline, DeclineCode},
    fault::{Code, Fault},
};

/// A look-up is put off by at most so much because a processor asks for it.
const LOOK_UP_WAITS_AT_MOST: Duration = Duration::from_mins(15);

/// A person's word on an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// It took effect; `captured` for a charge that includes the capture.
    TookEffect { captured: bool },
    /// Nothing happened, for this reason.
    Nothing(&'static str),
}

impl Payment {
    /// Takes news about operation `n`: the next state, and what the timeline says of it. An empty list means that
    /// nothing was worth a line; the payment may still have a new due time.
    pub fn settle(
        &mut self,
        n: u32,
        news: News,
        from: (Source, Timestamp),
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let (source, at) = from;
        let Some(operation) = self.operation(n) else {
            return Vec::new();
        };
        let kind = operation.kind;
        let (open, is_over) = (operation.state.is_open(), has_ended(operation));
        let unknown = matches!(operation.state, State::Unknown { .. });
        let is_told = matches!(news, News::Answer(_) | News::Later(_));
        let over_by = operation.send_by.after(policy.call_timeout);
        let was_asked = operation.action.is_some();
        let completing = was_asked && operation.state == State::Sent;
        let not_before = asked_to_wait(&news, at);
        let mut meaning = self.meaning(n, &news, policy);
        let moves_money = matches!(meaning, Meaning::Effect { .. });
        let is_done = operation.state.is_done();
        let mut differs = Vec::new();
        let other = self
            .told_other(n, &news)
            .filter(|_| open || (moves_money && !is_done));
        if let Some(found) = other {
            match self.take_other((n, found), (meaning, &news), from, policy) {
                Taken::As(taken, lines) => (meaning, differs) = (taken, lines),
                Taken::Settled(lines) => {
                    self.wake_runs(at);
                    return lines;
                }
            }
        }
        if is_over {
            differs.extend(match meaning {
                Meaning::Undone(reason) => self.undone(n, &reason, at, policy),
                meaning => self.settle_late(n, &meaning, &news, at),
            });
            return differs;
        }
        // Once it can be under way no more. Its own answer ends it at once.
        let over = match source {
            Source::Call | Source::Restored => at,
            Source::LookUp | Source::Processor => at.max(over_by),
        };
        // What the customer was asked is answered; that the processor still asks is older than the completion under way.
        if completing && at < over && matches!(meaning, Meaning::Asks(_)) {
            meaning = Meaning::Same;
        }
        if let Some(operation) = self.operation_mut(n) {
            operation.looks = operation
                .looks
                .saturating_add(u32::from(source == Source::LookUp));
            // What takes a person tells nothing of this operation.
            if other.is_none() || !matches!(meaning, Meaning::Unclear | Meaning::Same) {
                note_answer(operation, news);
            }
        }
        let mut lines = match meaning {
            Meaning::Same => {
                self.look_again(n, at, policy);
                return differs;
            }
            Meaning::Unclear => self.becomes_unknown(n, at, over, policy),
            Meaning::Waits => self.becomes_pending(n, at, policy),
            Meaning::Asks(action) => self.becomes_waiting(n, action, at, policy),
            Meaning::Effect { captured } => self.took_effect(n, captured, at, policy),
            Meaning::Refusal(reason) => self.ended(n, State::Refused { at, reason }, at, policy),
            Meaning::Nothing(reason) | Meaning::Undone(reason) => {
                self.ended(n, State::Failed { at, reason }, at, policy)
            }
        };
        if let Some(operation) = self.operation_mut(n) {
            operation.next_at = operation.next_at.map(|next| next.max(not_before));
        }
        self.wake_runs(at);
        let found = evidence(source, kind, unknown, is_told);
        if let (Some((by, found)), Some(first)) = (found, lines.first_mut()) {
            first.events.insert(0, PaymentEvent::found(n, by));
            let entry = &mut first.entry;
            entry.message = Some(match entry.message.take() {
                Some(message) => format!("{message} {found}"),
                None => found,
            });
        }
        if let Some(passed) = self.passed_unasked(n, at).filter(|_| !was_asked) {
            lines.push(passed);
        }
        differs.extend(lines);
        differs
    }

    /// What the timeline says of 3D Secure that took place without a page for the customer.
    fn passed_unasked(&self, n: u32, at: Timestamp) -> Option<Occurrence> {
        let operation = self.operation(n).filter(|one| one.state.is_done())?;
        let Some(Answer::Approved { approval, .. }) = &operation.answer else {
            return None;
        };
        let three_ds = approval.three_ds.as_ref()?;
        let facts = [
            three_ds.result.clone(),
            three_ds
                .version
                .as_ref()
                .map(|version| format!("version {version}")),
            three_ds.eci.as_ref().map(|eci| format!("ECI {eci}")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let asked = if self.three_ds == ThreeDsWish::Request {
            "It was asked for; the issuer let it pass"
        } else {
            "The issuer let it pass"
        };
        let words = format!("{asked}: {}.", facts.join(", "));
        Some(
            Occurrence::new(at, "3D Secure passed without a challenge")
                .saying(words)
                .events(self.event_of(n, PaymentEvent::Authenticated)),
        )
    }

    /// The operation that a person who knows this outcome can settle: the oldest unknown one about which it says anything.
    pub fn resolvable(&self, outcome: Resolution) -> Option<&Operation> {
        let unknown = |operation: &&Operation| {
            matches!(operation.state, State::Unknown { .. })
                && self.word_on(operation.kind, outcome).is_some()
        };
        self.operations.iter().find(unknown)
    }

    /// What it says about an unknown operation of this kind that the payment has come to this outcome.
    fn word_on(&self, kind: Kind, outcome: Resolution) -> Option<Word> {
        let unknown = self.status == Status::NoAnswerFromPsp;
        match (kind, outcome) {
            (Kind::Authorise { .. }, Resolution::Authorised) if unknown => {
                Some(Word::TookEffect { captured: false })
            }
            (Kind::Authorise { .. }, Resolution::Captured) if unknown => {
                Some(Word::TookEffect { captured: true })
            }
            (Kind::Authorise { .. }, Resolution::NotCharged) if unknown => {
                Some(Word::Nothing("a person found that nothing was charged"))
            }
            (Kind::Capture, Resolution::Captured)
            | (Kind::Cancel { .. } | Kind::Abandon { .. }, Resolution::NotCharged)
            | (Kind::Refund { .. }, Resolution::Refunded) => {
                Some(Word::TookEffect { captured: false })
            }
            (Kind::Capture, Resolution::Authorised) => {
                Some(Word::Nothing("a person found that nothing was captured"))
            }
            (Kind::Cancel { .. }, Resolution::Authorised) => {
                Some(Word::Nothing("a person found that nothing was cancelled"))
            }
            (Kind::Refund { .. }, Resolution::NotRefunded) => {
                Some(Word::Nothing("a person found that nothing was refunded"))
            }
            _ => None,
        }
    }

    /// Settles an unknown operation on a person's word, with the evidence kept in the timeline.
    ///
    /// # Errors
    /// `error.resolve.invalid-status` unless its outcome is unknown.
    pub fn resolve(
        &mut self,
        outcome: Resolution,
        evidence: &str,
        at: Timestamp,
        policy: &Policy,
    ) -> Result<Vec<Occurrence>, Fault> {
        let found = self
            .resolvable(outcome)
            .map(|operation| (operation.n, operation.kind));
        let Some((n, word)) = found.and_then(|(n, kind)| Some((n, self.word_on(kind, outcome)?)))
        else {
            let message = "Only what got no answer can be settled by a person: an authorisation, capture, cancellation, giving up \
                           or refund whose outcome is unknown, by an outcome that says what became of it.";
            return Err(Fault::new(Code::ResolveStatus, message)
                .about(self.id)
                .in_status(self.status));
        };
        let mut lines = vec![
            Occurrence::new(at, "Settled by a person")
                .saying(format!("Evidence: {evidence}"))
                .event(PaymentEvent::found(n, Evidence::Person)),
        ];
        lines.extend(match word {
            Word::TookEffect { captured } => self.took_effect(n, captured, at, policy),
            Word::Nothing(reason) => self.ended(
                n,
                State::Failed {
                    at,
                    reason: reason.to_owned(),
                },
                at,
                policy,
            ),
        });
        self.wake_runs(at);
        Ok(lines)
    }

    /// What the merchant who asked for operation `n` is told: nothing (the payment itself), or why it was refused.
    pub fn verdict(&self, n: u32) -> Result<(), Fault> {
        let Some(operation) = self.operation(n) else {
            return Ok(());
        };
        let other = operation.other.filter(|other| other.recorded);
        if let Some(fault) = other.and_then(|other| other.fault(self)) {
            return Err(fault);
        }
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
            State::Refused { reason, .. } | State::Failed { reason, .. } => Err(Fault::new(
                code,
                format!("The {what} did not take effect: {reason}."),
            )
            .because(reason.clone())
            .about(self.id)
            .in_status(self.status)),
        }
    }

    /// The fault that sends the customer to a page, while one is waited for.
    fn asks_customer(&self, operation: &Operation) -> Result<(), Fault> {
        let (State::Waiting { .. }, Some(action)) = (&operation.state, &operation.action) else {
            return Ok(());
        };
        // Nobody is there who could be sent: it is given up.
        if !self.is_present(operation) {
            return Ok(());
        }
        let (code, what) = match action.kind {
            ActionKind::ThreeDSecure => (Code::Requires3dSecure, "3D Secure is required"),
            ActionKind::Apm => (Code::RequiresApm, "The customer's approval is required"),
        };
        let message = format!("{what}. Send the customer to {}", action.url);
        Err(Fault::new(code, message)
            .about(self.id)
            .at_url(action.url.clone()))
    }

    /// Whether the customer can be sent to a page for an attempt.
    fn is_present(&self, attempt: &Operation) -> bool {
        self.initiator == Initiator::Customer && attempt.return_key.is_some()
    }

    #[cfg_attr(
        feature = "planted",
        planted::alternatives(RecoveryForgotten = super::bugs::forget_unknown)
    )]
    fn look_again(&mut self, n: u32, at: Timestamp, policy: &Policy) {
        if let Some(operation) = self.operation_mut(n) {
            operation.next_at = match &operation.state {
                State::Unknown { since } | State::Waiting { since } => {
                    Some(policy.next_look(*since, at))
                }
                State::Pending { since } => Some(policy.next_ask(*since, at)),
                State::Sent => operation.next_at,
                State::Done { .. } | State::Refused { .. } | State::Failed { .. } => None,
            };
        }
    }

    /// Learnt at `at` of a call that is over since, or by, `over`.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(UnknownToldFailed = super::bugs::tell_unknown_failed)
    )]
    fn becomes_unknown(
        &mut self,
        n: u32,
        at: Timestamp,
        over: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        operation.state = State::Unknown { since: over };
        let kind = operation.kind;
        self.look_again(n, at, policy);
        if matches!(kind, Kind::Authorise { .. }) {
            self.status = Status::NoAnswerFromPsp;
        }
        self.refresh_refund_status(kind);
        let message =
            "It may have taken effect, so it is not sent again; the processor will be asked.";
        vec![
            Occurrence::new(at, format!("No answer to the {}", words(kind)))
                .saying(message)
                .events(self.event_of(n, PaymentEvent::Unknown)),
        ]
    }

    fn becomes_pending(&mut self, n: u32, at: Timestamp, policy: &Policy) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        if matches!(operation.state, State::Pending { .. }) {
            self.look_again(n, at, policy);
            return Vec::new();
        }
        operation.state = State::Pending { since: at };
        // The customer has done what was asked: nobody is waited for any more but the processor.
        operation.action = None;
        operation.give_up_at = None;
        let kind = operation.kind;
        self.look_again(n, at, policy);
        if matches!(kind, Kind::Authorise { .. }) {
            self.status = Status::GatewayHold;
            // A debit is held because its money comes later, and nobody reviews it.
            let (title, message) = if self.method.account.is_some() {
                (
                    "The debit is under way",
                    "The processor collects the money from the bank account and will tell later whether it was paid.",
                )
            } else {
                (
                    "Held for review",
                    "The processor reviews the payment and will decide later.",
                )
            };
            return vec![
                Occurrence::new(at, title)
                    .saying(message)
                    .events(self.event_of(n, PaymentEvent::Held)),
            ];
        }
        self.refresh_refund_status(kind);
        let event = match kind {
            Kind::Refund { .. } => self.event_of(n, PaymentEvent::RefundPending),
            _ => self.event_of(n, PaymentEvent::OperationPending),
        };
        let title = format!("The {} is pending", words(kind));
        vec![
            Occurrence::new(at, title)
                .saying("The processor has accepted it and will tell later whether it took effect.")
                .events(event),
        ]
    }

    /// The customer must do something first.
    fn becomes_waiting(
        &mut self,
        n: u32,
        action: Action,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let present = self
            .operation(n)
            .is_some_and(|operation| self.is_present(operation));
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        let kind = action.kind;
        let again = operation.action.replace(action).is_some();
        let unknown = matches!(operation.state, State::Unknown { .. });
        if !matches!(operation.state, State::Waiting { .. }) {
            operation.state = State::Waiting { since: at };
        }
        let lifetime = if present {
            policy.customer_lifetime
        } else {
            Duration::ZERO
        };
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
        let event = self.event_of(n, |operation| {
            PaymentEvent::ActionRequired(ActionRequired {
                operation,
                action: kind.into(),
            })
        });
        if again && unknown {
            // What was unknown becomes known: that is told.
            let message = "Nothing is authorised: the processor waits for the customer, or to be told to complete it.";
            return vec![
                Occurrence::new(at, "The authorisation was not completed")
                    .saying(message)
                    .events(event),
            ];
        }
        if again {
            return Vec::new();
        }
        let message =
            "Nothing is authorised until the customer has come back from the processor's page.";
        vec![Occurrence::new(at, title).saying(message).events(event)]
    }

    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            PartialCaptureAsWhole = super::bugs::capture_whole,
            RefundCountedTwice = super::bugs::count_refund_twice,
            SaleTakenForAuthorisation = super::bugs::take_sale_for_authorisation,
        )
    )]
    fn took_effect(
        &mut self,
        n: u32,
        captured: bool,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
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
                let events = [PaymentEvent::Authorised, PaymentEvent::Captured]
                    .map(|event| self.event_of(n, event));
                let occurrence = Occurrence::new(at, "Authorised and captured").saying(sum);
                vec![occurrence.events(events.into_iter().flatten())]
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
                occurred(
                    at,
                    "Authorised",
                    sum,
                    self.event_of(n, PaymentEvent::Authorised),
                )
            }
            Kind::Capture if self.status == Status::Authorised => {
                self.captured = amount;
                self.enter_captured(Status::Succeeded);
                self.flow_goes_on(at);
                occurred(
                    at,
                    "Captured",
                    sum,
                    self.event_of(n, PaymentEvent::Captured),
                )
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
                occurred(at, "Cancelled", message, self.cancelled(n, cause.into()))
            }
            Kind::Capture if self.status == Status::Cancelled => self.owe(n, true, at),
            // Excluded by begin_*; should a processor do both, people must look at it.
            Kind::Capture | Kind::Cancel { .. } => {
                let title = format!("The {} took effect in an unexpected order", words(kind));
                let event = self.event_of(n, PaymentEvent::UnexpectedEffect);
                occurred(at, title, sum, event)
            }
            Kind::Refund { .. } => {
                self.refund_failed = false;
                self.refresh_refund_status(kind);
                self.flow_goes_on(at);
                occurred(
                    at,
                    "Refunded",
                    sum,
                    self.event_of(n, PaymentEvent::Refunded),
                )
            }
            Kind::Reverse { .. } => occurred(
                at,
                "Reversed",
                sum,
                self.event_of(n, PaymentEvent::Reversed),
            ),
            Kind::Abandon { target, cause } => self.abandoned(target, cause, at),
        }
    }

    /// The operation ended without effect.
    pub(super) fn ended(
        &mut self,
        n: u32,
        state: State,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        let refused = matches!(state, State::Refused { .. });
        let was_promised = !matches!(operation.state, State::Sent);
        let why = match &state {
            State::Refused { reason, .. } | State::Failed { reason, .. } => reason.clone(),
            State::Sent
            | State::Unknown { .. }
            | State::Pending { .. }
            | State::Waiting { .. }
            | State::Done { .. } => String::new(),
        };
        let reason = format!("Reason: {why}.");
        operation.state = state;
        let asked = operation.action.take().map(|action| action.kind);
        operation.give_up_at = None;
        operation.next_at = None;
        let kind = operation.kind;
        let event = self.event_of(n, |operation| PaymentEvent::ended(operation, refused, &why));
        let first = self.first_try(kind).unwrap_or(at);
        let step = self.step_failed(n, at, policy);
        match kind {
            Kind::Authorise { .. } => {
                let code = self.decline().map(|decline| decline.code);
                let given_up =
                    asked == Some(ActionKind::Apm) && code == Some(DeclineCode::PaymentCancelled);
                let (status, title, event) = match (refused, given_up) {
                    (true, true) => {
                        let cancelled = self.cancelled(n, Cause::Customer);
                        (Status::Cancelled, "Cancelled", cancelled)
                    }
                    (true, false) => (Status::Declined, "Declined", self.declined(n)),
                    (false, _) => (Status::Failed, "Failed", event),
                };
                self.status = status;
                self.flow_goes_on(at);
                return occurred(at, title, reason, event);
            }
            // Money that should be captured at once is tried again; the reversal too, until it succeeds.
            // What is to be captured later is not captured earlier because somebody tried before.
            Kind::Capture => {
                self.capture_at = self
                    .capture_at
                    .map(|due| due.max(policy.next_try(first, at)));
            }
            Kind::Cancel {
                cause: CancelCause::Lifetime,
            } => self.expires_at = Some(policy.next_try(first, at)),
            Kind::Cancel {
                cause: CancelCause::Merchant,
            } => self.flow_goes_on(at),
            Kind::Reverse { target, .. } if self.is_given_back(target) => {}
            Kind::Reverse { target, .. } => {
                if let Some(owed) = self
                    .operation_mut(target)
                    .and_then(|charge| charge.owed.as_mut())
                {
                    owed.due = Some(policy.next_try(first, at));
                }
            }
            // The processor would not: it is asked how the authorisation stands, and again later to give it up.
            Kind::Abandon { target, .. } => {
                if let Some(target) = self
                    .operation_mut(target)
                    .filter(|target| target.state.is_open())
                {
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
        let verb = if refused {
            "was refused"
        } else {
            "did not take effect"
        };
        let ended = Occurrence::new(at, format!("The {} {verb}", words(kind)))
            .saying(reason)
            .events(event);
        std::iter::once(ended).chain(step).collect()
    }

    /// The event that attempt `n` was refused.
    fn declined(&self, n: u32) -> Option<PaymentEvent> {
        let decline = self
            .decline()
            .cloned()
            .unwrap_or_else(|| Decline::of(DeclineCode::Unknown));
        self.event_of(n, |operation| {
            PaymentEvent::declined(Some(operation), &decline, None)
        })
    }

    /// When the first operation of this kind began: further tries are counted from it, so that they become rarer.
    fn first_try(&self, kind: Kind) -> Option<Timestamp> {
        let same = |other: &&super::Operation| match (kind, other.kind) {
            (Kind::Capture, Kind::Capture) => true,
            (Kind::Cancel { cause }, Kind::Cancel { cause: other }) => cause == other,
            (Kind::Reverse { target, .. }, Kind::Reverse { target: other, .. })
            | (Kind::Abandon { target, .. }, Kind::Abandon { target: other, .. }) => {
                target == other
            }
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
        self.operations
            .iter()
            .find(same)
            .map(|operation| operation.started_at)
    }

    /// Leaves AUTHORISED for good: its due times end.
    pub(super) fn enter_captured(&mut self, status: Status) {
        self.status = status;
        self.capture_at = None;
        self.expires_at = None;
    }

    pub(super) fn refresh_refund_status(&mut self, kind: Kind) {
        if matches!(kind, Kind::Refund { .. }) && self.captured > 0 {
            self.status = self.refunded_status();
        }
    }
}

/// Before which time the processor asks not to be called again.
fn asked_to_wait(news: &News, at: Timestamp) -> Timestamp {
    match news {
        News::NoAnswer(known) => {
            let span = known.again_after.unwrap_or_default();
            at.after(span.min(LOOK_UP_WAITS_AT_MOST))
        }
        _ => at,
    }
}

/// Whether news about an operation comes after its end.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(LateNewsChangesState = super::bugs::never_ended)
)]
fn has_ended(operation: &Operation) -> bool {
    !operation.state.is_open()
}

/// How it became known what an operation came to, where that is not the answer to its call. `was_unknown`: the outcome was
/// unknown until now; `is_told`: the processor told it.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(EvidenceOmitted = super::bugs::no_evidence)
)]
fn evidence(
    source: Source,
    kind: Kind,
    was_unknown: bool,
    is_told: bool,
) -> Option<(Evidence, String)> {
    let (by, words) = match source {
        Source::LookUp => {
            let words = format!(
                "Found out by asking the processor about the {}.",
                words(kind)
            );
            (Evidence::LookUp, words)
        }
        Source::Call if was_unknown => {
            let words = "The answer to the call itself came late.".to_owned();
            (Evidence::LateAnswer, words)
        }
        Source::Restored if is_told => {
            let words = format!(
                "The processor had the {} from the time that was lost when the database was restored.",
                words(kind)
            );
            (Evidence::Restored, words)
        }
        Source::Call | Source::Restored | Source::Processor => return None,
    };
    Some((by, words))
}

/// One occurrence with an event.
fn occurred(
    at: Timestamp,
    title: impl Into<String>,
    message: impl Into<String>,
    event: Option<PaymentEvent>,
) -> Vec<Occurrence> {
    vec![Occurrence::new(at, title).saying(message).events(event)]
}

pub(super) fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Authorise { .. } => "authorisation",
        Kind::Capture => "capture",
        Kind::Cancel { .. } => "cancellation",
        Kind::Refund { .. } => "refund",
        Kind::Reverse { .. } => "reversal",
        Kind::Abandon { .. } => "giving up",
    }
}
