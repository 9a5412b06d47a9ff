//! Where a dispute stands.

use std::cmp::Ordering;

use crate::text_enum::text_enum;

text_enum!(
    /// The status of a dispute (`DisputeStatusEnum`). Source: specification 3.2, behaviour contract, section 10.
    DisputeStatus {
        /// An early alert about a payment that may become a dispute.
        Notification = "NOTIFICATION",
        /// The merchant has to respond.
        NeedsResponse = "NEEDS_RESPONSE",
        /// The merchant's response is sent.
        SentForReview = "SENT_FOR_REVIEW",
        /// The network or the issuer reviews the response.
        UnderReview = "UNDER_REVIEW",
        /// Decided for the merchant.
        Won = "WON",
        /// Decided for the customer.
        Lost = "LOST",
        /// Closed or withdrawn by the customer or the issuer.
        Closed = "CLOSED",
        /// The customer was refunded for it.
        Refunded = "REFUNDED",
    }
);

text_enum!(
    /// The stage of a dispute (`DisputeLifecycleStageEnum`), each later than the one before it.
    DisputeStage {
        /// A question; no money has moved.
        Inquiry = "INQUIRY",
        /// The money is taken back.
        Chargeback = "CHARGEBACK",
        /// The issuer does not accept the merchant's response.
        PreArbitration = "PRE_ARBITRATION",
        /// The network decides.
        Arbitration = "ARBITRATION",
    }
);

text_enum!(
    /// Why a customer disputes (`DisputeReasonEnum`). Source: specification 2.7, the five categories.
    DisputeReason {
        Fraud = "FRAUD",
        /// Declined or missing authorisation.
        Authorization = "AUTHORIZATION",
        /// Incorrect amount or currency, or a duplicate.
        ProcessingErrors = "PROCESSING_ERRORS",
        /// Goods or service not received or not as described, or a recurring payment that was cancelled.
        CustomerDisputes = "CUSTOMER_DISPUTES",
        /// Any other.
        Uncategorised = "UNCATEGORISED",
    }
);

text_enum!(
    /// Where the disputed money is.
    DisputedFunds {
        /// The processor has taken it from the merchant.
        Withdrawn = "WITHDRAWN",
        /// The processor has given it back to the merchant.
        Reinstated = "REINSTATED",
    }
);

impl DisputeStatus {
    /// Whether it can still be decided.
    pub const fn is_open(self) -> bool {
        self.progress() < ENDED
    }

    /// How far it is within its stage.
    const fn progress(self) -> u8 {
        match self {
            Self::Notification => 0,
            Self::NeedsResponse => 1,
            Self::SentForReview => 2,
            Self::UnderReview => 3,
            Self::Won | Self::Lost | Self::Closed | Self::Refunded => ENDED,
        }
    }
}

/// The progress of a dispute that has ended.
const ENDED: u8 = 4;

/// A stage and the status within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The stage.
    pub stage: DisputeStage,
    /// The status.
    pub status: DisputeStatus,
}

/// What a standing that is reported is to the one that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The same.
    Same,
    /// A later status of the same stage.
    Forward,
    /// A later stage, which asks for a response again.
    NewStage,
    /// Another end of the same stage.
    Corrected,
    /// An earlier status of the same stage: the processor asks again.
    Back,
    /// Older than what is known.
    Stale,
}

impl Standing {
    /// What `reported` is to this. `proven`: the processor says that it is newer. Without that an earlier status is taken for
    /// older news, since news may arrive in any order.
    pub fn step_to(self, reported: Self, proven: bool) -> Step {
        if self == reported {
            return Step::Same;
        }
        // An alert comes first.
        if reported.status == DisputeStatus::Notification {
            return Step::Stale;
        }
        match reported.stage.cmp(&self.stage) {
            Ordering::Greater => return Step::NewStage,
            Ordering::Less => return Step::Stale,
            Ordering::Equal => {}
        }
        let later = reported.status.progress().cmp(&self.status.progress());
        match (later, proven) {
            (Ordering::Greater, _) => Step::Forward,
            (Ordering::Equal, true) => Step::Corrected,
            (Ordering::Less, true) => Step::Back,
            (Ordering::Equal | Ordering::Less, false) => Step::Stale,
        }
    }

    /// Whether a dispute that stands so keeps its payment DISPUTED: its stage takes money, and it is neither won nor closed.
    /// Alerts and inquiries change nothing of a payment.
    pub const fn holds_payment(self) -> bool {
        let takes_money = match self.stage {
            DisputeStage::Inquiry => false,
            DisputeStage::Chargeback | DisputeStage::PreArbitration | DisputeStage::Arbitration => {
                true
            }
        };
        takes_money
            && match self.status {
                DisputeStatus::NeedsResponse
                | DisputeStatus::SentForReview
                | DisputeStatus::UnderReview
                | DisputeStatus::Lost
                | DisputeStatus::Refunded => true,
                DisputeStatus::Notification | DisputeStatus::Won | DisputeStatus::Closed => false,
            }
    }
}
