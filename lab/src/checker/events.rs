//! Events: one for each change, numbered without gaps, and what they say is what is reported.

use serde_json::Value;

use super::{
    Evidence, Findings,
    case::{Case, entries_in, goes_back, happened_in},
    number, states, text,
};

/// Every stream counts from 1, without gaps.
pub(super) fn numbers(evidence: &Evidence, findings: &mut Findings) {
    let mut before = ("", 0);
    for event in &evidence.events {
        let (stream, seq) = (text(event, "stream"), number(event, "seq"));
        let wanted = if stream == before.0 { before.1 + 1 } else { 1 };
        if seq != wanted {
            findings.add(
                "events-without-gaps",
                stream,
                format!("{seq} in place of {wanted}"),
            );
        }
        before = (stream, seq);
    }
}

/// A payment's events lead to how it stands, along the table of states, and its timeline is theirs.
pub(super) fn of_a_payment(case: &Case<'_>, findings: &mut Findings) {
    let statuses: Vec<&str> = case.events.iter().map(|event| status_in(event)).collect();
    if statuses.last() != Some(&case.status()) {
        let detail = format!(
            "it is {}, its last event says {:?}",
            case.status(),
            statuses.last()
        );
        findings.add("every-change-has-an-event", case.id, detail);
    }
    // An import begins with what was captured elsewhere.
    let is_import = super::imports::is_imported(case.payment);
    let mut before = if is_import { "SUCCEEDED" } else { "ACTIVE" };
    for event in &case.events {
        let status = status_in(event);
        let went_back = goes_back(event) && states::may_go_back(before, status);
        if !states::may_follow(before, status) && !went_back {
            findings.add(
                "table-of-states",
                case.id,
                format!("from {before} to {status}: {event}"),
            );
        }
        if before == "NO_ANSWER_FROM_PSP" && status != before && !has_evidence(event) {
            findings.add(
                "known-by-evidence",
                case.id,
                format!("it became {status} without evidence: {event}"),
            );
        }
        let leads = |happened: &Value| states::leads_to(text(happened, "kind"), status);
        if status != before && !happened_in(event).iter().any(leads) {
            findings.add(
                "every-change-has-an-event",
                case.id,
                format!("it became {status}, and nothing that happened says so: {event}"),
            );
        }
        before = status;
    }
    let lines = case.events.iter().flat_map(|event| entries_in(event));
    let written: Vec<(&str, &str)> = lines
        .map(|line| (text(line, "title"), text(line, "message")))
        .collect();
    if written != case.timeline() {
        findings.add(
            "every-change-has-an-event",
            case.id,
            "its timeline is not that of its events",
        );
    }
}

fn status_in(event: &Value) -> &str {
    event.get("data").map_or("", |data| text(data, "status"))
}

/// Whether an event says by what an unknown outcome became known.
fn has_evidence(event: &Value) -> bool {
    happened_in(event)
        .iter()
        .any(|happened| text(happened, "kind") == "payment.outcome_found")
}
