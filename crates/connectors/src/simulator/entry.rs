//! An entry of the books: one authorisation with all that came of it.
//!
//! What takes effect later is not written when it does: an entry holds the time, and is read as of a time.

use std::time::Duration;

use connector::{Authorise, Reference};
use domain::{Timestamp, decline::DeclineCode, id::ConnectionId, method::CardFunding, money::Money};
use serde::{Deserialize, Serialize};

use super::{
    cards::{self, Behaviour},
    later::{Kind, Later, Now, Refusal, State},
};

/// How long the simulator thinks about what it does not decide at once.
pub(super) const DECIDES_AFTER: Duration = Duration::from_secs(2);

/// One authorisation. It never holds the card's number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The authorisation's reference: the key.
    pub reference: Reference,
    /// The connection that was asked.
    pub connection: ConnectionId,
    /// What was asked for.
    pub money: Money,
    /// Whether it was asked for as a sale.
    pub sale: bool,
    /// The part that the card plays.
    pub behaviour: Behaviour,
    /// Whose money the card spends.
    pub funding: CardFunding,
    /// Until when it is held for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<Timestamp>,
    /// Captures, cancellations and refunds, in the order in which they came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Later>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// Counts the changes, from 1. Stored beside the entry, not in it.
    #[serde(skip)]
    pub version: u64,
}

/// What became of the request for the authorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Approved,
    Held,
    Declined(DeclineCode),
    Failed,
}

impl Entry {
    /// The entry that a request makes.
    pub(super) fn open(call: &Authorise<'_>, now: Timestamp) -> Self {
        let behaviour = call.card.map_or(Behaviour::Approve, cards::behaviour);
        Self {
            reference: call.reference.clone(),
            connection: call.connection.clone(),
            money: call.money,
            sale: call.capture,
            behaviour,
            funding: call.card.map_or(CardFunding::Undefined, cards::funding),
            held_until: (behaviour == Behaviour::Held).then(|| now.after(DECIDES_AFTER)),
            later: Vec::new(),
            created_at: now,
            version: 1,
        }
    }

    /// Whether `other` is the same request come again.
    pub(super) fn is_repeated_by(&self, other: &Self) -> bool {
        self.reference == other.reference
            && self.connection == other.connection
            && self.money == other.money
            && self.sale == other.sale
            && self.behaviour == other.behaviour
            && self.funding == other.funding
    }

    pub(super) fn standing(&self, at: Timestamp) -> Standing {
        match self.behaviour {
            Behaviour::Decline(code) => Standing::Declined(code),
            Behaviour::DemandAuthentication => Standing::Declined(DeclineCode::AuthorizationRequired),
            Behaviour::Fail | Behaviour::SilentNotCharged => Standing::Failed,
            Behaviour::Held if self.held_until.is_some_and(|until| at < until) => Standing::Held,
            Behaviour::Held
            | Behaviour::Approve
            | Behaviour::SlowRefund
            | Behaviour::FailingRefund
            | Behaviour::SilentCharged
            | Behaviour::RefuseLater
            | Behaviour::SilentLater => Standing::Approved,
        }
    }

    /// Whether the issuer declined it.
    pub fn declined(&self, at: Timestamp) -> bool {
        matches!(self.standing(at), Standing::Declined(_))
    }

    /// What was authorised, in minor units; 0 unless it was approved.
    pub fn authorised(&self, at: Timestamp) -> i64 {
        if self.standing(at) == Standing::Approved { self.money.minor() } else { 0 }
    }

    /// What was captured, in minor units.
    pub fn captured(&self, at: Timestamp) -> i64 {
        if self.sale { self.authorised(at) } else { self.sum(Kind::Capture, |now| now == Now::Done, at) }
    }

    /// What was refunded and has settled, in minor units.
    pub fn refunded(&self, at: Timestamp) -> i64 {
        self.sum(Kind::Refund, |now| now == Now::Done, at)
    }

    /// Whether it was cancelled.
    pub fn cancelled(&self, at: Timestamp) -> bool {
        self.later.iter().any(|later| later.kind == Kind::Cancel && later.state.at(at) == Now::Done)
    }

    /// The capture, cancellation or refund of this reference.
    pub(super) fn find(&self, reference: &Reference) -> Option<&Later> {
        self.later.iter().find(|later| later.reference == *reference)
    }

    /// Judges a later operation by the processor's rules, and notes it with its outcome.
    pub(super) fn note(&mut self, kind: Kind, reference: &Reference, amount: i64, now: Timestamp) -> Later {
        let state = match self.refusal(kind, amount, now) {
            Some(refusal) => State::Refused(refusal),
            None => self.effect(kind, now),
        };
        let later = Later { reference: reference.clone(), kind, amount, state };
        self.later.push(later.clone());
        later
    }

    fn refusal(&self, kind: Kind, amount: i64, now: Timestamp) -> Option<Refusal> {
        match self.standing(now) {
            Standing::Approved => {}
            Standing::Held => return Some(Refusal::InReview),
            Standing::Declined(_) | Standing::Failed => return Some(Refusal::NotApproved),
        }
        if self.behaviour == Behaviour::RefuseLater && kind != Kind::Refund {
            return Some(Refusal::TestNumber);
        }
        let captured = self.captured(now);
        match kind {
            Kind::Capture | Kind::Cancel if self.cancelled(now) => Some(Refusal::Cancelled),
            Kind::Capture | Kind::Cancel if captured > 0 => Some(Refusal::Captured),
            Kind::Capture => (amount > self.authorised(now)).then_some(Refusal::AboveAuthorised),
            Kind::Cancel => None,
            Kind::Refund if captured == 0 => Some(Refusal::NotCaptured),
            Kind::Refund => {
                let promised = self.sum(Kind::Refund, |now| matches!(now, Now::Done | Now::Pending), now);
                (amount > captured.saturating_sub(promised)).then_some(Refusal::AboveCaptured)
            }
        }
    }

    fn effect(&self, kind: Kind, now: Timestamp) -> State {
        let until = now.after(DECIDES_AFTER);
        match (kind, self.behaviour) {
            (Kind::Refund, Behaviour::SlowRefund) => State::DoneFrom(until),
            (Kind::Refund, Behaviour::FailingRefund) => State::FailedFrom(until),
            _ => State::Done,
        }
    }

    fn sum(&self, kind: Kind, counts: impl Fn(Now) -> bool, at: Timestamp) -> i64 {
        let counted = self.later.iter().filter(|later| later.kind == kind && counts(later.state.at(at)));
        counted.fold(0, |sum, later| later.amount.saturating_add(sum))
    }
}
