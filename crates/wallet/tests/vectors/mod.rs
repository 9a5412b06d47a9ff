//! The vectors of `make.py`, and ways to damage them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::Timestamp;
use serde_json::Value;

/// What `make.py` made.
pub(crate) struct Vectors(Value);

/// Reads the vectors.
pub(crate) fn read() -> Vectors {
    Vectors(serde_json::from_str(include_str!("vectors.json")).unwrap())
}

impl Vectors {
    /// The value at a JSON pointer.
    pub(crate) fn value(&self, pointer: &str) -> &Value {
        self.0
            .pointer(pointer)
            .unwrap_or_else(|| panic!("no vector {pointer}"))
    }

    /// The text at a JSON pointer.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.value(pointer).as_str().unwrap()
    }

    /// The time for which the tokens were made.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::parse(self.text("/now")).unwrap()
    }
}

/// The token once for every character of a text field, with the lowest bit of that character changed.
pub(crate) fn flipped(token: &Value, field: &str) -> Vec<Value> {
    let text = token
        .pointer(field)
        .unwrap()
        .as_str()
        .unwrap()
        .as_bytes()
        .to_vec();
    let change = |place: usize| {
        let mut changed = text.clone();
        changed[place] ^= 1;
        with(token, field, String::from_utf8(changed).unwrap())
    };
    (0..text.len()).map(change).collect()
}

/// The token once for every byte of a field in base64, with one bit of that byte changed, a different one from byte to
/// byte. Nothing for a missing field.
pub(crate) fn changed_bytes(token: &Value, field: &str) -> Vec<Value> {
    let Some(text) = token.pointer(field) else {
        return Vec::new();
    };
    let bytes = STANDARD.decode(text.as_str().unwrap()).unwrap();
    let change = |place: usize| {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        with(token, field, STANDARD.encode(changed))
    };
    (0..bytes.len()).map(change).collect()
}

fn with(token: &Value, field: &str, text: String) -> Value {
    let mut changed = token.clone();
    *changed.pointer_mut(field).unwrap() = Value::from(text);
    changed
}
