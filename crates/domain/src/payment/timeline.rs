//! What happened to a payment: for people in words, for programs in typed events.

use serde::{Deserialize, Serialize};

use super::PaymentEvent;
use crate::Timestamp;

/// One entry of a payment's timeline, for people. Programs read the events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// When it happened.
    pub at: Timestamp,
    /// What happened, in a few words.
    pub title: String,
    /// More about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One thing that happened in a change of a payment (or of a dispute, with events of its own): its timeline entry, and the events that it is for programs, in order.
/// An entry that merely explains (why a connection was chosen) is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence<E = PaymentEvent> {
    /// What people read.
    pub entry: TimelineEntry,
    /// What programs read.
    pub events: Vec<E>,
}

impl TimelineEntry {
    /// An entry with a title alone.
    pub fn new(at: Timestamp, title: impl Into<String>) -> Self {
        Self {
            at,
            title: title.into(),
            message: None,
        }
    }

    /// Adds a sentence.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl<E> Occurrence<E> {
    /// One with the title of its entry alone.
    pub fn new(at: Timestamp, title: impl Into<String>) -> Self {
        Self {
            entry: TimelineEntry::new(at, title),
            events: Vec::new(),
        }
    }

    /// Adds a sentence behind those that the entry has.
    pub fn say_also(&mut self, words: &str) {
        self.entry.message = Some(match self.entry.message.take() {
            Some(message) => format!("{message} {words}"),
            None => words.to_owned(),
        });
    }

    /// Adds a sentence to the entry.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.entry.message = Some(message.into());
        self
    }

    /// Adds an event.
    #[must_use]
    pub fn event(self, event: E) -> Self {
        self.events([event])
    }

    /// Adds events.
    #[must_use]
    pub fn events(mut self, events: impl IntoIterator<Item = E>) -> Self {
        self.events.extend(events);
        self
    }
}
