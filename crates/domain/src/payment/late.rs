//! What happens in an unusual order: success after the end, and authorisations that are given up.

use super::{
    AbandonCause, Cancelled, Cause, Evidence, News, Occurrence, OperationKind, OperationState,
    Owed, Payment, PaymentEvent, Status,
    news::{Meaning, processor_id},
    settle::words,
};
use crate::{
    Timestamp,
    answer::{ActionKind, Answer, Approval},
    decline::{Decline, DeclineCode},
};

impl Payment {
    /// News after the operation has ended. Only a charge that was taken for none matters: it is given back. What was proven undone
    /// stays so.
    pub(super) fn settle_late(
        &mut self,
        n: u32,
        meaning: &Meaning,
        news: &News,
        at: Timestamp,
    ) -> Vec<Occurrence> {
        let Meaning::Effect { captured } = meaning else {
            return Vec::new();
        };
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        if operation.state.is_done() || operation.undone {
            return Vec::new();
        }
        operation.state = OperationState::Done { at };
        // The processor's id is what it is given back by; why it was declined stays shown.
        if let Some(id) = processor_id(news) {
            operation.processor_id = Some(id.to_owned());
        }
        let mut occurred = if matches!(operation.kind, OperationKind::Authorise { .. }) {
            self.owe(n, *captured, at)
        } else {
            self.late_effect(n, at)
        };
        if let Some(first) = occurred.first_mut() {
            let found = PaymentEvent::found(n, Evidence::AfterItsEnd);
            first.events.insert(0, found);
        }
        occurred
    }

    /// A later operation that was taken for failed has taken effect: the payment follows the processor.
    fn late_effect(&mut self, n: u32, at: Timestamp) -> Vec<Occurrence> {
        let Some(operation) = self.operation(n) else {
            return Vec::new();
        };
        let (kind, amount) = (operation.kind, operation.amount);
        let title = format!("The {} took effect after all", words(kind));
        let unexpected = |payment: &Self| payment.event_of(n, PaymentEvent::UnexpectedEffect);
        let event = match kind {
            OperationKind::Capture if self.status == Status::Authorised => {
                let events = self.enter_capture(n, at);
                let words = self.capture_words(amount);
                return vec![Occurrence::new(at, title).saying(words).events(events)];
            }
            OperationKind::Capture if self.status == Status::Cancelled => {
                return self.owe(n, true, at);
            }
            OperationKind::Capture => self.add_capture(n).or_else(|| unexpected(self)),
            OperationKind::Cancel { cause } if self.status == Status::Authorised => {
                let words = self.release_words();
                let events = self.enter_released(n, cause.into());
                self.flow_goes_on(at);
                return vec![Occurrence::new(at, title).saying(words).events(events)];
            }
            OperationKind::Refund { .. } => {
                self.refund_failed = false;
                self.refresh_refund_status(kind);
                self.event_of(n, PaymentEvent::Refunded)
            }
            OperationKind::Reverse { target, .. } => {
                if let Some(owed) = self
                    .operation_mut(target)
                    .and_then(|charge| charge.owed.as_mut())
                {
                    owed.due = None;
                }
                self.event_of(n, PaymentEvent::Reversed)
            }
            OperationKind::Abandon { target, cause } => return self.abandoned(target, cause, at),
            OperationKind::Authorise { .. } | OperationKind::Cancel { .. } => unexpected(self),
        };
        vec![
            Occurrence::new(at, title)
                .saying(self.words(amount))
                .events(event),
        ]
    }

