//! What must not be under way at the same time, or too late.

use serde_json::Value;

use super::{
    Findings,
    case::{Case, begins, happened_in},
    number, text,
};

/// An authorisation is not sent later than this after its commit. Five seconds to be sent, two for the call, twenty-five in
/// which the slowest of the processors that declare a time may let it take effect, and three for clocks and journeys.
/// Unit: microseconds.
const LATEST: i64 = 35_000_000;

/// Whether an event leaves the operation that it is about open.
fn leaves_open(kind: &str) -> bool {
    matches!(
        kind,
        "payment.operation_started"
            | "payment.operation_pending"
            | "payment.unknown"
            | "payment.outcome_found"
            | "payment.other_operation_found"
    )
}

/// Captures and cancellations exclude each other, and themselves.
pub(super) fn capture_excludes_cancel(case: &Case<'_>, findings: &mut Findings) {
    let mut under_way = None;
    for event in case.happened() {
        let n = number(event, "operation");
        if begins(event, "capture") || begins(event, "cancel") {
            if let Some(other) = under_way.replace(n) {
                findings.add(
                    "capture-excludes-cancel",
                    case.id,
                    format!("operation {n} began while {other} had no end"),
                );
            }
        } else if under_way == Some(n) && !leaves_open(text(event, "kind")) {
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
    let started = |row: &&&Value| {
        happened_in(row)
            .iter()
            .any(|event| begins(event, "authorise"))
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
