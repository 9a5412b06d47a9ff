//! What really happened at a processor, by the numbers of the operations.

use std::collections::BTreeMap;

use domain::payment::{OperationKind, Payment};

/// A charge at the processor. Amounts in minor units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Charge {
    authorised: i64,
    pub(super) captured: i64,
    pub(super) refunded: i64,
    /// What is left of each capture, by its number; a sale has none.
    captures: BTreeMap<u32, i64>,
    /// Nothing more can be captured.
    closed: bool,
}

impl Charge {
    /// Whether it is held: more can be captured, and nothing was given back whole.
    pub(super) fn is_held(&self) -> bool {
        !self.closed
    }

    /// Gives back of one capture, or of all that was captured.
    fn refund(&mut self, capture: Option<u32>, amount: i64) -> bool {
        let refunded = self.refunded.saturating_add(amount);
        let left = capture.map(|capture| self.captures.get(&capture).copied().unwrap_or(0));
        if refunded > self.captured || left.is_some_and(|left| amount > left) {
            return false;
        }
        self.refunded = refunded;
        if let Some(left) = capture.and_then(|capture| self.captures.get_mut(&capture)) {
            *left -= amount;
        }
        true
    }

    fn cancel(&mut self) -> bool {
        let held = self.is_held();
        self.closed = true;
        held
    }

    fn capture(&mut self, n: u32, amount: i64, is_final: bool) -> bool {
        let captured = self.captured.saturating_add(amount);
        if self.closed || captured > self.authorised {
            return false;
        }
        self.captured = captured;
        self.captures.insert(n, amount);
        self.closed = is_final || captured == self.authorised;
        true
    }
}

/// The processor. It does what its own books allow, each operation once.
#[derive(Debug, Default)]
pub(super) struct Bank {
    pub(super) charges: BTreeMap<u32, Charge>,
    /// Whether an operation took effect.
    performed: BTreeMap<u32, bool>,
}

impl Bank {
    /// Whether operation `n` took effect.
    pub(super) fn has_done(&self, n: u32) -> bool {
        self.performed.get(&n) == Some(&true)
    }

    /// Does operation `n`, unless it was done. Returns whether it took effect.
    pub(super) fn perform(&mut self, payment: &Payment, n: u32) -> bool {
        if self.has_done(n) {
            return true;
        }
        let Some(operation) = payment.operation(n) else {
            return false;
        };
        let about = payment.attempt_behind(n).map_or(0, |attempt| attempt.n);
        let amount = operation.amount;
        let charge = self.charges.get_mut(&about);
        let effect = match (operation.kind, charge) {
            (OperationKind::Authorise { capture }, _) => {
                let charge = Charge {
                    authorised: amount,
                    captured: if capture { amount } else { 0 },
                    closed: capture,
                    ..Charge::default()
                };
                self.charges.insert(n, charge);
                true
            }
            (OperationKind::Capture, Some(charge)) => {
                charge.capture(n, amount, !operation.keeps_open)
            }
            (
                OperationKind::Cancel { .. }
                | OperationKind::Reverse {
                    captured: false, ..
                },
                Some(charge),
            ) => charge.cancel(),
            (
                OperationKind::Refund { .. } | OperationKind::Reverse { captured: true, .. },
                Some(charge),
            ) => {
                let capture = payment.capture_behind(n).map(|capture| capture.n);
                charge.refund(capture, amount)
            }
            (OperationKind::Abandon { .. }, _) | (_, None) => false,
        };
        self.performed.insert(n, effect);
        effect
    }
}
