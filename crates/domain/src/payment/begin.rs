//! Beginning operations: what is allowed, and what is committed before anything is sent. Captures begin in `captures`.

use std::time::Duration;

use super::{
    AbandonCause, CancelCause, Occurrence, OnceRef, Operation, OperationKind, OperationState,
    Payment, PaymentEvent, Status,
};
use crate::{
    Timestamp,
    fault::{Code, Fault},
    id::{ConnectionId, RefundId},
    money::Money,
    returned::Returned,
};

/// What an operation needs to begin, besides the payment.
#[derive(Debug, Clone)]
pub struct Begin {
    /// The time now.
    pub at: Timestamp,
    /// How long after `at` it may still be sent.
    pub send_within: Duration,
    /// How long after that an answer can come: recovery asks after this.
    pub answer_within: Duration,
    /// The idempotency record that waits for the outcome.
    pub once: Option<OnceRef>,
    /// For an authorisation: the secret part of the address of the customer's return.
    pub return_key: Option<String>,
}

impl Payment {
    /// Adds an attempt to authorise at `connection`. Returns its number.
    pub fn begin_authorise(
        &mut self,
        connection: ConnectionId,
        capture: bool,
        begin: Begin,
    ) -> (u32, Occurrence) {
        let occurrence = Occurrence::new(begin.at, "Authorisation started")
            .saying(format!("Sent to the connection {connection}."));
        let amount = self.money.minor();
        let n = self.push(
            OperationKind::Authorise { capture },
            connection,
            amount,
            begin,
        );
        (n, occurrence.events(self.started(n)))
    }

    /// Notes what the customer of attempt `n` came back with: that makes it ready to be completed. Changes nothing unless it waits for
    /// the customer.
    pub fn note_returned(&mut self, n: u32, returned: Returned) {
        let Some(operation) = self.operation_mut(n) else {
            return;
        };
        let waits = matches!(operation.state, OperationState::Waiting { .. });
        if let Some(action) = operation.action.as_mut().filter(|_| waits) {
            action.ready = true;
            action.returned = Some(returned);
        }
    }

    /// Sends an authorisation whose customer has done what was asked once more, to be completed. `None` unless it waits
    /// and is ready.
    #[expect(clippy::needless_pass_by_value, reason = "as every other begin_*")]
    pub fn begin_complete(&mut self, n: u32, begin: Begin) -> Option<Occurrence> {
        if self.is_being_abandoned() {
            return None;
        }
        let operation = self.operation_mut(n)?;
        let ready = operation.action.as_ref().is_some_and(|action| action.ready);
        if !ready || !matches!(operation.state, OperationState::Waiting { .. }) {
            return None;
        }
        operation.state = OperationState::Sent;
        operation.send_by = begin.at.after(begin.send_within);
        operation.next_at = Some(operation.send_by.after(begin.answer_within));
        Some(
            Occurrence::new(begin.at, "The customer has finished")
                .saying("The authorisation is completed.")
                .events(self.event_of(n, PaymentEvent::CompletionStarted)),
        )
    }

    /// Adds the request to give up the authorisation that waits, or for [`AbandonCause::NoAnswer`] the one whose answer is missing.
    /// `None` when there is none, or it is being given up.
    pub fn begin_abandon(
        &mut self,
        cause: AbandonCause,
        begin: Begin,
    ) -> Option<(u32, Occurrence)> {
        let attempt = match cause {
            AbandonCause::NoAnswer => self.unanswered_attempt()?,
            AbandonCause::Merchant
            | AbandonCause::Lifetime
            | AbandonCause::Superseded
            | AbandonCause::AlreadyPaid
            | AbandonCause::NobodyPresent => self.waiting_attempt()?,
        };
        let (target, connection, amount) = (attempt.n, attempt.connection.clone(), attempt.amount);
        if self.is_being_abandoned() {
            return None;
        }
        let message = match cause {
            AbandonCause::Merchant => "The merchant gave it up.",
            AbandonCause::Lifetime => "The customer did not come back in time.",
            AbandonCause::Superseded => "The customer began another payment.",
            AbandonCause::AlreadyPaid => "The checkout has another payment already.",
            AbandonCause::NobodyPresent => "The customer would have to act, but is not present.",
            AbandonCause::NoAnswer => {
                "No answer has come, and the processor can't be asked for it: it is to let nothing stand."
            }
        };
        let occurrence = Occurrence::new(begin.at, "Giving up").saying(message);
        let n = self.push(
            OperationKind::Abandon { target, cause },
            connection,
            amount,
            begin,
        );
        Some((n, occurrence.events(self.started(n))))
    }

    /// Whether the authorisation that waits is being given up.
    pub(super) fn is_being_abandoned(&self) -> bool {
        let abandons = |operation: &Operation| {
            operation.state.is_open() && matches!(operation.kind, OperationKind::Abandon { .. })
        };
        self.operations.iter().any(abandons)
    }

