//! The ordinary life of a payment, and its times.

use std::time::Duration;

use domain::{
    Code,
    id::RefundId,
    payment::{
        AbandonCause, CancelCause, CaptureRule, Duty, News, OperationState, Policy, Resolution,
        Source, Status,
    },
};
use uuid::Uuid;

use crate::bench::{
    apply_news, approved, at, begin, connection, declined, done, held, in_status, not_found,
    payment, policy, refund, refused,
};

#[test]
fn not_found_proves_nothing_before_its_time() {
    let mut one = in_status(Status::NoAnswerFromPsp).unwrap();
    apply_news(&mut one, 1, not_found(10), 10);
    assert_eq!(
        one.status(),
        Status::NoAnswerFromPsp,
        "nine seconds after the call ended"
    );
    apply_news(&mut one, 1, not_found(11), 11);
    assert_eq!(
        one.status(),
        Status::Failed,
        "ten seconds after the call ended"
    );

    let mut sent = in_status(Status::Active).unwrap();
    apply_news(&mut sent, 1, not_found(16), 16);
    assert_eq!(
        sent.status(),
        Status::NoAnswerFromPsp,
        "it could be sent for 5 s and answered for 2 s"
    );
    let mut old = in_status(Status::Active).unwrap();
    apply_news(&mut old, 1, not_found(17), 17);
    assert_eq!(old.status(), Status::Failed);

    let mut late = in_status(Status::NoAnswerFromPsp).unwrap();
    late.settle(1, not_found(10), Source::LookUp.at(at(500)), &policy());
    assert_eq!(
        late.status(),
        Status::NoAnswerFromPsp,
        "asked too early, however late the answer arrives"
    );

    let mut never = in_status(Status::NoAnswerFromPsp).unwrap();
    let blind = Policy {
        not_found_final_after: None,
        ..policy()
    };
    never.settle(
        1,
        not_found(1_000_000),
        Source::LookUp.at(at(1_000_000)),
        &blind,
    );
    assert_eq!(
        never.status(),
        Status::NoAnswerFromPsp,
        "without any proof it stays unknown"
    );
}

#[test]
fn a_charge_that_comes_to_light_after_the_end_is_given_back() {
    for (status, captured) in [(Status::Declined, true), (Status::Failed, false)] {
        let mut one = in_status(status).unwrap();
        apply_news(&mut one, 1, approved(captured), 50);
        assert_eq!(one.status(), status, "the payment stays as it ended");
        assert_eq!(
            one.duty(at(50)),
            Some(Duty::Reverse {
                target: 1,
                captured
            })
        );
        let (n, _) = one.begin_reverse(1, captured, begin(50)).unwrap();
        assert_eq!(one.duty(at(50)), None, "one reversal at a time");
        apply_news(&mut one, n, refused(), 51);
        assert!(
            one.due_at().is_some(),
            "a reversal that is refused is tried again"
        );
        let again = one.due_at().unwrap();
        assert_eq!(
            one.duty(again),
            Some(Duty::Reverse {
                target: 1,
                captured
            })
        );
        let (n, _) = one.begin_reverse(1, captured, begin(60)).unwrap();
        apply_news(&mut one, n, done(), 61);
        assert_eq!(one.due_at(), None);
        apply_news(&mut one, 1, approved(captured), 70);
        assert_eq!(one.due_at(), None, "the same news again changes nothing");
    }
}

#[test]
fn capture_and_cancel_exclude_each_other_until_the_outcome_is_known() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (capture, _) = one.begin_capture(Some(400), begin(2)).unwrap();
    for open in [News::no_answer(), News::LookUpFailed] {
        let cancel = one
            .clone()
            .begin_cancel(CancelCause::Merchant, None, begin(3))
            .unwrap_err();
        assert_eq!(cancel.code, Code::OperationInProgress);
        let second = one.clone().begin_capture(None, begin(3)).unwrap_err();
        assert_eq!(second.code, Code::OperationInProgress);
        apply_news(&mut one, capture, open, 4);
        assert_eq!(
            one.status(),
            Status::Authorised,
            "an unknown capture leaves the status"
        );
    }
    let mut took_place = one.clone();
    apply_news(&mut took_place, capture, done(), 9);
    assert_eq!(
        (took_place.status(), took_place.captured()),
        (Status::Succeeded, 400)
    );
    assert!(took_place.verdict(capture).is_ok());
    apply_news(&mut one, capture, refused(), 9);
    assert_eq!((one.status(), one.captured()), (Status::Authorised, 0));
    assert_eq!(
        one.verdict(capture).unwrap_err().code,
        Code::CaptureProcessor
    );
    assert!(
        one.begin_cancel(CancelCause::Merchant, None, begin(10))
            .is_ok()
    );
}

