//! Disputes, broken by hand.

use super::*;

const DISPUTED: Words = ("Disputed", "", &["payment.disputed"]);
const ENDED: Words = ("A dispute ended", "", &["payment.dispute_ended"]);
pub(super) const STEPS: [Step<'_>; 4] = [
    ("ACTIVE", &[STARTED]),
    ("SUCCEEDED", &[SOLD]),
    ("DISPUTED", &[DISPUTED]),
    ("SUCCEEDED", &[ENDED]),
];

/// What a dispute's row holds: the event's kind, its status, and the title of its entry.
pub(super) type Row = (&'static str, &'static str, &'static str);
pub(super) const OPENED: Row = ("dispute.opened", "NEEDS_RESPONSE", "The dispute was opened");
pub(super) const SENT: Row = (
    "dispute.updated",
    "SENT_FOR_REVIEW",
    "The response was sent",
);
pub(super) const WON: Row = ("dispute.won", "WON", "The dispute was won");

fn money() -> Value {
    json!({ "minor": AMOUNT, "currency": "EUR" })
}

/// A row of the dispute. `stamp` is that of the payment's row in the same commit.
pub(super) fn row(seq: i64, stamp: i64, what: Row) -> Value {
    let (kind, status, title) = what;
    let event = json!({
        "kind": kind, "payment": "0001", "status": status, "stage": "CHARGEBACK", "amount": money(),
    });
    json!({
        "stream": "dp", "seq": seq, "at": seq * 1_000_000, "kind": "dispute", "stamp": stamp,
        "data": { "status": status, "events": [event], "entries": [{ "title": title, "message": "" }] },
    })
}

pub(super) fn booked(statuses: &[&str]) -> Value {
    let state = |status: &&str| json!({ "status": status, "stage": "CHARGEBACK", "reason": "FRAUD", "money": money() });
    let states: Vec<Value> = statuses.iter().map(state).collect();
    json!({ "id": "simdp_1", "reference": "0001-1", "connection": "prompt-a", "states": states })
}

fn listed(status: &str, rows: &[Value]) -> Value {
    let entries = rows.iter().flat_map(|row| list(&row["data"], "entries"));
    json!({
        "id": "disputes:dp", "paymentId": ID, "connectionId": "prompt-a", "sourceDisputeId": "simdp_1", "currency": "EUR",
        "amount": { "rawAmount": AMOUNT }, "status": status, "reason": "FRAUD", "lifecycleStage": "CHARGEBACK",
        "disputeTimeline": { "events": entries.collect::<Vec<_>>() },
    })
}

/// A sale that was disputed; the dispute has these rows, and the processor these statuses of it.
pub(super) fn disputed(steps: &[Step<'_>], rows: &[Value], statuses: &[&str]) -> Evidence {
    let mut evidence = world(steps, AMOUNT, 0, &[entry(1, AMOUNT, 0)]);
    for event in &mut evidence.events {
        event["stamp"] = event["seq"].clone();
    }
    let status = rows.last().map_or("", |row| text(&row["data"], "status"));
    evidence.disputes = Disputes {
        listed: vec![listed(status, rows)],
        booked: vec![booked(statuses)],
        asked: Vec::new(),
        wrong: Vec::new(),
    };
    evidence.events.extend(rows.iter().cloned());
    evidence
}

fn won() -> Evidence {
    disputed(
        &STEPS,
        &[row(1, 3, OPENED), row(2, 9, SENT), row(3, 4, WON)],
        &["NEEDS_RESPONSE", "SENT_FOR_REVIEW", "UNDER_REVIEW", "WON"],
    )
}

#[test]
fn a_dispute_that_is_won_is_right_though_a_report_was_overtaken() {
    assert!(broken_rules(&won()).is_empty(), "{:?}", check(&won()));
}

#[test]
fn a_dispute_that_nobody_knows_or_knows_otherwise() {
    let mut unknown = won();
    unknown.disputes.listed.clear();
    breaks("disputes-are-as-booked", &unknown);
    let mut otherwise = won();
    otherwise.disputes.listed[0]["amount"] = json!({ "rawAmount": 1 });
    breaks("disputes-are-as-booked", &otherwise);
    let mut made_up = won();
    made_up.disputes.booked.clear();
    breaks("disputes-are-as-booked", &made_up);
}

#[test]
fn a_report_that_is_older_or_was_never_made() {
    let back = [
        row(1, 3, OPENED),
        row(2, 9, SENT),
        row(3, 10, OPENED),
        row(4, 4, WON),
    ];
    let statuses = ["NEEDS_RESPONSE", "SENT_FOR_REVIEW", "WON"];
    assert!(
        broken_rules(&disputed(&STEPS, &back, &statuses))
            .contains("disputes-follow-their-processor")
    );
    let never = [row(1, 3, OPENED), row(2, 4, WON)];
    let found = broken_rules(&disputed(&STEPS, &never, &["NEEDS_RESPONSE"]));
    assert!(
        found.contains("disputes-follow-their-processor"),
        "{found:?}"
    );
}

#[test]
fn a_report_that_counts_twice() {
    let rows = [
        row(1, 3, OPENED),
        row(2, 9, SENT),
        row(3, 10, SENT),
        row(4, 4, WON),
    ];
    let statuses = ["NEEDS_RESPONSE", "SENT_FOR_REVIEW", "WON"];
    breaks(
        "one-effect-of-each-report",
        &disputed(&STEPS, &rows, &statuses),
    );
}

#[test]
fn a_payment_that_stays_disputed_or_never_becomes_so() {
    let [active, sold, held, _] = STEPS;
    let rows = [row(1, 3, OPENED), row(2, 9, WON)];
    let statuses = ["NEEDS_RESPONSE", "WON"];
    breaks(
        "disputed-while-it-must-be",
        &disputed(&[active, sold, held], &rows, &statuses),
    );
    let open = [row(1, 9, OPENED)];
    breaks(
        "disputed-while-it-must-be",
        &disputed(&[active, sold], &open, &["NEEDS_RESPONSE"]),
    );
}

#[test]
fn a_change_without_its_event_or_its_line() {
    let mut rows = [row(1, 3, OPENED), row(2, 4, WON)];
    rows[1]["data"]["events"][0]["kind"] = json!("dispute.updated");
    let statuses = ["NEEDS_RESPONSE", "WON"];
    breaks(
        "every-change-has-an-event",
        &disputed(&STEPS, &rows, &statuses),
    );
    let mut silent = won();
    silent.disputes.listed[0]["disputeTimeline"]["events"] = json!([]);
    breaks("every-change-has-an-event", &silent);
}

#[test]
fn a_notification_that_is_answered_wrongly() {
    let mut evidence = won();
    let wrong = ("forged-notifications-are-refused", "a letter".to_owned());
    evidence.disputes.wrong.push(wrong);
    breaks("forged-notifications-are-refused", &evidence);
}
