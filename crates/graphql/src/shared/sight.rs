//! What a credential may see, and times in zones.

use domain::{Fault, Timestamp, caller::Caller};
use serde_json::{Map, Value};

use crate::executor::Out;

/// What a credential may see of stored personal data. Source: behaviour contract, section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All of it: a merchant's server.
    Whole,
    /// All of it but the fingerprints of numbers: a merchant's server, when the team has switched them off.
    WithoutFingerprints,
    /// None of it, of customers their ids alone: a browser.
    Browser,
}

impl Sight {
    /// What this caller may see.
    pub(crate) fn of(caller: &Caller) -> Self {
        match (caller.is_server(), caller.hides_fingerprints) {
            (true, false) => Self::Whole,
            (true, true) => Self::WithoutFingerprints,
            (false, _) => Self::Browser,
        }
    }

    /// Whether it is a merchant's server.
    pub(crate) fn is_server(self) -> bool {
        self != Self::Browser
    }

    /// A number's fingerprint, unless it must not be shown: anyone who can have fingerprints made finds the number by trying.
    pub(crate) fn fingerprint(self, value: Option<&String>) -> Option<&String> {
        value.filter(|_| self == Self::Whole)
    }

    /// The value, unless it is stored personal data that a browser must not get back.
    pub(crate) fn personal<T>(self, value: Option<T>) -> Option<T> {
        value.filter(|_| self.is_server())
    }
}

/// The time of a field with the argument `tz`. Errors: `error.validation` for an unknown zone.
pub(crate) fn zoned<'a>(time: Timestamp, arguments: &Map<String, Value>) -> Result<Out<'a>, Fault> {
    match time.in_zone(zone(arguments)) {
        Some(text) => Ok(text.into()),
        None => Err(unknown_zone()),
    }
}

/// Whether the argument `tz`, where a field has one, names a zone. Errors: `error.validation`.
pub(crate) fn check_zone(arguments: &Map<String, Value>) -> Result<(), Fault> {
    match Timestamp::from_micros(0).in_zone(zone(arguments)) {
        Some(_) => Ok(()),
        None => Err(unknown_zone()),
    }
}

fn zone(arguments: &Map<String, Value>) -> &str {
    arguments
        .get("tz")
        .and_then(Value::as_str)
        .filter(|zone| !zone.is_empty())
        .unwrap_or("Z")
}

fn unknown_zone() -> Fault {
    Fault::invalid(
        "tz",
        "must be Z, an offset such as +02:00, or an IANA name such as Europe/Dublin",
    )
}
