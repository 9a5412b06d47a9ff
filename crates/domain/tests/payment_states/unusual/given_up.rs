//! Giving up and completing what waits for the customer, in any order.

use crate::bench::{
    Act, apply_news, approved, asks, at, begin, connection, done, in_status, payment, policy,
    refused,
};
use domain::{
    Code,
    answer::ActionKind,
    payment::{AbandonCause, CaptureRule, Duty, News, OperationState, Source, Status},
};

#[test]
fn an_authorisation_that_is_approved_while_it_is_given_up_follows_the_processor() {
    let begun = || {
        let mut one = in_status(Status::Needs3dSecure).unwrap();
        one.plan_attempt(None, CaptureRule::Immediate, 0);
        let (n, _) = one
            .begin_abandon(AbandonCause::Superseded, begin(2))
            .unwrap();
        apply_news(&mut one, 1, approved(false), 3);
        assert_eq!(one.status(), Status::Authorised);
        assert_eq!(
            one.duty(at(3)),
            None,
            "not captured while it may be released"
        );
        for act in [Act::Capture, Act::Cancel] {
            let fault = act.on(&mut one, 3, None).unwrap_err().unwrap();
            assert_eq!(fault.code, Code::OperationInProgress);
        }
        (one, n)
    };
    let (mut released, n) = begun();
    apply_news(&mut released, n, done(), 4);
    assert_eq!(
        (released.status(), released.due_at()),
        (Status::Cancelled, None)
    );
    let (mut kept, n) = begun();
    apply_news(&mut kept, n, refused(), 4);
    assert_eq!(
        (kept.status(), kept.duty(at(4))),
        (Status::Authorised, Some(Duty::Capture))
    );
    apply_news(&mut kept, n, done(), 5);
    assert_eq!(kept.status(), Status::Cancelled, "released after all");
    let (mut sold, n) = begun();
    apply_news(&mut sold, n, News::no_answer(), 4);
    assert_eq!(sold.duty(sold.due_at().unwrap()), Some(Duty::LookUp(n)));
}

#[test]
fn what_would_not_be_given_up_is_asked_about_and_may_have_been_approved() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    let day = 24 * 3600 + 1;
    assert_eq!(one.duty(at(6)), Some(Duty::LookUp(1)));
    one.settle(
        1,
        asks(ActionKind::ThreeDSecure, false),
        Source::LookUp.at(at(day)),
        &policy(),
    );
    assert_eq!(
        one.duty(at(day)),
        Some(Duty::Abandon),
        "a day after it began to wait, not after it was asked about"
    );
    let (n, _) = one
        .begin_abandon(AbandonCause::Lifetime, begin(day))
        .unwrap();
    assert!(
        one.begin_complete(1, begin(day)).is_none(),
        "not while it is given up"
    );
    apply_news(&mut one, n, refused(), day + 1);
    assert_eq!(
        one.status(),
        Status::Needs3dSecure,
        "a timer decides nothing"
    );
    assert_eq!(one.duty(at(day + 1)), Some(Duty::LookUp(1)));
    let mut waits = one.clone();
    one.settle(1, approved(true), Source::LookUp.at(at(day + 1)), &policy());
    assert_eq!((one.status(), one.due_at()), (Status::Succeeded, None));
    waits.settle(
        1,
        asks(ActionKind::ThreeDSecure, false),
        Source::LookUp.at(at(day + 1)),
        &policy(),
    );
    let again = waits.due_at().unwrap();
    assert!(again > at(day + 1));
    assert_eq!(
        waits.duty(at(day + 60)),
        Some(Duty::Abandon),
        "and given up again later"
    );
}

#[test]
fn what_was_given_up_and_is_charged_all_the_same_is_given_back() {
    for status in [
        Status::Needs3dSecure,
        Status::NeedsApmAuthorization,
        Status::GatewayHold,
    ] {
        let mut one = in_status(status).unwrap();
        let (n, _) = one.begin_abandon(AbandonCause::Lifetime, begin(2)).unwrap();
        apply_news(&mut one, n, done(), 3);
        let ended = one.status();
        assert!(one.authorisation_ended());
        apply_news(&mut one, 1, approved(true), 9);
        assert_eq!((one.status(), one.captured()), (ended, 0));
        assert_eq!(
            one.duty(at(9)),
            Some(Duty::Reverse {
                target: 1,
                captured: true
            })
        );
    }
}

