//! What disputes make of a payment: DISPUTED while one keeps it so, and back to what it was.
//!
//! Source: behaviour contract, section 7, the table of states and "Money can go backwards".

use super::{Occurrence, OfDispute, Payment, PaymentEvent, Status};
use crate::{Timestamp, dispute::Dispute};

impl Payment {
    /// A dispute stands otherwise than before, or is new. `None`: nothing of the payment changes by that. A payment that is not
    /// captured yet, as far as is known here, becomes DISPUTED when it is.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(DisputeEndForgotten = super::bugs::forget_end_of_dispute)
    )]
    pub fn note_dispute(&mut self, dispute: &Dispute, at: Timestamp) -> Option<Occurrence> {
        let holds = dispute.standing().holds_payment();
        let place = self
            .contested_by
            .iter()
            .position(|known| *known == dispute.id());
        match (holds, place) {
            (true, Some(_)) | (false, None) => None,
            (true, None) => {
                self.contested_by.push(dispute.id());
                let message = format!(
                    "{} is disputed. It can't be refunded meanwhile.",
                    dispute.money().formatted()
                );
                let occurrence = Occurrence::new(at, "Disputed").saying(message);
                let is_paid = self.is_paid();
                if is_paid {
                    self.status = Status::Disputed;
                }
                let event = is_paid.then(|| PaymentEvent::Disputed(OfDispute::of(dispute)));
                Some(occurrence.events(event))
            }
            (false, Some(place)) => {
                self.contested_by.remove(place);
                let is_last = self.contested_by.is_empty() && self.status == Status::Disputed;
                if is_last {
                    self.status = self.refunded_status();
                }
                let message = if is_last {
                    format!("The payment is {} again.", self.status)
                } else {
                    "The payment's status stays as it is.".to_owned()
                };
                Some(
                    Occurrence::new(at, "A dispute ended")
                        .saying(message)
                        .event(PaymentEvent::DisputeEnded(OfDispute::of(dispute))),
                )
            }
        }
    }

    /// Captured money makes the payment SUCCEEDED, or DISPUTED when a dispute was reported before the capture. The event of
    /// that.
    pub(super) fn enter_paid(&mut self) -> Option<PaymentEvent> {
        self.enter_captured(Status::Succeeded);
        let dispute = *self.contested_by.first()?;
        self.status = Status::Disputed;
        Some(PaymentEvent::Disputed(OfDispute {
            dispute,
            amount: None,
        }))
    }

    /// Whether its money is captured, and nothing more can be.
    pub(super) fn is_paid(&self) -> bool {
        match self.status {
            Status::Succeeded
            | Status::Refunded
            | Status::PartialRefunded
            | Status::Disputed
            | Status::RefundPending
            | Status::RefundFailed => true,
            Status::Active
            | Status::Inactive
            | Status::Authorised
            | Status::Cancelled
            | Status::Failed
            | Status::Declined
            | Status::Removed
            | Status::Needs3dSecure
            | Status::NeedsApmAuthorization
            | Status::GatewayHold
            | Status::NoAnswerFromPsp
            | Status::Draft => false,
        }
    }
}
