//! The payment: what the merchant asked for, the calls made for it, and the one function that settles them.
//!
//! # How it works
//! A payment is a value. `begin_*` adds an operation before it is sent; [`Payment::settle`] takes every piece of news
//! about an operation, no matter who brings it: the call's own answer, a look-up, a processor's webhook, a person. Both are
//! pure: time comes in as a parameter, and what is to be done next comes out as [`Payment::duty`].
//!
//! # What is promised
//! - An operation ends once. Later news changes nothing, but for a charge that comes to light after its operation had
//!   ended as not charged: that one is noted and a reversal is owed.
//! - Nothing is called a failure without evidence that nothing happened.
//! - Captures never add up to more than was authorised, and refunds that are settled or may still happen never to more than was
//!   captured, in all and of each capture.

mod begin;
#[cfg(feature = "planted")]
mod bugs;
mod captures;
mod changes;
mod differs;
mod disputed;
mod divided;
mod due;
mod event;
mod explain;
mod fields;
mod given_up;
mod import;
mod late;
mod moments;
mod new;
mod news;
mod operation;
mod outcomes;
mod parts;
mod recurring;
mod runs;
mod settle;
mod status;
mod timeline;
mod undone;

pub use begin::Begin;
pub use changes::Elsewhere;
pub use differs::{Other, booking};
pub use due::{Duty, Policy, held_until};
pub use event::{
    ActionRequired, Cancelled, Cause, Created, Declined, EventOperation, Evidence, FellBack,
    FlowStarted, FlowWaits, OfDispute, OperationEnded, OperationFacts, OtherOperationFound,
    OutcomeFound, PaymentEvent, RequiredAction, Started, WaitsFor,
};
pub use explain::StorySources;
pub use import::{ImportFacts, ImportMode, Imported, MadeElsewhere, NewImport, RefundElsewhere};
pub use new::NewPayment;
pub use news::{Arrival, News, Resolution, Source};
pub use operation::{
    AbandonCause, CancelCause, OnceRef, Operation, OperationKind, OperationState, Owed,
};
pub use parts::{
    CaptureRule, FlowRun, Gateway, Initiator, Origin, PaidAccount, PaidWith, Pause, PauseReason,
    Payer, ReceivedWebhook, Route, ThreeDsWish, WalletNumber,
};
pub use recurring::{ConsentWeight, NetworkReference, Recurring, RecurringReason};
pub use runs::{MOST_TRIGGERED, StartedFlow};
pub use status::Status;
pub use timeline::{Occurrence, TimelineEntry};

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    answer::{Answer, Approval},
    browser::Browser,
    decline::{Decline, DeclineCode, DeclineType},
    id::{DisputeId, IntentId, KeyId, PaymentId, TeamId},
    money::Money,
};

/// A payment. A handle: it is passed from one future to the next many times on its way, and what each commit left is kept
/// until its request ends, so clones share the fields until one of them is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payment(Arc<Fields>);

/// A payment's fields, as they are stored. Only this module and what lies in it reads and writes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fields {
    /// Its id.
    id: PaymentId,
    /// Whose it is.
    team: TeamId,
    /// Counts its commits; the number of its last event.
    version: u64,
    /// Counts the events of it that merchants get: the sequence of the last one.
    #[serde(default)]
    public_events: u64,
    /// When it was made.
    created_at: Timestamp,
    /// Its status.
    status: Status,
    /// What was asked for.
    money: Money,
    /// What was captured, in minor units.
    #[serde(default)]
    captured: i64,
    /// A refund that was to settle later did not, and none has settled since.
    #[serde(default)]
    refund_failed: bool,
    /// When captured money is to be captured at once but is not yet: when to try (again).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capture_at: Option<Timestamp>,
    /// When the authorisation's life time ends (moved on while the processor keeps it alive).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    /// The merchant's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order_id: Option<String>,
    /// The merchant's id of the transaction attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transaction_id: Option<String>,
    /// How it came to be.
    origin: Origin,
    /// The flow it runs under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flow: Option<FlowRun>,
    /// The flows that its outcomes have started, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    triggered: Vec<FlowRun>,
    /// When it is captured.
    capture_rule: CaptureRule,
    /// What it is paid with.
    method: PaidWith,
    /// Who pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    customer: Option<Payer>,
    /// The merchant's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Text for the customer's statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statement_descriptor: Option<String>,
    /// The merchant's own data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<serde_json::Value>,
    /// Data of the merchant's fraud provider, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fraud: Option<serde_json::Value>,
    /// Who started it.
    initiator: Initiator,
    /// The agreement on a stored card that it begins or goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recurring: Option<Recurring>,
    /// The checkout intent it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<IntentId>,
    /// What is wanted of 3D Secure.
    #[serde(default, skip_serializing_if = "ThreeDsWish::is_as_issuer")]
    three_ds: ThreeDsWish,
    /// Where the customer returns to after 3D Secure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    three_ds_redirect: Option<String>,
    /// What the customer's browser says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    browser: Option<Box<Browser>>,
    /// Where the customer returns to after an alternative method's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    apm_redirect: Option<String>,
    /// Why the flow declined it, without asking a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<Decline>,
    /// Where it goes when its attempt does not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    route: Option<Route>,
    /// The client token that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made_by: Option<KeyId>,
    /// The connection's name and logo at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gateway: Option<Gateway>,
    /// The idempotency record of a request that has its outcome, while what follows at once is still to come: it gets the
    /// end and not the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed_answer: Option<OnceRef>,
    /// The idempotency records that got the payment in the end, besides those of its operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    answered: Vec<OnceRef>,
    /// What an import remembers of where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imported: Option<Imported>,
    /// Whether idempotency records name this very version as their response, in place of a copy of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_response: bool,
    /// The disputes that keep it DISPUTED, in the order in which they became known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contested_by: Vec<DisputeId>,
    /// Every call made for it, in order.
    operations: Vec<Operation>,
}