    /// The authorisation that waits for the customer or for the processor's review.
    pub fn waiting_attempt(&self) -> Option<&Operation> {
        self.attempt().filter(|attempt| {
            matches!(
                attempt.state,
                OperationState::Waiting { .. } | OperationState::Pending { .. }
            )
        })
    }

    /// The authorisation whose answer is missing, at a processor that can be asked to let nothing stand but not how it stands.
    pub fn unanswered_attempt(&self) -> Option<&Operation> {
        self.attempt().filter(|attempt| {
            matches!(attempt.state, OperationState::Unknown { .. }) && attempt.abandon_at.is_some()
        })
    }

    /// Adds a cancellation, of what is not captured.
    ///
    /// # Errors
    /// `error.cancel.invalid-status`, `error.payment.operation-in-progress`.
    pub fn begin_cancel(
        &mut self,
        cause: CancelCause,
        reason: Option<String>,
        begin: Begin,
    ) -> Result<(u32, Occurrence), Fault> {
        let status = |payment: &Self| {
            let advice = "Only a payment with status AUTHORISED can be cancelled; refund it when it is captured.";
            payment.wrong_status(Code::CancelStatus, advice)
        };
        let connection = self.authorised_connection().ok_or_else(|| status(self))?;
        if self.status != Status::Authorised {
            return Err(status(self));
        }
        self.exclude_later_operations()?;
        let occurrence = match cause {
            CancelCause::Merchant => Occurrence::new(begin.at, "Cancellation started"),
            CancelCause::Lifetime => {
                let words = if self.captured == 0 {
                    "The authorisation's life time has ended without a capture."
                } else {
                    "The authorisation's life time has ended without a final capture."
                };
                Occurrence::new(begin.at, "Cancellation started").saying(words)
            }
            CancelCause::Processor => Occurrence::new(begin.at, "Cancellation started")
                .saying("The processor reports that the authorisation has ended."),
        };
        let rest = self.uncaptured();
        let n = self.push(OperationKind::Cancel { cause }, connection, rest, begin);
        if let Some(operation) = self.operation_mut(n) {
            operation.reason = reason;
        }
        Ok((n, occurrence.events(self.started(n))))
    }

    /// Adds a refund of `amount` minor units, of all that remains when absent. The amount is reserved from now on. Where several
    /// captures carry it, there is a refund of each, in order: the number is that of the first, and the request waits for the last.
    ///
    /// # Errors
    /// `error.refund.invalid-status`, `error.refund.amount-exceeds-captured`.
    pub fn begin_refund(
        &mut self,
        id: RefundId,
        amount: Option<i64>,
        reason: Option<String>,
        begin: Begin,
    ) -> Result<(u32, Occurrence), Fault> {
        let status = |payment: &Self| {
            let advice = if payment.status == Status::Refunded {
                "All that was captured has been refunded."
            } else if payment.status == Status::Authorised && payment.captured > 0 {
                "More may be captured: refund it after the final capture, or after the rest is cancelled."
            } else if payment.status == Status::Authorised {
                "Nothing is captured yet: cancel it instead."
            } else if payment.status == Status::Disputed {
                "While it is disputed nothing can be refunded: the processor may return the money to the customer."
            } else {
                "Only a captured payment can be refunded."
            };
            payment.wrong_status(Code::RefundStatus, advice)
        };
        if self.authorisation().is_none() {
            return Err(status(self));
        }
        if !self.can_refund() {
            // What a capture that is under way comes to, nobody knows yet.
            self.exclude_later_operations()?;
            return Err(status(self));
        }
        let left = self.refundable();
        let amount = amount.unwrap_or(left);
        if amount > left || left == 0 {
            let message = format!(
                "The amount is more than is left of what was captured: at most {} can be refunded.",
                self.limit(left)
            );
            return Err(Fault::new(Code::RefundAmount, message)
                .about(self.id)
                .in_status(self.status)
                .at_most(left));
        }
        let words = self.words(amount);
        let at = begin.at;
        let numbers = self.push_refunds(id, amount, reason, begin);
        let words = match numbers.len() {
            0 | 1 => words,
            several => format!("{words} It is divided among {several} captures."),
        };
        let started = numbers.iter().filter_map(|n| self.started(*n));
        let occurrence = Occurrence::new(at, "Refund started")
            .saying(words)
            .events(started.collect::<Vec<_>>());
        Ok((numbers.first().copied().unwrap_or_default(), occurrence))
    }

