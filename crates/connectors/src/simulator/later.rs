//! What can come of an authorisation: captures, cancellations and refunds.

use connector::Reference;
use domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::Operation;

/// A capture, a cancellation or a refund, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Later {
    /// Its own reference.
    pub reference: Reference,
    /// What it is.
    pub kind: BookingKind,
    /// How much, in minor units of the authorisation's currency.
    pub amount: i64,
    /// The authorisation stays open after it: a capture that is not the final one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_open: bool,
    /// The capture that a refund names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Reference>,
    /// Its outcome.
    pub state: BookingState,
}

impl Later {
    /// Whether this is the same request come again.
    pub(super) fn is_asked_again_by(&self, call: &Operation<'_>) -> bool {
        let capture = call.capture.map(|capture| capture.reference);
        self.kind == call.kind
            && self.amount == call.money.minor()
            && self.keeps_open == call.keeps_open
            && self.capture.as_ref() == capture
    }
}

/// What a later operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BookingKind {
    /// Takes what was authorised.
    Capture,
    /// Releases what was authorised.
    Cancel,
    /// Gives back what was captured.
    Refund,
}

/// The outcome of a later operation, written once: what comes with time is written ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BookingState {
    /// It took effect at once.
    Done,
    /// Pending; it takes effect at this time.
    DoneFrom(Timestamp),
    /// Pending; it fails at this time.
    FailedFrom(Timestamp),
    /// It took effect at once, and is undone at this time.
    UndoneFrom(Timestamp),
    /// Refused at once; nothing happened.
    Refused(Refusal),
}

/// How a later operation stands at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    Done,
    Pending,
    Failed,
    Undone,
    Refused(Refusal),
}

impl BookingState {
    pub(super) fn at(self, at: Timestamp) -> Now {
        match self {
            Self::DoneFrom(until) | Self::FailedFrom(until) if at < until => Now::Pending,
            Self::UndoneFrom(until) if at >= until => Now::Undone,
            Self::Done | Self::DoneFrom(_) | Self::UndoneFrom(_) => Now::Done,
            Self::FailedFrom(_) => Now::Failed,
            Self::Refused(refusal) => Now::Refused(refusal),
        }
    }
}

/// Why the processor refuses a later operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The debit is under way at the customer's bank.
    Collecting,
    /// The authorisation is held for review.
    InReview,
    /// There was no approval.
    NotApproved,
    /// It was captured already.
    Captured,
    /// It takes one capture, which is final.
    CapturedOnce,
    /// It was not captured.
    NotCaptured,
    /// It was cancelled already.
    Cancelled,
    /// More than was authorised.
    AboveAuthorised,
    /// More than is left of what was captured.
    AboveCaptured,
    /// The test number wants it so.
    TestNumber,
}

impl Refusal {
    /// The reason, as a clause for people.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Collecting => "the debit is under way at the customer's bank",
            Self::InReview => "the processor still reviews the authorisation",
            Self::NotApproved => "the authorisation was not approved",
            Self::Captured => "the authorisation is captured already",
            Self::CapturedOnce => "the authorisation takes one capture, which is final",
            Self::NotCaptured => "nothing was captured",
            Self::Cancelled => "the authorisation is cancelled already",
            Self::AboveAuthorised => "the amount is above what is left of the authorised amount",
            Self::AboveCaptured => "the amount is above what is left of the captured amount",
            Self::TestNumber => "the test number refuses captures and cancellations",
        }
    }
}
