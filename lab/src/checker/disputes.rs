//! Disputes: they follow what their processor says, whatever notifications do on the way, and their payments with them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Evidence, Findings,
    case::{Case, entries_in, happened_in},
    list, number, payment_behind, responses, text, uuid_of,
};

/// The statuses of a payment that has no captured money, as far as is known.
const UNPAID: [&str; 9] = [
    "ACTIVE",
    "NO_ANSWER_FROM_PSP",
    "NEEDS_3D_SECURE",
    "NEEDS_APM_AUTHORIZATION",
    "GATEWAY_HOLD",
    "AUTHORISED",
    "DECLINED",
    "FAILED",
    "CANCELLED",
];

/// Disputes as they are listed, and as their processors have them.
#[derive(Default)]
pub(crate) struct Disputes {
    /// As they are listed at the end.
    pub(crate) listed: Vec<Value>,
    /// As they are in the books: `id`, `reference`, `connection`, `states`, the oldest first, and `responses`.
    pub(crate) booked: Vec<Value>,
    /// Responses as connectors were asked to send them, and what look-ups of them said, in order: `what` (`sent`, `found`, `absent`),
    /// `reference`, `dispute`, `accepts` and `texts`.
    pub(crate) asked: Vec<Value>,
    /// Notifications that were not answered as they must be: the invariant, and the notification.
    pub(crate) wrong: Vec<(&'static str, String)>,
}

/// How a dispute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stand<'a> {
    stage: &'a str,
    status: &'a str,
}

impl<'a> Stand<'a> {
    /// By a state of the books, or by what an event holds.
    fn of(value: &'a Value) -> Self {
        Self {
            stage: text(value, "stage"),
            status: text(value, "status"),
        }
    }

    /// Whether it keeps its payment DISPUTED. Source: behaviour contract, sections 7 and 10.
    fn holds(self) -> bool {
        self.stage != "INQUIRY" && !matches!(self.status, "NOTIFICATION" | "WON" | "CLOSED")
    }
}

/// A dispute with all that is known of it.
pub(super) struct File<'a> {
    pub(super) listed: &'a Value,
    pub(super) booked: &'a Value,
    pub(super) rows: Vec<&'a Value>,
}

/// The booked disputes whose payments are listed and that are not shown as they are booked.
pub(crate) fn unreported<'a>(disputes: &'a Disputes, payments: &[Value]) -> Vec<&'a str> {
    let known: BTreeSet<&str> = payments
        .iter()
        .map(|payment| uuid_of(text(payment, "id")))
        .collect();
    let booked = disputes.booked.iter();
    let open = booked.filter(|one| {
        let last = list(one, "states").last();
        let shown = listed_as(disputes, one);
        let is_shown = shown
            .zip(last)
            .is_some_and(|(shown, last)| is_as(shown, last));
        known.contains(payment_behind(text(one, "reference"))) && !is_shown
    });
    open.map(|one| text(one, "id")).collect()
}

/// Judges every dispute.
pub(super) fn check(
    evidence: &Evidence,
    cases: &BTreeMap<&str, Case<'_>>,
    findings: &mut Findings,
) {
    let disputes = &evidence.disputes;
    for (invariant, letter) in &disputes.wrong {
        findings.add(invariant, "", letter.clone());
    }
    for id in unreported(disputes, &evidence.payments) {
        let booked = disputes.booked.iter().find(|one| text(one, "id") == id);
        let shown = booked.and_then(|booked| listed_as(disputes, booked));
        let detail = format!("booked: {booked:?}, shown: {shown:?}");
        findings.add("disputes-are-as-booked", id, detail);
    }
    for listed in &disputes.listed {
        let id = text(listed, "id");
        let mut booked = disputes.booked.iter();
        let Some(booked) = booked.find(|one| is_listed_as(one, listed)) else {
            findings.add(
                "disputes-are-as-booked",
                id,
                format!("no processor has {listed}"),
            );
            continue;
        };
        let rows = evidence.events.iter();
        let own =
            |row: &&Value| text(row, "kind") == "dispute" && text(row, "stream") == key_of(id);
        let file = File {
            listed,
            booked,
            rows: rows.filter(own).collect(),
        };
        file.history(findings);
        file.timeline(findings);
        responses::of_a_dispute(&file, evidence, findings);
        if let Some(case) = cases.get(uuid_of(text(listed, "paymentId"))) {
            file.with_its_payment(case, findings);
        }
    }
    let rows: Vec<&Value> = evidence.events.iter().collect();
    for case in cases.values() {
        disputed_while_it_must_be(case, &rows, findings);
    }
}

