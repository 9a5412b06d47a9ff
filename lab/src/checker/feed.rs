//! Those who take events get each one once, those of a payment in its sequence, and none is missing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Evidence, Findings, case::happened_in, number, text};

/// The kinds that merchants get. Source: behaviour contract, section 11.
const PUBLIC: &[&str] = &[
    "payment.created",
    "payment.action_required",
    "payment.authorised",
    "payment.captured",
    "payment.declined",
    "payment.failed",
    "payment.cancelled",
    "payment.released",
    "payment.unknown",
    "payment.refund_pending",
    "payment.refunded",
    "payment.refund_failed",
    "payment.capture_failed",
    "payment.disputed",
    "dispute.opened",
    "dispute.updated",
    "dispute.response_due",
    "dispute.won",
    "dispute.lost",
    "dispute.closed",
    "intent.inactive",
    "intent.complete",
    "endpoint.disabled",
    "page.script_found",
];

/// What one who follows the feed has taken is what the rows say.
pub(super) fn taken_whole(evidence: &Evidence, findings: &mut Findings) {
    let wanted = wanted(evidence);
    for taken in &evidence.taken {
        each_once(taken, findings);
        in_sequence(taken, findings);
        let ids: BTreeSet<&str> = taken.iter().map(|event| text(event, "id")).collect();
        for (id, kind) in &wanted {
            if !ids.contains(id.as_str()) {
                findings.add(
                    "every-event-arrives",
                    id,
                    format!("{kind} never came to one who follows the events"),
                );
            }
        }
        for event in taken {
            let (id, kind) = (text(event, "id"), text(event, "kind"));
            if wanted.get(id).copied() != Some(kind) {
                findings.add(
                    "events-are-those-of-the-rows",
                    id,
                    format!("{kind} came, the row has {:?}", wanted.get(id)),
                );
            }
        }
    }
}

/// The public events of all rows: their kinds by their ids.
fn wanted(evidence: &Evidence) -> BTreeMap<String, &str> {
    let mut wanted = BTreeMap::new();
    for row in &evidence.events {
        wanted.extend(public_in(row));
    }
    wanted
}

/// The public events of a row: id and kind.
pub(super) fn public_in(row: &Value) -> impl Iterator<Item = (String, &str)> {
    let (stream, version) = (text(row, "stream"), number(row, "seq"));
    let kinds = happened_in(row)
        .iter()
        .map(|happened| text(happened, "kind"));
    let public = kinds.enumerate().filter(|(_, kind)| PUBLIC.contains(kind));
    public.map(move |(index, kind)| (format!("{stream}:{version}:{index}"), kind))
}

fn each_once(taken: &[Value], findings: &mut Findings) {
    let mut ids = BTreeSet::new();
    for event in taken {
        if !ids.insert(text(event, "id")) {
            let detail = "it came twice to one who follows the events";
            findings.add("each-event-once", text(event, "id"), detail);
        }
    }
}

/// The sequence numbers of a stream begin with 1, have no gaps, and come in order.
fn in_sequence(taken: &[Value], findings: &mut Findings) {
    let mut before: BTreeMap<&str, i64> = BTreeMap::new();
    for event in taken {
        let id = text(event, "id");
        let stream = id.split(':').next().unwrap_or_default();
        let (sequence, last) = (number(event, "sequence"), before.entry(stream).or_default());
        if sequence != *last + 1 {
            findings.add(
                "events-in-sequence",
                id,
                format!("number {sequence} came after {last}"),
            );
        }
        *last = sequence;
    }
}
