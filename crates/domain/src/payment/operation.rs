//! Operations: the calls that a payment makes to a processor, each committed before it is sent.

use serde::{Deserialize, Serialize};

use super::Other;
use crate::{
    Timestamp,
    answer::{Action, Answer},
    id::{ConnectionId, RefundId},
};

/// What an operation asks of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationKind {
    /// Authorise; with `capture`, in one call with the capture (a sale).
    Authorise {
        /// Whether it was sent as a sale.
        capture: bool,
    },
    /// Capture what was authorised.
    Capture,
    /// Cancel what was authorised.
    Cancel {
        /// Who wanted it.
        cause: CancelCause,
    },
    /// Refund what was captured.
    Refund {
        /// The refund's own id.
        id: RefundId,
        /// The number of the capture that it is of; none after a sale.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capture: Option<u32>,
        /// The number of the first of the refunds that one request was divided into, when this is another of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u32>,
    },
    /// Undo a charge that came to light after the payment had ended otherwise.
    Reverse {
        /// The number of the operation that charged.
        target: u32,
        /// Whether the charge was captured (then it is refunded, else cancelled).
        captured: bool,
    },
    /// Give up an authorisation that waits for the customer or for the processor's review.
    Abandon {
        /// The number of the authorisation.
        target: u32,
        /// Why.
        cause: AbandonCause,
    },
}

impl OperationKind {
    /// Whether it asks for an authorisation.
    pub const fn is_attempt(&self) -> bool {
        matches!(self, Self::Authorise { .. })
    }

    /// A refund that is of no capture of ours.
    pub(super) const fn whole_refund(id: RefundId) -> Self {
        Self::Refund {
            id,
            capture: None,
            first: None,
        }
    }
}

/// Why an authorisation that waits is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AbandonCause {
    /// The merchant wanted it.
    Merchant,
    /// The customer did not come back in time.
    Lifetime,
    /// The customer began another payment of the same checkout.
    Superseded,
    /// The checkout has a payment already.
    AlreadyPaid,
    /// Nobody is there who could be asked.
    NobodyPresent,
    /// No answer has come, and the processor can't be asked for it.
    NoAnswer,
}

/// Who wanted a cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelCause {
    /// The merchant.
    Merchant,
    /// The authorisation's life time has ended.
    Lifetime,
    /// The processor reports that it has ended the authorisation, or that somebody has there.
    Processor,
}

/// How an operation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationState {
    /// Committed; it may be under way. Nothing has come back.
    Sent,
    /// The call has ended without an answer that can be used: it may have happened.
    Unknown {
        /// When the call ended, or could have been sent no more.
        since: Timestamp,
    },
    /// The customer must do something first ([`Operation::action`]); nothing is authorised until then.
    Waiting {
        /// Since when.
        since: Timestamp,
    },
    /// The processor has it and will decide later.
    Pending {
        /// When it said so.
        since: Timestamp,
    },
    /// It took effect.
    Done {
        /// When we learnt it.
        at: Timestamp,
    },
    /// The processor or the issuer refused it; nothing happened.
    Refused {
        /// When we learnt it.
        at: Timestamp,
        /// The reason, for people.
        reason: String,
    },
    /// It failed, and it is proven that nothing happened.
    Failed {
        /// When we learnt it.
        at: Timestamp,
        /// The reason, for people.
        reason: String,
    },
}

impl OperationState {
    /// Whether the outcome is still to come.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Sent | Self::Unknown { .. } | Self::Waiting { .. } | Self::Pending { .. } => true,
            Self::Done { .. } | Self::Refused { .. } | Self::Failed { .. } => false,
        }
    }

    /// Whether it took effect.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }
}

/// One call to a processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its number within the payment; with the payment's id it makes the reference at the processor.
    pub n: u32,
    /// What it asks.
    pub kind: OperationKind,
    /// Where it is sent.
    pub connection: ConnectionId,
    /// How much, in minor units of the payment's currency.
    pub amount: i64,
    /// The authorisation stays open after it: a capture that is not the final one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_open: bool,
    /// The merchant's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was committed.
    pub started_at: Timestamp,
    /// After this time it is not sent any more.
    pub send_by: Timestamp,
    /// How it stands.
    pub state: OperationState,
    /// The processor has proven that it was undone. That is final: what says that it took effect is older news.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// When it is looked up next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Timestamp>,
    /// How often it was looked up.
    #[serde(default)]
    pub looks: u32,
    /// What the customer must do, while it waits and while it is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// When waiting for the customer ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_up_at: Option<Timestamp>,
    /// When nobody waits for an answer any more: the processor, which can't be read, is asked to let nothing stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandon_at: Option<Timestamp>,
    /// The secret part of the address of the customer's return, when there can be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_key: Option<String>,
    /// The processor's answer to an authorisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The processor's own id of this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_id: Option<String>,
    /// The connector's own word for the step that got no answer, for the look-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The charge that it made although it, or the payment, had ended otherwise: that charge is given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed: Option<Owed>,
    /// What the processor has under its reference, when that is not what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Other>,
    /// The idempotency record that waits for its outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<OnceRef>,
}

impl Operation {
    /// Whether the customer came back with what its completion needs.
    pub fn came_back_with_something(&self) -> bool {
        let action = self.action.as_ref();
        action.is_some_and(|action| action.returned.is_some())
    }

    /// Whether it captures or releases what was authorised and its outcome is still to come: only one at a time does.
    pub(super) fn excludes_others(&self) -> bool {
        self.state.is_open()
            && matches!(
                self.kind,
                OperationKind::Capture
                    | OperationKind::Cancel { .. }
                    | OperationKind::Abandon { .. }
            )
    }
}

/// A charge that came to light after the end, and is given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owed {
    /// Whether it was captured (then it is refunded, else cancelled).
    pub captured: bool,
    /// When it is given back; `None` while that is under way, and when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
}

/// Points at an idempotency record of the payment's team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnceRef {
    /// The scope of the key.
    pub scope: String,
    /// The hash of the key.
    pub key: String,
}
