//! Money that goes backwards, and what a call without an answer leaves for its look-up.

use std::time::Duration;

use domain::{
    answer::{Known, LaterAnswer},
    payment::{CancelCause, News, OperationState, Payment, Source, Status},
};

use crate::bench::{apply_news, at, begin, done, in_status, policy, refund};

fn reversed() -> News {
    News::Later(LaterAnswer::Reversed {
        reason: "the bank returned it".into(),
        booked: None,
    })
}

/// Tells that an operation was undone. Whether the timeline says anything of it.
fn says_something(payment: &mut Payment, n: u32, seconds: u64) -> bool {
    let from = Source::LookUp.at(at(seconds));
    !payment.settle(n, reversed(), from, &policy()).is_empty()
}

fn is_failed(payment: &Payment, n: u32) -> bool {
    matches!(
        payment.operation(n).unwrap().state,
        OperationState::Failed { .. }
    )
}

#[test]
fn a_settled_refund_that_is_returned_no_longer_counts_and_can_be_made_again() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let first = refund(&mut one, 300, 2);
    apply_news(&mut one, first, done(), 3);
    let second = refund(&mut one, 100, 4);
    apply_news(&mut one, second, done(), 5);
    assert_eq!((one.refunded(), one.refundable()), (400, 600));
    assert!(says_something(&mut one, first, 6));
    assert_eq!(
        (one.status(), one.refunded(), one.refundable()),
        (Status::PartialRefunded, 100, 900)
    );
    assert!(is_failed(&one, first));
    assert!(!says_something(&mut one, first, 7), "once");
    apply_news(&mut one, second, reversed(), 8);
    assert_eq!((one.status(), one.refunded()), (Status::Succeeded, 0));
    let again = refund(&mut one, 1000, 9);
    apply_news(&mut one, again, done(), 10);
    assert_eq!(one.status(), Status::Refunded);
}

#[test]
fn a_capture_that_fails_later_leaves_the_authorisation_while_it_lives() {
    let captured = || {
        let mut one = in_status(Status::Authorised).unwrap();
        let (capture, _) = one.begin_capture(None, begin(2)).unwrap();
        apply_news(&mut one, capture, done(), 3);
        assert_eq!((one.status(), one.captured()), (Status::Succeeded, 1000));
        (one, capture)
    };
    let (mut one, capture) = captured();
    apply_news(&mut one, capture, reversed(), 4);
    assert_eq!((one.status(), one.captured()), (Status::Authorised, 0));
    assert!(is_failed(&one, capture));
    let (again, _) = one.begin_capture(None, begin(5)).unwrap();
    apply_news(&mut one, again, done(), 6);
    assert_eq!((one.status(), one.captured()), (Status::Succeeded, 1000));
    let (mut late, capture) = captured();
    let over = policy().lifetime.as_secs() + 10;
    apply_news(&mut late, capture, reversed(), over);
    assert_eq!((late.status(), late.captured()), (Status::Failed, 0));
    let (mut refunded, capture) = captured();
    let given_back = refund(&mut refunded, 100, 4);
    apply_news(&mut refunded, given_back, done(), 5);
    apply_news(&mut refunded, capture, reversed(), 6);
    assert_eq!(
        refunded.status(),
        Status::Failed,
        "a person must look at it"
    );
}

#[test]
fn a_late_capture_that_is_undone_revives_nothing_and_is_not_given_back() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (capture, _) = one.begin_capture(None, begin(2)).unwrap();
    apply_news(
        &mut one,
        capture,
        News::Nothing("it was not reached".to_owned()),
        3,
    );
    let (cancel, _) = one
        .begin_cancel(CancelCause::Merchant, None, begin(4))
        .unwrap();
    apply_news(&mut one, cancel, done(), 5);
    apply_news(&mut one, capture, done(), 6);
    assert_eq!(one.status(), Status::Cancelled);
    assert_eq!(one.reversals_owed().collect::<Vec<_>>(), [capture]);
    assert!(says_something(&mut one, capture, 7));
    assert!(is_failed(&one, capture));
    assert_eq!((one.status(), one.captured()), (Status::Cancelled, 0));
    assert_eq!(one.reversals_owed().count(), 0, "nothing came");
    assert!(one.begin_reverse(capture, true, begin(8)).is_none());
}

