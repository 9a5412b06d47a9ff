//! What an operation comes to, and what that makes of the payment.

use std::time::Duration;

use super::{
    ActionRequired, CancelCause, CaptureRule, Cause, Occurrence, OperationKind, OperationState,
    Payment, PaymentEvent, Policy, Status, settle::words,
};
use crate::{
    Timestamp,
    answer::{Action, ActionKind, Answer},
    decline::{Decline, DeclineCode},
};

impl Payment {
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(RecoveryForgotten = super::bugs::forget_unknown)
    )]
    pub(super) fn look_again(&mut self, n: u32, at: Timestamp, policy: &Policy) {
        if let Some(operation) = self.operation_mut(n) {
            operation.next_at = match &operation.state {
                OperationState::Unknown { since } | OperationState::Waiting { since } => {
                    Some(policy.next_look(*since, at))
                }
                OperationState::Pending { since } => Some(policy.next_ask(*since, at)),
                OperationState::Sent => operation.next_at,
                OperationState::Done { .. }
                | OperationState::Refused { .. }
                | OperationState::Failed { .. } => None,
            };
        }
    }

    /// Learnt at `at` of a call that is over since, or by, `over`.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(UnknownShownFailed = super::bugs::mark_unknown_failed)
    )]
    pub(super) fn becomes_unknown(
        &mut self,
        n: u32,
        at: Timestamp,
        over: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        operation.state = OperationState::Unknown { since: over };
        let kind = operation.kind;
        operation.abandon_at = policy
            .abandon_after
            .filter(|_| kind.is_attempt())
            .map(|wait| over.after(wait));
        self.look_again(n, at, policy);
        if matches!(kind, OperationKind::Authorise { .. }) {
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

    pub(super) fn becomes_pending(
        &mut self,
        n: u32,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        if matches!(operation.state, OperationState::Pending { .. }) {
            self.look_again(n, at, policy);
            return Vec::new();
        }
        operation.state = OperationState::Pending { since: at };
        // The customer has done what was asked: nobody is waited for any more but the processor.
        operation.action = None;
        operation.give_up_at = None;
        let kind = operation.kind;
        self.look_again(n, at, policy);
        if matches!(kind, OperationKind::Authorise { .. }) {
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
            OperationKind::Refund { .. } => self.event_of(n, PaymentEvent::RefundPending),
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
    pub(super) fn becomes_waiting(
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
        let unknown = matches!(operation.state, OperationState::Unknown { .. });
        if !matches!(operation.state, OperationState::Waiting { .. }) {
            operation.state = OperationState::Waiting { since: at };
        }
        let lifetime = if present {
            policy.customer_lifetime
        } else {
            Duration::ZERO
        };
        operation.give_up_at.get_or_insert(at.after(lifetime));
        self.look_again(n, at, policy);
        let before = self.status;
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
            // What was unknown becomes known: that is reported.
            let message = "Nothing is authorised: the processor waits for the customer, or for the request to complete it.";
            return vec![
                Occurrence::new(at, "The authorisation was not completed")
                    .saying(message)
                    .events(event),
            ];
        }
        // What is asked for once more is reported once; another thing is another status.
        if again && self.status == before {
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
    pub(super) fn took_effect(
        &mut self,
        n: u32,
        captured: bool,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        operation.state = OperationState::Done { at };
        operation.next_at = None;
        operation.action = None;
        operation.give_up_at = None;
        let (kind, amount) = (operation.kind, operation.amount);
        let sum = self.words(amount);
        match kind {
            OperationKind::Authorise { .. } if captured => self.mark_captured_at_once(n, at),
            OperationKind::Authorise { .. } => self.mark_authorised(n, at, policy),
            OperationKind::Capture if self.status == Status::Authorised => {
                let events = self.enter_capture(n, at);
                let words = self.capture_words(amount);
                vec![Occurrence::new(at, "Captured").saying(words).events(events)]
            }
            OperationKind::Cancel { cause } if self.status == Status::Authorised => {
                self.rest_released(n, cause, at)
            }
            OperationKind::Capture if self.status == Status::Cancelled => self.owe(n, true, at),
            // Excluded by begin_*. A capture may have been under way when an earlier one that had ended it came to light; should a
            // processor do both otherwise, people must look at it.
            OperationKind::Capture | OperationKind::Cancel { .. } => {
                let captured = matches!(kind, OperationKind::Capture).then(|| self.add_capture(n));
                if let Some(event) = captured.flatten() {
                    return occurred(at, "Captured", sum, Some(event));
                }
                let title = format!("The {} took effect in an unexpected order", words(kind));
                let event = self.event_of(n, PaymentEvent::UnexpectedEffect);
                occurred(at, title, sum, event)
            }
            OperationKind::Refund { .. } => {
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
            OperationKind::Reverse { .. } => occurred(
                at,
                "Reversed",
                sum,
                self.event_of(n, PaymentEvent::Reversed),
            ),
            OperationKind::Abandon { target, cause } => self.abandoned(target, cause, at),
        }
    }

    /// Cancellation `n` of an AUTHORISED payment has taken effect.
    fn rest_released(&mut self, n: u32, cause: CancelCause, at: Timestamp) -> Vec<Occurrence> {
        let (title, words) = (self.release_title(), self.release_words());
        let words = match cause {
            CancelCause::Merchant => words,
            CancelCause::Lifetime => format!("The authorisation's life time had ended. {words}"),
            CancelCause::Processor => {
                format!("The authorisation had ended at the processor. {words}")
            }
        };
        let events = self.enter_released(n, cause.into());
        self.flow_goes_on(at);
        vec![Occurrence::new(at, title).saying(words).events(events)]
    }

    /// Operation `n` has authorised and captured its amount.
    fn mark_captured_at_once(&mut self, n: u32, at: Timestamp) -> Vec<Occurrence> {
        let Some(amount) = self.operation(n).map(|operation| operation.amount) else {
            return Vec::new();
        };
        self.captured = amount;
        let disputed = self.enter_paid();
        self.flow_goes_on(at);
        let events =
            [PaymentEvent::Authorised, PaymentEvent::Captured].map(|event| self.event_of(n, event));
        let occurrence = Occurrence::new(at, "Authorised and captured").saying(self.words(amount));
        vec![occurrence.events(events.into_iter().flatten().chain(disputed))]
    }

    /// Until when attempt `n` that was authorised at `at` can be captured: as long as the processor says of this one, be it shorter or
    /// longer than usual there, and as the operator allows.
    pub(super) fn lives_until(&self, n: u32, at: Timestamp, policy: &Policy) -> Timestamp {
        let usual = at.after(policy.lifetime);
        let answer = self.operation(n).and_then(|one| one.answer.as_ref());
        let own = match answer {
            Some(Answer::Approved { approval, .. }) => approval.valid_until,
            Some(_) | None => None,
        };
        own.map_or(usual, |own| own.min(at.after(policy.lifetime_max)))
    }

    /// Operation `n` has authorised its amount; nothing is captured yet.
    fn mark_authorised(&mut self, n: u32, at: Timestamp, policy: &Policy) -> Vec<Occurrence> {
        let Some(amount) = self.operation(n).map(|operation| operation.amount) else {
            return Vec::new();
        };
        self.status = Status::Authorised;
        self.expires_at = Some(self.lives_until(n, at, policy));
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
            self.words(amount),
            self.event_of(n, PaymentEvent::Authorised),
        )
    }

    /// The operation ended without effect.
    pub(super) fn ended(
        &mut self,
        n: u32,
        state: OperationState,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        let refused = matches!(state, OperationState::Refused { .. });
        let was_promised = !matches!(operation.state, OperationState::Sent);
        let why = match &state {
            OperationState::Refused { reason, .. } | OperationState::Failed { reason, .. } => {
                reason.clone()
            }
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Pending { .. }
            | OperationState::Waiting { .. }
            | OperationState::Done { .. } => String::new(),
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
            OperationKind::Authorise { .. } => {
                let (status, title, event) = if refused {
                    self.refused_as(n, asked)
                } else {
                    (Status::Failed, "Failed", event)
                };
                self.status = status;
                self.flow_goes_on(at);
                return occurred(at, title, reason, event);
            }
            OperationKind::Refund { .. } => {
                self.refund_failed |= was_promised;
                self.refresh_refund_status(kind);
                self.flow_goes_on(at);
            }
            later => self.try_again(later, first, at, policy),
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

    /// The status of a payment whose attempt `n` was refused, the title of that, and its event. A customer who gave it up at the
    /// method's own page was asked for approval there.
    fn refused_as(
        &self,
        n: u32,
        asked: Option<ActionKind>,
    ) -> (Status, &'static str, Option<PaymentEvent>) {
        let code = self.decline().map(|decline| decline.code);
        let given_up =
            asked == Some(ActionKind::Apm) && code == Some(DeclineCode::PaymentCancelled);
        if given_up {
            let cancelled = self.cancelled(n, Cause::Customer);
            (Status::Cancelled, "Cancelled", cancelled)
        } else {
            (Status::Declined, "Declined", self.declined(n))
        }
    }

    /// An operation of this kind has ended without effect: when it is tried again. `first` is when the first of them began.
    pub(super) fn try_again(
        &mut self,
        kind: OperationKind,
        first: Timestamp,
        at: Timestamp,
        policy: &Policy,
    ) {
        match kind {
            // Money that should be captured at once is tried again; the reversal too, until it succeeds.
            // What is to be captured later is not captured earlier because somebody tried before.
            OperationKind::Capture => {
                self.capture_at = self
                    .capture_at
                    .map(|due| due.max(policy.next_try(first, at)));
            }
            OperationKind::Cancel {
                cause: CancelCause::Lifetime,
            } => self.expires_at = Some(policy.next_try(first, at)),
            OperationKind::Cancel {
                cause: CancelCause::Merchant | CancelCause::Processor,
            } => self.flow_goes_on(at),
            OperationKind::Reverse { target, .. } if self.is_given_back(target) => {}
            OperationKind::Reverse { target, .. } => {
                if let Some(owed) = self
                    .operation_mut(target)
                    .and_then(|charge| charge.owed.as_mut())
                {
                    owed.due = Some(policy.next_try(first, at));
                }
            }
            // The processor would not: it is asked how the authorisation stands, and again later to give it up.
            OperationKind::Abandon { target, .. } => {
                if let Some(target) = self
                    .operation_mut(target)
                    .filter(|target| target.state.is_open())
                {
                    target.next_at = Some(at);
                    let next = policy.next_try(first, at);
                    target.give_up_at = target.give_up_at.map(|_| next);
                    target.abandon_at = target.abandon_at.map(|_| next);
                }
            }
            OperationKind::Authorise { .. } | OperationKind::Refund { .. } => {}
        }
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
    fn first_try(&self, kind: OperationKind) -> Option<Timestamp> {
        let same = |other: &&super::Operation| match (kind, other.kind) {
            // What was captured is no try of what is left.
            (OperationKind::Capture, OperationKind::Capture) => !other.state.is_done(),
            (OperationKind::Cancel { cause }, OperationKind::Cancel { cause: other }) => {
                cause == other
            }
            (
                OperationKind::Reverse { target, .. },
                OperationKind::Reverse { target: other, .. },
            )
            | (
                OperationKind::Abandon { target, .. },
                OperationKind::Abandon { target: other, .. },
            ) => target == other,
            (
                OperationKind::Authorise { .. }
                | OperationKind::Capture
                | OperationKind::Cancel { .. }
                | OperationKind::Refund { .. }
                | OperationKind::Abandon { .. }
                | OperationKind::Reverse { .. },
                _,
            ) => false,
        };
        self.operations
            .iter()
            .find(same)
            .map(|operation| operation.started_at)
    }

    pub(super) fn refresh_refund_status(&mut self, kind: OperationKind) {
        if matches!(kind, OperationKind::Refund { .. }) && self.captured > 0 {
            self.status = self.paid_status();
        }
    }
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
