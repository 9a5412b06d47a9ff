//! What a run of a program gives back to its caller.

use std::time::Duration;

use domain::{decline::DeclineCode, id::ConnectionId, method::Method, payment::ThreeDsWish};
use serde::{Deserialize, Serialize};

use crate::document::{CaptureWhen, Fallback, RefundAmount};

/// Where an instance of a flow stands. Kept with the flow's version, and meaningless without it.
///
/// Besides the place it remembers whether a payment was authorised on the way here and whether anything was said about
/// its capture, since a flow that ends without having said so captures at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(pub(crate) u32);

impl Position {
    /// Before the first step.
    pub const START: Self = Self(0);

    /// The position as a number, to be kept.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// A position that was kept.
    pub const fn kept(number: u32) -> Self {
        Self(number)
    }

    /// The position of the step that stopped a run with this as its `next`: from there the step is done once more.
    #[must_use]
    pub const fn of_step(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Every step on the way, taken or left, in the document's order.
    pub trace: Vec<Trace>,
    /// What the last 3D Secure step on the way wished for.
    pub wish: Option<ThreeDsWish>,
    /// The methods that the last offer on the way named.
    pub offers: Option<Vec<Method>>,
    /// Lines for the timeline.
    pub notes: Vec<String>,
    /// Conditions that could not be answered, so that they counted as not holding: the step and why.
    pub unanswered: Vec<String>,
    /// Why it stopped: what must be done before it goes on.
    pub stop: Effect,
}

/// One step on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The step's id, or its place such as `steps[1].then[0]`.
    pub step: String,
    /// Whether it was taken. A condition is taken when it holds.
    pub taken: bool,
    /// Why, in a clause.
    pub reason: Option<String>,
}

/// What must be done before a run can go on from its `next`.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Authorise the payment.
    Authorise(Authorisation),
    /// Capture the payment, or set when it will be.
    Capture {
        /// When.
        when: CaptureWhen,
        /// Where to go on.
        next: Position,
    },
    /// Refund.
    Refund {
        /// How much.
        amount: RefundAmount,
        /// Why.
        reason: Option<String>,
        /// Where to go on.
        next: Position,
    },
    /// Cancel the payment.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// Where to go on.
        next: Position,
    },
    /// Decline the payment. Nothing follows.
    Decline {
        /// The reason.
        code: DeclineCode,
        /// A text for it.
        message: Option<String>,
    },
    /// Wait.
    Delay {
        /// How long.
        span: Duration,
        /// Where to go on.
        next: Position,
    },
    /// Wait for a person's approval.
    Approval {
        /// What the person reads.
        title: String,
        /// How long; without limit when absent.
        within: Option<Duration>,
        /// Where to go on when it is given.
        next: Position,
    },
    /// Wait for a webhook.
    AwaitWebhook {
        /// Its name.
        name: String,
        /// How long; without limit when absent.
        within: Option<Duration>,
        /// Where to go on.
        next: Position,
    },
    /// Call a webhook.
    CallWebhook {
        /// Where.
        url: String,
        /// Where to go on.
        next: Position,
    },
    /// Nothing is left to do.
    End,
}

/// Where a payment is to be authorised.
#[derive(Debug, Clone, PartialEq)]
pub struct Authorisation {
    /// The connections in order: the chosen one first, then its fallbacks. Never empty; none is named twice.
    pub candidates: Vec<Candidate>,
    /// After what the next one is asked.
    pub fallback: Fallback,
    /// The condition of the branch that it stands in, such as `payment.amount > 5` and whether it holds; `None` when it stands in none.
    pub because: Option<String>,
    /// What is known about the capture before the processor is asked.
    pub capture: Planned,
    /// Where to go on.
    pub next: Position,
}

/// A connection and why it stands where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The connection.
    pub connection: ConnectionId,
    /// Why, such as `first by weight 70 of 100`.
    pub reason: String,
}

/// What is known about a payment's capture before it is authorised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// Nothing but this capture follows, so that a payment captured at once can be one sale.
    Rule(CaptureWhen),
    /// Later steps decide.
    Continue,
}
