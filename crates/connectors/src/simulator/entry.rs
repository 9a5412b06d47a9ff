//! An entry of the books: one authorisation with all that came of it.
//!
//! What takes effect later is not written when it does: an entry holds the time, and is read as of a time.

use std::time::Duration;

use connector::{ActionKind, Authorise, CardData, Cryptogram, Reference, ThreeDs, Tokenise};
use domain::{
    Timestamp,
    brand::Brand,
    browser::Browser,
    decline::DeclineCode,
    id::ConnectionId,
    method::{CardFunding, Method},
    money::Money,
    payment::ThreeDsWish,
};
use serde::{Deserialize, Serialize};
use world::World;

use super::{
    Operation, accounts,
    agreement::{self, Agreement},
    cards::{self, Behaviour},
    challenge::{Challenge, Progress},
    disputes::SimulatedDispute,
    elsewhere::Elsewhere,
    later::{BookingKind, BookingState, Later},
    methods::{self, MethodHandling},
    notify::{Notify, Outgoing},
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
    /// The brand of a card that bears several, where it is not the one of its first digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// Until when it is held for review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<Timestamp>,
    /// Captures, cancellations and refunds, in the order in which they came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Later>,
    /// What it was asked to be paid with. Entries of before other methods were taken have none: they are of cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// What the customer is asked to do first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<Challenge>,
    /// What 3D Secure brings, once its challenge (if there is one) is passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub three_ds: Option<ThreeDs>,
    /// What the customer's browser said of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<Browser>,
    /// The token that was asked for in place of an authorisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What was said of an agreement on a stored card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
    /// What is known of it where another system of the merchant's made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
    /// Where notifications of it go; none where nobody wants any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<Notify>,
    /// Notifications that are to be sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outbox: Vec<Outgoing>,
    /// How many were sent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sent: u32,
    /// Its disputes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputes: Vec<SimulatedDispute>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// Counts the changes, from 1. Stored next to the entry, not in it.
    #[serde(skip)]
    pub version: u64,
}

/// What became of the request for the authorisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Approved,
    Held,
    /// The customer must do something first, or has (`ready`) and the authorisation is to be completed.
    Asks {
        ready: bool,
    },
    Declined(DeclineCode),
    Failed,
}

impl Entry {
    /// The entry that a request makes.
    pub(super) fn open(call: &Authorise<'_>, connection: &ConnectionId, world: &World) -> Self {
        let now = world.now();
        let card = call.funding_source.card();
        let return_url = call
            .three_ds
            .return_url
            .filter(|_| !call.merchant_initiated);
        let handling = if card.is_some() {
            None
        } else {
            methods::handling(call.method)
        };
        let behaviour = match (card, handling) {
            (Some(card), _) => cards::behaviour(card),
            (None, Some(MethodHandling::Debit)) => {
                let account = call.funding_source.account();
                account.map_or(Behaviour::Held, accounts::behaviour)
            }
            // Nobody is there who could approve.
            (None, Some(MethodHandling::Page)) if return_url.is_none() => {
                Behaviour::DemandAuthentication
            }
            (None, _) => Behaviour::Approve,
        };
        let challenge = match (card, handling) {
            // A wallet's cryptogram stands for the customer's authentication.
            (Some(card), _) if call.funding_source.cryptogram().is_none() => {
                challenge_of(card, return_url, world)
            }
            (None, Some(MethodHandling::Page)) => {
                return_url.map(|url| Challenge::new(ActionKind::Apm, url, world))
            }
            (_, _) => None,
        }
        .map(|challenge: Challenge| challenge.stated(call.statement_descriptor));
        let asked = call.three_ds.wish == ThreeDsWish::Request && !call.merchant_initiated;
        let three_ds = card.and_then(|card| {
            authentication(
                card,
                call.funding_source.cryptogram(),
                asked || challenge.is_some(),
            )
        });
        Self {
            reference: call.reference.clone(),
            connection: connection.clone(),
            money: call.money,
            sale: call.capture,
            behaviour,
            funding: card.map_or(CardFunding::Undefined, cards::funding),
            brand: card.and_then(cards::chosen_brand),
            held_until: behaviour.is_held().then(|| now.after(DECIDES_AFTER)),
            later: Vec::new(),
            method: Some(call.method),
            challenge,
            three_ds,
            browser: call.three_ds.browser.cloned(),
            token: None,
            agreement: Agreement::of(call, world),
            elsewhere: None,
            notify: None,
            outbox: Vec::new(),
            sent: 0,
            disputes: Vec::new(),
            created_at: now,
            version: 1,
        }
    }

