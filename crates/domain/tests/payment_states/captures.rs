//! Several captures of one authorisation, and the release of the rest.

use std::time::Duration;

use domain::{
    Code,
    answer::{Answer, Approval, LaterAnswer},
    id::RefundId,
    payment::{
        CancelCause, CaptureRule, Cause, Duty, News, Payment, PaymentEvent, Policy, Source, Status,
    },
};
use uuid::Uuid;

use crate::bench::{
    Word, apply_news, at, begin, connection, done, in_status, payment, pending, policy, refund,
    refused,
};

/// An AUTHORISED payment of 1000 with these parts captured.
pub(crate) fn captured_in(parts: &[i64]) -> Payment {
    let mut one = in_status(Status::Authorised).unwrap();
    for (second, amount) in (2..).step_by(2).zip(parts) {
        let n = part(&mut one, *amount, second);
        apply_news(&mut one, n, done(), second + 1);
    }
    one
}

fn part(one: &mut Payment, amount: i64, seconds: u64) -> u32 {
    let begun = one.begin_part_capture(Some(amount), true, begin(seconds));
    begun.unwrap().0
}

pub(crate) fn last(one: &mut Payment, amount: Option<i64>, seconds: u64) -> u32 {
    one.begin_capture(amount, begin(seconds)).unwrap().0
}

fn cancel(one: &mut Payment, seconds: u64) -> u32 {
    one.begin_cancel(CancelCause::Merchant, None, begin(seconds))
        .unwrap()
        .0
}

fn stands(one: &Payment) -> (Status, i64, i64) {
    (one.status(), one.captured(), one.capturable())
}

fn undone() -> News {
    News::Later(LaterAnswer::Reversed {
        reason: "the bank returned it".into(),
        booked: None,
    })
}

fn nothing() -> News {
    News::Nothing("it was not reached".to_owned())
}

#[test]
fn parts_add_up_and_the_payment_stays_authorised_until_the_final_one() {
    let mut one = captured_in(&[300]);
    assert_eq!(stands(&one), (Status::Authorised, 300, 700));
    assert!(one.expires_at().is_some(), "its life time goes on");
    let second = part(&mut one, 200, 10);
    assert_eq!(
        stands(&one),
        (Status::Authorised, 300, 700),
        "not known yet"
    );
    apply_news(&mut one, second, done(), 11);
    assert_eq!(stands(&one), (Status::Authorised, 500, 500));
    let n = last(&mut one, Some(100), 12);
    apply_news(&mut one, n, done(), 13);
    assert_eq!(stands(&one), (Status::Succeeded, 600, 0));
    assert_eq!((one.refundable(), one.due_at()), (600, None));
}

#[test]
fn a_capture_without_an_amount_takes_what_is_left() {
    let mut one = captured_in(&[300]);
    let n = last(&mut one, None, 10);
    assert_eq!(one.operation(n).unwrap().amount, 700);
    apply_news(&mut one, n, done(), 11);
    assert_eq!(stands(&one), (Status::Succeeded, 1000, 0));
}

#[test]
fn a_part_that_leaves_nothing_is_the_last_one() {
    let one = captured_in(&[300, 700]);
    assert_eq!(stands(&one), (Status::Succeeded, 1000, 0));
    assert_eq!(one.expires_at(), None);
}

#[test]
fn more_than_is_left_is_refused_with_what_is_left() {
    let mut one = captured_in(&[300]);
    for is_final in [true, false] {
        let asked = if is_final {
            one.begin_capture(Some(701), begin(10))
        } else {
            one.begin_part_capture(Some(701), true, begin(10))
        };
        let fault = asked.unwrap_err();
        assert_eq!(
            (fault.code, fault.max_amount),
            (Code::CaptureAmount, Some(700))
        );
        assert!(fault.message.contains("left"), "{}", fault.message);
    }
    assert!(one.begin_part_capture(Some(700), true, begin(10)).is_ok());
}

#[test]
fn an_authorisation_says_itself_whether_it_takes_several_captures() {
    for (own, by_default, takes) in [
        (None, true, true),
        (None, false, false),
        (Some(true), false, true),
        (Some(false), true, false),
    ] {
        let mut one = payment(CaptureRule::Api);
        let (n, _) = one.begin_authorise(connection(), false, begin(0));
        let approval = Approval {
            several_captures: own,
            ..Approval::default()
        };
        let captured = false;
        let answer = News::Answer(Answer::Approved { captured, approval });
        apply_news(&mut one, n, answer, 1);
        let before = one.clone();
        let asked = one.begin_part_capture(Some(1), by_default, begin(2));
        assert_eq!(asked.is_ok(), takes, "{own:?} {by_default}");
        if let Err(fault) = asked {
            assert_eq!(fault.code, Code::Validation);
            assert_eq!(fault.field.as_deref(), Some("final"));
            assert_eq!(before, one, "nothing is begun");
            assert!(one.begin_capture(Some(1), begin(2)).is_ok());
        }
    }
}