#[test]
fn giving_up_that_takes_effect_late_ends_even_what_is_being_completed_and_its_charge_is_given_back()
{
    let mut one = in_status(Status::Active).unwrap();
    apply_news(&mut one, 1, asks(ActionKind::ThreeDSecure, true), 1);
    let (n, _) = one
        .begin_abandon(AbandonCause::Superseded, begin(2))
        .unwrap();
    apply_news(&mut one, n, refused(), 3);
    assert!(one.begin_complete(1, begin(4)).is_some());
    apply_news(&mut one, n, done(), 5);
    assert_eq!(one.status(), Status::Declined);
    apply_news(&mut one, 1, approved(false), 6);
    assert_eq!(
        (one.status(), one.duty(at(6))),
        (
            Status::Declined,
            Some(Duty::Reverse {
                target: 1,
                captured: false
            })
        )
    );
}

#[test]
fn a_completion_that_could_not_be_sent_waits_again_with_the_time_it_had() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    let ends = one.operation(1).unwrap().give_up_at;
    one.settle(
        1,
        asks(ActionKind::ThreeDSecure, true),
        Source::LookUp.at(at(3600)),
        &policy(),
    );
    assert!(one.begin_complete(1, begin(3600)).is_some());
    apply_news(&mut one, 1, News::Nothing("unreachable".to_owned()), 3601);
    assert_eq!(one.status(), Status::Needs3dSecure);
    assert_eq!(one.operation(1).unwrap().give_up_at, ends);
    assert_eq!(one.completion_owed(), Some(1));
    assert!(one.begin_complete(1, begin(3602)).is_some());
}

#[test]
fn a_completion_whose_outcome_was_unknown_waits_again_on_evidence_that_is_reported() {
    let mut one = payment(CaptureRule::Api);
    let (n, _) = one.begin_authorise(connection(), false, begin(0));
    apply_news(&mut one, n, asks(ActionKind::ThreeDSecure, true), 1);
    one.begin_complete(n, begin(2)).unwrap();
    apply_news(&mut one, n, News::no_answer(), 4);
    assert_eq!(one.status(), Status::NoAnswerFromPsp);
    let lines = one.settle(
        n,
        asks(ActionKind::ThreeDSecure, true),
        Source::LookUp.at(at(60)),
        &policy(),
    );
    assert_eq!(one.status(), Status::Needs3dSecure);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0]
            .entry
            .message
            .as_ref()
            .unwrap()
            .contains("asking the processor"),
        "{lines:?}"
    );
}

#[test]
fn a_look_up_that_is_older_than_the_completion_does_not_have_it_completed_twice() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    let ready = || asks(ActionKind::ThreeDSecure, true);
    one.settle(1, ready(), Source::LookUp.at(at(10)), &policy());
    assert!(one.begin_complete(1, begin(10)).is_some());
    for source in [Source::LookUp, Source::Notification(uuid::Uuid::nil())] {
        one.settle(1, ready(), source.at(at(11)), &policy());
        assert_eq!(
            one.operation(1).unwrap().state,
            OperationState::Sent,
            "it is under way"
        );
        assert!(one.begin_complete(1, begin(11)).is_none());
        assert!(
            one.begin_abandon(AbandonCause::Superseded, begin(11))
                .is_none()
        );
    }
    assert_eq!(
        one.due_at(),
        Some(at(18)),
        "5 s to be sent, 3 s for the answer"
    );
    let mut lost = one.clone();
    lost.settle(1, ready(), Source::LookUp.at(at(18)), &policy());
    assert!(
        lost.begin_complete(1, begin(18)).is_some(),
        "one that was never sent is completed now"
    );
    apply_news(&mut one, 1, approved(true), 12);
    assert_eq!(one.status(), Status::Succeeded);
}