#[test]
fn a_cancellation_that_is_reported_as_undone_is_said_and_changes_nothing() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (cancel, _) = one
        .begin_cancel(CancelCause::Merchant, None, begin(2))
        .unwrap();
    apply_news(&mut one, cancel, done(), 3);
    assert!(says_something(&mut one, cancel, 4));
    assert_eq!(one.status(), Status::Cancelled);
    assert!(!is_failed(&one, cancel));
}

#[test]
fn what_is_reported_as_undone_before_it_was_reported_as_done_did_not_take_effect() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 300, 2);
    apply_news(&mut one, n, News::no_answer(), 3);
    apply_news(&mut one, n, reversed(), 9);
    assert!(is_failed(&one, n));
    assert_eq!((one.refunded(), one.refundable()), (0, 1000));
}

#[test]
fn a_call_without_an_answer_leaves_what_is_known_for_its_look_up() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 300, 2);
    let known = Known {
        processor_id: Some("re_1".to_owned()),
        phase: Some("confirm".to_owned()),
        again_after: Some(Duration::from_mins(2)),
    };
    apply_news(&mut one, n, News::NoAnswer(known), 3);
    let operation = one.operation(n).unwrap();
    assert_eq!(operation.processor_id.as_deref(), Some("re_1"));
    assert_eq!(operation.phase.as_deref(), Some("confirm"));
    assert_eq!(operation.next_at, Some(at(123)), "as the processor asks");
    let long = Known {
        again_after: Some(Duration::from_hours(24)),
        ..Known::default()
    };
    let n = refund(&mut one, 300, 4);
    apply_news(&mut one, n, News::NoAnswer(long), 5);
    let next = one.operation(n).unwrap().next_at;
    assert_eq!(next, Some(at(5 + 15 * 60)), "a quarter of an hour at most");
}

#[test]
fn what_was_proven_undone_does_not_count_again_by_older_news() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 1000, 2);
    apply_news(&mut one, n, done(), 3);
    apply_news(&mut one, n, reversed(), 4);
    let again = refund(&mut one, 1000, 5);
    apply_news(&mut one, again, done(), 6);
    apply_news(&mut one, n, done(), 7);
    assert!(one.refunded() <= one.captured(), "{}", one.refunded());

    let mut early = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut early, 1000, 2);
    apply_news(&mut early, n, reversed(), 3);
    apply_news(&mut early, n, done(), 4);
    assert_eq!((early.refunded(), early.refundable()), (0, 1000));
    assert!(is_failed(&early, n));

    let mut failed = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut failed, 1000, 2);
    let nothing = News::Nothing("it was not reached".to_owned());
    apply_news(&mut failed, n, nothing, 3);
    assert!(says_something(&mut failed, n, 4), "it had taken effect");
    assert!(!says_something(&mut failed, n, 5), "once");
    apply_news(&mut failed, n, done(), 6);
    assert_eq!(failed.refunded(), 0);

    let mut captured = in_status(Status::Authorised).unwrap();
    let (n, _) = captured.begin_capture(None, begin(2)).unwrap();
    apply_news(&mut captured, n, done(), 3);
    apply_news(&mut captured, n, reversed(), 4);
    apply_news(&mut captured, n, done(), 5);
    assert_eq!(
        (captured.status(), captured.captured()),
        (Status::Authorised, 0)
    );
}

#[test]
fn a_capture_that_is_undone_leaves_another_that_stands() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (first, _) = one.begin_capture(None, begin(2)).unwrap();
    let nothing = News::Nothing("it was not reached".to_owned());
    apply_news(&mut one, first, nothing, 3);
    let (second, _) = one.begin_capture(None, begin(4)).unwrap();
    apply_news(&mut one, second, done(), 5);
    apply_news(&mut one, first, done(), 6);
    apply_news(&mut one, first, reversed(), 7);
    assert_eq!((one.status(), one.captured()), (Status::Succeeded, 1000));
    apply_news(&mut one, second, reversed(), 8);
    assert_eq!((one.status(), one.captured()), (Status::Authorised, 0));
}
