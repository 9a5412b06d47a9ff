//! The answer to the merchant who gave up a payment.

use super::{OperationKind, OperationState, Payment, Status};
use crate::{Code, Fault};

impl Payment {
    /// Whether the payment was given up as asked.
    ///
    /// # Errors
    /// `error.cancel.processor` with reason and status: the processor would not, or has not said so yet. Money can still be
    /// taken then, and a reader who sees no error believes that it can't.
    pub fn given_up(&self) -> Result<(), Fault> {
        let asked = self
            .operations
            .iter()
            .rev()
            .find(|operation| matches!(operation.asked(), OperationKind::Abandon { .. }));
        let other = asked.filter(|operation| operation.is_another());
        let refusal = asked.and_then(|operation| match &operation.state {
            OperationState::Refused { reason, .. } | OperationState::Failed { reason, .. } => {
                Some(reason.as_str())
            }
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Waiting { .. }
            | OperationState::Pending { .. }
            | OperationState::Done { .. } => None,
        });
        let refusal = other.map_or(refusal, |_| Some("the processor has captured it"));
        let (reason, what_now) = match self.status {
            Status::Needs3dSecure | Status::NeedsApmAuthorization | Status::GatewayHold => (
                refusal.unwrap_or("the processor has not confirmed it"),
                "It may still be paid: read it again",
            ),
            Status::Authorised | Status::Succeeded => match refusal {
                Some(reason) => (reason, "It was paid meanwhile: cancel or refund it"),
                None => return Ok(()),
            },
            Status::Active
            | Status::Inactive
            | Status::Refunded
            | Status::PartialRefunded
            | Status::Cancelled
            | Status::Failed
            | Status::Declined
            | Status::Disputed
            | Status::Removed
            | Status::RefundPending
            | Status::RefundFailed
            | Status::NoAnswerFromPsp
            | Status::Draft => return Ok(()),
        };
        let message = format!("The payment was not given up: {reason}. {what_now}.");
        Err(Fault::new(Code::CancelProcessor, message)
            .because(reason)
            .about(self.id)
            .in_status(self.status))
    }
}