#[test]
fn a_status_that_allows_no_capture_is_refused_before_several_captures_are() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let fault = one
        .begin_part_capture(Some(1), false, begin(2))
        .unwrap_err();
    assert_eq!(fault.code, Code::CaptureStatus);
}

#[test]
fn one_capture_or_cancellation_is_under_way_at_a_time() {
    for news in [None, Some(News::no_answer()), Some(pending())] {
        let mut one = captured_in(&[300]);
        let n = part(&mut one, 200, 10);
        if let Some(news) = news {
            apply_news(&mut one, n, news, 11);
        }
        let others = [
            one.clone().begin_capture(None, begin(12)).unwrap_err(),
            one.clone()
                .begin_part_capture(Some(1), true, begin(12))
                .unwrap_err(),
            one.clone()
                .begin_cancel(CancelCause::Merchant, None, begin(12))
                .unwrap_err(),
            one.clone()
                .begin_refund(RefundId::new(Uuid::nil()), None, None, begin(12))
                .unwrap_err(),
        ];
        for fault in others {
            assert_eq!(fault.code, Code::OperationInProgress);
        }
        apply_news(&mut one, n, done(), 13);
        assert_eq!(stands(&one), (Status::Authorised, 500, 500));
    }
}

#[test]
fn a_part_that_did_not_take_effect_leaves_what_was_there() {
    for word in [Word::Refused, Word::Nothing] {
        let mut one = captured_in(&[300]);
        let n = part(&mut one, 200, 10);
        apply_news(&mut one, n, word.news(at(11)), 11);
        assert_eq!(stands(&one), (Status::Authorised, 300, 700), "{word:?}");
        assert_eq!(one.verdict(n).unwrap_err().code, Code::CaptureProcessor);
        assert!(one.begin_part_capture(Some(700), true, begin(12)).is_ok());
    }
}

#[test]
fn nothing_is_refunded_while_more_can_be_captured() {
    let mut one = captured_in(&[300]);
    let fault = one
        .begin_refund(RefundId::new(Uuid::nil()), Some(1), None, begin(10))
        .unwrap_err();
    assert_eq!(fault.code, Code::RefundStatus);
    assert_eq!(fault.status.as_deref(), Some("AUTHORISED"));
}

#[test]
fn a_cancellation_releases_the_rest_and_the_captured_stays() {
    for cause in [
        CancelCause::Merchant,
        CancelCause::Lifetime,
        CancelCause::Processor,
    ] {
        let mut one = captured_in(&[300]);
        let (n, _) = one.begin_cancel(cause, None, begin(10)).unwrap();
        assert_eq!(one.operation(n).unwrap().amount, 700);
        let lines = one.settle(n, done(), Source::Call.at(at(11)), &policy());
        assert_eq!(stands(&one), (Status::Succeeded, 300, 0));
        assert_eq!((one.refundable(), one.due_at()), (300, None));
        let events: Vec<&PaymentEvent> = lines.iter().flat_map(|line| &line.events).collect();
        let [PaymentEvent::Released(released)] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(released.operation.amount.minor(), 700);
        let wanted = match cause {
            CancelCause::Merchant => Cause::Merchant,
            CancelCause::Lifetime => Cause::Lifetime,
            CancelCause::Processor => Cause::Processor,
        };
        assert_eq!(released.cause, wanted);
    }
    let mut refused_one = captured_in(&[300]);
    let n = cancel(&mut refused_one, 10);
    apply_news(&mut refused_one, n, refused(), 11);
    assert_eq!(stands(&refused_one), (Status::Authorised, 300, 700));
}

