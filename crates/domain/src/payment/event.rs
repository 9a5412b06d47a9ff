//! What happened to a payment, for programs: events of fixed kinds with the facts as of their commit.
//!
//! An event is stored in the row of its commit ([`super::Payment::version`] is the row's number) and never changed. A kind,
//! once released, keeps its meaning; a reader ignores fields and kinds that it does not know. No event holds card data,
//! personal data or texts of a customer.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AbandonCause, CancelCause, Kind, Operation, Payment};
use crate::{
    Timestamp,
    answer::{ActionKind, Booked},
    decline::{Decline, DeclineCode, DeclineType},
    id::{ConnectionId, FlowId, IntentId, RefundId},
    money::{Currency, Money},
};

/// One event of a payment. Source: behaviour contract, section 11, for the kinds that merchants get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum PaymentEvent {
    /// It was made. Always its first event.
    #[serde(rename = "payment.created")]
    Created(Created),
    /// An operation was committed and is about to be sent.
    #[serde(rename = "payment.operation_started")]
    OperationStarted(Started),
    /// The customer has come back; the authorisation is sent once more to be completed.
    #[serde(rename = "payment.completion_started")]
    CompletionStarted(OperationFacts),
    /// The customer must do something first.
    #[serde(rename = "payment.action_required")]
    ActionRequired(ActionRequired),
    /// The customer was authenticated without a page.
    #[serde(rename = "payment.authenticated")]
    Authenticated(OperationFacts),
    /// The processor reviews the authorisation, or collects a debit, and decides later.
    #[serde(rename = "payment.held")]
    Held(OperationFacts),
    /// It is authorised.
    #[serde(rename = "payment.authorised")]
    Authorised(OperationFacts),
    /// It is captured.
    #[serde(rename = "payment.captured")]
    Captured(OperationFacts),
    /// Issuer, processor or flow refused it, or it was given up.
    #[serde(rename = "payment.declined")]
    Declined(Declined),
    /// An authorisation failed, with proof that nothing happened.
    #[serde(rename = "payment.failed")]
    Failed(OperationEnded),
    /// It was cancelled before capture.
    #[serde(rename = "payment.cancelled")]
    Cancelled(Cancelled),
    /// The outcome of an operation is unknown.
    #[serde(rename = "payment.unknown")]
    Unknown(OperationFacts),
    /// The end of an operation became known otherwise than by the answer to its call.
    #[serde(rename = "payment.outcome_found")]
    OutcomeFound(OutcomeFound),
    /// A capture, cancellation, reversal or giving up was accepted and will take effect, or fail, later.
    #[serde(rename = "payment.operation_pending")]
    OperationPending(OperationFacts),
    /// A capture did not take effect.
    #[serde(rename = "payment.capture_failed")]
    CaptureFailed(OperationEnded),
    /// A cancellation did not take effect.
    #[serde(rename = "payment.cancel_failed")]
    CancelFailed(OperationEnded),
    /// A refund was accepted and will take effect, or fail, later.
    #[serde(rename = "payment.refund_pending")]
    RefundPending(OperationFacts),
    /// A refund took effect.
    #[serde(rename = "payment.refunded")]
    Refunded(OperationFacts),
    /// A refund did not take effect.
    #[serde(rename = "payment.refund_failed")]
    RefundFailed(OperationEnded),
    /// A charge came to light after the payment had ended otherwise; a reversal is owed.
    #[serde(rename = "payment.late_charge")]
    LateCharge(OperationFacts),
    /// A late charge was given back.
    #[serde(rename = "payment.reversed")]
    Reversed(OperationFacts),
    /// A reversal did not take effect.
    #[serde(rename = "payment.reversal_failed")]
    ReversalFailed(OperationEnded),
    /// The processor would not give the authorisation up.
    #[serde(rename = "payment.abandon_failed")]
    AbandonFailed(OperationEnded),
    /// An operation took effect though another had excluded it: people must look at it.
    #[serde(rename = "payment.unexpected_effect")]
    UnexpectedEffect(OperationFacts),
    /// The processor has something else under the operation's reference than what was asked for.
    #[serde(rename = "payment.other_operation_found")]
    OtherOperationFound(OtherOperationFound),
    /// The payment goes on at another connection.
    #[serde(rename = "payment.fell_back")]
    FellBack(FellBack),
    /// The request's time was over before its flow got to an attempt.
    #[serde(rename = "payment.no_answer")]
    NoAnswer,
    /// An outcome started a flow.
    #[serde(rename = "payment.flow_started")]
    FlowStarted(FlowStarted),
    /// A flow waits.
    #[serde(rename = "payment.flow_waits")]
    FlowWaits(FlowWaits),
    /// A person let a flow go on, or not.
    #[serde(rename = "payment.approval_decided")]
    ApprovalDecided {
        /// Whether it was approved.
        approved: bool,
    },
    /// A webhook of the merchant's let a flow go on.
    #[serde(rename = "payment.webhook_received")]
    WebhookReceived {
        /// Its name.
        name: String,
    },
    /// A flow has called a webhook of the merchant's.
    #[serde(rename = "payment.webhook_called")]
    WebhookCalled {
        /// Whether it was taken.
        taken: bool,
    },
    /// A step of a flow failed and is tried again.
    #[serde(rename = "payment.step_retried")]
    StepRetried {
        /// The operation that it had begun.
        operation: u32,
        /// When it is tried again.
        due: Timestamp,
    },
    /// A step of a flow failed and is not tried again.
    #[serde(rename = "payment.step_given_up")]
    StepGivenUp {
        /// The operation that it had begun.
        operation: u32,
    },
    /// A step of a flow could not begin.
    #[serde(rename = "payment.step_left_out")]
    StepLeftOut {
        /// The error's code.
        code: String,
    },
    /// A person confirmed how the payment stands.
    #[serde(rename = "payment.confirmed_by_person")]
    ConfirmedByPerson,
    /// Personal data was erased from it.
    #[serde(rename = "payment.personal_data_erased")]
    PersonalDataErased,
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
}

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
}

