//! What happened to an intent, for programs.

use serde::{Deserialize, Serialize};

/// What happened to an intent in one commit. Stored as [`crate::payment::PaymentEvent`] is, under the same rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum IntentEvent {
    /// It was started.
    #[serde(rename = "intent.started")]
    Started,
    /// It was changed.
    #[serde(rename = "intent.updated")]
    Updated,
    /// Somebody set out to pay it.
    #[serde(rename = "intent.paying")]
    Paying,
    /// Nothing happened for some time.
    #[serde(rename = "intent.inactive")]
    Inactive,
    /// It was completed.
    #[serde(rename = "intent.complete")]
    Completed,
    /// Personal data was erased from it.
    #[serde(rename = "intent.personal_data_erased")]
    Erased,
    /// A kind that this build does not know. Never written.
    #[serde(rename = "other", other)]
    Other,
}

impl IntentEvent {
    /// How many events merchants get of it: one or none.
    pub const fn public_events(self) -> u64 {
        if crate::event::is_public_of_intent(self) {
            1
        } else {
            0
        }
    }
}