    /// The entry that a request for a token makes. No money moves under it.
    pub(super) fn open_token(
        call: &Tokenise<'_>,
        reference: Reference,
        connection: &ConnectionId,
        world: &World,
    ) -> Self {
        let behaviour = cards::behaviour(call.card);
        let challenge = challenge_of(call.card, call.return_url, world);
        Self {
            reference,
            connection: connection.clone(),
            money: Money::zero(call.currency),
            sale: false,
            behaviour,
            funding: cards::funding(call.card),
            brand: cards::chosen_brand(call.card),
            held_until: None,
            later: Vec::new(),
            method: Some(call.card.number.brand().method()),
            three_ds: authentication(call.card, None, challenge.is_some()),
            challenge,
            browser: None,
            token: Some(agreement::new_token(world)),
            agreement: None,
            elsewhere: None,
            notify: None,
            outbox: Vec::new(),
            sent: 0,
            disputes: Vec::new(),
            created_at: world.now(),
            version: 1,
        }
    }

    /// The same request at a processor that fails.
    pub(super) fn failing(mut self) -> Self {
        self.behaviour = Behaviour::Fail;
        self.challenge = None;
        self.three_ds = None;
        self
    }

    /// Whether `other` is the same request come again.
    pub(super) fn is_repeated_by(&self, other: &Self) -> bool {
        self.reference == other.reference
            && self.connection == other.connection
            && self.money == other.money
            && self.sale == other.sale
            && self.behaviour == other.behaviour
            && self.funding == other.funding
            && self
                .method
                .is_none_or(|method| other.method == Some(method))
            && self.token.is_some() == other.token.is_some()
    }

