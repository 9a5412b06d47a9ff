//! What a payment is, to be read: its fields change by its transitions alone.

use super::{
    CaptureRule, FlowRun, Gateway, Initiator, OnceRef, Operation, Origin, PaidWith, Payer, Payment,
    Recurring, Route, Status, ThreeDsWish,
};
use crate::{
    Timestamp,
    browser::Browser,
    decline::Decline,
    id::{DisputeId, IntentId, KeyId, PaymentId, TeamId},
    money::Money,
};

impl Payment {
    /// Its id.
    pub fn id(&self) -> PaymentId {
        self.id
    }

    /// Whose it is.
    pub fn team(&self) -> TeamId {
        self.team
    }

    /// Counts its commits; the number of its last event.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// When it was made.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// Its status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What was asked for.
    pub fn money(&self) -> Money {
        self.money
    }

    /// What was captured, in minor units.
    pub fn captured(&self) -> i64 {
        self.captured
    }

    /// A refund that was to settle later did not, and none has settled since.
    pub fn refund_failed(&self) -> bool {
        self.refund_failed
    }

    /// When captured money is to be captured at once but is not yet: when to try (again).
    pub fn capture_at(&self) -> Option<Timestamp> {
        self.capture_at
    }

    /// When the authorisation's life time ends (moved on while the processor keeps it alive).
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// The merchant's order.
    pub fn order_id(&self) -> Option<&str> {
        self.order_id.as_deref()
    }

    /// The merchant's id of the transaction attempt.
    pub fn transaction_id(&self) -> Option<&str> {
        self.transaction_id.as_deref()
    }

    /// How it came to be.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The flow it runs under.
    pub fn flow(&self) -> Option<&FlowRun> {
        self.flow.as_ref()
    }

    /// The flows that its outcomes have started, in order.
    pub fn triggered(&self) -> &[FlowRun] {
        &self.triggered
    }

    /// When it is captured.
    pub fn capture_rule(&self) -> CaptureRule {
        self.capture_rule
    }

    /// What it is paid with.
    pub fn method(&self) -> &PaidWith {
        &self.method
    }

    /// Who pays.
    pub fn customer(&self) -> Option<&Payer> {
        self.customer.as_ref()
    }

    /// The merchant's description.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Text for the customer's statement.
    pub fn statement_descriptor(&self) -> Option<&str> {
        self.statement_descriptor.as_deref()
    }

    /// The merchant's own data.
    pub fn metadata(&self) -> Option<&serde_json::Value> {
        self.metadata.as_ref()
    }

    /// What the customer's browser says of itself.
    pub fn browser(&self) -> Option<&Browser> {
        self.browser.as_deref()
    }

    /// Data of the merchant's fraud provider, an object.
    pub fn fraud(&self) -> Option<&serde_json::Value> {
        self.fraud.as_ref()
    }

    /// Who started it.
    pub fn initiator(&self) -> Initiator {
        self.initiator
    }

    /// The agreement on a stored card that it begins or goes by.
    pub fn recurring(&self) -> Option<Recurring> {
        self.recurring
    }

    /// The checkout intent it belongs to.
    pub fn intent(&self) -> Option<IntentId> {
        self.intent
    }

    /// What is wanted of 3D Secure.
    pub fn three_ds(&self) -> ThreeDsWish {
        self.three_ds
    }

    /// Where the customer returns to after 3D Secure.
    pub fn three_ds_redirect(&self) -> Option<&str> {
        self.three_ds_redirect.as_deref()
    }

    /// Where the customer returns to after an alternative method's page.
    pub fn apm_redirect(&self) -> Option<&str> {
        self.apm_redirect.as_deref()
    }

    /// Why the flow declined it, without asking a processor.
    pub fn rule(&self) -> Option<&Decline> {
        self.rule.as_ref()
    }

    /// Where it goes when its attempt does not succeed.
    pub fn route(&self) -> Option<&Route> {
        self.route.as_ref()
    }

    /// The client token that made it.
    pub fn made_by(&self) -> Option<KeyId> {
        self.made_by
    }

    /// The connection's name and logo at the time.
    pub fn gateway(&self) -> Option<&Gateway> {
        self.gateway.as_ref()
    }

    /// The idempotency record of a request that has its outcome, while what follows at once is still to come: its response is
    /// the payment after that.
    pub fn owed_answer(&self) -> Option<&OnceRef> {
        self.owed_answer.as_ref()
    }

    /// The idempotency records whose response is the payment, besides those of its operations.
    pub fn answered(&self) -> &[OnceRef] {
        &self.answered
    }

    /// Whether idempotency records name this very version as their response, in place of a copy of it.
    pub fn is_response(&self) -> bool {
        self.is_response
    }

    /// Every idempotency record whose response is this payment as it was at some version, or will be.
    pub fn idempotency_records(&self) -> impl Iterator<Item = &OnceRef> {
        let operations = self.operations.iter();
        let asked = operations.filter_map(|operation| operation.once.as_ref());
        asked.chain(&self.answered).chain(&self.owed_answer)
    }

    /// The disputes that keep it DISPUTED, in the order in which they became known.
    pub fn contested_by(&self) -> &[DisputeId] {
        &self.contested_by
    }

    /// Every call made for it, in order.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }
}
