//! Refunds that are divided among captures.
//!
//! Processors refund a payment, or a given capture of it. So that both work, each refund that is sent is of one capture: the
//! oldest that has anything left, then the next. What one capture can't carry becomes a refund of its own for the next one,
//! in the same commit, and they are sent one after the other.

use uuid::Uuid;

use super::{Begin, Operation, OperationKind, OperationState, Payment, sum};
use crate::{
    fault::{Code, Fault},
    id::RefundId,
    money::Money,
};

/// A part of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RefundPart {
    /// The number of the capture that it is of; none after a sale.
    pub(super) capture: Option<u32>,
    /// How much, in minor units.
    pub(super) amount: i64,
}

impl Payment {
    /// How a refund of `amount` minor units, no more than can be refunded, is divided among the captures.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(RefundsUndivided = super::bugs::refund_latest_capture)
    )]
    fn divide_refund(&self, amount: i64) -> Vec<RefundPart> {
        let mut parts = Vec::new();
        let mut left = amount;
        // What others captured of an import is refunded as one: its captures are not known by us there.
        let captures = self.captures().filter(|_| self.imported.is_none());
        for capture in captures {
            let part = self.refundable_of(capture).min(left);
            if part > 0 {
                left = left.saturating_sub(part);
                let capture = Some(capture.n);
                parts.push(RefundPart {
                    capture,
                    amount: part,
                });
            }
        }
        if left > 0 {
            parts.push(RefundPart {
                capture: None,
                amount: left,
            });
        }
        parts
    }

    /// Adds the refunds that one of `amount` minor units is divided into. The last bears what waits for the outcome.
    pub(super) fn push_refunds(
        &mut self,
        id: RefundId,
        amount: i64,
        reason: Option<String>,
        mut begin: Begin,
    ) -> Vec<u32> {
        let Some(connection) = self.authorised_connection() else {
            return Vec::new();
        };
        let parts = self.divide_refund(amount);
        let once = begin.once.take();
        let mut numbers: Vec<u32> = Vec::with_capacity(parts.len());
        for (index, part) in (0..).zip(parts) {
            let kind = OperationKind::Refund {
                id: id_of_part(id, index),
                capture: part.capture,
                first: numbers.first().copied(),
            };
            let n = self.push(kind, connection.clone(), part.amount, begin.clone());
            numbers.push(n);
            // The next one is sent when this one is answered, or can't be any more.
            begin.send_within = begin.send_within.saturating_add(begin.answer_within);
        }
        for n in &numbers {
            if let Some(operation) = self.operation_mut(*n) {
                operation.reason.clone_from(&reason);
            }
        }
        if let Some(last) = numbers.last().and_then(|last| self.operation_mut(*last)) {
            last.once = once;
            last.reason = reason;
        }
        numbers
    }

    /// What can still be refunded of one capture, in minor units.
    fn refundable_of(&self, capture: &Operation) -> i64 {
        let counts = |refund: &&Operation| {
            let is_of_it = matches!(refund.kind, OperationKind::Refund { capture: Some(of), .. } if of == capture.n);
            is_of_it && (refund.state.is_open() || refund.state.is_done())
        };
        let taken = sum(self.refunds().filter(counts));
        capture.amount.saturating_sub(taken).max(0)
    }

    /// The refunds that one request was divided into, of which operation `n` is one. Nothing where it is no refund.
    pub fn parts_of_refund(&self, n: u32) -> impl Iterator<Item = &Operation> {
        let first = self.operation(n).and_then(Operation::first_part);
        self.refunds()
            .filter(move |refund| first.is_some() && refund.first_part() == first)
    }

    /// The part of a divided refund that is sent after operation `n`, which is settled.
    pub fn part_to_send(&self, n: u32) -> Option<u32> {
        self.parts_of_refund(n)
            .find(|part| part.n > n && part.state == OperationState::Sent)
            .map(|part| part.n)
    }

    /// The operation with which the refund ends that begins with operation `n`; `n` itself for what is not divided.
    pub fn last_part(&self, n: u32) -> u32 {
        self.parts_of_refund(n).last().map_or(n, |part| part.n)
    }

    /// Why the refund that was asked for did not take effect, as far as it did not; `n` is one of its parts.
    pub(super) fn refund_verdict(&self, n: u32) -> Result<(), Fault> {
        let reason = self.parts_of_refund(n).find_map(|part| match &part.state {
            OperationState::Refused { reason, .. } | OperationState::Failed { reason, .. } => {
                Some(reason)
            }
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Waiting { .. }
            | OperationState::Pending { .. }
            | OperationState::Done { .. } => None,
        });
        let Some(reason) = reason else {
            return Ok(());
        };
        let counts = |part: &&Operation| part.state.is_open() || part.state.is_done();
        let stands = sum(self.parts_of_refund(n).filter(counts));
        let message = if stands == 0 {
            format!("The refund did not take effect: {reason}.")
        } else {
            let asked = sum(self.parts_of_refund(n));
            let money = |minor| Money::new(minor, self.money.currency()).formatted();
            format!(
                "The refund did not take effect as a whole: {reason}. Of {}, {} is refunded or under way; `refunds` of the payment has each part.",
                money(asked),
                money(stands)
            )
        };
        Err(Fault::new(Code::RefundProcessor, message)
            .because(reason.clone())
            .about(self.id)
            .in_status(self.status))
    }
}

impl Operation {
    /// The first of the refunds that a request was divided into, when it is one of them.
    pub(super) const fn first_part(&self) -> Option<u32> {
        match self.kind {
            OperationKind::Refund {
                first: Some(first), ..
            } => Some(first),
            OperationKind::Refund { first: None, .. } => Some(self.n),
            OperationKind::Authorise { .. }
            | OperationKind::Capture
            | OperationKind::Cancel { .. }
            | OperationKind::Reverse { .. }
            | OperationKind::Abandon { .. } => None,
        }
    }
}

/// The id of a part of a refund; the first bears the id that was given to the refund.
fn id_of_part(refund: RefundId, part: u32) -> RefundId {
    RefundId::new(Uuid::from_u128(refund.uuid().as_u128() ^ u128::from(part)))
}
