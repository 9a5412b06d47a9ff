//! Payments that other systems of the merchant made at the simulator: they have no reference of the service's.

use connector::{Earlier, Link, Reference};
use domain::{
    Timestamp,
    method::{CardFunding, Method},
    money::{Currency, Money},
    payment::MadeElsewhere,
};
use serde::{Deserialize, Serialize};

use super::{
    answers,
    cards::Behaviour,
    entry::Entry,
    later::{BookingKind, BookingState, Later},
};

/// What the references of other systems' payments begin with.
const PREFIX: &str = "ext_";

/// What the simulator knows of a payment that another system made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The other system's order.
    pub order: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The last four digits of the card.
    pub last_four: String,
}

/// A payment that another system makes.
pub struct NewElsewhere {
    /// The order, the date and the card.
    pub known: Elsewhere,
    /// How much is charged.
    pub money: Money,
    /// How much of it is given back at once, in minor units.
    pub refunded: i64,
    /// What it is paid with.
    pub method: Method,
    /// A text that no other payment has.
    pub key: String,
}

/// The same in the body of a notification.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PostedPayment {
    made_at: Timestamp,
    currency: Currency,
    amount: i64,
    captured: i64,
    #[serde(default)]
    refunded: i64,
    method: Method,
    #[serde(default)]
    last_four: Option<String>,
    #[serde(default)]
    order: Option<String>,
}

impl PostedPayment {
    /// What is reported under the simulator's id of it.
    pub(super) fn report(self, processor_id: String) -> MadeElsewhere {
        MadeElsewhere {
            processor_id,
            made_at: self.made_at,
            money: Money::new(self.amount, self.currency),
            captured: self.captured,
            refunded: self.refunded,
            method: self.method,
            last_four: self.last_four,
            order_id: self.order,
        }
    }
}

impl Entry {
    /// A sale that another system made at the connection of this link. Has it notified.
    pub fn elsewhere(link: &Link<'_>, new: NewElsewhere, now: Timestamp) -> Option<Self> {
        let reference = Reference::other(&format!("{PREFIX}{}", new.key))?;
        let refund = Reference::other(&format!("{PREFIX}{}_refund", new.key))?;
        let refunded = (new.refunded > 0).then_some(Later {
            reference: refund,
            kind: BookingKind::Refund,
            amount: new.refunded,
            keeps_open: false,
            capture: None,
            state: BookingState::Done,
        });
        let mut entry = Self {
            reference,
            connection: link.connection.clone(),
            money: new.money,
            sale: true,
            behaviour: Behaviour::Approve,
            funding: CardFunding::Credit,
            brand: None,
            held_until: None,
            later: refunded.into_iter().collect(),
            method: Some(new.method),
            challenge: None,
            three_ds: None,
            browser: None,
            token: None,
            agreement: None,
            elsewhere: Some(new.known),
            notify: None,
            outbox: Vec::new(),
            sent: 0,
            disputes: Vec::new(),
            created_at: now,
            version: 1,
        };
        entry.notify_from(link);
        entry.notify_made(now);
        Some(entry)
    }

    /// The other system gives back so much of it, in minor units, as far as that is left; has that notified. False when nothing is.
    pub fn refund_elsewhere(&mut self, amount: i64, now: Timestamp) -> bool {
        let amount = amount.min(self.refundable(now));
        let n = self.later.len();
        let reference = Reference::other(&format!("{}_refund_{n}", self.reference.as_str()));
        let (Some(reference), true) = (reference, amount > 0 && self.elsewhere.is_some()) else {
            return false;
        };
        self.later.push(Later {
            reference,
            kind: BookingKind::Refund,
            amount,
            keeps_open: false,
            capture: None,
            state: BookingState::Done,
        });
        self.notify_made(now);
        true
    }

    /// The simulator's own id of it.
    pub fn processor_id(&self) -> String {
        answers::processor_id(&self.reference)
    }

    /// Whether the connection of this link made it. Names of connections are a team's own, the address for notifications is nobody
    /// else's.
    pub(super) fn is_of(&self, link: &Link<'_>) -> bool {
        let address = self.notify.as_ref().map(|notify| notify.url.as_str());
        self.connection == *link.connection
            && (self.elsewhere.is_none() || address == link.notification_url)
    }

    /// What is posted of it as of `at`: what this service gave back is none of it.
    pub(super) fn posted_payment(&self, at: Timestamp) -> Option<PostedPayment> {
        let known = self.elsewhere.as_ref()?;
        let theirs = |later: &&Later| {
            later.kind == BookingKind::Refund && later.reference.as_str().starts_with(PREFIX)
        };
        let refunded = self.later.iter().filter(theirs);
        Some(PostedPayment {
            made_at: known.made_at,
            currency: self.money.currency(),
            amount: self.money.minor(),
            captured: self.captured(at),
            refunded: refunded.fold(0, |sum, one| one.amount.saturating_add(sum)),
            method: self.method.unwrap_or(Method::Card),
            last_four: Some(known.last_four.clone()),
            order: Some(known.order.clone()),
        })
    }
}

/// The reference under which the books have what has this id of the simulator's.
pub fn reference_of(processor_id: &str) -> Option<Reference> {
    answers::reference_in(processor_id).and_then(Reference::other)
}

/// The reference under which the books have the authorisation that the service asks about: of another system's payment by the
/// simulator's own id.
pub(super) fn booked_as(asked: Earlier<'_>) -> Reference {
    let theirs = |reference: &Reference| reference.as_str().starts_with(PREFIX);
    let by_id = asked.processor_id.and_then(reference_of).filter(theirs);
    by_id.unwrap_or_else(|| asked.reference.clone())
}
