//! Runs of flows that a payment's outcomes started.

use domain::{
    decline::{Decline, DeclineCode},
    id::FlowId,
    payment::{CaptureRule, Duty, FlowRun, News, Pause, PauseReason, Payment, Source, Status},
};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{
    apply_news, approved, at, begin, connection, done, in_status, payment, pending, policy, refund,
    refused, with,
};

const INSTANCE: Uuid = Uuid::from_u128(9);

/// It was not sent.
fn lost() -> News {
    News::Nothing("the processor could not be reached".to_owned())
}

/// A run that waits for the end of an operation, or of a capture that is due.
fn waiting(operation: Option<u32>) -> FlowRun {
    FlowRun {
        id: FlowId::parse("later").unwrap(),
        name: "Later".to_owned(),
        version: 1,
        instance: INSTANCE,
        started_at: at(0),
        dispute: None,
        pause: Some(Pause {
            next: 3,
            why: PauseReason::Outcome,
            due: None,
            operation,
            step: operation.map(|_| 2),
            failing_since: None,
            received: None,
        }),
    }
}

fn rests(payment: &Payment) -> &Pause {
    payment.run(Some(INSTANCE)).unwrap().pause.as_ref().unwrap()
}

#[test]
fn a_run_goes_on_when_its_own_operation_has_ended_and_not_before() {
    for end in [done(), refused()] {
        let mut one = in_status(Status::Succeeded).unwrap();
        let (first, second) = (refund(&mut one, 100, 5), refund(&mut one, 200, 5));
        let mut one = with(&one, &json!({ "triggered": [waiting(Some(second))] }));
        assert_eq!(
            one.run_behind(second).map(|run| run.instance),
            Some(INSTANCE)
        );
        assert!(
            one.run_behind(first).is_none(),
            "that one is somebody else's"
        );
        apply_news(&mut one, first, done(), 6);
        apply_news(&mut one, second, pending(), 7);
        assert_eq!(
            (&rests(&one).why, rests(&one).due),
            (&PauseReason::Outcome, None)
        );
        apply_news(&mut one, second, end, 8);
        assert_eq!(
            (&rests(&one).why, rests(&one).due),
            (&PauseReason::Step, Some(at(8)))
        );
        assert_eq!(one.duty(at(8)), Some(Duty::Triggered(INSTANCE)));
        assert!(one.run_behind(second).is_none());
    }
}

#[test]
fn a_step_that_did_not_take_effect_is_tried_again_on_the_schedule() {
    let one = in_status(Status::Succeeded).unwrap();
    let mut one = with(&one, &json!({ "triggered": [waiting(None)] }));
    let (mut due, mut tries) = (10, 0);
    while tries < 3 {
        let n = refund(&mut one, 100, due);
        one.rest_for(Some(INSTANCE), n, 2, 3);
        let lines = one.settle(n, lost(), Source::Call.at(at(due)), &policy());
        assert!(
            lines
                .iter()
                .any(|line| line.entry.title == "A step of the flow is tried again"),
            "{lines:?}"
        );
        let since = rests(&one).failing_since;
        assert_eq!(since, Some(at(10)), "the first failure counts");
        assert_eq!(
            (&rests(&one).why, rests(&one).next),
            (&PauseReason::Step, 2)
        );
        let next = rests(&one).due.unwrap();
        assert_eq!(next, policy().next_try(at(10), at(due)));
        assert!(one.duty(at(due)).is_none(), "not before its time");
        assert_eq!(one.duty(next), Some(Duty::Triggered(INSTANCE)));
        due = next.since(at(0)).as_secs();
        tries += 1;
    }
    assert_eq!(
        one.refundable(),
        one.captured(),
        "nothing is reserved meanwhile"
    );
}

#[test]
fn a_step_that_is_refused_or_fails_for_too_long_is_given_up() {
    let month = 31 * 24 * 60 * 60;
    for (news, failing_since, now) in [(refused(), None, 20), (lost(), Some(at(1)), month)] {
        let mut one = in_status(Status::Succeeded).unwrap();
        let n = refund(&mut one, 100, now);
        let mut own = waiting(Some(n));
        own.pause.as_mut().unwrap().failing_since = failing_since;
        one = with(&one, &json!({ "flow": own }));
        let lines = one.settle(n, news, Source::Call.at(at(now)), &policy());
        assert!(
            lines
                .iter()
                .any(|line| line.entry.title == "A step of the flow was given up"),
            "{lines:?}"
        );
        let pause = one.flow().unwrap().pause.as_ref().unwrap();
        assert_eq!(
            (&pause.why, pause.due, pause.next),
            (&PauseReason::Step, Some(at(now)), 3)
        );
        assert_eq!(pause.failing_since, None);
    }
}

#[test]
fn the_payments_own_flow_waits_for_its_own_refund() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let (own, other) = (refund(&mut one, 100, 5), refund(&mut one, 200, 5));
    one = with(&one, &json!({ "flow": waiting(Some(own)) }));
    apply_news(&mut one, other, done(), 6);
    assert_eq!(
        one.flow().unwrap().pause.as_ref().unwrap().why,
        PauseReason::Outcome
    );
    apply_news(&mut one, own, done(), 7);
    assert_eq!(one.flow().unwrap().pause.as_ref().unwrap().due, Some(at(7)));
}

#[test]
fn a_run_that_captures_waits_until_the_payment_is_authorised_no_more() {
    let one = in_status(Status::Authorised).unwrap();
    let mut one = with(&one, &json!({ "triggered": [waiting(None)] }));
    assert!(one.decide_capture(CaptureRule::Immediate, at(5)));
    let (n, _) = one.begin_capture(None, begin(5)).unwrap();
    apply_news(&mut one, n, refused(), 6);
    assert_eq!(
        rests(&one).why,
        PauseReason::Outcome,
        "the capture is tried again"
    );
    let (n, _) = one.begin_capture(None, begin(12)).unwrap();
    assert!(one.run_behind(n).is_some());
    apply_news(&mut one, n, done(), 13);
    assert_eq!(
        (&rests(&one).why, one.due_at()),
        (&PauseReason::Step, Some(at(13)))
    );
}

#[test]
fn a_card_is_kept_while_the_flow_waits_before_the_first_attempt() {
    let mut one = payment(CaptureRule::Immediate);
    assert!(!one.authorisation_ended(), "nobody was asked yet");
    let mut refused = one.clone();
    refused.decline_by_rule(Decline::of(DeclineCode::CustomRule), at(1));
    assert!(refused.authorisation_ended(), "nobody will be asked");
    let (n, _) = one.begin_authorise(connection(), false, begin(1));
    assert!(!one.authorisation_ended());
    apply_news(&mut one, n, approved(true), 2);
    assert!(one.authorisation_ended());
}
