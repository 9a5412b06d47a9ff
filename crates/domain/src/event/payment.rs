//! The public events of payments.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{EventKind, Public, StreamCommit};
use crate::{
    money::Money,
    payment::{
        ActionRequired, Cancelled, Created, Declined, OfDispute, OperationEnded, OperationFacts,
        PaymentEvent,
    },
};

/// What of an event becomes its data.
enum Facts<'a> {
    Created(&'a Created),
    Action(&'a ActionRequired),
    Operation(&'a OperationFacts),
    Declined(&'a Declined),
    Cancelled(&'a Cancelled),
    Ended(&'a OperationEnded),
    Disputed(&'a OfDispute),
}

/// The kind under which merchants get the event, and its facts; `None` for what explains and checks alone.
const fn form(event: &PaymentEvent) -> Option<(EventKind, Facts<'_>)> {
    use EventKind as Kind;
    Some(match event {
        PaymentEvent::Created(created) => (Kind::PaymentCreated, Facts::Created(created)),
        PaymentEvent::ActionRequired(required) => {
            (Kind::PaymentActionRequired, Facts::Action(required))
        }
        PaymentEvent::Authorised(facts) => (Kind::PaymentAuthorised, Facts::Operation(facts)),
        PaymentEvent::Captured(facts) => (Kind::PaymentCaptured, Facts::Operation(facts)),
        PaymentEvent::Declined(declined) => (Kind::PaymentDeclined, Facts::Declined(declined)),
        PaymentEvent::Failed(ended) => (Kind::PaymentFailed, Facts::Ended(ended)),
        PaymentEvent::Cancelled(facts) => (Kind::PaymentCancelled, Facts::Cancelled(facts)),
        PaymentEvent::Released(facts) => (Kind::PaymentReleased, Facts::Cancelled(facts)),
        PaymentEvent::Unknown(facts) => (Kind::PaymentUnknown, Facts::Operation(facts)),
        PaymentEvent::RefundPending(facts) => (Kind::PaymentRefundPending, Facts::Operation(facts)),
        PaymentEvent::Refunded(facts) => (Kind::PaymentRefunded, Facts::Operation(facts)),
        PaymentEvent::RefundFailed(ended) => (Kind::PaymentRefundFailed, Facts::Ended(ended)),
        PaymentEvent::CaptureFailed(ended) => (Kind::PaymentCaptureFailed, Facts::Ended(ended)),
        PaymentEvent::Disputed(dispute) => (Kind::PaymentDisputed, Facts::Disputed(dispute)),
        PaymentEvent::OperationStarted(_)
        | PaymentEvent::CompletionStarted(_)
        | PaymentEvent::Authenticated(_)
        | PaymentEvent::Held(_)
        | PaymentEvent::OutcomeFound(_)
        | PaymentEvent::OperationPending(_)
        | PaymentEvent::CancelFailed(_)
        | PaymentEvent::LateCharge(_)
        | PaymentEvent::Reversed(_)
        | PaymentEvent::ReversalFailed(_)
        | PaymentEvent::AbandonFailed(_)
        | PaymentEvent::UnexpectedEffect(_)
        | PaymentEvent::OtherOperationFound(_)
        | PaymentEvent::FellBack(_)
        | PaymentEvent::NoAnswer
        | PaymentEvent::FlowStarted(_)
        | PaymentEvent::FlowWaits(_)
        | PaymentEvent::ApprovalDecided { .. }
        | PaymentEvent::WebhookReceived { .. }
        | PaymentEvent::WebhookCalled { .. }
        | PaymentEvent::StepRetried { .. }
        | PaymentEvent::StepGivenUp { .. }
        | PaymentEvent::StepLeftOut { .. }
        | PaymentEvent::DisputeEnded(_)
        | PaymentEvent::ConfirmedByPerson
        | PaymentEvent::Imported(_)
        | PaymentEvent::CaptureImported(_)
        | PaymentEvent::RefundImported(_)
        | PaymentEvent::PersonalDataErased
        | PaymentEvent::Other => return None,
    })
}

/// Whether merchants get the event.
pub(crate) const fn is_public(event: &PaymentEvent) -> bool {
    form(event).is_some()
}

/// The event as merchants get it.
pub(super) fn public(commit: &StreamCommit, event: &PaymentEvent) -> Option<Public> {
    let (kind, facts) = form(event)?;
    let mut data = Data::of(commit);
    match facts {
        Facts::Created(created) => data.created(created),
        Facts::Action(required) => {
            data.operation(&required.operation);
            data.put("action", required.action);
        }
        Facts::Operation(facts) => data.operation(facts),
        Facts::Declined(declined) => data.declined(declined),
        Facts::Cancelled(cancelled) => {
            data.operation(&cancelled.operation);
            data.put("cause", cancelled.cause);
        }
        Facts::Ended(ended) => data.ended(ended),
        Facts::Disputed(dispute) => data.disputed(dispute),
    }
    Some((kind, data.0))
}

/// The data of an event, by the names that the API has for them.
struct Data(Map<String, Value>);

impl Data {
    /// What all events of a payment have.
    fn of(commit: &StreamCommit) -> Self {
        let mut data = Self(Map::new());
        data.put("paymentId", format!("payments:{}", commit.stream));
        data.put("status", &commit.status);
        data
    }

    fn put(&mut self, name: &str, value: impl Serialize) {
        // Texts, numbers and enums of the domain can always be written.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.insert(name.to_owned(), value);
    }

    fn put_some(&mut self, name: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// Unit of the amount: minor units.
    fn money(&mut self, money: Money) {
        self.put("amount", money.minor());
        self.put("currencyCode", money.currency());
    }

    fn created(&mut self, created: &Created) {
        self.money(created.amount);
        self.put_some("flowId", created.flow.as_ref());
        self.put_some("flowVersion", created.flow_version);
        self.put_some("intentId", created.intent);
        self.put_some("orderId", created.order_id.as_ref());
        self.put_some("origin", created.origin);
    }

    fn declined(&mut self, declined: &Declined) {
        if let Some(operation) = &declined.operation {
            self.operation(operation);
        }
        self.put("declineCode", declined.code);
        self.put("declineType", declined.decline_type);
        self.put_some("cause", declined.given_up);
    }

    fn operation(&mut self, facts: &OperationFacts) {
        self.put("operation", facts.what);
        self.put("connectionId", &facts.connection);
        self.money(facts.amount);
        self.put_some("refundId", facts.refund);
        if facts.keeps_open {
            self.put("final", false);
        }
    }

    fn disputed(&mut self, dispute: &OfDispute) {
        self.put("disputeId", dispute.dispute);
        if let Some(amount) = dispute.amount {
            self.money(amount);
        }
    }

    fn ended(&mut self, ended: &OperationEnded) {
        self.operation(&ended.operation);
        self.put("refused", ended.refused);
        self.put("reason", &ended.reason);
    }
}
