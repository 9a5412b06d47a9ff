//! The public events of disputes.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{EventKind, Public, StreamCommit};
use crate::{
    Timestamp,
    dispute::{DisputeEvent, DisputeFacts},
};

/// The kind under which merchants get the event, and its facts; `None` for what is not theirs.
const fn form(event: &DisputeEvent) -> Option<(EventKind, &DisputeFacts)> {
    Some(match event {
        DisputeEvent::Opened(facts) => (EventKind::DisputeOpened, facts),
        DisputeEvent::Updated(facts) => (EventKind::DisputeUpdated, facts),
        DisputeEvent::ResponseDue(due) => (EventKind::DisputeResponseDue, &due.dispute),
        DisputeEvent::Won(facts) => (EventKind::DisputeWon, facts),
        DisputeEvent::Lost(facts) => (EventKind::DisputeLost, facts),
        DisputeEvent::Closed(facts) => (EventKind::DisputeClosed, facts),
        DisputeEvent::Response(_) | DisputeEvent::Confirmed | DisputeEvent::Other => return None,
    })
}

/// Whether merchants get the event.
pub(crate) const fn is_public(event: &DisputeEvent) -> bool {
    form(event).is_some()
}

/// The event as merchants get it. Unit of the amount: minor units.
pub(super) fn public(commit: &StreamCommit, event: &DisputeEvent) -> Option<Public> {
    let (kind, facts) = form(event)?;
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| {
        data.insert(name.to_owned(), value);
    };
    put("disputeId", Value::from(commit.stream.as_str()));
    put("paymentId", Value::from(facts.payment.to_string()));
    put("connectionId", written(&facts.connection));
    put("status", written(facts.status));
    put("lifecycleStage", written(facts.stage));
    put("reason", written(facts.reason));
    put("amount", Value::from(facts.amount.minor()));
    put("currencyCode", written(facts.amount.currency()));
    if let Some(by) = facts.respond_by {
        put("responseDate", Value::from(Timestamp::rfc3339_millis(by)));
    }
    if let Some(funds) = facts.funds {
        put("funds", written(funds));
    }
    if let DisputeEvent::ResponseDue(due) = event {
        put("isPast", Value::from(due.is_past));
    }
    Some((kind, data))
}

fn written(value: impl Serialize) -> Value {
    // Texts and enums of the domain can always be written.
    serde_json::to_value(value).unwrap_or_default()
}
