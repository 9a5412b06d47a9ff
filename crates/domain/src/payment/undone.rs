//! Money that goes backwards: what took effect, and is undone later on the processor's proof.
//!
//! Source: behaviour contract, section 7, "Money can go backwards".

use super::{
    Evidence, Occurrence, OperationKind, OperationState, Payment, PaymentEvent, Policy,
    settle::words,
};
use crate::Timestamp;

impl Payment {
    /// Operation `n`, which has ended, was undone. Where it was taken for failed that is final too: it did take effect, but before.
    pub(super) fn undone(
        &mut self,
        n: u32,
        reason: &str,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        let (kind, is_done) = (operation.kind, operation.state.is_done());
        let is_news = !std::mem::replace(&mut operation.undone, true);
        if !is_done {
            let title = format!("The {} took effect and was undone", words(kind));
            let message = format!("Reason: {reason}. It counts as before: not at all.");
            let event = PaymentEvent::found(n, Evidence::AfterItsEnd);
            let line = Occurrence::new(at, title).saying(message).event(event);
            return is_news.then_some(line).into_iter().collect();
        }
        match kind {
            // It no longer counts: the amount can be refunded again.
            OperationKind::Refund { .. } => {
                self.fail(n, reason, at);
                self.refresh_refund_status(kind);
            }
            OperationKind::Capture => {
                self.fail(n, reason, at);
                self.capture_undone(n, at, policy);
            }
            // The money is with the merchant again, and has to be given back.
            OperationKind::Reverse { .. } => {
                self.fail(n, reason, at);
                self.try_again(kind, at, at, policy);
            }
            // A sale that fails is an answer to its authorisation; what was released is not authorised again by itself. People
            // must look at it.
            OperationKind::Authorise { .. }
            | OperationKind::Cancel { .. }
            | OperationKind::Abandon { .. } => {
                let event = self.event_of(n, PaymentEvent::UnexpectedEffect);
                let title = format!("The processor says that the {} was undone", words(kind));
                let message = format!("Reason: {reason}. Nothing was changed by it.");
                return vec![Occurrence::new(at, title).saying(message).events(event)];
            }
        }
        self.wake_runs(at);
        let event = self.event_of(n, |operation| PaymentEvent::ended(operation, false, reason));
        let title = format!("The {} failed after it had taken effect", words(kind));
        let message = format!("Reason: {reason}. It no longer counts.");
        vec![Occurrence::new(at, title).saying(message).events(event)]
    }

    fn fail(&mut self, n: u32, reason: &str, at: Timestamp) {
        if let Some(operation) = self.operation_mut(n) {
            operation.state = OperationState::Failed {
                at,
                reason: reason.to_owned(),
            };
        }
    }

    /// Capture `n` brought nothing. One that was to be given back, since the payment had ended otherwise, is not given back any
    /// more, and the payment stays as it is.
    fn capture_undone(&mut self, n: u32, at: Timestamp, policy: &Policy) {
        let owed = self.operation_mut(n).and_then(|charge| charge.owed.take());
        if owed.is_some() || self.captured == 0 {
            return;
        }
        self.recount_captures(at, policy);
    }
}