impl Deref for Payment {
    type Target = Fields;

    fn deref(&self) -> &Fields {
        &self.0
    }
}

impl DerefMut for Payment {
    fn deref_mut(&mut self) -> &mut Fields {
        Arc::make_mut(&mut self.0)
    }
}

impl Payment {
    /// The operation with number `n`.
    pub fn operation(&self, n: u32) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.n == n)
    }

    fn operation_mut(&mut self, n: u32) -> Option<&mut Operation> {
        self.operations
            .iter_mut()
            .find(|operation| operation.n == n)
    }

    /// The latest authorisation attempt.
    pub fn attempt(&self) -> Option<&Operation> {
        self.operations
            .iter()
            .rev()
            .find(|operation| matches!(operation.kind, OperationKind::Authorise { .. }))
    }

    /// The facts that came with the latest answer to an attempt.
    pub fn approval(&self) -> Option<&Approval> {
        match self.attempt()?.answer.as_ref()? {
            Answer::Approved { approval, .. }
            | Answer::Declined { approval, .. }
            | Answer::ActionRequired { approval, .. }
            | Answer::Held { approval } => Some(approval),
            Answer::Failed { .. } => None,
        }
    }

    /// Why the latest attempt was declined.
    pub fn decline(&self) -> Option<&Decline> {
        if self.rule.is_some() {
            return self.rule.as_ref();
        }
        match self.attempt()?.answer.as_ref()? {
            Answer::Declined { decline, .. } => Some(decline),
            Answer::Approved { .. }
            | Answer::ActionRequired { .. }
            | Answer::Held { .. }
            | Answer::Failed { .. } => None,
        }
    }

    /// Whether issuer, processor or flow refused it. One that the customer or the merchant gave up was not.
    pub fn was_refused(&self) -> bool {
        let given_up = |decline: &Decline| decline.code == DeclineCode::PaymentCancelled;
        self.status == Status::Declined && !self.decline().is_some_and(given_up)
    }

    /// Why the latest attempt failed.
    pub fn failure(&self) -> Option<&str> {
        match &self.attempt()?.state {
            OperationState::Failed { reason, .. } => Some(reason),
            OperationState::Sent
            | OperationState::Unknown { .. }
            | OperationState::Pending { .. }
            | OperationState::Waiting { .. }
            | OperationState::Done { .. }
            | OperationState::Refused { .. } => None,
        }
    }

    /// Why attempt `n`, which has just ended, may be followed by one at another connection: a clause for the timeline.
    /// `None` when it may not. An unknown outcome never may, and what a look-up found out comes too late.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(FallBackAfterUnknown = bugs::fall_back_after_unknown)
    )]
    pub fn may_fall_back(&self, n: u32) -> Option<&'static str> {
        let route = self.route.as_ref()?;
        let attempt = self
            .attempt()
            .filter(|attempt| attempt.n == n && attempt.looks == 0)?;
        match (&attempt.state, &attempt.answer) {
            (OperationState::Refused { .. }, Some(Answer::Declined { decline, .. })) => {
                let soft = decline.kind == DeclineType::Soft
                    && decline.code != DeclineCode::AuthorizationRequired;
                (soft && route.soft_decline).then_some("a soft decline")
            }
            (OperationState::Failed { .. }, Some(Answer::Failed { .. })) => route
                .fault
                .then_some("a failure at the processor, which authorised nothing"),
            (OperationState::Failed { .. }, _) => {
                route.outage.then_some("a request that did not get through")
            }
            (
                OperationState::Sent
                | OperationState::Unknown { .. }
                | OperationState::Waiting { .. }
                | OperationState::Pending { .. }
                | OperationState::Done { .. }
                | OperationState::Refused { .. },
                _,
            ) => None,
        }
    }

    /// Makes this copy of the payment tell that nobody knows yet what became of operation `own`: an authorisation is without
    /// an answer, a refund is pending; a capture or a cancellation leaves the status as it is. Nothing of it is stored.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(LateRequestAnsweredFailed = bugs::mark_failed)
    )]
    pub fn mark_unanswered(&mut self, own: Option<u32>, at: Timestamp) {
        // A flow that waits before the first attempt has asked nobody.
        let is_asked = self.attempt().is_some() || self.goes_on_at_once(at);
        if self.status == Status::Active && is_asked {
            self.status = Status::NoAnswerFromPsp;
        }
        let is_open_refund = own.is_some_and(|own| {
            let mut parts = self.parts_of_refund(own);
            parts.any(|part| part.state.is_open())
        });
        let is_paid = matches!(
            self.status,
            Status::Succeeded | Status::PartialRefunded | Status::RefundFailed
        );
        if is_open_refund && is_paid {
            self.status = Status::RefundPending;
        }
    }

    /// Whether the task that commits the payment at `at` goes on with it at once.
    pub fn goes_on_at_once(&self, at: Timestamp) -> bool {
        self.own_duty(at).is_some()
    }

    /// The flow declines the payment before any processor is asked.
    pub fn decline_by_rule(&mut self, decline: Decline, at: Timestamp) -> Occurrence {
        let occurrence = Occurrence::new(at, "Declined")
            .saying(format!("The flow declined it: {}.", decline.code.code()))
            .event(PaymentEvent::declined(None, &decline, None));
        self.status = Status::Declined;
        self.rule = Some(decline);
        if let Some(run) = &mut self.flow {
            run.pause = None;
        }
        occurrence
    }

    /// The refunds, in order.
    pub fn refunds(&self) -> impl Iterator<Item = &Operation> {
        self.operations
            .iter()
            .filter(|operation| matches!(operation.kind, OperationKind::Refund { .. }))
    }

    /// What settled refunds add up to, in minor units.
    pub fn refunded(&self) -> i64 {
        sum(self.refunds().filter(|refund| refund.state.is_done()))
    }

    /// What can still be refunded: captured less what is refunded or may be, in minor units.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(RefundsUnreserved = bugs::reserve_nothing)
    )]
    pub fn refundable(&self) -> i64 {
        let taken = sum(self
            .refunds()
            .filter(|refund| refund.state.is_open() || refund.state.is_done()));
        self.captured.saturating_sub(taken).max(0)
    }

    /// Whether the authorisation has ended, so that the card's number and security code are needed no more.
    pub fn authorisation_ended(&self) -> bool {
        if self.attempt().is_none() && self.status == Status::Active {
            // Its flow waits before the first attempt.
            return false;
        }
        self.operations
            .iter()
            .filter(|operation| matches!(operation.kind, OperationKind::Authorise { .. }))
            .all(|operation| !operation.state.is_open())
    }

    /// Leaves AUTHORISED for good: its due times end.
    fn enter_captured(&mut self, status: Status) {
        self.status = status;
        self.capture_at = None;
        self.expires_at = None;
    }

    /// The status of a payment whose money is captured.
    fn paid_status(&self) -> Status {
        if self.contested_by.is_empty() {
            self.refunded_status()
        } else {
            Status::Disputed
        }
    }

    fn refunded_status(&self) -> Status {
        let waits = |refund: &Operation| {
            matches!(
                refund.state,
                OperationState::Unknown { .. } | OperationState::Pending { .. }
            )
        };
        let refunded = self.refunded();
        // Whatever becomes of a refund that waits beside the refunds of others: nothing is left of what was captured.
        if refunded >= self.captured {
            Status::Refunded
        } else if self.refunds().any(waits) {
            Status::RefundPending
        } else if self.refund_failed {
            Status::RefundFailed
        } else if refunded > 0 {
            Status::PartialRefunded
        } else {
            Status::Succeeded
        }
    }
}

fn sum<'a>(operations: impl Iterator<Item = &'a Operation>) -> i64 {
    operations.fold(0, |total: i64, operation| {
        total.saturating_add(operation.amount)
    })
}
