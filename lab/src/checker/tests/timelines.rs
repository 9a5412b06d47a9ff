//! Timelines and events that leave something out, or say something else.

use super::*;

#[test]
fn a_timeline_that_was_reported_otherwise() {
    let mut other = sale();
    other.said = vec![ordered(
        1,
        &payment(
            &[("ACTIVE", &[STARTED]), ("SUCCEEDED", &[CAPTURED])],
            AMOUNT,
            0,
        ),
    )];
    breaks("acknowledged-stays", &other);
}

#[test]
fn what_became_known_without_evidence() {
    let guessed = [
        ("ACTIVE", [STARTED].as_slice()),
        ("NO_ANSWER_FROM_PSP", &[SILENT]),
        ("SUCCEEDED", &[SOLD]),
    ];
    breaks(
        "known-by-evidence",
        &world(&guessed, AMOUNT, 0, &[entry(1, AMOUNT, 0)]),
    );
}

#[test]
fn a_step_that_the_table_does_not_know() {
    let back = [
        ("ACTIVE", [STARTED].as_slice()),
        ("AUTHORISED", &[AUTHORISED]),
        (
            "DECLINED",
            &[("Declined", "", &["payment.declined authorise 1"])],
        ),
    ];
    breaks("table-of-states", &world(&back, 0, 0, &[]));
}

#[test]
fn a_change_without_an_event() {
    let mut lost = sale();
    lost.events = events(&[("ACTIVE", &[STARTED, SOLD])]);
    breaks("every-change-has-an-event", &lost);
    let mut silent = sale();
    silent.events = events(&[("ACTIVE", &[STARTED]), ("SUCCEEDED", &[])]);
    breaks("every-change-has-an-event", &silent);
    let mut of_nobody = sale();
    of_nobody.events.push(
        json!({ "stream": "0009", "seq": 1, "kind": "payment", "data": { "status": "ACTIVE" } }),
    );
    breaks("event-has-payment", &of_nobody);
}

#[test]
fn a_gap_in_the_numbers() {
    let mut gap = sale();
    gap.events[1] = with(gap.events[1].clone(), "seq", 3);
    breaks("events-without-gaps", &gap);
    let mut late = sale();
    late.events[0] = with(late.events[0].clone(), "seq", 2);
    late.events[1] = with(late.events[1].clone(), "seq", 3);
    breaks("events-without-gaps", &late);
}