/// What an operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationFacts {
    /// Its number within the payment.
    pub operation: u32,
    /// What it asks of the processor.
    pub what: OperationKind,
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
}

/// What an operation asks of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
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
    /// The customer gave it up at the method's own page.
    Customer,
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

/// A payment that was cancelled before capture.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(yes: &bool) -> bool {
    !yes
}

impl OperationFacts {
    /// The facts of an operation whose payment has this currency.
    pub fn of(operation: &Operation, currency: Currency) -> Self {
        let (what, refund, target) = match operation.kind {
            Kind::Authorise { .. } => (OperationKind::Authorise, None, None),
            Kind::Capture => (OperationKind::Capture, None, None),
            Kind::Cancel { .. } => (OperationKind::Cancel, None, None),
            Kind::Refund { id } => (OperationKind::Refund, Some(id), None),
            Kind::Reverse { target, .. } => (OperationKind::Reverse, None, Some(target)),
            Kind::Abandon { target, .. } => (OperationKind::Abandon, None, Some(target)),
        };
        Self {
            operation: operation.n,
            what,
            connection: operation.connection.clone(),
            amount: Money::new(operation.amount, currency),
            refund,
            target,
        }
    }
}

impl Payment {
    /// The event that `make` makes of the facts of operation `n`.
    pub(super) fn event_of(
        &self,
        n: u32,
        make: impl FnOnce(OperationFacts) -> PaymentEvent,
    ) -> Option<PaymentEvent> {
        let operation = self.operation(n)?;
        Some(make(OperationFacts::of(operation, self.money.currency())))
    }

    /// The event that operation `n` is about to be sent.
    pub(super) fn started(&self, n: u32) -> Option<PaymentEvent> {
        let kind = self.operation(n)?.kind;
        let cause = match kind {
            Kind::Abandon { cause, .. } => Some(cause.into()),
            Kind::Cancel { cause } => Some(cause.into()),
            Kind::Authorise { .. } | Kind::Capture | Kind::Refund { .. } | Kind::Reverse { .. } => {
                None
            }
        };
        self.event_of(n, |operation| {
            PaymentEvent::OperationStarted(Started {
                operation,
                captures: matches!(kind, Kind::Authorise { capture: true }),
                cause,
            })
        })
    }

    /// The event that the payment was made.
    pub fn created(&self) -> PaymentEvent {
        PaymentEvent::Created(Created {
            amount: self.money,
            flow: self.flow.as_ref().map(|run| run.id.clone()),
            flow_version: self.flow.as_ref().map(|run| run.version),
            intent: self.intent,
            order_id: self.order_id.clone(),
        })
    }
}

impl PaymentEvent {
    /// Declined for this reason.
    pub(super) fn declined(
        operation: Option<OperationFacts>,
        decline: &Decline,
        given_up: Option<Cause>,
    ) -> Self {
        Self::Declined(Declined {
            operation,
            code: decline.code,
            decline_type: decline.kind,
            given_up,
        })
    }

    /// An operation ended without effect.
    pub(super) fn ended(operation: OperationFacts, refused: bool, reason: &str) -> Self {
        let what = operation.what;
        let ended = OperationEnded {
            operation,
            refused,
            reason: reason.to_owned(),
        };
        match what {
            OperationKind::Authorise => Self::Failed(ended),
            OperationKind::Capture => Self::CaptureFailed(ended),
            OperationKind::Cancel => Self::CancelFailed(ended),
            OperationKind::Refund => Self::RefundFailed(ended),
            OperationKind::Reverse => Self::ReversalFailed(ended),
            OperationKind::Abandon => Self::AbandonFailed(ended),
        }
    }

    /// How the end of an operation became known.
    pub(super) const fn found(operation: u32, by: Evidence) -> Self {
        Self::OutcomeFound(OutcomeFound { operation, by })
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
        }
    }
}

impl From<CancelCause> for Cause {
    fn from(cause: CancelCause) -> Self {
        match cause {
            CancelCause::Merchant => Self::Merchant,
            CancelCause::Lifetime => Self::Lifetime,
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
