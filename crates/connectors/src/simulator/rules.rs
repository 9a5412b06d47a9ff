//! What the simulated processor allows of an authorisation.
//!
//! It takes several captures of a card's authorisation, until one is final or nothing is left. A cancellation releases what is
//! left. A refund that names its capture gives back no more than is left of that one.

use domain::Timestamp;

use super::{
    Operation,
    cards::Behaviour,
    entry::{Entry, Standing},
    later::{BookingKind, Later, Now, Refusal},
};

impl Entry {
    /// What was authorised, in minor units; 0 unless it was approved.
    pub fn authorised(&self, at: Timestamp) -> i64 {
        if self.standing(at) == Standing::Approved {
            self.money.minor()
        } else {
            0
        }
    }

    /// What was captured, in minor units.
    pub fn captured(&self, at: Timestamp) -> i64 {
        if self.sale {
            self.authorised(at)
        } else {
            self.sum(at, is_done, |later| later.kind == BookingKind::Capture)
        }
    }

    /// What was refunded and has settled, in minor units.
    pub fn refunded(&self, at: Timestamp) -> i64 {
        self.sum(at, is_done, |later| later.kind == BookingKind::Refund)
    }

    /// Whether it was cancelled, and nothing is captured of it.
    pub fn cancelled(&self, at: Timestamp) -> bool {
        self.is_released(at) && self.captured(at) == 0
    }

    /// What was released of it after a part was captured, in minor units.
    pub fn released(&self, at: Timestamp) -> i64 {
        if self.is_released(at) && self.captured(at) > 0 {
            self.uncaptured(at)
        } else {
            0
        }
    }

    /// Whether a cancellation has taken effect.
    fn is_released(&self, at: Timestamp) -> bool {
        let mut cancellations = self
            .later
            .iter()
            .filter(|later| later.kind == BookingKind::Cancel);
        cancellations.any(|later| later.state.at(at) == Now::Done)
    }

    fn uncaptured(&self, at: Timestamp) -> i64 {
        self.authorised(at).saturating_sub(self.captured(at))
    }

    /// Whether it can be captured several times: a card's can.
    pub(super) fn takes_several_captures(&self) -> bool {
        self.is_of_card()
    }

    /// Whether nothing more can be captured: a final capture stands, or nothing is left.
    fn is_captured(&self, at: Timestamp) -> bool {
        let is_final = |later: &Later| {
            later.kind == BookingKind::Capture
                && !later.keeps_open
                && later.state.at(at) == Now::Done
        };
        let captured = self.captured(at) > 0;
        captured && (self.uncaptured(at) == 0 || self.later.iter().any(is_final))
    }

    /// Why the processor refuses a later operation; `None` when it does not.
    pub(super) fn refusal(&self, call: &Operation<'_>, now: Timestamp) -> Option<Refusal> {
        let (kind, amount) = (call.kind, call.money.minor());
        match self.standing(now) {
            Standing::Approved => {}
            Standing::Held if self.is_debit() => return Some(Refusal::Collecting),
            Standing::Held => return Some(Refusal::InReview),
            // What waits for the customer can be given up.
            Standing::Asks { .. } if kind == BookingKind::Cancel => {}
            Standing::Asks { .. } | Standing::Declined(_) | Standing::Failed => {
                return Some(Refusal::NotApproved);
            }
        }
        if self.behaviour == Behaviour::RefuseLater && kind != BookingKind::Refund {
            return Some(Refusal::TestNumber);
        }
        match kind {
            BookingKind::Capture | BookingKind::Cancel if self.is_released(now) => {
                Some(Refusal::Cancelled)
            }
            BookingKind::Capture | BookingKind::Cancel if self.is_captured(now) => {
                Some(Refusal::Captured)
            }
            BookingKind::Capture if call.keeps_open && !self.takes_several_captures() => {
                Some(Refusal::CapturedOnce)
            }
            BookingKind::Capture => {
                (amount > self.uncaptured(now)).then_some(Refusal::AboveAuthorised)
            }
            BookingKind::Cancel => None,
            BookingKind::Refund => self.refusal_of_refund(call, now),
        }
    }

    fn refusal_of_refund(&self, call: &Operation<'_>, now: Timestamp) -> Option<Refusal> {
        let left = match call.capture {
            None if self.captured(now) == 0 => return Some(Refusal::NotCaptured),
            None => self.refundable(now),
            Some(capture) => {
                let capture = self.find(capture.reference);
                let capture = capture.filter(|capture| capture.state.at(now) == Now::Done);
                let Some(capture) = capture else {
                    return Some(Refusal::NotCaptured);
                };
                self.refundable_of(capture, now).min(self.refundable(now))
            }
        };
        (call.money.minor() > left).then_some(Refusal::AboveCaptured)
    }

    /// What can still be refunded, in minor units.
    pub(super) fn refundable(&self, now: Timestamp) -> i64 {
        let promised = self.sum(now, is_promised, |later| later.kind == BookingKind::Refund);
        self.captured(now).saturating_sub(promised)
    }

    /// What can still be refunded of one capture, in minor units.
    fn refundable_of(&self, capture: &Later, now: Timestamp) -> i64 {
        let promised = self.sum(now, is_promised, |later| {
            later.kind == BookingKind::Refund && later.capture.as_ref() == Some(&capture.reference)
        });
        capture.amount.saturating_sub(promised)
    }

    fn sum(
        &self,
        at: Timestamp,
        counts: impl Fn(Now) -> bool,
        is_meant: impl Fn(&Later) -> bool,
    ) -> i64 {
        let counted = self
            .later
            .iter()
            .filter(|later| is_meant(later) && counts(later.state.at(at)));
        counted.fold(0, |sum, later| later.amount.saturating_add(sum))
    }
}

fn is_done(now: Now) -> bool {
    now == Now::Done
}

/// Whether it took effect, or still may.
fn is_promised(now: Now) -> bool {
    matches!(now, Now::Done | Now::Pending)
}
