//! The members of what the desk is asked for. An error names the member, and what it may be.

use domain::{Code, processor_text::processor_text};
use serde_json::{Map, Value};

use super::refused;
use crate::http::envelope::Envelope;

/// Longest name of a member that an answer repeats. Unit: characters.
const NAME_MAX: usize = 64;

/// The members of a body that are not read yet.
#[derive(Debug)]
pub(in crate::http) struct Members {
    left: Map<String, Value>,
    /// All that the body may have.
    known: &'static str,
}

impl Members {
    /// The members of a body that may have these, for people.
    pub(in crate::http) fn of(body: &[u8], known: &'static str) -> Result<Self, Envelope> {
        // The parser's own words may quote the body.
        let Ok(Value::Object(left)) = serde_json::from_slice(body) else {
            let message = format!("The body must be a JSON object with members of {known}.");
            return Err(Envelope::malformed(Code::Validation, message));
        };
        Ok(Self { left, known })
    }

    /// Refuses what was not asked for.
    pub(in crate::http) fn end(self) -> Result<(), Envelope> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                let rule = format!("is no member of this body, which may have {}", self.known);
                Err(refused(&processor_text(unknown, NAME_MAX), &rule))
            }
        }
    }

    /// A text that must be there.
    pub(in crate::http) fn needed_text(&mut self, name: &str) -> Result<String, Envelope> {
        self.text(name)?
            .ok_or_else(|| refused(name, "must be given"))
    }

    pub(in crate::http) fn text(&mut self, name: &str) -> Result<Option<String>, Envelope> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(refused(name, "must be a text")),
        }
    }

    /// Unit: minor units.
    pub(in crate::http) fn amount(&mut self, name: &str) -> Result<Option<i64>, Envelope> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let amount = value.as_i64();
        amount
            .map(Some)
            .ok_or_else(|| refused(name, "must be a whole number of minor units"))
    }

    /// One of the words of an enumeration.
    pub(in crate::http) fn word<T: Copy + std::fmt::Display>(
        &mut self,
        name: &str,
        all: &[T],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Envelope> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        value.as_str().and_then(parse).map(Some).ok_or_else(|| {
            let words: Vec<String> = all.iter().map(T::to_string).collect();
            refused(name, &format!("must be one of {}", words.join(", ")))
        })
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }
}
