//! What happens in an unusual order: success after the end, and authorisations that are given up.

use super::{
    AbandonCause, Kind, Line, News, Owed, Payment, State, Status,
    news::{Meaning, processor_id},
    settle::words,
};
use crate::{
    Timestamp,
    answer::{ActionKind, Answer, Approval},
    decline::{Decline, DeclineCode},
};

impl Payment {
    /// News after the operation has ended. Only a charge that was taken for none matters: it is given back.
    pub(super) fn settle_late(
        &mut self,
        n: u32,
        meaning: &Meaning,
        news: &News,
        at: Timestamp,
    ) -> Vec<Line> {
        let Meaning::Effect { captured } = meaning else {
            return Vec::new();
        };
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        if operation.state.is_done() {
            return Vec::new();
        }
        operation.state = State::Done { at };
        // The processor's id is what it is given back by; why it was declined stays told.
        if let Some(id) = processor_id(news) {
            operation.processor_id = Some(id.to_owned());
        }
        if matches!(operation.kind, Kind::Authorise { .. }) {
            self.owe(n, *captured, at)
        } else {
            self.late_effect(n, at)
        }
    }

    /// A later operation that was taken for failed has taken effect: the payment follows the processor.
    fn late_effect(&mut self, n: u32, at: Timestamp) -> Vec<Line> {
        let Some(operation) = self.operation(n) else {
            return Vec::new();
        };
        let (kind, amount) = (operation.kind, operation.amount);
        let title = format!("The {} took effect after all", words(kind));
        match kind {
            Kind::Capture if self.status == Status::Authorised => {
                self.captured = amount;
                self.enter_captured(Status::Succeeded);
                self.flow_goes_on(at);
            }
            Kind::Capture if self.status == Status::Cancelled => return self.owe(n, true, at),
            Kind::Cancel { .. } if self.status == Status::Authorised => {
                self.enter_captured(Status::Cancelled);
                self.flow_goes_on(at);
            }
            Kind::Refund { .. } => {
                self.refund_failed = false;
                self.refresh_refund_status(kind);
            }
            Kind::Reverse { target, .. } => {
                if let Some(owed) = self
                    .operation_mut(target)
                    .and_then(|charge| charge.owed.as_mut())
                {
                    owed.due = None;
                }
            }
            Kind::Abandon { target, cause } => return self.abandoned(target, cause, at),
            Kind::Authorise { .. } | Kind::Capture | Kind::Cancel { .. } => {}
        }
        vec![Line::new(at, title).saying(self.words(amount))]
    }

    /// The processor has given up the authorisation that waited: nothing is charged any more.
    pub(super) fn abandoned(
        &mut self,
        target: u32,
        cause: AbandonCause,
        at: Timestamp,
    ) -> Vec<Line> {
        if self
            .authorisation()
            .is_some_and(|authorisation| authorisation.n == target)
        {
            return self.released(at);
        }
        let Some(operation) = self
            .operation_mut(target)
            .filter(|operation| operation.state.is_open())
        else {
            return Vec::new();
        };
        let action = operation.action.take().map(|action| action.kind);
        let code = match (cause, action) {
            (AbandonCause::Lifetime, Some(ActionKind::ThreeDSecure)) => DeclineCode::ThreeDSecure,
            (AbandonCause::NobodyPresent, _) => DeclineCode::AuthorizationRequired,
            (
                AbandonCause::Merchant
                | AbandonCause::Lifetime
                | AbandonCause::Superseded
                | AbandonCause::AlreadyPaid,
                _,
            ) => DeclineCode::PaymentCancelled,
        };
        let approval = match operation.answer.take() {
            Some(Answer::ActionRequired { approval, .. } | Answer::Held { approval }) => approval,
            Some(Answer::Approved { .. } | Answer::Declined { .. } | Answer::Failed { .. })
            | None => Approval::default(),
        };
        operation.answer = Some(Answer::Declined {
            decline: Decline::of(code),
            approval,
        });
        operation.state = State::Refused {
            at,
            reason: code.code().to_owned(),
        };
        operation.next_at = None;
        operation.give_up_at = None;
        let apm = action == Some(ActionKind::Apm);
        self.status = if apm {
            Status::Cancelled
        } else {
            Status::Declined
        };
        self.flow_goes_on(at);
        let title = if apm { "Cancelled" } else { "Declined" };
        vec![Line::new(at, title).saying(format!(
            "Reason: {}. It was given up; nothing was charged.",
            code.code()
        ))]
    }

    /// The authorisation was approved while it was given up, and the processor has given it up all the same.
    fn released(&mut self, at: Timestamp) -> Vec<Line> {
        if self.status != Status::Authorised {
            return vec![Line::new(
                at,
                "The giving up took effect in an unexpected order",
            )];
        }
        self.enter_captured(Status::Cancelled);
        self.flow_goes_on(at);
        vec![
            Line::new(at, "Cancelled")
                .saying("It had been given up; the processor has released the authorised amount."),
        ]
    }

    /// Operation `n` charged although it, or the payment, had ended otherwise: that is given back at once.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            LateApprovalAbsorbed = super::bugs::absorb_late_approval,
            LateChargeKept = super::bugs::keep_late_charge,
        )
    )]
    pub(super) fn owe(&mut self, n: u32, captured: bool, at: Timestamp) -> Vec<Line> {
        if let Some(operation) = self.operation_mut(n) {
            operation.owed = Some(Owed {
                captured,
                due: Some(at),
            });
        }
        let message = "The processor reports a charge for a payment that had ended otherwise. It is given back at once.";
        vec![Line::new(at, "Late charge").saying(message)]
    }
}
