//! What a person reads about a payment's life.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// One line of a payment's timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When it happened.
    pub at: Timestamp,
    /// What happened, in a few words.
    pub title: String,
    /// More about it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Line {
    /// A line with a title alone.
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
