//! What must not be under way at the same time, or too late.

use serde_json::Value;

use super::{
    Findings,
    case::{Case, lines_of},
    number, text,
};

/// An authorisation is not sent later than this after its commit. Five seconds to be sent, two for the call, twenty-five in
/// which the slowest of the processors that declare a time may let it take effect, and three for clocks and journeys.
/// Unit: microseconds.
const LATEST: i64 = 35_000_000;

/// The titles that end a capture or a cancellation.
const ENDS: [&str; 10] = [
    "Captured",
    "Cancelled",
    "The capture was refused",
    "The capture did not take effect",
    "The capture took effect after all",
    "The capture took effect in an unexpected order",
    "The cancellation was refused",
    "The cancellation did not take effect",
    "The cancellation took effect after all",
    "The cancellation took effect in an unexpected order",
];

/// Captures and cancellations exclude each other, and themselves.
pub(super) fn capture_excludes_cancel(case: &Case<'_>, findings: &mut Findings) {
    let mut under_way = None;
    for (title, _) in case.timeline() {
        if matches!(title, "Capture started" | "Cancellation started") {
            if let Some(other) = under_way.replace(title) {
                findings.add(
                    "capture-excludes-cancel",
                    case.id,
                    format!("{title} while {other} had no end"),
                );
            }
        } else if ENDS.contains(&title) || title == "Late charge" {
            under_way = None;
        }
    }
}

/// What was committed is sent at once or not at all: else recovery could look it up before it is sent.
pub(super) fn sent_in_time(case: &Case<'_>, findings: &mut Findings) {
    // A processor that declares no time is never looked up for proof.
    if text(case.payment, "connectionId").starts_with("mute") {
        return;
    }
    let started = |event: &&&Value| {
        lines_of(event)
            .iter()
            .any(|line| text(line, "title") == "Authorisation started")
    };
    let Some(committed) = case
        .events
        .iter()
        .find(started)
        .map(|event| number(event, "at"))
    else {
        return;
    };
    let first = format!("{}-1", case.id);
    let Some(note) = case
        .notes
        .iter()
        .find(|note| text(note, "reference") == first)
    else {
        return;
    };
    let took = number(note, "noted").saturating_sub(committed);
    if took > LATEST {
        findings.add(
            "sent-in-time-or-not-at-all",
            case.id,
            format!("it arrived {took} µs after its commit"),
        );
    }
}
