//! What happens to webhook endpoints, and its public form.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{EventKind, Public, StreamCommit};
use crate::Timestamp;

/// What happened to a webhook endpoint in one commit. Stored as [`crate::payment::PaymentEvent`] is, under the same rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum EndpointEvent {
    /// It was disabled, because it took no delivery for days.
    #[serde(rename = "endpoint.disabled")]
    Disabled {
        /// Its address.
        url: String,
        /// Since when it took no delivery.
        failing_since: Timestamp,
    },
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
}

/// The event as merchants get it.
pub(super) fn public(commit: &StreamCommit, event: &EndpointEvent) -> Option<Public> {
    let EndpointEvent::Disabled { url, failing_since } = event else {
        return None;
    };
    let mut data = Map::new();
    data.insert("endpointId".to_owned(), json!(commit.stream));
    data.insert("url".to_owned(), json!(url));
    let since = failing_since.rfc3339_millis();
    data.insert("failingSince".to_owned(), json!(since));
    Some((EventKind::EndpointDisabled, data))
}
