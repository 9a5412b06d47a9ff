//! A payment as the service shows it.

use serde_json::Value;

/// A payment's JSON, with words for what stories read.
#[derive(Clone, Debug, PartialEq)]
pub struct Payment(pub Value);

impl Payment {
    /// Its id, with prefix.
    #[track_caller]
    pub fn id(&self) -> String {
        self.text("/id").to_owned()
    }

    /// The UUID inside of its id: the first part of the reference at the processor.
    #[track_caller]
    pub fn uuid(&self) -> String {
        self.id().trim_start_matches("payments:").to_owned()
    }

    /// Its status.
    #[track_caller]
    pub fn status(&self) -> &str {
        self.text("/status")
    }

    /// The text at a JSON pointer.
    #[track_caller]
    pub fn text(&self, pointer: &str) -> &str {
        self.at(pointer)
            .as_str()
            .unwrap_or_else(|| panic!("no text at {pointer}: {}", self.0))
    }

    /// The number at a JSON pointer; zero when there is none.
    pub fn number(&self, pointer: &str) -> i64 {
        self.0
            .pointer(pointer)
            .and_then(Value::as_i64)
            .unwrap_or_default()
    }

    /// The value at a JSON pointer.
    #[track_caller]
    pub fn at(&self, pointer: &str) -> &Value {
        self.0
            .pointer(pointer)
            .unwrap_or_else(|| panic!("nothing at {pointer}: {}", self.0))
    }

    /// Has this status; fails the test otherwise.
    #[track_caller]
    pub fn assert_status(&self, status: &str) -> &Self {
        assert_eq!(self.status(), status, "{}", self.0);
        self
    }
}
