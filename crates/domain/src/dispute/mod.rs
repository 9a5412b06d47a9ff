//! The dispute: a customer's bank takes a payment's money back, or asks about it.
//!
//! # How it works
//! A dispute is a value of its own, with a stream of its own in the event feed. [`Dispute::open`] makes it of the first report
//! of the processor, [`Dispute::take`] takes every later one, no matter who brings it: a notification, a look-up, the answer
//! to a response of ours.
//!
//! # What is promised
//! - Only a report of the processor changes its status. A deadline that passes warns, and decides nothing.
//! - A response is sent once: what became of it is found out, never guessed (`response.rs`).
//! - Reports may arrive twice, late and in any order: an older one changes nothing ([`Standing::step_to`]).
//!
//! Source: behaviour contract, section 10 and section 7 "Money can go backwards".

#[cfg(feature = "planted")]
mod bugs;
mod due;
mod event;
pub mod evidence;
mod fields;
mod filter;
mod news;
mod pack;
mod report;
mod response;
mod status;

pub use due::{DisputeDuty, Warning};
pub use event::{DisputeEvent, DisputeFacts, ResponseDue, ResponseFacts};
pub use filter::{DisputeField, DisputeSort, DisputeSortField};
pub use news::{Absence, ResponseNews};
pub use pack::{Evidence, EvidenceChange};
pub use report::DisputeReport;
pub use response::{DisputeResponse, LookedFor, NewResponse, Reach, ResponseKind, ResponseState};
pub use status::{DisputeReason, DisputeStage, DisputeStatus, DisputedFunds, Standing, Step};

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    id::{ConnectionId, DisputeId, PaymentId, TeamId},
    money::Money,
    payment::Occurrence,
    processor_text::ProcessorText,
};

/// One thing that happened in a change of a dispute.
pub type DisputeOccurrence = Occurrence<DisputeEvent>;

/// A dispute as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// Its id.
    id: DisputeId,
    /// Whose it is.
    team: TeamId,
    /// The payment.
    payment: PaymentId,
    /// The connection whose processor reported it.
    connection: ConnectionId,
    /// The processor's id of it.
    source_id: String,
    /// The processor's id of the payment, as far as it was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_payment: Option<String>,
    /// Counts its commits; the number of its last event.
    version: u64,
    /// Counts the events of it that merchants get: the sequence of the last one.
    #[serde(default)]
    public_events: u64,
    /// When it became known here.
    created_at: Timestamp,
    /// When the customer disputed, as the processor says.
    disputed_at: Timestamp,
    /// Until when the merchant can respond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    respond_by: Option<Timestamp>,
    /// How much is disputed.
    money: Money,
    /// Its status.
    status: DisputeStatus,
    /// Its stage.
    stage: DisputeStage,
    /// Why.
    reason: DisputeReason,
    /// The processor's own status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    processor_status: Option<ProcessorText>,
    /// The processor's own reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    processor_reason: Option<ProcessorText>,
    /// Where the money is, when the processor says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    funds: Option<DisputedFunds>,
    /// Of when the last report was that was taken, as the processor says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    as_of: Option<Timestamp>,
    /// Whether a report without a time has moved it since: then a later one with a time may still be older.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    undated: bool,
    /// The last warning about the time to respond as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    warned: Option<Warning>,
    /// What the merchant has responded, drafts included, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    responses: Vec<DisputeResponse>,
    /// The earliest stage that anything was heard of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    earliest: Option<DisputeStage>,
    /// Whether the processor has a response since it last asked for one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    answered: bool,
}

/// Which dispute is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDispute {
    /// Its id.
    pub id: DisputeId,
    /// Whose it is.
    pub team: TeamId,
    /// The payment.
    pub payment: PaymentId,
    /// The connection whose processor reported it.
    pub connection: ConnectionId,
}
