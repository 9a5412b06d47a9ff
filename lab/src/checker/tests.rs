//! Each invariant, broken by hand, is reported; what is right is not.

mod charges;
mod deliveries;
mod disputes;
mod imports;
mod keys;
mod responses;
mod timelines;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Deliveries, Disputes, Evidence, Exchange, Followed, check, list, text};

/// An entry of the timeline: its title, its message, and the events that it is, as `kind`, `kind what operation` or `kind flow`.
type Words = (&'static str, &'static str, &'static [&'static str]);
type Step<'a> = (&'static str, &'a [Words]);

const ID: &str = "payments:0001";
const AMOUNT: i64 = 1000;

const STARTED: Words = (
    "Authorisation started",
    "Sent to the connection prompt-a.",
    &["payment.operation_started authorise 1"],
);
const SOLD: Words = (
    "Authorised and captured",
    "€10.00.",
    &[
        "payment.authorised authorise 1",
        "payment.captured authorise 1",
    ],
);
const AUTHORISED: Words = ("Authorised", "€10.00.", &["payment.authorised authorise 1"]);
/// What the timeline does not say.
const UNSAID: Words = ("", "", &["payment.authorised authorise 1"]);
const SILENT: Words = (
    "No answer to the authorisation",
    "The processor will be asked.",
    &["payment.unknown authorise 1"],
);
const FOUND: Words = (
    "Authorised and captured",
    "€10.00. Found out by asking the processor about the authorisation.",
    &[
        "payment.outcome_found",
        "payment.authorised authorise 1",
        "payment.captured authorise 1",
    ],
);
const CAPTURE: Words = (
    "Capture started",
    "€10.00.",
    &["payment.operation_started capture 2"],
);
const CAPTURED: Words = ("Captured", "€10.00.", &["payment.captured capture 2"]);
const CANCEL: Words = (
    "Cancellation started",
    "",
    &["payment.operation_started cancel 3"],
);
const CANCELLED: Words = (
    "Cancelled",
    "The processor has released the authorised amount.",
    &["payment.cancelled cancel 3"],
);
const REFUND: Words = (
    "Refund started",
    "€3.00.",
    &["payment.operation_started refund 4"],
);
const REFUNDED: Words = ("Refunded", "€3.00.", &["payment.refunded refund 4"]);
const FAILURE: Words = ("Failed", "", &["payment.failed authorise 1"]);
const LATE: Words = (
    "Late charge",
    "It is given back at once.",
    &["payment.late_charge authorise 1"],
);

