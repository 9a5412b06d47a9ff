//! Runs of flows that a payment's outcomes started.

use domain::{
    decline::{Decline, DeclineCode},
    id::FlowId,
    payment::{CaptureRule, Duty, FlowRun, Pause, Payment, Status, Why},
};
use uuid::Uuid;

use crate::bench::{
    approved, at, begin, connection, done, in_status, payment, pending, refund, refused, tell,
};

const INSTANCE: Uuid = Uuid::from_u128(9);

/// A run that waits for the end of an operation, or of a capture that is due.
fn waiting(operation: Option<u32>) -> FlowRun {
    FlowRun {
        id: FlowId::parse("later").unwrap(),
        name: "Later".to_owned(),
        version: 1,
        instance: INSTANCE,
        started_at: at(0),
        pause: Some(Pause {
            next: 3,
            why: Why::Outcome,
            due: None,
            operation,
            heard: None,
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
        one.triggered.push(waiting(Some(second)));
        assert_eq!(
            one.run_behind(second).map(|run| run.instance),
            Some(INSTANCE)
        );
        assert!(
            one.run_behind(first).is_none(),
            "that one is somebody else's"
        );
        tell(&mut one, first, done(), 6);
        tell(&mut one, second, pending(), 7);
        assert_eq!((&rests(&one).why, rests(&one).due), (&Why::Outcome, None));
        tell(&mut one, second, end, 8);
        assert_eq!(
            (&rests(&one).why, rests(&one).due),
            (&Why::Step, Some(at(8)))
        );
        assert_eq!(one.duty(at(8)), Some(Duty::Triggered(INSTANCE)));
        assert!(one.run_behind(second).is_none());
    }
}

#[test]
fn a_run_that_captures_waits_until_the_payment_is_authorised_no_more() {
    let mut one = in_status(Status::Authorised).unwrap();
    one.triggered.push(waiting(None));
    one.capture_at = Some(at(5));
    let (n, _) = one.begin_capture(None, begin(5)).unwrap();
    tell(&mut one, n, refused(), 6);
    assert_eq!(rests(&one).why, Why::Outcome, "the capture is tried again");
    let (n, _) = one.begin_capture(None, begin(12)).unwrap();
    assert!(one.run_behind(n).is_some());
    tell(&mut one, n, done(), 13);
    assert_eq!((&rests(&one).why, one.due_at()), (&Why::Step, Some(at(13))));
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
    tell(&mut one, n, approved(true), 2);
    assert!(one.authorisation_ended());
}
