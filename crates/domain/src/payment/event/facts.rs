//! What events hold.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Timestamp,
    answer::{ActionKind, Booked},
    decline::{DeclineCode, DeclineType},
    dispute::Dispute,
    id::{ConnectionId, DisputeId, FlowId, IntentId, RefundId},
    money::{Currency, Money},
    payment::{AbandonCause, CancelCause, Operation, OperationKind, Origin},
};

/// How a payment was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// What was asked for.
    pub amount: Money,
    /// The flow that it runs under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowId>,
    /// The version of that flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_version: Option<u32>,
    /// The checkout intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentId>,
    /// The merchant's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
    /// Where it comes from, when it was not made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// What an operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationFacts {
    /// Its number within the payment.
    pub operation: u32,
    /// What it asks of the processor.
    pub what: EventOperation,
    /// Where it was sent.
    pub connection: ConnectionId,
    /// How much.
    pub amount: Money,
    /// The refund's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<RefundId>,
    /// The number of the operation that it reverses or gives up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
    /// Whether the authorisation stays open after it: a capture that is not the final one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_open: bool,
}

/// What an operation asks of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventOperation {
    /// An authorisation, with its capture or without.
    Authorise,
    /// A capture.
    Capture,
    /// A cancellation.
    Cancel,
    /// A refund.
    Refund,
    /// The reversal of a late charge.
    Reverse,
    /// Giving up an authorisation that waits.
    Abandon,
}

/// An operation that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The operation.
    #[serde(flatten)]
    pub operation: OperationFacts,
    /// Whether an authorisation is captured by the same call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub captures: bool,
    /// Why it began, where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// Why a payment was given up or cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The merchant or the merchant's flow wanted it.
    Merchant,
    /// Its time was over.
    Lifetime,
    /// The customer began another payment of the checkout.
    Superseded,
    /// The checkout has another payment.
    AlreadyPaid,
    /// The customer would have to act and is not present.
    NobodyPresent,
    /// No answer had come, and the processor could not be asked for it.
    NoAnswer,
    /// The customer gave it up at the method's own page.
    Customer,
    /// The processor had ended it, or somebody had there.
    Processor,
}

/// What the customer must do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionRequired {
    /// The authorisation.
    #[serde(flatten)]
    pub operation: OperationFacts,
    /// What is to be done.
    pub action: RequiredAction,
}

/// What a customer must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequiredAction {
    /// Be authenticated by 3D Secure.
    #[serde(rename = "3d_secure")]
    ThreeDSecure,
    /// Approve the payment at the method's own page.
    Approval,
}

/// An operation that ended without effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationEnded {
    /// The operation.
    #[serde(flatten)]
    pub operation: OperationFacts,
    /// Whether the processor or the issuer refused it; else it failed.
    pub refused: bool,
    /// Why, for people.
    pub reason: String,
}

/// Why a payment was declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declined {
    /// The authorisation; none when the flow declined it before any.
    #[serde(flatten)]
    pub operation: Option<OperationFacts>,
    /// The reason.
    pub code: DeclineCode,
    /// Whether another try is worthwhile.
    pub decline_type: DeclineType,
    /// Why it was given up, when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up: Option<Cause>,
}

/// A payment that was cancelled before capture, or whose rest was released after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// The cancellation, or the authorisation that was given up.
    #[serde(flatten)]
    pub operation: OperationFacts,
    /// Who wanted it.
    pub cause: Cause,
}

/// How it became known what an operation came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeFound {
    /// The operation.
    pub operation: u32,
    /// How.
    pub by: Evidence,
}

/// How an outcome became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The processor was asked.
    LookUp,
    /// The answer to the call itself came late.
    LateAnswer,
    /// The processor has it from the time that was lost when the database was restored.
    Restored,
    /// A person said so.
    Person,
    /// The processor reported it by itself.
    Notification,
    /// The processor has given the authorisation up, so that its outcome counts no more.
    GivenUp,
    /// It took effect after it had been taken for ended.
    AfterItsEnd,
}

/// Something else than what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherOperationFound {
    /// The operation as it was asked for.
    #[serde(flatten)]
    pub operation: OperationFacts,
    /// What the processor has.
    pub found: Booked,
    /// Whether the operation is recorded as what was found; else it takes a person.
    pub recorded: bool,
}

/// A payment that goes on elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FellBack {
    /// The attempt that has ended.
    pub operation: u32,
    /// Where the next one goes.
    pub connection: ConnectionId,
}

/// A run of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStarted {
    /// The flow.
    pub flow: FlowId,
    /// Its version.
    pub version: u32,
    /// The run.
    pub instance: Uuid,
}

/// A dispute of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfDispute {
    /// The dispute.
    pub dispute: DisputeId,
    /// How much is disputed; none where the payment was captured after the dispute was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
}

/// What a flow waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowWaits {
    /// What.
    pub waits_for: WaitsFor,
    /// Until when, at the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// What a flow waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// A time.
    Time,
    /// A person's approval.
    Approval,
    /// A webhook of the merchant's.
    Webhook,
}

impl OfDispute {
    /// The dispute as it stands.
    pub fn of(dispute: &Dispute) -> Self {
        Self {
            dispute: dispute.id(),
            amount: Some(dispute.money()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(yes: &bool) -> bool {
    !yes
}

impl OperationFacts {
    /// The facts of an operation whose payment has this currency.
    pub fn of(operation: &Operation, currency: Currency) -> Self {
        let (what, refund, target) = match operation.kind {
            OperationKind::Authorise { .. } => (EventOperation::Authorise, None, None),
            OperationKind::Capture => (EventOperation::Capture, None, None),
            OperationKind::Cancel { .. } => (EventOperation::Cancel, None, None),
            OperationKind::Refund { id, .. } => (EventOperation::Refund, Some(id), None),
            OperationKind::Reverse { target, .. } => (EventOperation::Reverse, None, Some(target)),
            OperationKind::Abandon { target, .. } => (EventOperation::Abandon, None, Some(target)),
        };
        Self {
            operation: operation.n,
            what,
            connection: operation.connection.clone(),
            amount: Money::new(operation.amount, currency),
            refund,
            target,
            keeps_open: operation.keeps_open,
        }
    }
}

impl From<AbandonCause> for Cause {
    fn from(cause: AbandonCause) -> Self {
        match cause {
            AbandonCause::Merchant => Self::Merchant,
            AbandonCause::Lifetime => Self::Lifetime,
            AbandonCause::Superseded => Self::Superseded,
            AbandonCause::AlreadyPaid => Self::AlreadyPaid,
            AbandonCause::NobodyPresent => Self::NobodyPresent,
            AbandonCause::NoAnswer => Self::NoAnswer,
        }
    }
}

impl From<CancelCause> for Cause {
    fn from(cause: CancelCause) -> Self {
        match cause {
            CancelCause::Merchant => Self::Merchant,
            CancelCause::Lifetime => Self::Lifetime,
            CancelCause::Processor => Self::Processor,
        }
    }
}

impl From<ActionKind> for RequiredAction {
    fn from(kind: ActionKind) -> Self {
        match kind {
            ActionKind::ThreeDSecure => Self::ThreeDSecure,
            ActionKind::Apm => Self::Approval,
        }
    }
}