    /// Adds the reversal that is owed for the charge of operation `target`. `None` when none is owed.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            ReversalOfTheWrongKind = super::bugs::reverse_as_authorised,
            ReversedAgain = super::bugs::still_owe,
        )
    )]
    pub fn begin_reverse(
        &mut self,
        target: u32,
        captured: bool,
        begin: Begin,
    ) -> Option<(u32, Occurrence)> {
        let charge = self.operation_mut(target)?;
        let (connection, amount) = (charge.connection.clone(), charge.amount);
        charge.owed.as_mut()?.due.take()?;
        let occurrence = Occurrence::new(begin.at, "Reversal started").saying(
            "A charge came to light after the payment had ended otherwise; it is given back.",
        );
        let kind = OperationKind::Reverse { target, captured };
        let n = self.push(kind, connection, amount, begin);
        Some((n, occurrence.events(self.started(n))))
    }

    pub(super) fn push(
        &mut self,
        kind: OperationKind,
        connection: ConnectionId,
        amount: i64,
        begin: Begin,
    ) -> u32 {
        let n = self.next_number();
        let send_by = begin.at.after(begin.send_within);
        self.operations.push(Operation {
            n,
            kind,
            connection,
            amount,
            keeps_open: false,
            reason: None,
            started_at: begin.at,
            send_by,
            state: OperationState::Sent,
            undone: false,
            next_at: Some(send_by.after(begin.answer_within)),
            looks: 0,
            action: None,
            give_up_at: None,
            abandon_at: None,
            return_key: begin.return_key,
            answer: None,
            processor_id: None,
            phase: None,
            owed: None,
            other: None,
            once: begin.once,
        });
        n
    }

    /// The number of the next operation.
    pub(super) fn next_number(&self) -> u32 {
        let last = self.operations.last();
        last.map_or(1, |last| last.n.saturating_add(1))
    }

    fn can_refund(&self) -> bool {
        match self.status {
            Status::Succeeded
            | Status::PartialRefunded
            | Status::RefundPending
            | Status::RefundFailed => true,
            Status::Active
            | Status::Inactive
            | Status::Authorised
            | Status::Refunded
            | Status::Cancelled
            | Status::Failed
            | Status::Declined
            | Status::Disputed
            | Status::Removed
            | Status::Needs3dSecure
            | Status::NeedsApmAuthorization
            | Status::GatewayHold
            | Status::NoAnswerFromPsp
            | Status::Draft => false,
        }
    }

    /// Where the authorisation that holds was made.
    pub(super) fn authorised_connection(&self) -> Option<ConnectionId> {
        self.authorisation()
            .map(|attempt| attempt.connection.clone())
    }

    /// The attempt that was approved, and is not to be given back.
    pub fn authorisation(&self) -> Option<&Operation> {
        let holds = |operation: &&Operation| {
            matches!(operation.kind, OperationKind::Authorise { .. })
                && operation.state.is_done()
                && operation.owed.is_none()
        };
        self.operations.iter().rev().find(holds)
    }

    /// The attempt that operation `n` is about: itself, or the one that it captures, cancels, refunds or gives back.
    pub fn attempt_behind(&self, n: u32) -> Option<&Operation> {
        let operation = self.operation(n)?;
        match operation.kind {
            OperationKind::Authorise { .. } => Some(operation),
            // A target is always older than what is aimed at it.
            OperationKind::Reverse { target, .. } | OperationKind::Abandon { target, .. }
                if target < n =>
            {
                self.attempt_behind(target)
            }
            OperationKind::Reverse { .. } | OperationKind::Abandon { .. } => None,
            OperationKind::Capture
            | OperationKind::Cancel { .. }
            | OperationKind::Refund { .. } => self.authorisation(),
        }
    }

    /// The capture whose money operation `n` gives back. `None` after a sale, and for what gives nothing back.
    pub fn capture_behind(&self, n: u32) -> Option<&Operation> {
        match self.operation(n)?.kind {
            OperationKind::Reverse { target, .. } => {
                let charge = self.operation(target)?;
                matches!(charge.kind, OperationKind::Capture).then_some(charge)
            }
            OperationKind::Refund { capture, .. } => self.operation(capture?),
            OperationKind::Authorise { .. }
            | OperationKind::Capture
            | OperationKind::Cancel { .. }
            | OperationKind::Abandon { .. } => None,
        }
    }

    /// Capture and cancel exclude each other, and themselves.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(CaptureWhileCancelling = super::bugs::exclude_nothing)
    )]
    pub(super) fn exclude_later_operations(&self) -> Result<(), Fault> {
        match self
            .operations
            .iter()
            .find(|operation| operation.excludes_others())
        {
            None => Ok(()),
            Some(other) => {
                let what = if matches!(other.kind, OperationKind::Capture) {
                    "A capture"
                } else {
                    "A cancellation"
                };
                let message = format!(
                    "{what} of this payment is under way. Read the payment again in a moment."
                );
                Err(Fault::new(Code::OperationInProgress, message)
                    .about(self.id)
                    .in_status(self.status))
            }
        }
    }

    pub(super) fn wrong_status(&self, code: Code, advice: &str) -> Fault {
        Fault::new(
            code,
            format!("The payment's status is {}. {advice}", self.status),
        )
        .about(self.id)
        .in_status(self.status)
    }

    /// An amount as a request gives it and as people read it: `5099 (€50.99)`.
    pub(super) fn limit(&self, amount: i64) -> String {
        let formatted = Money::new(amount, self.money.currency()).formatted();
        format!("{amount} ({formatted})")
    }

    pub(super) fn words(&self, amount: i64) -> String {
        format!("{}.", Money::new(amount, self.money.currency()).formatted())
    }
}
