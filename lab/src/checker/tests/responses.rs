//! Responses to disputes, broken by hand.

use super::{
    disputes::{OPENED, SENT, STEPS, WON, disputed, row},
    *,
};

const EVIDENCE: &str = "EVIDENCE";
const ACCEPTANCE: &str = "ACCEPTANCE";
/// The dispute's states at its processor.
const STATUSES: [&str; 3] = ["NEEDS_RESPONSE", "SENT_FOR_REVIEW", "WON"];

/// A row that tells of a response alone.
fn word(seq: i64, n: i64, kind: &str, state: &str) -> Value {
    let event = json!({ "kind": "dispute.response", "n": n, "response": kind, "state": state });
    json!({
        "stream": "dp", "seq": seq, "at": seq * 1_000_000, "kind": "dispute", "stamp": 100 + seq,
        "data": { "status": "NEEDS_RESPONSE", "events": [event], "entries": [] },
    })
}

/// What a connector was asked, or said.
fn note(what: &str, n: u32) -> Value {
    let texts = if what == "sent" { texts() } else { json!([]) };
    json!({
        "what": what, "reference": format!("dispute-dp-{n}"), "dispute": "simdp_1", "accepts": false, "texts": texts,
    })
}

fn texts() -> Value {
    json!([{ "kind": "OTHER", "text": "It was sent." }])
}

fn response(n: u32, accepts: bool) -> Value {
    json!({ "reference": format!("dispute-dp-{n}"), "accepts": accepts })
}

fn submitted(at: u64, key: &str) -> Exchange {
    let asked = json!({ "id": "disputes:dp", "evidence": { "texts": texts() }, "submit": true });
    let shown = json!({ "id": "disputes:dp", "response": { "kind": EVIDENCE, "state": "TAKEN" } });
    let verb = "submitDisputeEvidence";
    keyed(said(at, verb, asked, answer(verb, &shown)), key)
}

/// A dispute whose evidence was sent, sent again after a look-up, taken, and won.
fn responded() -> Evidence {
    with_rows(&[
        row(1, 3, OPENED),
        word(2, 1, EVIDENCE, "DRAFT"),
        word(3, 1, EVIDENCE, "SENDING"),
        word(4, 1, EVIDENCE, "SENDING"),
        word(5, 1, EVIDENCE, "TAKEN"),
        row(6, 9, SENT),
        row(7, 4, WON),
    ])
}

fn with_rows(rows: &[Value]) -> Evidence {
    let mut evidence = disputed(&STEPS, rows, &STATUSES);
    evidence.said.push(submitted(5, "one"));
    evidence.disputes.booked[0]["responses"] = json!([response(1, false)]);
    evidence.disputes.asked = vec![note("sent", 1), note("absent", 1), note("sent", 1)];
    evidence
}

#[test]
fn evidence_that_is_looked_for_and_sent_again_is_right() {
    let evidence = responded();
    assert!(broken_rules(&evidence).is_empty(), "{:?}", check(&evidence));
}

#[test]
fn evidence_that_is_sent_again_unasked_or_under_another_reference() {
    let mut unasked = responded();
    unasked.disputes.asked.remove(1);
    breaks("responses-are-looked-for-first", &unasked);
    let mut renamed = responded();
    renamed.disputes.asked[2]["reference"] = json!("dispute-dp-7");
    breaks("responses-are-as-booked", &renamed);
}

#[test]
fn a_response_that_is_shown_otherwise_than_the_processor_has_it() {
    let mut lost = responded();
    lost.disputes.booked[0]["responses"] = json!([]);
    breaks("responses-are-as-booked", &lost);
    let mut unknown = responded();
    let booked = json!([response(1, false), response(2, false)]);
    unknown.disputes.booked[0]["responses"] = booked;
    breaks("responses-are-as-booked", &unknown);
    let refused = [
        row(1, 3, OPENED),
        word(2, 1, EVIDENCE, "SENDING"),
        word(3, 1, EVIDENCE, "REFUSED"),
        row(4, 9, SENT),
        row(5, 4, WON),
    ];
    let mut refused = with_rows(&refused);
    refused.said.pop();
    refused.said.push(keyed(
        Exchange {
            answer: None,
            ..submitted(5, "one")
        },
        "one",
    ));
    breaks("responses-are-as-booked", &refused);
}

#[test]
fn a_response_of_which_nobody_ever_knows() {
    let mut open = with_rows(&[
        row(1, 3, OPENED),
        word(2, 1, EVIDENCE, "SENDING"),
        row(3, 9, SENT),
        row(4, 4, WON),
    ]);
    open.said.pop();
    open.said.push(Exchange {
        answer: None,
        ..submitted(5, "one")
    });
    breaks("responses-are-settled", &open);
}

#[test]
fn a_dispute_that_is_accepted_while_evidence_is_under_way() {
    let mut both = with_rows(&[
        row(1, 3, OPENED),
        word(2, 1, EVIDENCE, "SENDING"),
        word(3, 2, ACCEPTANCE, "SENDING"),
        word(4, 1, EVIDENCE, "TAKEN"),
        row(5, 9, SENT),
        word(6, 2, ACCEPTANCE, "REFUSED"),
        row(7, 4, WON),
    ]);
    let asked = json!({ "id": "disputes:dp" });
    let shown = json!({ "id": "disputes:dp", "response": null });
    let verb = "acceptDispute";
    both.said
        .push(keyed(said(6, verb, asked, answer(verb, &shown)), "two"));
    breaks("one-response-at-a-time", &both);
}

#[test]
fn more_is_sent_than_was_asked_for_or_something_else() {
    let twice = with_rows(&[
        row(1, 3, OPENED),
        word(2, 1, EVIDENCE, "SENDING"),
        word(3, 1, EVIDENCE, "TAKEN"),
        row(4, 9, SENT),
        word(5, 2, EVIDENCE, "SENDING"),
        word(6, 2, EVIDENCE, "REFUSED"),
        row(7, 4, WON),
    ]);
    breaks("done-once-for-each-request", &twice);
    let mut other = responded();
    other.disputes.asked[0]["texts"] = json!([{ "kind": "OTHER", "text": "Something else." }]);
    breaks("evidence-is-what-was-given", &other);
}
