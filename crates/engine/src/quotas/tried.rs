//! Whose payments are under way: a decline may come long after the request, with the return from 3D Secure.

use std::collections::BTreeMap;

use domain::id::PaymentId;

use super::Visitor;

/// Payments that are remembered; beyond this the oldest are forgotten.
const REMEMBERED: usize = 20_000;

/// Payments under way with their visitors.
#[derive(Default)]
pub(super) struct Tried(BTreeMap<PaymentId, Visitor>);

impl Tried {
    /// Remembers a payment's visitor.
    pub(super) fn note(&mut self, payment: PaymentId, visitor: Visitor) {
        if self.0.len() >= REMEMBERED {
            // Ids are in the order of time.
            self.0.pop_first();
        }
        self.0.insert(payment, visitor);
    }

    /// Remembers a payment's visitor, unless another is known.
    pub(super) fn note_new(&mut self, payment: PaymentId, visitor: Visitor) {
        if !self.0.contains_key(&payment) {
            self.note(payment, visitor);
        }
    }

    /// Forgets a payment; whose it was.
    pub(super) fn forget(&mut self, payment: PaymentId) -> Option<Visitor> {
        self.0.remove(&payment)
    }
}