/// A payment as it is shown, after these steps.
fn payment(steps: &[Step<'_>], captured: i64, refunded: i64) -> Value {
    let lines = steps.iter().flat_map(|step| step.1).filter_map(line);
    let refunds = (refunded > 0)
        .then(|| json!({ "id": "refunds:1", "amount": refunded, "status": "SUCCEEDED" }));
    json!({
        "id": ID, "status": steps.last().map(|step| step.0), "orderId": "order-1", "connectionId": "prompt-a",
        "currency": "EUR", "amount": { "rawAmount": AMOUNT }, "capturedAmount": captured, "refundedAmount": refunded,
        "refunds": refunds.into_iter().collect::<Vec<_>>(),
        "paymentTimeline": { "overview": lines.collect::<Vec<_>>() },
    })
}

fn line(words: &Words) -> Option<Value> {
    (!words.0.is_empty()).then(|| json!({ "title": words.0, "message": words.1 }))
}

fn happened(event: &str) -> Value {
    let words: Vec<&str> = event.split(' ').collect();
    match words.as_slice() {
        [kind, what, n] => {
            json!({ "kind": kind, "what": what, "operation": n.parse::<i64>().unwrap() })
        }
        [kind, flow] => json!({ "kind": kind, "flow": flow }),
        _ => json!({ "kind": event }),
    }
}

/// The rows of events of these steps, a second apart.
fn events(steps: &[Step<'_>]) -> Vec<Value> {
    let event = |(seq, (status, words)): (i64, &Step<'_>)| {
        let entries: Vec<Value> = words.iter().filter_map(line).collect();
        let events = words.iter().flat_map(|words| words.2);
        let events: Vec<Value> = events.map(|event| happened(event)).collect();
        let data = json!({ "v": 1, "status": status, "events": events, "entries": entries });
        json!({ "stream": "0001", "seq": seq, "at": seq * 1_000_000, "kind": "payment", "data": data })
    };
    (1..).zip(steps).map(event).collect()
}

/// An entry of the books.
fn entry(attempt: u32, captured: i64, refunded: i64) -> Value {
    json!({
        "reference": format!("0001-{attempt}"), "connection": "prompt-a", "currency": "EUR", "authorised": AMOUNT,
        "captured": captured, "refunded": refunded, "cancelled": false, "refunds": [], "noted": 1_500_000,
    })
}

fn cancelled(attempt: u32) -> Value {
    with(entry(attempt, 0, 0), "cancelled", true)
}

fn with(mut value: Value, name: &str, other: impl Into<Value>) -> Value {
    value
        .as_object_mut()
        .unwrap()
        .insert(name.to_owned(), other.into());
    value
}

/// A request with its answer. `at` is its place in the order of everything that was said.
fn said(at: u64, verb: &'static str, asked: Value, response: Value) -> Exchange {
    let (began, ended) = (2 * at, 2 * at + 1);
    Exchange {
        began,
        ended,
        verb,
        asked,
        key: None,
        checkout: None,
        answer: Some(response),
        replayed: false,
    }
}

fn keyed(said: Exchange, key: &str) -> Exchange {
    Exchange {
        key: Some(key.to_owned()),
        ..said
    }
}

fn ordered(at: u64, response: &Value) -> Exchange {
    let asked = json!({ "order": { "orderId": "order-1", "amount": AMOUNT } });
    said(
        at,
        "authorizePayment",
        asked,
        answer("authorizePayment", response),
    )
}

fn answer(verb: &str, payment: &Value) -> Value {
    json!({ "data": { verb: payment } })
}

fn error(code: &str, id: &str) -> Value {
    json!({ "data": null, "errors": [{ "extensions": { "code": code, "id": id } }] })
}

/// A payment that took these steps, was shown at the end, and has these entries in the books.
fn world(steps: &[Step<'_>], captured: i64, refunded: i64, entries: &[Value]) -> Evidence {
    let payment = payment(steps, captured, refunded);
    let mut response = vec![ordered(1, &payment)];
    if refunded > 0 {
        let asked = json!({ "id": ID, "amount": refunded });
        response.push(said(
            2,
            "refundPayment",
            asked,
            answer("refundPayment", &payment),
        ));
    }
    Evidence {
        said: response,
        payments: vec![payment],
        entries: entries.to_vec(),
        notes: entries.to_vec(),
        events: events(steps),
        neighbours: Vec::new(),
        deliveries: Deliveries::default(),
        disputes: Disputes::default(),
        followed: Vec::new(),
        taken: Vec::new(),
    }
}

#[test]
fn a_payment_that_a_follower_never_saw_is_missed() {
    let mut evidence = sale();
    let seen = |ids: &[&str]| Followed {
        by: "cursor",
        seen: ids.iter().map(|id| (*id).to_owned()).collect(),
    };
    evidence.followed = vec![seen(&[ID, "payments:0002"])];
    assert!(broken_rules(&evidence).is_empty());
    evidence.followed.push(seen(&["payments:0002"]));
    assert_eq!(
        broken_rules(&evidence),
        BTreeSet::from(["a-followed-list-never-misses"])
    );
}

const SALE: [Step<'_>; 2] = [("ACTIVE", &[STARTED]), ("SUCCEEDED", &[SOLD])];
const PART: [Step<'_>; 4] = [
    ("ACTIVE", &[STARTED]),
    ("SUCCEEDED", &[SOLD]),
    ("SUCCEEDED", &[REFUND]),
    ("PARTIAL_REFUNDED", &[REFUNDED]),
];
const FAILED: [Step<'_>; 2] = [("ACTIVE", &[STARTED]), ("FAILED", &[FAILURE])];

fn sale() -> Evidence {
    world(&SALE, AMOUNT, 0, &[entry(1, AMOUNT, 0)])
}

/// The invariants that are reported as broken.
fn broken_rules(evidence: &Evidence) -> BTreeSet<&'static str> {
    check(evidence)
        .into_iter()
        .map(|broken| broken.invariant)
        .collect()
}

/// Exactly this invariant is reported as broken.
fn breaks(invariant: &'static str, evidence: &Evidence) {
    let found = check(evidence);
    assert!(
        found.iter().any(|broken| broken.invariant == invariant),
        "{invariant} is not reported: {found:?}"
    );
    assert!(
        found.iter().all(|broken| broken.invariant == invariant),
        "{invariant} is not reported alone: {found:?}"
    );
}

#[test]
fn what_is_right_is_not_reported() {
    assert_eq!(broken_rules(&sale()), BTreeSet::new());
    assert_eq!(
        broken_rules(&world(&PART, AMOUNT, 300, &[entry(1, AMOUNT, 300)])),
        BTreeSet::new()
    );
    assert_eq!(broken_rules(&world(&FAILED, 0, 0, &[])), BTreeSet::new());
    let unknown = [
        ("ACTIVE", [STARTED].as_slice()),
        ("NO_ANSWER_FROM_PSP", &[SILENT]),
        ("SUCCEEDED", &[FOUND]),
    ];
    assert_eq!(
        broken_rules(&world(&unknown, AMOUNT, 0, &[entry(1, AMOUNT, 0)])),
        BTreeSet::new()
    );
    let given_up = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED, CANCEL]),
        ("CANCELLED", &[CANCELLED]),
    ];
    assert_eq!(
        broken_rules(&world(&given_up, 0, 0, &[cancelled(1)])),
        BTreeSet::new()
    );
    let late = [
        ("ACTIVE", [STARTED].as_slice()),
        ("FAILED", &[FAILURE, LATE]),
    ];
    assert_eq!(
        broken_rules(&world(&late, 0, 0, &[entry(1, AMOUNT, AMOUNT)])),
        BTreeSet::new()
    );
}

#[test]
fn what_was_reported_and_is_not_there_any_more() {
    let mut lost = sale();
    (lost.payments, lost.events, lost.entries, lost.notes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    breaks("acknowledged-stays", &lost);
}

#[test]
fn a_status_that_goes_back() {
    let mut back = sale();
    let authorised = payment(&[("ACTIVE", &[STARTED]), ("AUTHORISED", &[UNSAID])], 0, 0);
    back.events = events(&[
        ("ACTIVE", &[STARTED]),
        ("AUTHORISED", &[UNSAID]),
        ("SUCCEEDED", &[SOLD]),
    ]);
    back.said.push(said(
        2,
        "getPayment",
        json!({ "id": ID }),
        answer("getPayment", &authorised),
    ));
    breaks("acknowledged-stays", &back);
    // The other way about it is right.
    back.said.last_mut().unwrap().began = 0;
    back.said.last_mut().unwrap().ended = 1;
    assert_eq!(broken_rules(&back), BTreeSet::new());
}

#[test]
fn a_failure_that_was_none() {
    let mut failed = sale();
    failed.said = vec![ordered(1, &payment(&FAILED, 0, 0))];
    failed.events = events(&[("ACTIVE", &[STARTED]), ("SUCCEEDED", &[SOLD])]);
    assert_eq!(
        broken_rules(&failed),
        BTreeSet::from(["acknowledged-stays", "every-change-has-an-event"])
    );
}

#[test]
fn an_amount_that_is_taken_back() {
    let mut less = sale();
    let payment = with(less.payments[0].clone(), "capturedAmount", 700);
    less.said.push(said(
        2,
        "getPayment",
        json!({ "id": ID }),
        answer("getPayment", &payment),
    ));
    breaks("acknowledged-stays", &less);
}

/// A second payment of another order next to the first one, with everything that belongs to it.
fn alongside(evidence: &mut Evidence, other: &Evidence) {
    let text = |value: &Value| {
        value
            .to_string()
            .replace("0001", "0002")
            .replace("order-1", "order-2")
    };
    let renamed = |value: &Value| -> Value { serde_json::from_str(&text(value)).unwrap() };
    evidence.payments.extend(other.payments.iter().map(renamed));
    evidence.entries.extend(other.entries.iter().map(renamed));
    evidence.notes.extend(other.notes.iter().map(renamed));
    evidence.events.extend(other.events.iter().map(renamed));
    let again = |one: &Exchange| Exchange {
        asked: renamed(&one.asked),
        answer: one.answer.as_ref().map(renamed),
        ..one.clone()
    };
    evidence.said.extend(other.said.iter().map(again));
}

#[test]
fn what_is_open_hours_later() {
    let open = [
        ("ACTIVE", [STARTED].as_slice()),
        ("NO_ANSWER_FROM_PSP", &[SILENT]),
    ];
    breaks("settled-at-the-end", &world(&open, 0, 0, &[]));
    let mut pending = world(&PART, AMOUNT, 300, &[entry(1, AMOUNT, 300)]);
    let refunds = json!([{ "id": "refunds:1", "amount": 300, "status": "SUCCEEDED" }, { "id": "refunds:2", "amount": 1, "status": "PENDING" }]);
    pending.payments[0] = with(pending.payments[0].clone(), "refunds", refunds);
    pending.said.push(said(
        3,
        "refundPayment",
        json!({ "id": ID }),
        error("error.unavailable", ID),
    ));
    breaks("settled-at-the-end", &pending);
}

#[test]
fn a_status_that_is_not_what_the_amounts_say() {
    let all = [
        ("ACTIVE", [STARTED].as_slice()),
        ("SUCCEEDED", &[SOLD, REFUND]),
        ("REFUNDED", &[REFUNDED]),
    ];
    breaks(
        "status-fits-amounts",
        &world(&all, AMOUNT, 300, &[entry(1, AMOUNT, 300)]),
    );
}

#[test]
fn a_capture_alongside_a_cancellation() {
    let both = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED, CAPTURE, CANCEL]),
        ("SUCCEEDED", &[CAPTURED]),
    ];
    breaks(
        "capture-excludes-cancel",
        &world(&both, AMOUNT, 0, &[entry(1, AMOUNT, 0)]),
    );
}

