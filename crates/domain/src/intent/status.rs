//! The statuses of an intent and of the steps of its timeline.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, payment, text_enum::text_enum};

text_enum!(
    /// The status of an intent (`CheckoutStatus`). Source: specification 3.3, behaviour contract, section 9.
    Status {
        /// The checkout is under way.
        Active = "ACTIVE",
        /// Nothing happened for some time.
        Inactive = "INACTIVE",
        /// The customer has completed the purchase.
        Complete = "COMPLETE",
    }
);

text_enum!(
    /// The status of a step (`FormStepStatus`).
    StepStatus {
        NotStarted = "NOT_STARTED",
        InProgress = "IN_PROGRESS",
        Complete = "COMPLETE",
        Failed = "FAILED",
    }
);

/// A step of the timeline. Its date is that of the last change of its status; one that has not started has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// How far it is.
    pub status: StepStatus,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

impl Step {
    /// A step that has not started.
    pub const NOT_STARTED: Self = Self {
        status: StepStatus::NotStarted,
        at: None,
    };

    /// A step in this status since `at`.
    pub fn new(status: StepStatus, at: Timestamp) -> Self {
        Self {
            status,
            at: (status != StepStatus::NotStarted).then_some(at),
        }
    }

    /// Takes another status. The date stays when it has that status already.
    pub fn become_status(&mut self, status: StepStatus, at: Timestamp) {
        if self.status != status {
            *self = Self::new(status, at);
        }
    }
}

/// The steps of an intent's timeline; its payment attempts are shown by its payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// The checkout itself.
    pub started: Step,
    /// The form of the shipping address.
    pub shipping: Step,
    /// The form of the delivery.
    pub delivery: Step,
    /// The form of the billing address.
    pub billing: Step,
    /// Completing the purchase.
    pub completed: Step,
}

impl Steps {
    /// The steps of an intent that starts.
    pub fn starting(at: Timestamp) -> Self {
        Self {
            started: Step::new(StepStatus::InProgress, at),
            shipping: Step::NOT_STARTED,
            delivery: Step::NOT_STARTED,
            billing: Step::NOT_STARTED,
            completed: Step::NOT_STARTED,
        }
    }
}

/// The step that a payment with this status is in the timeline of its intent.
pub fn attempt_status(status: payment::Status) -> StepStatus {
    use payment::Status as S;
    match status {
        S::Authorised
        | S::Succeeded
        | S::Refunded
        | S::PartialRefunded
        | S::RefundPending
        | S::RefundFailed
        | S::Disputed => StepStatus::Complete,
        S::Declined | S::Failed | S::Cancelled | S::Removed | S::Inactive => StepStatus::Failed,
        S::Active
        | S::Needs3dSecure
        | S::NeedsApmAuthorization
        | S::GatewayHold
        | S::NoAnswerFromPsp
        | S::Draft => StepStatus::InProgress,
    }
}

/// Whether a merchant's server may complete an intent with a payment of this status: it holds money, or the processor
/// reviews it.
pub fn may_complete(status: payment::Status) -> bool {
    attempt_status(status) == StepStatus::Complete || status == payment::Status::GatewayHold
}
