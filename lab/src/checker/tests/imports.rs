//! Imports, broken by hand.

use super::{super::QUIET, *};

const IMPORTED: Words = ("Imported", "", &["payment.imported"]);
const REFUNDED_ELSEWHERE: Words = ("Refunded elsewhere", "", &["payment.refund_imported"]);
const KEPT: [Step<'_>; 2] = [
    ("SUCCEEDED", &[IMPORTED]),
    ("PARTIAL_REFUNDED", &[REFUNDED_ELSEWHERE]),
];

/// What another system sold, a part of which it gave back.
fn theirs() -> Value {
    let mut entry = entry(1, AMOUNT, 300);
    entry["reference"] = json!("ext_1");
    entry["connection"] = json!(QUIET);
    entry["elsewhere"] = json!("elsewhere-1");
    entry["refunds"] = json!([{ "reference": "ext_1_refund_0", "amount": 300, "status": "done" }]);
    entry
}

/// The payment that was made of it.
fn imported(steps: &[Step<'_>]) -> Evidence {
    let mut evidence = world(steps, AMOUNT, 300, &[theirs()]);
    let payment = &mut evidence.payments[0];
    payment["orderId"] = json!("elsewhere-1");
    payment["connectionId"] = json!(QUIET);
    payment["paymentProcessingOrigin"] = json!("IMPORT");
    evidence.said.clear();
    evidence
}

#[test]
fn what_is_kept_once_and_in_silence_is_right() {
    let evidence = imported(&KEPT);
    assert!(broken_rules(&evidence).is_empty(), "{:?}", check(&evidence));
    let mut unwanted = imported(&KEPT);
    unwanted.entries[0]["connection"] = json!("prompt-b");
    unwanted.notes.clear();
    (unwanted.payments, unwanted.events) = (Vec::new(), Vec::new());
    assert!(broken_rules(&unwanted).is_empty(), "{:?}", check(&unwanted));
}

#[test]
fn what_is_kept_twice_or_not_at_all() {
    let mut twice = imported(&KEPT);
    let mut other = twice.payments[0].clone();
    other["id"] = json!("payments:0002");
    twice.payments.push(other);
    assert!(broken_rules(&twice).contains("imported-once-where-wanted"));
    let mut none = imported(&KEPT);
    (none.payments, none.events) = (Vec::new(), Vec::new());
    breaks("imported-once-where-wanted", &none);
}

#[test]
fn what_is_charged_or_announced_unasked() {
    let captured: Words = ("Captured", "", &["payment.operation_started capture 2"]);
    let [kept, refunded] = KEPT;
    breaks(
        "imports-are-not-charged",
        &imported(&[kept, ("SUCCEEDED", &[captured]), refunded]),
    );
    let loud: Words = ("Imported", "", &["payment.imported", "payment.captured"]);
    breaks(
        "imports-are-announced-where-wanted",
        &imported(&[("SUCCEEDED", &[loud]), refunded]),
    );
}

#[test]
fn more_is_given_back_than_was_taken() {
    let mut evidence = imported(&KEPT);
    evidence.notes[0]["refunded"] = json!(AMOUNT + 1);
    breaks("refunds-captures-authorisations", &evidence);
}

#[test]
fn what_others_give_back_does_not_have_to_leave_room_for_a_refund_under_way() {
    let mut evidence = imported(&KEPT);
    let with_refunds = |refunds: Value| with(evidence.payments[0].clone(), "refunds", refunds);
    let theirs = json!({ "id": "refunds:2", "amount": 300, "status": "SUCCEEDED" });
    let own = json!({ "id": "refunds:1", "amount": AMOUNT, "status": "PENDING" });
    let twice = json!({ "id": "refunds:3", "amount": 1, "status": "PENDING" });
    let shown = with_refunds(json!([own, theirs]));
    let shown_twice = with_refunds(json!([own, theirs, twice]));
    let mut read = |payment: &Value| {
        let asked = json!({ "id": ID });
        evidence.said = vec![said(2, "getPayment", asked, answer("getPayment", payment))];
        broken_rules(&evidence)
    };
    let rule = "refunds-captures-authorisations";
    assert!(!read(&shown).contains(rule));
    assert!(read(&shown_twice).contains(rule));
}