#[test]
fn an_authorisation_lives_as_long_as_its_processor_says() {
    const DAY: u64 = 24 * 60 * 60;
    // Unit: days. The usual time is seven.
    for (said, most, lives) in [
        (None, 90, 7),
        (Some(5), 90, 5),
        (Some(30), 90, 30),
        (Some(4_000), 90, 90),
        (Some(0), 90, 0),
        // As an operator has it who says how long all of them live.
        (Some(30), 7, 7),
        (Some(5), 7, 5),
    ] {
        let policy = Policy {
            lifetime_max: Duration::from_hours(24 * most),
            ..policy()
        };
        let mut one = payment(CaptureRule::Api);
        let (n, _) = one.begin_authorise(connection(), false, begin(0));
        let approval = Approval {
            valid_until: said.map(|days| at(1 + days * DAY)),
            ..Approval::default()
        };
        let answer = Answer::Approved {
            captured: false,
            approval,
        };
        let source = Source::Call.at(at(1));
        one.settle(n, News::Answer(answer), source, &policy);
        assert_eq!(one.expires_at(), Some(at(1 + lives * DAY)), "{said:?}");
    }
}

#[test]
fn the_end_of_the_life_time_releases_the_rest() {
    let mut one = captured_in(&[300]);
    let over = 1 + policy().lifetime.as_secs();
    assert_eq!(one.duty(at(over - 1)), None);
    assert_eq!(one.duty(at(over)), Some(Duty::Expire));
    let (n, _) = one
        .begin_cancel(CancelCause::Lifetime, None, begin(over))
        .unwrap();
    apply_news(&mut one, n, News::no_answer(), over + 1);
    assert_eq!(one.status(), Status::Authorised, "a timer never decides");
    apply_news(&mut one, n, done(), over + 2);
    assert_eq!(stands(&one), (Status::Succeeded, 300, 0));
}

#[test]
fn an_automatic_capture_takes_what_is_left_and_is_final() {
    let mut one = payment(CaptureRule::After { seconds: 60 });
    let (n, _) = one.begin_authorise(connection(), false, begin(0));
    apply_news(&mut one, n, crate::bench::approved(false), 1);
    let n = part(&mut one, 300, 2);
    apply_news(&mut one, n, done(), 3);
    assert_eq!(one.duty(at(61)), Some(Duty::Capture));
    let n = last(&mut one, None, 61);
    assert_eq!(one.operation(n).unwrap().amount, 700);
    apply_news(&mut one, n, done(), 62);
    assert_eq!(stands(&one), (Status::Succeeded, 1000, 0));
}

/// A final capture that was refused comes to light while a part is under way: when that ends too, it counts.
#[test]
fn a_part_that_was_under_way_when_the_payment_ended_counts() {
    let mut one = captured_in(&[735]);
    let end = last(&mut one, Some(112), 10);
    apply_news(&mut one, end, refused(), 11);
    let under_way = part(&mut one, 51, 12);
    apply_news(&mut one, end, done(), 13);
    assert_eq!(stands(&one), (Status::Succeeded, 847, 0));
    let lines = one.settle(under_way, done(), Source::Call.at(at(14)), &policy());
    assert_eq!(stands(&one), (Status::Succeeded, 898, 0));
    let events = lines.iter().flat_map(|line| &line.events);
    let captured = |event: &&PaymentEvent| matches!(event, PaymentEvent::Captured(_));
    assert_eq!(events.filter(captured).count(), 1);
}

#[test]
fn a_part_that_comes_to_light_after_all_counts_as_long_as_it_fits() {
    // While more can be captured.
    let mut open = in_status(Status::Authorised).unwrap();
    let n = part(&mut open, 300, 2);
    apply_news(&mut open, n, nothing(), 3);
    apply_news(&mut open, n, done(), 4);
    assert_eq!(stands(&open), (Status::Authorised, 300, 700));
    // After the final capture, or the release.
    for released in [false, true] {
        let mut one = captured_in(&[200]);
        let late = part(&mut one, 300, 10);
        apply_news(&mut one, late, nothing(), 11);
        let end = if released {
            cancel(&mut one, 12)
        } else {
            last(&mut one, Some(400), 12)
        };
        apply_news(&mut one, end, done(), 13);
        let before = one.captured();
        let all = refund(&mut one, before, 14);
        for n in one
            .parts_of_refund(all)
            .map(|part| part.n)
            .collect::<Vec<_>>()
        {
            apply_news(&mut one, n, done(), 15);
        }
        assert_eq!(one.status(), Status::Refunded);
        apply_news(&mut one, late, done(), 16);
        assert_eq!(one.captured(), before + 300, "released: {released}");
        assert_eq!(
            (one.status(), one.refundable()),
            (Status::PartialRefunded, 300)
        );
    }
    // More than was authorised.
    let mut one = captured_in(&[200]);
    let late = part(&mut one, 300, 10);
    apply_news(&mut one, late, nothing(), 11);
    let end = last(&mut one, None, 12);
    apply_news(&mut one, end, done(), 13);
    let lines = one.settle(late, done(), Source::LookUp.at(at(14)), &policy());
    assert_eq!(stands(&one), (Status::Succeeded, 1000, 0));
    let events = lines.iter().flat_map(|line| &line.events);
    let unexpected = |event: &&PaymentEvent| matches!(event, PaymentEvent::UnexpectedEffect(_));
    assert_eq!(
        events.filter(unexpected).count(),
        1,
        "people must look at it"
    );
}