    /// The processor has given up the authorisation that waited: nothing is charged any more.
    pub(super) fn abandoned(
        &mut self,
        target: u32,
        cause: AbandonCause,
        at: Timestamp,
    ) -> Vec<Occurrence> {
        if self
            .authorisation()
            .is_some_and(|authorisation| authorisation.n == target)
        {
            return self.released(target, cause, at);
        }
        let Some(operation) = self
            .operation_mut(target)
            .filter(|operation| operation.state.is_open())
        else {
            return Vec::new();
        };
        if cause == AbandonCause::NoAnswer {
            return self.proven_absent(target, at);
        }
        let action = operation.action.take().map(|action| action.kind);
        let code = match (cause, action) {
            (AbandonCause::Lifetime, Some(ActionKind::ThreeDSecure)) => DeclineCode::ThreeDSecure,
            (AbandonCause::NobodyPresent, _) => DeclineCode::AuthorizationRequired,
            (
                AbandonCause::Merchant
                | AbandonCause::Lifetime
                | AbandonCause::Superseded
                | AbandonCause::AlreadyPaid
                | AbandonCause::NoAnswer,
                _,
            ) => DeclineCode::PaymentCancelled,
        };
        let approval = match operation.answer.take() {
            Some(Answer::ActionRequired { approval, .. } | Answer::Held { approval }) => approval,
            Some(Answer::Approved { .. } | Answer::Declined { .. } | Answer::Failed { .. })
            | None => Approval::default(),
        };
        let decline = Decline::of(code);
        operation.answer = Some(Answer::Declined {
            decline: decline.clone(),
            approval,
        });
        operation.state = OperationState::Refused {
            at,
            reason: code.code().to_owned(),
        };
        operation.next_at = None;
        operation.give_up_at = None;
        let (status, title, event) = if action == Some(ActionKind::Apm) {
            let cancelled = self.cancelled(target, cause.into());
            (Status::Cancelled, "Cancelled", cancelled)
        } else {
            let declined = self.event_of(target, |operation| {
                PaymentEvent::declined(Some(operation), &decline, Some(cause.into()))
            });
            (Status::Declined, "Declined", declined)
        };
        self.status = status;
        self.flow_goes_on(at);
        let reason = code.code();
        vec![
            Occurrence::new(at, title)
                .saying(format!(
                    "Reason: {reason}. It was given up; nothing was charged."
                ))
                .event(PaymentEvent::found(target, Evidence::GivenUp))
                .events(event),
        ]
    }

    /// Nothing stands at the processor under the reference of attempt `target`, whose answer is missing. That ends the payment: no other
    /// processor is asked, since the customer has gone.
    fn proven_absent(&mut self, target: u32, at: Timestamp) -> Vec<Occurrence> {
        const WHY: &str =
            "no answer came, and the processor lets nothing stand under its reference";
        let Some(operation) = self.operation_mut(target) else {
            return Vec::new();
        };
        operation.state = OperationState::Failed {
            at,
            reason: WHY.to_owned(),
        };
        operation.action = None;
        operation.next_at = None;
        operation.give_up_at = None;
        operation.abandon_at = None;
        let event = self.event_of(target, |operation| {
            PaymentEvent::ended(operation, false, WHY)
        });
        self.status = Status::Failed;
        self.flow_goes_on(at);
        vec![
            Occurrence::new(at, "Failed")
                .saying(format!("Reason: {WHY}. Nothing was charged."))
                .event(PaymentEvent::found(target, Evidence::GivenUp))
                .events(event),
        ]
    }

    /// The authorisation was approved while it was given up, and the processor has given it up all the same.
    fn released(&mut self, target: u32, cause: AbandonCause, at: Timestamp) -> Vec<Occurrence> {
        if self.status != Status::Authorised {
            let title = "The giving up took effect in an unexpected order";
            let unexpected = self.event_of(target, PaymentEvent::UnexpectedEffect);
            return vec![Occurrence::new(at, title).events(unexpected)];
        }
        let (title, words) = (self.release_title(), self.release_words());
        let events = self.enter_released(target, cause.into());
        self.flow_goes_on(at);
        vec![
            Occurrence::new(at, title)
                .saying(format!("It had been given up. {words}"))
                .events(events),
        ]
    }

    /// The event that the payment was cancelled by operation `n`.
    pub(super) fn cancelled(&self, n: u32, cause: Cause) -> Option<PaymentEvent> {
        self.event_of(n, |operation| {
            PaymentEvent::Cancelled(Cancelled { operation, cause })
        })
    }

    /// Operation `n` charged although it, or the payment, had ended otherwise: that is given back at once.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            LateApprovalAbsorbed = super::bugs::absorb_late_approval,
            LateChargeKept = super::bugs::keep_late_charge,
        )
    )]
    pub(super) fn owe(&mut self, n: u32, captured: bool, at: Timestamp) -> Vec<Occurrence> {
        if let Some(operation) = self.operation_mut(n) {
            operation.owed = Some(Owed {
                captured,
                due: Some(at),
            });
        }
        let message = "The processor reports a charge for a payment that had ended otherwise. It is given back at once.";
        vec![
            Occurrence::new(at, "Late charge")
                .saying(message)
                .events(self.event_of(n, PaymentEvent::LateCharge)),
        ]
    }
}
