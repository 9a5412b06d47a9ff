//! The test numbers: which number plays which part.

use connector::CardData;
use domain::{decline::DeclineCode, dispute::DisputeReason, method::CardFunding};
use serde::{Deserialize, Serialize};

/// The part that a test number plays. The books keep it in place of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behaviour {
    /// Everything succeeds.
    Approve,
    /// The issuer declines.
    Decline(DeclineCode),
    /// The issuer wants the cardholder to be authenticated, and approves then.
    DemandAuthentication,
    /// The issuer wants the cardholder to be authenticated, and declines even then.
    DemandThenDecline,
    /// The processor fails; nothing is authorised.
    Fail,
    /// A refund is accepted and done two seconds later.
    SlowRefund,
    /// A refund is accepted and fails two seconds later.
    FailingRefund,
    /// The authorisation takes effect, but gets no answer.
    SilentCharged,
    /// The authorisation gets no answer and has no effect.
    SilentNotCharged,
    /// Held for review, accepted two seconds later.
    Held,
    /// Collected from a bank account: held, and declined two seconds later.
    HeldThenDecline(DeclineCode),
    /// Collected from a bank account: held, paid two seconds later, and returned after that.
    HeldThenReturned,
    /// Everything succeeds; the customer disputes the captured payment two seconds later.
    Disputed(DisputeReason),
    /// Everything succeeds; two seconds after the capture an early alert comes.
    Alerted,
    /// Captures and cancellations are refused.
    RefuseLater,
    /// The first call of each later operation takes effect, but gets no answer.
    SilentLater,
}

/// Every number that does something else than succeed..
const TABLE: &[(&str, Behaviour)] = &[
    (
        "4000000000000002",
        Behaviour::Decline(DeclineCode::GeneralDecline),
    ),
    (
        "4000000000000069",
        Behaviour::Decline(DeclineCode::ExpiredCard),
    ),
    (
        "4000000000009995",
        Behaviour::Decline(DeclineCode::InsufficientFunds),
    ),
    (
        "4000000000009979",
        Behaviour::Decline(DeclineCode::LostRestrictedOrStolenCard),
    ),
    (
        "4100000000000019",
        Behaviour::Decline(DeclineCode::SuspectedFraud),
    ),
    (
        "4000000000000127",
        Behaviour::Decline(DeclineCode::InvalidCvc),
    ),
    ("4000000000000119", Behaviour::Fail),
    ("4000002760003184", Behaviour::DemandAuthentication),
    ("4000008400001629", Behaviour::DemandThenDecline),
    ("4000000000007726", Behaviour::SlowRefund),
    ("4000000000005126", Behaviour::FailingRefund),
    ("4000000000000903", Behaviour::SilentCharged),
    ("4000000000000911", Behaviour::SilentNotCharged),
    ("4000000000000929", Behaviour::Held),
    ("4000000000000937", Behaviour::RefuseLater),
    ("4000000000000945", Behaviour::SilentLater),
    (
        "4000000000000259",
        Behaviour::Disputed(DisputeReason::Fraud),
    ),
    (
        "4000000000002685",
        Behaviour::Disputed(DisputeReason::CustomerDisputes),
    ),
    ("4000000000005423", Behaviour::Alerted),
];

/// The numbers of debit cards.
const DEBIT: &[&str] = &["4000056655665556"];

impl Behaviour {
    /// Whether it is decided two seconds later.
    pub(super) const fn is_held(self) -> bool {
        matches!(
            self,
            Self::Held | Self::HeldThenDecline(_) | Self::HeldThenReturned
        )
    }

    /// Whether the issuer wants the cardholder to be authenticated.
    pub(super) const fn demands(self) -> bool {
        matches!(self, Self::DemandAuthentication | Self::DemandThenDecline)
    }
}

/// The part that a card plays.
pub(super) fn behaviour(card: &CardData) -> Behaviour {
    let number = card.number.expose();
    TABLE
        .iter()
        .find(|(listed, _)| *listed == number)
        .map_or(Behaviour::Approve, |(_, behaviour)| *behaviour)
}

/// The brand of a card that bears several, where it is not the one of its first digits.
pub(super) fn chosen_brand(card: &CardData) -> Option<String> {
    let usual = card.number.brand().code();
    (card.brand != usual).then(|| card.brand.clone())
}

/// Whose money a card spends.
pub(super) fn funding(card: &CardData) -> CardFunding {
    if DEBIT.contains(&card.number.expose()) {
        CardFunding::Debit
    } else {
        CardFunding::Credit
    }
}
