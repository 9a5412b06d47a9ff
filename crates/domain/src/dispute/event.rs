//! What happened to a dispute, for programs.

use serde::{Deserialize, Serialize};

use super::{Dispute, DisputeReason, DisputeStage, DisputeStatus, DisputedFunds, ResponseKind};
use crate::{
    Timestamp,
    id::{ConnectionId, PaymentId},
    money::Money,
};

/// One event of a dispute. Stored as [`crate::payment::PaymentEvent`] is, under the same rules. Source: behaviour contract,
/// section 11.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum DisputeEvent {
    /// It became known. Always its first event.
    #[serde(rename = "dispute.opened")]
    Opened(DisputeFacts),
    /// Its status, its stage or its details have changed.
    #[serde(rename = "dispute.updated")]
    Updated(DisputeFacts),
    /// The time to respond ends soon, or has ended.
    #[serde(rename = "dispute.response_due")]
    ResponseDue(ResponseDue),
    /// It was decided for the merchant.
    #[serde(rename = "dispute.won")]
    Won(DisputeFacts),
    /// It was decided for the customer.
    #[serde(rename = "dispute.lost")]
    Lost(DisputeFacts),
    /// It was closed or withdrawn, or the customer was refunded for it.
    #[serde(rename = "dispute.closed")]
    Closed(DisputeFacts),
    /// The processor says at a later time what it said before. No merchant gets it.
    #[serde(rename = "dispute.confirmed")]
    Confirmed,
    /// A response of the merchant was drafted, is being sent, was taken or was refused. Not shown to merchants: what comes of it is.
    #[serde(rename = "dispute.response")]
    Response(ResponseFacts),
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
}

/// A dispute as of its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisputeFacts {
    /// The payment.
    pub payment: PaymentId,
    /// The connection whose processor reported it.
    pub connection: ConnectionId,
    /// How much is disputed; may be a part of the payment, or in another currency.
    pub amount: Money,
    /// Its status.
    pub status: DisputeStatus,
    /// Its stage.
    pub stage: DisputeStage,
    /// Why.
    pub reason: DisputeReason,
    /// Until when the merchant can respond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond_by: Option<Timestamp>,
    /// Where the disputed money is, when the processor has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub funds: Option<DisputedFunds>,
}

/// A response that is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseDue {
    /// The dispute.
    #[serde(flatten)]
    pub dispute: DisputeFacts,
    /// Whether the time has ended already.
    pub is_past: bool,
}

/// A response as of its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseFacts {
    /// Its number within the dispute.
    pub n: u32,
    /// What it is.
    pub response: ResponseKind,
    /// How it stands: `DRAFT`, `SENDING`, `TAKEN` or `REFUSED`.
    pub state: String,
}

impl Dispute {
    /// What its events hold.
    pub(super) fn facts(&self) -> DisputeFacts {
        DisputeFacts {
            payment: self.payment,
            connection: self.connection.clone(),
            amount: self.money,
            status: self.status,
            stage: self.stage,
            reason: self.reason,
            respond_by: self.respond_by,
            funds: self.funds,
        }
    }

    /// The event of its status as it is now.
    pub(super) fn status_event(&self) -> DisputeEvent {
        let facts = self.facts();
        match self.status {
            DisputeStatus::Won => DisputeEvent::Won(facts),
            DisputeStatus::Lost => DisputeEvent::Lost(facts),
            DisputeStatus::Closed | DisputeStatus::Refunded => DisputeEvent::Closed(facts),
            DisputeStatus::Notification
            | DisputeStatus::NeedsResponse
            | DisputeStatus::SentForReview
            | DisputeStatus::UnderReview => DisputeEvent::Updated(facts),
        }
    }
}