#[test]
fn capture_above_the_authorised_amount_is_refused() {
    let mut one = in_status(Status::Authorised).unwrap();
    let fault = one.begin_capture(Some(1001), begin(2)).unwrap_err();
    assert_eq!(
        (fault.code, fault.max_amount),
        (Code::CaptureAmount, Some(1000))
    );
    assert!(one.begin_capture(Some(1000), begin(2)).is_ok());
}

#[test]
fn a_refund_while_a_capture_is_open_is_asked_to_wait_and_does_not_learn_that_nothing_is_captured() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (capture, _) = one.begin_capture(None, begin(2)).unwrap();
    let ask = |payment: &mut domain::payment::Payment| {
        let id = RefundId::new(Uuid::from_u128(7));
        let asked = payment.begin_refund(id, Some(100), None, begin(5));
        asked.map(|_| ()).map_err(|fault| fault.code)
    };
    assert_eq!(ask(&mut one), Err(Code::OperationInProgress));
    apply_news(&mut one, capture, News::no_answer(), 3);
    assert_eq!(ask(&mut one), Err(Code::OperationInProgress));
    apply_news(&mut one, capture, done(), 4);
    assert_eq!(ask(&mut one), Ok(()));
}

#[test]
fn refunds_reserve_their_amount_until_they_fail() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let first = refund(&mut one, 600, 2);
    let fault = one
        .begin_refund(RefundId::new(Uuid::nil()), Some(401), None, begin(2))
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.max_amount),
        (Code::RefundAmount, Some(400))
    );
    apply_news(&mut one, first, News::no_answer(), 3);
    assert_eq!(
        (one.status(), one.refundable(), one.refunded()),
        (Status::RefundPending, 400, 0)
    );
    let second = refund(&mut one, 400, 4);
    apply_news(&mut one, second, done(), 5);
    assert_eq!(
        (one.status(), one.refundable(), one.refunded()),
        (Status::RefundPending, 0, 400)
    );
    let fault = one
        .begin_refund(RefundId::new(Uuid::nil()), None, None, begin(6))
        .unwrap_err();
    assert_eq!(
        (fault.code, fault.max_amount),
        (Code::RefundAmount, Some(0))
    );
    apply_news(&mut one, first, not_found(30), 30);
    assert_eq!(
        (one.status(), one.refundable()),
        (Status::RefundFailed, 600)
    );
    let third = one
        .begin_refund(RefundId::new(Uuid::nil()), None, None, begin(31))
        .unwrap()
        .0;
    assert_eq!(
        one.operation(third).unwrap().amount,
        600,
        "an omitted amount is what remains"
    );
    apply_news(&mut one, third, done(), 32);
    assert_eq!((one.status(), one.refunded()), (Status::Refunded, 1000));
}

#[test]
fn a_refund_that_is_refused_at_once_changes_nothing() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 600, 2);
    apply_news(&mut one, n, refused(), 3);
    assert_eq!((one.status(), one.refundable()), (Status::Succeeded, 1000));
    assert_eq!(one.verdict(n).unwrap_err().code, Code::RefundProcessor);
}

#[test]
fn a_life_time_that_ends_asks_the_processor_and_takes_its_answer() {
    let mut one = in_status(Status::Authorised).unwrap();
    let week = 7 * 24 * 3600;
    assert_eq!(one.due_at(), Some(at(1 + week)));
    assert_eq!(one.duty(at(week)), None);
    assert_eq!(one.duty(at(1 + week)), Some(Duty::Expire));
    let (n, _) = one
        .begin_cancel(CancelCause::Lifetime, None, begin(1 + week))
        .unwrap();
    let mut kept = one.clone();
    apply_news(&mut one, n, done(), 2 + week);
    assert_eq!((one.status(), one.due_at()), (Status::Cancelled, None));
    apply_news(&mut kept, n, refused(), 2 + week);
    assert_eq!(
        kept.status(),
        Status::Authorised,
        "the processor keeps it alive"
    );
    assert!(
        kept.due_at().unwrap() > at(2 + week),
        "and is asked again later"
    );
}