    pub(super) fn standing(&self, at: Timestamp) -> Standing {
        let challenge = self
            .challenge
            .as_ref()
            .map(|challenge| (challenge.state, challenge.kind));
        match challenge {
            Some((Progress::Waiting, _)) => return Standing::Asks { ready: false },
            Some((Progress::Passed, _)) => return Standing::Asks { ready: true },
            Some((Progress::Failed, ActionKind::ThreeDSecure)) => {
                return Standing::Declined(DeclineCode::ThreeDSecure);
            }
            Some((Progress::Failed, ActionKind::Apm)) => {
                return Standing::Declined(DeclineCode::PaymentRejected);
            }
            Some((Progress::Over, _)) => return Standing::Declined(DeclineCode::PaymentCancelled),
            Some((Progress::Completed, _)) | None => {}
        }
        let authenticated = challenge.is_some() || self.three_ds.is_some();
        match self.behaviour {
            Behaviour::Held | Behaviour::HeldThenReturned | Behaviour::HeldThenDecline(_)
                if self.held_until.is_some_and(|until| at < until) =>
            {
                Standing::Held
            }
            Behaviour::Decline(code) | Behaviour::HeldThenDecline(code) => Standing::Declined(code),
            Behaviour::DemandAuthentication if authenticated => Standing::Approved,
            Behaviour::DemandThenDecline if authenticated => {
                Standing::Declined(DeclineCode::GeneralDecline)
            }
            Behaviour::DemandAuthentication | Behaviour::DemandThenDecline => {
                Standing::Declined(DeclineCode::AuthorizationRequired)
            }
            Behaviour::Fail | Behaviour::SilentNotCharged => Standing::Failed,
            Behaviour::Held
            | Behaviour::HeldThenReturned
            | Behaviour::Disputed(_)
            | Behaviour::Alerted
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

    /// Whether a bank account is debited.
    pub(super) fn is_debit(&self) -> bool {
        self.method.and_then(methods::handling) == Some(MethodHandling::Debit)
    }

    /// Whether a card is charged; else it is another method.
    pub(super) fn is_of_card(&self) -> bool {
        self.method
            .is_none_or(|method| methods::handling(method).is_none())
    }

    /// Takes what the customer decided at the page. False when that was decided before, or does not count any more.
    pub(super) fn decide(&mut self, pass: bool) -> bool {
        self.moves(
            Progress::Waiting,
            if pass {
                Progress::Passed
            } else {
                Progress::Failed
            },
        )
    }

    /// Completes an authorisation whose customer has done what was asked. False when there is nothing to complete.
    pub(super) fn complete(&mut self, now: Timestamp) -> bool {
        let is_completed = self.moves(Progress::Passed, Progress::Completed);
        if is_completed {
            self.begin_notifying(now);
        }
        is_completed
    }

    fn moves(&mut self, from: Progress, to: Progress) -> bool {
        match &mut self.challenge {
            Some(challenge) if challenge.state == from => {
                challenge.state = to;
                true
            }
            _ => false,
        }
    }

    /// The capture, cancellation or refund of this reference.
    pub(super) fn find(&self, reference: &Reference) -> Option<&Later> {
        self.later
            .iter()
            .find(|later| later.reference == *reference)
    }

    /// Judges a later operation by the processor's rules, and notes it with its outcome.
    /// `undone`: what takes effect, and is undone later.
    pub(super) fn note(
        &mut self,
        call: &Operation<'_>,
        undone: Option<BookingKind>,
        now: Timestamp,
    ) -> Later {
        let (kind, amount) = (call.kind, call.money.minor());
        let state = match self.refusal(call, now) {
            Some(refusal) => BookingState::Refused(refusal),
            None => match self.effect(kind, now) {
                BookingState::Done if undone == Some(kind) => {
                    BookingState::UndoneFrom(now.after(DECIDES_AFTER))
                }
                effect => effect,
            },
        };
        let later = Later {
            reference: call.reference.clone(),
            kind,
            amount,
            keeps_open: call.keeps_open,
            capture: call.capture.map(|capture| capture.reference.clone()),
            state,
        };
        self.later.push(later.clone());
        match state {
            BookingState::DoneFrom(until)
            | BookingState::FailedFrom(until)
            | BookingState::UndoneFrom(until) => self.notify_later(until),
            BookingState::Done if kind == BookingKind::Capture => {
                self.dispute_captured(call.money, now);
            }
            BookingState::Done | BookingState::Refused(_) => {}
        }
        if kind == BookingKind::Cancel
            && state == BookingState::Done
            && let Some(challenge) = &mut self.challenge
            && matches!(challenge.state, Progress::Waiting | Progress::Passed)
        {
            challenge.state = Progress::Over;
        }
        later
    }

    fn effect(&self, kind: BookingKind, now: Timestamp) -> BookingState {
        let until = now.after(DECIDES_AFTER);
        match (kind, self.behaviour) {
            (BookingKind::Refund, Behaviour::SlowRefund) => BookingState::DoneFrom(until),
            (BookingKind::Refund, Behaviour::FailingRefund) => BookingState::FailedFrom(until),
            _ => BookingState::Done,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The challenge that the issuer demands, when there is somebody who can be sent to a page.
fn challenge_of(card: &CardData, return_url: Option<&str>, world: &World) -> Option<Challenge> {
    let demanded = cards::behaviour(card).demands();
    return_url
        .filter(|_| demanded)
        .map(|url| Challenge::new(ActionKind::ThreeDSecure, url, world).of_card(card))
}

/// What authentication brings: the wallet's own, or 3D Secure when it was `asked` for.
pub(super) fn authentication(
    card: &CardData,
    cryptogram: Option<&Cryptogram>,
    asked: bool,
) -> Option<ThreeDs> {
    let eci = if card.number.brand() == Brand::Mastercard {
        "02"
    } else {
        "05"
    };
    let (eci, version) = match cryptogram {
        Some(cryptogram) => (cryptogram.eci.as_deref().unwrap_or(eci), None),
        None if asked => (eci, Some("2.2.0".into())),
        None => return None,
    };
    Some(ThreeDs {
        eci: Some(eci.into()),
        version,
        result: Some("AUTHENTICATED".into()),
    })
}