impl File<'_> {
    pub(super) fn id(&self) -> &str {
        text(self.listed, "id")
    }

    /// It takes the processor's states in their order, some perhaps not, and none twice.
    fn history(&self, findings: &mut Findings) {
        let states = list(self.booked, "states");
        let mut at = 0;
        let mut before: Option<&Value> = None;
        for row in &self.rows {
            let Some(facts) = facts_in(row) else {
                continue;
            };
            let stand = Stand::of(facts);
            let rest = states.iter().enumerate().skip(at);
            let found = rest
                .into_iter()
                .find(|(_, state)| Stand::of(state) == stand);
            if let Some((index, _)) = found {
                at = index;
            } else {
                let detail = format!("{stand:?} does not follow by {states:?}: {row}");
                findings.add("disputes-follow-their-processor", self.id(), detail);
            }
            let kinds: Vec<&str> = happened_in(row)
                .iter()
                .map(|one| text(one, "kind"))
                .collect();
            // What says that a response was refused says nothing new of the dispute.
            let is_word =
                kinds.contains(&"dispute.response_due") || kinds.contains(&"dispute.response");
            let moved = list(row.get("data").unwrap_or(&Value::Null), "entries")
                .iter()
                .any(|entry| text(entry, "title").starts_with("The disputed amount was"));
            if !is_word && !moved && before == Some(facts) {
                findings.add(
                    "one-effect-of-each-report",
                    self.id(),
                    format!("again: {row}"),
                );
            }
            let changed = before.is_none_or(|before| Stand::of(before) != stand);
            let wanted = match (before, stand.status) {
                (None, _) => Some("dispute.opened"),
                (Some(_), "WON") => Some("dispute.won"),
                (Some(_), "LOST") => Some("dispute.lost"),
                (Some(_), "CLOSED" | "REFUNDED") => Some("dispute.closed"),
                (Some(_), _) => Some("dispute.updated"),
            };
            if changed && !wanted.is_some_and(|wanted| kinds.contains(&wanted)) {
                let detail = format!("it became {stand:?}, and {wanted:?} is not in {row}");
                findings.add("every-change-has-an-event", self.id(), detail);
            }
            before = Some(facts);
        }
        if before.map(Stand::of).map(|stand| stand.status) != Some(text(self.listed, "status")) {
            let detail = "its last event says another status";
            findings.add("every-change-has-an-event", self.id(), detail);
        }
    }

    /// Its timeline is that of its events, and says where the money is.
    fn timeline(&self, findings: &mut Findings) {
        let entries = self.rows.iter().flat_map(|row| entries_in(row));
        let written: Vec<(&str, &str)> = entries
            .map(|entry| (text(entry, "title"), text(entry, "message")))
            .collect();
        let shown = self.listed.pointer("/disputeTimeline/events");
        let shown: Vec<(&str, &str)> = shown
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|entry| (text(entry, "title"), text(entry, "message")))
            .collect();
        if written != shown {
            let detail = "its timeline is not that of its events";
            findings.add("every-change-has-an-event", self.id(), detail);
        }
        let moved = shown.iter().rev().find_map(|(title, _)| match *title {
            "The disputed amount was withdrawn" => Some(false),
            "The disputed amount was reinstated" => Some(true),
            _ => None,
        });
        let last = list(self.booked, "states").last().map(Stand::of);
        let is_back = last.is_some_and(|last| matches!(last.status, "WON" | "CLOSED"));
        let takes_money = last.is_some_and(|last| last.stage != "INQUIRY");
        if takes_money && moved.is_some_and(|moved| moved != is_back) {
            let detail = format!("the money is elsewhere than the processor says: {last:?}");
            findings.add("disputes-are-as-booked", self.id(), detail);
        }
    }

    /// A change that makes its payment DISPUTED, or ends that, is one commit with the payment's.
    fn with_its_payment(&self, case: &Case<'_>, findings: &mut Findings) {
        let mut held = false;
        for row in &self.rows {
            let Some(facts) = facts_in(row) else {
                continue;
            };
            let holds = Stand::of(facts).holds();
            let stamp = number(row, "stamp");
            let is_with_it = case
                .events
                .iter()
                .any(|event| number(event, "stamp") == stamp);
            if holds != held && !is_with_it {
                let detail = format!("the payment knows nothing of {row}");
                findings.add("disputed-while-it-must-be", case.id, detail);
            }
            held = holds;
        }
    }
}

/// After each of its commits a payment with money is DISPUTED if a dispute holds it, and not otherwise.
fn disputed_while_it_must_be(case: &Case<'_>, rows: &[&Value], findings: &mut Findings) {
    let own = |row: &&&Value| {
        let facts = facts_in(row).filter(|_| text(row, "kind") == "dispute");
        facts.is_some_and(|facts| uuid_of(text(facts, "payment")) == case.id)
    };
    let disputes: Vec<&&Value> = rows.iter().filter(own).collect();
    let mut holding: BTreeSet<&str> = BTreeSet::new();
    for event in &case.events {
        let stamp = number(event, "stamp");
        for row in disputes.iter().filter(|row| number(row, "stamp") == stamp) {
            let stream = text(row, "stream");
            if facts_in(row).is_some_and(|facts| Stand::of(facts).holds()) {
                holding.insert(stream);
            } else {
                holding.remove(stream);
            }
        }
        let status = event.pointer("/data/status").and_then(Value::as_str);
        let status = status.unwrap_or_default();
        let is_right = if holding.is_empty() {
            status != "DISPUTED"
        } else {
            status == "DISPUTED" || UNPAID.contains(&status)
        };
        if !is_right {
            let detail = format!("it is {status}, held by {holding:?}: {event}");
            findings.add("disputed-while-it-must-be", case.id, detail);
        }
    }
}

/// What the first event of a dispute's row holds of the dispute; `None` of a row that tells of a response alone.
pub(super) fn facts_in(row: &Value) -> Option<&Value> {
    let mut found = happened_in(row).iter();
    found.find(|one| one.get("stage").is_some())
}

fn listed_as<'a>(disputes: &'a Disputes, booked: &Value) -> Option<&'a Value> {
    disputes.listed.iter().find(|one| is_listed_as(booked, one))
}

fn is_listed_as(booked: &Value, listed: &Value) -> bool {
    text(booked, "id") == text(listed, "sourceDisputeId")
        && text(booked, "connection") == text(listed, "connectionId")
}

/// Whether a dispute is shown as a state of the books is.
fn is_as(listed: &Value, state: &Value) -> bool {
    let money = state.get("money").unwrap_or(&Value::Null);
    text(listed, "status") == text(state, "status")
        && text(listed, "lifecycleStage") == text(state, "stage")
        && text(listed, "reason") == text(state, "reason")
        && text(listed, "currency") == text(money, "currency")
        && listed.pointer("/amount/rawAmount") == money.get("minor")
}

/// The id of a dispute's stream.
pub(super) fn key_of(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}
