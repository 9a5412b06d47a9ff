//! What really happened at a processor, by the numbers of the operations.

use std::collections::BTreeMap;

use domain::payment::{OperationKind, Payment};

/// A charge at the processor. Amounts in minor units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) captured: i64,
    pub(super) refunded: i64,
    pub(super) cancelled: bool,
}

impl Charge {
    /// Whether it is held: neither captured nor given back.
    pub(super) fn is_held(self) -> bool {
        !self.cancelled && self.captured == 0
    }

    fn refund(&mut self, amount: i64) -> bool {
        let fits = self.refunded.saturating_add(amount) <= self.captured;
        if fits {
            self.refunded = self.refunded.saturating_add(amount);
        }
        fits
    }

    fn cancel(&mut self) -> bool {
        let held = self.is_held();
        self.cancelled |= held;
        held
    }

    fn capture(&mut self, amount: i64) -> bool {
        let held = self.is_held();
        if held {
            self.captured = amount;
        }
        held
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
                let captured = if capture { amount } else { 0 };
                self.charges.insert(
                    n,
                    Charge {
                        captured,
                        ..Charge::default()
                    },
                );
                true
            }
            (OperationKind::Capture, Some(charge)) => charge.capture(amount),
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
            ) => charge.refund(amount),
            (OperationKind::Abandon { .. }, _) | (_, None) => false,
        };
        self.performed.insert(n, effect);
        effect
    }
}