#[test]
fn what_arrived_long_after_its_commit() {
    let mut late = sale();
    late.notes[0] = with(late.notes[0].clone(), "noted", 37_000_000);
    breaks("sent-in-time-or-not-at-all", &late);
    late.notes[0] = with(late.notes[0].clone(), "noted", 35_000_000);
    assert_eq!(broken_rules(&late), BTreeSet::new());
}

#[test]
fn a_defect_that_was_reported_and_a_payment_that_is_listed_twice() {
    let mut defect = sale();
    defect.said.push(said(
        2,
        "getPayment",
        json!({ "id": ID }),
        error("error.unknown", ""),
    ));
    breaks("no-defect", &defect);
    let mut twice = sale();
    twice
        .payments
        .push(with(twice.payments[0].clone(), "orderId", "order-0"));
    twice.said.push(said(
        2,
        "authorizePayment",
        json!({ "order": { "orderId": "order-0" } }),
        Value::Null,
    ));
    assert!(broken_rules(&twice).contains("listed-once"));
}

#[test]
fn what_may_not_have_been_made_need_not_be_there() {
    let mut unconfirmed = sale();
    unconfirmed.said.push(said(
        2,
        "authorizePayment",
        json!({ "order": { "orderId": "order-2" } }),
        error("error.unavailable", "payments:0007"),
    ));
    assert_eq!(broken_rules(&unconfirmed), BTreeSet::new());
    unconfirmed.said.last_mut().unwrap().answer =
        Some(error("error.capture.processor", "payments:0007"));
    breaks("acknowledged-stays", &unconfirmed);
}

#[test]
fn a_payment_of_an_order_whose_client_learnt_that_nothing_was_done() {
    let mut unnamed = sale();
    let nothing =
        json!({ "data": null, "errors": [{ "extensions": { "code": "error.unavailable" } }] });
    unnamed.said[0].answer = Some(nothing);
    breaks("done-once-for-each-request", &unnamed);
}

#[test]
fn a_step_of_a_flow_that_was_left_behind() {
    let under: Words = (
        "Payment created",
        "Runs under the flow half-back, version 1.",
        &["payment.created half-back"],
    );
    let failed: Words = (
        "The refund did not take effect",
        "",
        &["payment.refund_failed refund 2"],
    );
    let steps = |last: &[Words]| {
        let lines: Vec<_> = [under, SOLD, failed]
            .into_iter()
            .chain(last.iter().copied())
            .collect();
        world(&[("SUCCEEDED", &lines)], AMOUNT, 0, &[entry(1, AMOUNT, 0)])
    };
    breaks("steps-of-flows-are-made", &steps(&[]));
    let said = steps(&[(
        "A step of the flow was given up",
        "",
        &["payment.step_given_up"],
    )]);
    assert_eq!(broken_rules(&said), BTreeSet::new());
}
