//! What transitions tell programs.

use domain::{
    answer::{ActionKind, LaterAnswer},
    decline::{Decline, DeclineCode},
    event::{Happened, StreamCommit, public_events},
    id::RefundId,
    payment::{
        AbandonCause, CancelCause, CaptureRule, Cause, EventOperation, Evidence, News, Occurrence,
        Payment, PaymentEvent, Resolution, Source, Status,
    },
};
use uuid::Uuid;

use crate::bench::{
    approved, asks, at, begin, connection, declined, done, failed, held, in_status, payment,
    pending, policy, refused,
};

/// The kinds of what happened, in order.
fn kinds(occurred: &[Occurrence]) -> Vec<String> {
    let events = occurred.iter().flat_map(|one| &one.events);
    let kind = |event: &PaymentEvent| {
        let event = serde_json::to_value(event).unwrap();
        let kind = event.get("kind").unwrap().as_str().unwrap();
        kind.strip_prefix("payment.").unwrap().to_owned()
    };
    events.map(kind).collect()
}

fn call(one: &mut Payment, n: u32, news: News) -> Vec<String> {
    kinds(&one.settle(n, news, Source::Call.at(at(1)), &policy()))
}

#[test]
fn each_answer_to_an_authorisation_is_an_event() {
    let answers = [
        (approved(true), ["authorised", "captured"].as_slice()),
        (approved(false), &["authorised"]),
        (declined(), &["declined"]),
        (failed(), &["failed"]),
        (held(), &["held"]),
        (News::no_answer(), &["unknown"]),
        (News::Nothing("away".to_owned()), &["failed"]),
        (asks(ActionKind::Apm, false), &["action_required"]),
    ];
    for (news, wanted) in answers {
        let mut one = payment(CaptureRule::Api);
        let (n, started) = one.begin_authorise(connection(), true, begin(0));
        assert_eq!(kinds(&[started]), ["operation_started"]);
        assert_eq!(call(&mut one, n, news.clone()), wanted, "{news:?}");
    }
}

#[test]
fn each_end_of_a_later_operation_is_an_event_with_its_facts() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (n, started) = one.begin_capture(Some(400), begin(2)).unwrap();
    let Some(PaymentEvent::OperationStarted(facts)) = started.events.first() else {
        panic!("{started:?}")
    };
    assert_eq!(facts.operation.operation, n);
    assert_eq!(facts.operation.what, EventOperation::Capture);
    assert_eq!(facts.operation.connection, connection());
    assert_eq!(facts.operation.amount.minor(), 400);
    assert_eq!(call(&mut one.clone(), n, refused()), ["capture_failed"]);
    assert_eq!(call(&mut one.clone(), n, pending()), ["operation_pending"]);
    assert_eq!(call(&mut one, n, done()), ["captured"]);
    let id = RefundId::new(Uuid::from_u128(7));
    let (n, _) = one.begin_refund(id, Some(100), None, begin(3)).unwrap();
    assert_eq!(call(&mut one.clone(), n, done()), ["refunded"]);
    assert_eq!(call(&mut one, n, pending()), ["refund_pending"]);
    let later = one.settle(
        n,
        refused(),
        Source::Notification(uuid::Uuid::nil()).at(at(9)),
        &policy(),
    );
    let Some(PaymentEvent::RefundFailed(end)) = later[0].events.last() else {
        panic!("{later:?}")
    };
    assert!(end.refused && end.reason == "no" && end.operation.refund == Some(id));
}

#[test]
fn another_action_that_is_asked_for_is_an_event_and_the_same_one_is_not() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    let (secure, approval) = (ActionKind::ThreeDSecure, ActionKind::Apm);
    for (action, wanted) in [
        (secure, [].as_slice()),
        (approval, &["action_required"]),
        (approval, &[]),
    ] {
        let happened = call(&mut one, 1, asks(action, false));
        assert_eq!(happened, wanted, "{action:?}");
    }
    assert_eq!(one.status(), Status::NeedsApmAuthorization);
}

#[test]
fn what_is_undone_later_is_the_event_of_a_failure() {
    let undone = || {
        News::Later(LaterAnswer::Reversed {
            reason: "returned".into(),
            booked: None,
        })
    };
    let mut one = in_status(Status::Authorised).unwrap();
    let (capture, _) = one.begin_capture(None, begin(2)).unwrap();
    assert_eq!(call(&mut one, capture, done()), ["captured"]);
    let mut refunded = one.clone();
    let lost = one.settle(capture, undone(), Source::LookUp.at(at(9)), &policy());
    assert_eq!(kinds(&lost), ["capture_failed"]);
    let id = RefundId::new(Uuid::from_u128(7));
    let (n, _) = refunded
        .begin_refund(id, Some(100), None, begin(3))
        .unwrap();
    assert_eq!(call(&mut refunded, n, done()), ["refunded"]);
    let returned = refunded.settle(n, undone(), Source::LookUp.at(at(9)), &policy());
    let Some(PaymentEvent::RefundFailed(end)) = returned[0].events.first() else {
        panic!("{returned:?}")
    };
    assert!(!end.refused && end.reason == "returned" && end.operation.refund == Some(id));
}

