//! What happened to a payment, for programs: events of fixed kinds with the facts as of their commit.
//!
//! An event is stored in the row of its commit ([`super::Payment::version`] is the row's number) and never changed. A kind,
//! once released, keeps its meaning; a reader ignores fields and kinds that it does not know. No event holds card data,
//! personal data or texts of a customer.

mod facts;

use serde::{Deserialize, Serialize};

pub use facts::{
    ActionRequired, Cancelled, Cause, Created, Declined, EventOperation, Evidence, FellBack,
    FlowStarted, FlowWaits, OfDispute, OperationEnded, OperationFacts, OtherOperationFound,
    OutcomeFound, RequiredAction, Started, WaitsFor,
};

use super::{ImportFacts, OperationKind, Payment};
use crate::{Timestamp, decline::Decline};

/// One event of a payment. Source: behaviour contract, section 11, for the kinds that merchants get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum PaymentEvent {
    /// It was made. Always its first event, but of an import that is not announced.
    #[serde(rename = "payment.created")]
    Created(Created),
    /// An operation was committed and is about to be sent.
    #[serde(rename = "payment.operation_started")]
    OperationStarted(Started),
    /// The customer has finished at the processor's page; the authorisation is sent once more to be completed.
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
    /// The rest of what was authorised was released after a part of it had been captured.
    #[serde(rename = "payment.released")]
    Released(Cancelled),
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
    /// A dispute makes it DISPUTED, or keeps it so.
    #[serde(rename = "payment.disputed")]
    Disputed(OfDispute),
    /// A dispute that made it DISPUTED was won or closed.
    #[serde(rename = "payment.dispute_ended")]
    DisputeEnded(OfDispute),
    /// A person confirmed how the payment stands.
    #[serde(rename = "payment.confirmed_by_person")]
    ConfirmedByPerson,
    /// Somebody else made it at the processor.
    #[serde(rename = "payment.imported")]
    Imported(ImportFacts),
    /// Somebody else captured more of an import, and merchants get no event of that.
    #[serde(rename = "payment.capture_imported")]
    CaptureImported(OperationFacts),
    /// Somebody else gave money of an import back, and merchants get no event of that.
    #[serde(rename = "payment.refund_imported")]
    RefundImported(OperationFacts),
    /// Personal data was erased from it.
    #[serde(rename = "payment.personal_data_erased")]
    PersonalDataErased,
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
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
            OperationKind::Abandon { cause, .. } => Some(cause.into()),
            OperationKind::Cancel { cause } => Some(cause.into()),
            OperationKind::Authorise { .. }
            | OperationKind::Capture
            | OperationKind::Refund { .. }
            | OperationKind::Reverse { .. } => None,
        };
        self.event_of(n, |operation| {
            PaymentEvent::OperationStarted(Started {
                operation,
                captures: matches!(kind, OperationKind::Authorise { capture: true }),
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
            origin: Some(self.origin).filter(|origin| *origin == super::Origin::Import),
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
            EventOperation::Authorise => Self::Failed(ended),
            EventOperation::Capture => Self::CaptureFailed(ended),
            EventOperation::Cancel => Self::CancelFailed(ended),
            EventOperation::Refund => Self::RefundFailed(ended),
            EventOperation::Reverse => Self::ReversalFailed(ended),
            EventOperation::Abandon => Self::AbandonFailed(ended),
        }
    }

    /// How the end of an operation became known.
    pub(super) const fn found(operation: u32, by: Evidence) -> Self {
        Self::OutcomeFound(OutcomeFound { operation, by })
    }
}