#[test]
fn a_payment_to_be_captured_at_once_is_captured_until_it_succeeds() {
    let mut one = payment(CaptureRule::Immediate);
    let (n, _) = one.begin_authorise(connection(), false, begin(0));
    apply_news(&mut one, n, approved(false), 1);
    assert_eq!(one.duty(at(1)), Some(Duty::Capture));
    let (capture, _) = one.begin_capture(None, begin(1)).unwrap();
    assert_eq!(one.duty(at(2)), None);
    apply_news(&mut one, capture, refused(), 2);
    assert_eq!(one.status(), Status::Authorised);
    let again = one.due_at().unwrap();
    assert_eq!(
        (again, one.duty(again)),
        (at(6), Some(Duty::Capture)),
        "five seconds after it began"
    );
    let (capture, _) = one.begin_capture(None, begin(6)).unwrap();
    apply_news(&mut one, capture, done(), 7);
    assert_eq!((one.status(), one.due_at()), (Status::Succeeded, None));
}

#[test]
fn unknown_outcomes_are_looked_up_on_the_schedule_then_daily() {
    let mut one = in_status(Status::NoAnswerFromPsp).unwrap();
    let mut times = Vec::new();
    for _ in 0..5 {
        let due = one.due_at().unwrap();
        times.push(due.since(at(1)).as_secs());
        assert_eq!(one.duty(due), Some(Duty::LookUp(1)));
        one.settle(1, News::LookUpFailed, Source::LookUp.at(due), &policy());
    }
    assert_eq!(times, [5, 30, 120, 120 + 86_400, 120 + 2 * 86_400]);
    assert_eq!(one.operation(1).unwrap().looks, 5);
}

#[test]
fn an_operation_under_way_is_not_looked_up_while_it_can_still_be_sent() {
    let one = in_status(Status::Active).unwrap();
    assert_eq!(
        one.due_at(),
        Some(at(8)),
        "5 s to be sent, 2 s for the answer, 1 s for clocks"
    );
    assert_eq!(one.duty(at(7)), None);
    assert_eq!(one.can_look_up(at(7), Duration::from_secs(2)), None);
    assert_eq!(one.can_look_up(at(8), Duration::from_secs(2)), Some(1));
}

#[test]
fn a_person_settles_an_unknown_payment_with_evidence() {
    let table = [
        (Resolution::Authorised, Status::Authorised, 0),
        (Resolution::Captured, Status::Succeeded, 1000),
        (Resolution::NotCharged, Status::Failed, 0),
    ];
    for (resolution, status, captured) in table {
        let mut one = in_status(Status::NoAnswerFromPsp).unwrap();
        let lines = one
            .resolve(resolution, "bank statement 7", at(99), &policy())
            .unwrap();
        assert_eq!((one.status(), one.captured()), (status, captured));
        assert!(
            lines[0]
                .entry
                .message
                .as_deref()
                .unwrap()
                .contains("bank statement 7")
        );
        assert!(!matches!(
            one.operation(1).unwrap().state,
            OperationState::Unknown { .. }
        ));
    }
}

#[test]
fn a_person_settles_an_unknown_refund_with_evidence() {
    let table = [
        (Resolution::Refunded, Status::PartialRefunded, 400),
        (Resolution::NotRefunded, Status::RefundFailed, 0),
        (Resolution::NotCharged, Status::RefundPending, 0),
    ];
    for (resolution, status, refunded) in table {
        let mut one = in_status(Status::Succeeded).unwrap();
        let n = refund(&mut one, 400, 20);
        // A processor that can't be asked.
        apply_news(&mut one, n, News::no_answer(), 21);
        assert_eq!(one.status(), Status::RefundPending);
        let settled = one.resolve(resolution, "bank statement 7", at(99), &policy());
        assert_eq!(settled.is_ok(), resolution != Resolution::NotCharged);
        assert_eq!((one.status(), one.refunded()), (status, refunded));
        assert!(
            one.resolve(Resolution::Captured, "x", at(100), &policy())
                .is_err()
        );
    }
}

