//! Refunds that are divided among the captures of one authorisation.

use domain::{
    Code,
    id::RefundId,
    payment::{News, OnceRef, OperationKind, OperationState, Payment, Status},
};
use uuid::Uuid;

use crate::{
    bench::{apply_news, at, begin, done, in_status, refund, refused},
    captures::{captured_in, last},
};

/// The capture that each refund is of, and how much.
fn refunds(one: &Payment) -> Vec<(Option<u32>, i64)> {
    let of = |kind: OperationKind| match kind {
        OperationKind::Refund { capture, .. } => capture,
        _ => None,
    };
    one.refunds()
        .map(|one| (of(one.kind), one.amount))
        .collect()
}

#[test]
fn a_refund_is_of_the_oldest_captures_with_what_each_has_left() {
    let mut one = captured_in(&[300, 200]);
    let n = last(&mut one, Some(400), 10);
    apply_news(&mut one, n, done(), 11);
    let first = refund(&mut one, 100, 12);
    assert_eq!(refunds(&one), [(Some(2), 100)]);
    apply_news(&mut one, first, done(), 13);
    refund(&mut one, 350, 14);
    assert_eq!(
        refunds(&one),
        [(Some(2), 100), (Some(2), 200), (Some(3), 150)],
        "what is under way is reserved"
    );
    assert_eq!(one.refundable(), 450);
    refund(&mut one, 450, 16);
    assert_eq!(
        refunds(&one).get(3..).unwrap(),
        [(Some(3), 50), (Some(4), 400)]
    );
    assert_eq!(one.refundable(), 0);
    let ids: std::collections::BTreeSet<_> = one
        .operations()
        .iter()
        .filter_map(|one| match one.kind {
            OperationKind::Refund { id, .. } => Some(id),
            _ => None,
        })
        .collect();
    assert_eq!(ids.len(), 5, "each has an id of its own");
}

#[test]
fn a_refund_after_a_sale_or_of_an_import_names_no_capture() {
    let mut one = in_status(Status::Succeeded).unwrap();
    refund(&mut one, 400, 2);
    assert_eq!(refunds(&one), [(None, 400)]);
}

#[test]
fn what_a_refund_that_failed_had_reserved_of_its_capture_is_free_again() {
    let mut one = captured_in(&[300]);
    let n = last(&mut one, None, 10);
    apply_news(&mut one, n, done(), 11);
    let first = refund(&mut one, 300, 12);
    apply_news(&mut one, first, refused(), 13);
    refund(&mut one, 200, 14);
    assert_eq!(refunds(&one).last(), Some(&(Some(2), 200)));
}

#[test]
fn the_parts_of_a_refund_are_sent_in_order_and_answered_together() {
    let mut one = captured_in(&[300]);
    let n = last(&mut one, None, 10);
    apply_news(&mut one, n, done(), 11);
    let key = OnceRef {
        scope: "refund".to_owned(),
        key: "k".to_owned(),
    };
    let with_key = domain::payment::Begin {
        once: Some(key.clone()),
        ..begin(12)
    };
    let id = RefundId::new(Uuid::from_u128(7));
    let (first, line) = one
        .begin_refund(id, Some(500), Some("late".to_owned()), with_key)
        .unwrap();
    assert_eq!(line.events.len(), 2);
    let second = one.last_part(first);
    assert_eq!(
        one.parts_of_refund(second)
            .map(|part| part.n)
            .collect::<Vec<_>>(),
        [first, second]
    );
    assert_eq!(one.operation(first).unwrap().once, None);
    assert_eq!(one.operation(second).unwrap().once, Some(key));
    let reasons = one.refunds().map(|part| part.reason.as_deref());
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("late"); 2]);
    let send_by = |n: u32| one.operation(n).unwrap().send_by;
    let answered_by = send_by(first).after(begin(12).answer_within);
    assert_eq!(send_by(second), answered_by, "it waits for the first");
    assert_eq!(one.part_to_send(first), Some(second));
    assert_eq!(one.part_to_send(second), None);
    apply_news(&mut one, first, done(), 13);
    apply_news(&mut one, second, refused(), 14);
    assert_eq!(one.part_to_send(first), None);
    assert_eq!(
        (one.status(), one.refunded()),
        (Status::PartialRefunded, 300)
    );
    for n in [first, second] {
        let fault = one.verdict(n).unwrap_err();
        assert_eq!(fault.code, Code::RefundProcessor);
        assert!(
            fault.message.contains("Of €5.00, €3.00"),
            "{}",
            fault.message
        );
    }
}

#[test]
fn an_unanswered_part_shows_the_refund_as_pending() {
    let mut one = captured_in(&[300]);
    let n = last(&mut one, None, 10);
    apply_news(&mut one, n, done(), 11);
    let first = refund(&mut one, 500, 12);
    let second = one.last_part(first);
    apply_news(&mut one, first, done(), 13);
    let mut shown = one.clone();
    shown.mark_unanswered(Some(first), at(14));
    assert_eq!(shown.status(), Status::RefundPending);
    apply_news(&mut one, second, News::no_answer(), 14);
    assert_eq!(one.status(), Status::RefundPending);
    assert!(one.verdict(first).is_ok());
    apply_news(&mut one, second, done(), 20);
    assert_eq!(
        (one.status(), one.refunded()),
        (Status::PartialRefunded, 500)
    );
    assert!(matches!(
        one.operation(second).unwrap().state,
        OperationState::Done { .. }
    ));
}
