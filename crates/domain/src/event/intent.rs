//! The public events of intents.

use serde_json::{Map, Value, json};

use super::{EventKind, Public, StreamCommit};
use crate::intent::IntentEvent;

/// Whether merchants get the event.
pub(crate) const fn is_public(event: IntentEvent) -> bool {
    kind(event).is_some()
}

/// The kind under which merchants get the event; `None` for what is not theirs.
const fn kind(event: IntentEvent) -> Option<EventKind> {
    match event {
        IntentEvent::Inactive => Some(EventKind::IntentInactive),
        IntentEvent::Completed => Some(EventKind::IntentComplete),
        IntentEvent::Started
        | IntentEvent::Updated
        | IntentEvent::Paying
        | IntentEvent::Erased
        | IntentEvent::Other => None,
    }
}

/// The event as merchants get it.
pub(super) fn public(commit: &StreamCommit, event: IntentEvent) -> Option<Public> {
    let mut data = Map::new();
    data.insert("intentId".to_owned(), json!(commit.stream));
    data.insert("status".to_owned(), Value::from(commit.status.as_str()));
    Some((kind(event)?, data))
}