#[test]
fn a_person_settles_an_unknown_capture_or_cancellation_with_evidence() {
    let table = [
        (true, Resolution::Captured, Some(Status::Succeeded), 1000),
        (true, Resolution::Authorised, Some(Status::Authorised), 0),
        (true, Resolution::NotCharged, None, 0),
        (false, Resolution::NotCharged, Some(Status::Cancelled), 0),
        (false, Resolution::Authorised, Some(Status::Authorised), 0),
        (false, Resolution::Captured, None, 0),
    ];
    for (capture, resolution, status, captured) in table {
        let mut one = in_status(Status::Authorised).unwrap();
        let begun = if capture {
            one.begin_capture(None, begin(20))
        } else {
            one.begin_cancel(CancelCause::Merchant, None, begin(20))
        };
        let (n, _) = begun.unwrap();
        apply_news(&mut one, n, News::no_answer(), 21);
        let settled = one.resolve(resolution, "bank statement 7", at(99), &policy());
        assert_eq!(settled.is_ok(), status.is_some(), "{resolution:?}");
        assert_eq!(
            (one.status(), one.captured()),
            (status.unwrap_or(Status::Authorised), captured)
        );
        assert_eq!(one.operation(n).unwrap().state.is_open(), status.is_none());
    }
}

#[test]
fn a_person_settles_an_unknown_giving_up_with_evidence() {
    let table = [
        (Status::Needs3dSecure, Status::Declined),
        (Status::NeedsApmAuthorization, Status::Cancelled),
        (Status::GatewayHold, Status::Declined),
    ];
    for (status, end) in table {
        let mut one = in_status(status).unwrap();
        let (n, _) = one
            .begin_abandon(AbandonCause::Merchant, begin(20))
            .unwrap();
        apply_news(&mut one, n, News::no_answer(), 21);
        assert!(
            one.resolve(Resolution::Authorised, "x", at(98), &policy())
                .is_err()
        );
        one.resolve(
            Resolution::NotCharged,
            "bank statement 7",
            at(99),
            &policy(),
        )
        .unwrap();
        assert_eq!(one.status(), end, "{status}");
    }
}

#[test]
fn news_in_any_order_and_any_number_never_takes_money_twice() {
    let news = [
        approved(true),
        declined(),
        News::no_answer(),
        held(),
        not_found(20),
        approved(true),
    ];
    for first in 0..news.len() {
        for second in 0..news.len() {
            for third in 0..news.len() {
                let mut one = payment(CaptureRule::Immediate);
                let (n, _) = one.begin_authorise(connection(), true, begin(0));
                for (step, index) in [first, second, third].into_iter().enumerate() {
                    apply_news(
                        &mut one,
                        n,
                        news[index].clone(),
                        20 + u64::try_from(step).unwrap(),
                    );
                }
                let charged = [first, second, third]
                    .iter()
                    .any(|index| matches!(index, 0 | 5));
                let owed = one.reversals_owed().next().is_some();
                let kept = one.captured() > 0;
                assert!(!(kept && owed), "kept and given back");
                assert_eq!(
                    charged,
                    kept || owed,
                    "{first} {second} {third}: a charge is kept or given back"
                );
            }
        }
    }
}

#[test]
fn what_the_processor_refuses_again_and_again_is_tried_ever_more_rarely() {
    let mut one = in_status(Status::Authorised).unwrap();
    let mut at_seconds = 7 * 24 * 3600 + 1;
    let mut pauses = Vec::new();
    for _ in 0..6 {
        assert_eq!(one.duty(at(at_seconds)), Some(Duty::Expire));
        let (n, _) = one
            .begin_cancel(CancelCause::Lifetime, None, begin(at_seconds))
            .unwrap();
        apply_news(&mut one, n, refused(), at_seconds);
        let next = one.due_at().unwrap().since(at(0)).as_secs();
        pauses.push(next - at_seconds);
        at_seconds = next;
    }
    assert_eq!(pauses, [5, 25, 90, 86_400, 86_400, 86_400]);
}