#[test]
fn a_part_of_a_cancelled_payment_that_comes_to_light_is_given_back() {
    let mut one = in_status(Status::Authorised).unwrap();
    let late = part(&mut one, 300, 2);
    apply_news(&mut one, late, nothing(), 3);
    let n = cancel(&mut one, 4);
    apply_news(&mut one, n, done(), 5);
    apply_news(&mut one, late, done(), 6);
    assert_eq!(one.status(), Status::Cancelled);
    assert_eq!(one.reversals_owed().collect::<Vec<_>>(), [late]);
    let (n, _) = one.begin_reverse(late, true, begin(7)).unwrap();
    assert_eq!(one.operation(n).unwrap().amount, 300);
    assert_eq!(one.capture_behind(n).map(|capture| capture.n), Some(late));
}

/// How an authorisation with two parts ended (not, by a final capture, by the release), which captures failed later and when, and what is left.
type FailsLater = (
    &'static str,
    Option<bool>,
    &'static [u32],
    u64,
    (Status, i64, i64),
);

/// A time within the authorisation's life, and one after it. Unit: seconds.
const LATER: u64 = 60;
const OVER: u64 = 7 * 24 * 3600 + 10;

const FAIL_LATER: &[FailsLater] = &[
    ("a part", None, &[2], LATER, (Status::Authorised, 200, 800)),
    (
        "all parts",
        None,
        &[2, 3],
        LATER,
        (Status::Authorised, 0, 1000),
    ),
    (
        "the final one",
        Some(true),
        &[4],
        LATER,
        (Status::Authorised, 500, 500),
    ),
    (
        "the final one, late",
        Some(true),
        &[4],
        OVER,
        (Status::Succeeded, 500, 0),
    ),
    (
        "a part before the final one",
        Some(true),
        &[2],
        LATER,
        (Status::Succeeded, 300, 0),
    ),
    (
        "all, the last first",
        Some(true),
        &[4, 3, 2],
        LATER,
        (Status::Authorised, 0, 1000),
    ),
    (
        "all, late",
        Some(true),
        &[4, 3, 2],
        OVER,
        (Status::Failed, 0, 0),
    ),
    (
        "a part after the release",
        Some(false),
        &[3],
        LATER,
        (Status::Succeeded, 300, 0),
    ),
    (
        "all after the release",
        Some(false),
        &[2, 3],
        LATER,
        (Status::Failed, 0, 0),
    ),
];

/// What is captured and whether more can be after a capture has failed later, by which one it was.
#[test]
fn a_capture_that_fails_later_no_longer_counts() {
    assert!(policy().lifetime.as_secs() < OVER);
    // Two parts: operations 2 and 3. The end: none, a final capture of 100, or the release; then operation 4.
    let ended = |end: Option<bool>| {
        let mut one = captured_in(&[300, 200]);
        let n = match end {
            None => return one,
            Some(true) => last(&mut one, Some(100), 10),
            Some(false) => cancel(&mut one, 10),
        };
        apply_news(&mut one, n, done(), 11);
        one
    };
    for &(name, end, fails, when, wanted) in FAIL_LATER {
        let mut one = ended(end);
        for n in fails {
            apply_news(&mut one, *n, undone(), when);
        }
        assert_eq!(stands(&one), wanted, "{name}");
        let is_open = one.status() == Status::Authorised;
        assert_eq!(one.due_at().is_some(), is_open, "{name}");
    }
}

#[test]
fn a_final_capture_that_fails_after_a_refund_leaves_what_is_left_refundable() {
    let mut one = captured_in(&[300]);
    let n = last(&mut one, None, 10);
    apply_news(&mut one, n, done(), 11);
    let given = refund(&mut one, 100, 12);
    apply_news(&mut one, given, done(), 13);
    apply_news(&mut one, n, undone(), 14);
    assert_eq!(stands(&one), (Status::PartialRefunded, 300, 0));
    assert_eq!(one.refundable(), 200);
}