#[test]
fn cancelling_declining_and_giving_up_say_who_wanted_it() {
    let mut one = in_status(Status::Authorised).unwrap();
    let (n, _) = one
        .begin_cancel(CancelCause::Lifetime, None, begin(2))
        .unwrap();
    let occurred = one.settle(n, done(), Source::Call.at(at(3)), &policy());
    assert!(
        matches!(&occurred[0].events[..], [PaymentEvent::Cancelled(cancelled)]
        if cancelled.cause == Cause::Lifetime)
    );
    let mut waits = in_status(Status::Needs3dSecure).unwrap();
    let (n, _) = waits
        .begin_abandon(AbandonCause::Superseded, begin(2))
        .unwrap();
    let occurred = waits.settle(n, done(), Source::Call.at(at(3)), &policy());
    let [
        PaymentEvent::OutcomeFound(found),
        PaymentEvent::Declined(declined),
    ] = &occurred[0].events[..]
    else {
        panic!("{occurred:?}")
    };
    assert_eq!(found.by, Evidence::GivenUp);
    assert_eq!(declined.given_up, Some(Cause::Superseded));
    let mut ruled = payment(CaptureRule::Api);
    let rule = ruled.decline_by_rule(Decline::of(DeclineCode::CustomRule), at(0));
    assert!(
        matches!(&rule.events[..], [PaymentEvent::Declined(declined)]
        if declined.operation.is_none() && declined.code == DeclineCode::CustomRule)
    );
}

#[test]
fn what_becomes_known_otherwise_says_how_before_what() {
    let unknown = in_status(Status::NoAnswerFromPsp).unwrap();
    let mut found = unknown.clone();
    let looked = found.settle(1, approved(true), Source::LookUp.at(at(60)), &policy());
    assert_eq!(kinds(&looked), ["outcome_found", "authorised", "captured"]);
    let mut late = unknown.clone();
    let answer = late.settle(1, declined(), Source::Call.at(at(60)), &policy());
    assert_eq!(kinds(&answer), ["outcome_found", "declined"]);
    let mut notified = unknown.clone();
    let notice = notified.settle(
        1,
        approved(true),
        Source::Notification(uuid::Uuid::nil()).at(at(60)),
        &policy(),
    );
    assert_eq!(kinds(&notice), ["outcome_found", "authorised", "captured"]);
    let mut held = in_status(Status::GatewayHold).unwrap();
    let decided = held.settle(
        1,
        approved(true),
        Source::Notification(uuid::Uuid::nil()).at(at(60)),
        &policy(),
    );
    assert_eq!(kinds(&decided), ["outcome_found", "authorised", "captured"]);
    let mut reported = unknown;
    let person = reported
        .resolve(Resolution::NotCharged, "statement", at(60), &policy())
        .unwrap();
    assert_eq!(kinds(&person), ["outcome_found", "failed"]);
    let mut failed = in_status(Status::Failed).unwrap();
    let charge = failed.settle(
        1,
        approved(true),
        Source::Notification(uuid::Uuid::nil()).at(at(60)),
        &policy(),
    );
    assert_eq!(
        kinds(&charge),
        ["outcome_found", "outcome_found", "late_charge"]
    );
    for (event, by) in [(0, Evidence::Notification), (1, Evidence::AfterItsEnd)] {
        assert!(
            matches!(&charge[0].events[event], PaymentEvent::OutcomeFound(found) if found.by == by)
        );
    }
}

#[test]
fn merchants_get_the_public_events_of_a_commit_numbered_within_their_payment() {
    let mut one = payment(CaptureRule::Api);
    let (n, started) = one.begin_authorise(connection(), true, begin(0));
    let created = Occurrence::new(at(0), "made").event(one.created());
    let first = [created, started];
    one.count_public_events(&first);
    let second = one.settle(n, approved(true), Source::Call.at(at(1)), &policy());
    one.next_version();
    one.count_public_events(&second);
    let commit = |version, occurred: &[Occurrence]| StreamCommit {
        stream: "0190".to_owned(),
        version,
        events_before: one.public_events_before(&second),
        at: at(1),
        status: one.status().text().to_owned(),
        happened: Happened::Payment(occurred.iter().flat_map(|one| one.events.clone()).collect()),
    };
    let first = StreamCommit {
        events_before: 0,
        ..commit(1, &first)
    };
    let mut events = public_events(&first);
    events.extend(public_events(&commit(2, &second)));
    let seen: Vec<(&str, &str, u64)> = events
        .iter()
        .map(|event| (event.id.as_str(), event.kind.code(), event.sequence))
        .collect();
    let wanted = [
        ("0190:1:0", "payment.created", 1),
        ("0190:2:0", "payment.authorised", 2),
        ("0190:2:1", "payment.captured", 3),
    ];
    assert_eq!(seen, wanted, "the operation that was started is not public");
    let payload: serde_json::Value = serde_json::from_str(&events[2].payload()).unwrap();
    assert_eq!(payload["type"], "payment.captured");
    assert_eq!(payload["sequence"], 3);
    assert_eq!(payload["data"]["paymentId"], "payments:0190");
    assert_eq!(payload["data"]["status"], "SUCCEEDED");
    assert_eq!(payload["data"]["currencyCode"], "EUR");
}
