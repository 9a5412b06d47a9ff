//! What happens in an unusual order: late charges, giving up against completing, and flows that wait.

mod given_up;

use domain::{
    Timestamp,
    answer::{ActionKind, Answer, Approval, LaterAnswer},
    id::{ConnectionId, FlowId},
    payment::{
        CancelCause, CaptureRule, Duty, FlowRun, News, OperationState, Owed, Pause, Payment,
        Source, Status,
    },
};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{
    apply_news, approved, asks, at, begin, connection, declined, done, held, in_status, not_found,
    payment, pending, policy, refund, refused, with,
};

fn elsewhere(name: &str) -> ConnectionId {
    ConnectionId::parse(name).unwrap()
}

fn approved_as(id: &str) -> News {
    let approval = Approval {
        processor_id: Some(id.to_owned()),
        ..Approval::default()
    };
    News::Answer(Answer::Approved {
        captured: true,
        approval,
    })
}

/// A payment whose first attempt was declined and that went on at a second connection.
fn gone_on() -> Payment {
    let mut one = payment(CaptureRule::Api);
    let (first, _) = one.begin_authorise(connection(), false, begin(0));
    apply_news(&mut one, first, declined(), 1);
    one = with(&one, &json!({ "status": Status::Active }));
    one.begin_authorise(elsewhere("simulator-b"), false, begin(1));
    one
}

#[test]
fn a_late_charge_of_the_first_attempt_leaves_the_second_alone_and_is_given_back() {
    let seconds: [(Option<News>, Status); 7] = [
        (None, Status::Active),
        (Some(News::no_answer()), Status::NoAnswerFromPsp),
        (
            Some(asks(ActionKind::ThreeDSecure, false)),
            Status::Needs3dSecure,
        ),
        (Some(held()), Status::GatewayHold),
        (Some(approved(false)), Status::Authorised),
        (Some(approved(true)), Status::Succeeded),
        (Some(declined()), Status::Declined),
    ];
    for (news, status) in seconds {
        let mut one = gone_on();
        if let Some(news) = news {
            apply_news(&mut one, 2, news, 2);
        }
        apply_news(&mut one, 1, approved_as("late"), 3);
        assert_eq!(one.status(), status);
        assert_eq!(one.reversals_owed().collect::<Vec<_>>(), [1]);
        assert_eq!(
            one.operation(1).unwrap().owed,
            Some(Owed {
                captured: true,
                due: Some(at(3))
            })
        );
        assert!(one.due_at().unwrap() <= at(3));
        assert_eq!(
            one.operation(1).unwrap().processor_id.as_deref(),
            Some("late"),
            "by which it is given back"
        );
        let (n, _) = one.begin_reverse(1, true, begin(3)).unwrap();
        assert_eq!(one.operation(n).unwrap().connection, connection());
        assert_eq!(one.attempt_behind(n).unwrap().n, 1);
        apply_news(&mut one, n, done(), 4);
        assert_eq!((one.status(), one.reversals_owed().count()), (status, 0));
        if status == Status::Succeeded {
            let n = refund(&mut one, 400, 5);
            assert_eq!(
                one.operation(n).unwrap().connection,
                elsewhere("simulator-b"),
                "not where it was given back"
            );
            assert_eq!(one.attempt_behind(n).unwrap().n, 2);
        }
    }
}

#[test]
fn every_late_charge_is_given_back_and_each_once() {
    let mut one = gone_on();
    apply_news(&mut one, 2, declined(), 2);
    apply_news(&mut one, 1, approved(true), 3);
    let (first, _) = one.begin_reverse(1, true, begin(3)).unwrap();
    apply_news(&mut one, 2, approved(false), 4);
    assert_eq!(one.reversals_owed().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(
        one.duty(at(4)),
        Some(Duty::Reverse {
            target: 2,
            captured: false
        })
    );
    assert!(
        one.begin_reverse(1, true, begin(4)).is_none(),
        "its reversal is under way"
    );
    let (second, _) = one.begin_reverse(2, false, begin(4)).unwrap();
    apply_news(&mut one, first, refused(), 5);
    apply_news(&mut one, second, done(), 5);
    let again = one.due_at().unwrap();
    assert_eq!(
        one.duty(again),
        Some(Duty::Reverse {
            target: 1,
            captured: true
        }),
        "the one that was refused"
    );
    let (third, _) = one.begin_reverse(1, true, begin(60)).unwrap();
    apply_news(&mut one, first, done(), 61);
    apply_news(&mut one, third, refused(), 62);
    assert_eq!(one.due_at(), None, "the first had taken effect after all");
    assert_eq!(
        (one.reversals_owed().count(), one.status()),
        (0, Status::Declined)
    );
    assert!(one.authorisation().is_none(), "nothing holds");
}

#[test]
fn a_late_capture_of_a_cancelled_payment_is_given_back() {
    for is_late in [true, false] {
        let mut one = in_status(Status::Authorised).unwrap();
        let (early, _) = one
            .begin_cancel(CancelCause::Merchant, None, begin(2))
            .unwrap();
        apply_news(&mut one, early, News::Nothing("lost".to_owned()), 3);
        let (capture, _) = one.begin_capture(Some(400), begin(4)).unwrap();
        if is_late {
            apply_news(&mut one, capture, refused(), 5);
        }
        apply_news(&mut one, early, done(), 6);
        assert_eq!(one.status(), Status::Cancelled);
        apply_news(&mut one, capture, done(), 7);
        assert_eq!((one.status(), one.captured()), (Status::Cancelled, 0));
        assert_eq!(
            one.duty(at(7)),
            Some(Duty::Reverse {
                target: capture,
                captured: true
            })
        );
        let (n, _) = one.begin_reverse(capture, true, begin(7)).unwrap();
        assert_eq!(one.operation(n).unwrap().amount, 400, "what was captured");
        assert_eq!(one.attempt_behind(n).unwrap().n, 1, "of the authorisation");
        apply_news(&mut one, n, done(), 8);
        assert_eq!(one.due_at(), None);
    }
}

#[test]
fn not_found_proves_nothing_of_what_the_processor_had() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    one.settle(
        1,
        asks(ActionKind::ThreeDSecure, true),
        Source::LookUp.at(at(10)),
        &policy(),
    );
    assert!(one.begin_complete(1, begin(10)).is_some());
    apply_news(&mut one, 1, News::no_answer(), 12);
    for seconds in [20, 40, 1_000_000] {
        one.settle(
            1,
            not_found(seconds),
            Source::LookUp.at(at(seconds)),
            &policy(),
        );
        assert_eq!(one.status(), Status::NoAnswerFromPsp);
        assert!(one.due_at().unwrap() > at(seconds));
    }
    one.settle(
        1,
        approved(true),
        Source::LookUp.at(at(1_000_001)),
        &policy(),
    );
    assert_eq!(one.status(), Status::Succeeded);
}

#[test]
fn not_found_is_counted_from_when_the_call_is_over_though_it_was_asked_about_before() {
    for first in [not_found(1), News::LookUpFailed, News::no_answer(), done()] {
        let mut one = in_status(Status::Active).unwrap();
        one.settle(
            1,
            first.clone(),
            Source::Notification(uuid::Uuid::nil()).at(at(1)),
            &policy(),
        );
        assert_eq!(
            one.operation(1).unwrap().state,
            OperationState::Unknown { since: at(7) },
            "{first:?}: sent by 5 s, over by 7"
        );
        one.settle(1, not_found(16), Source::LookUp.at(at(16)), &policy());
        assert_eq!(one.status(), Status::NoAnswerFromPsp);
        one.settle(1, not_found(17), Source::LookUp.at(at(17)), &policy());
        assert_eq!(one.status(), Status::Failed);
    }
}

#[test]
fn a_hold_after_3d_secure_waits_for_the_processor_alone() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    one.settle(
        1,
        asks(ActionKind::ThreeDSecure, true),
        Source::LookUp.at(at(10)),
        &policy(),
    );
    assert!(one.begin_complete(1, begin(10)).is_some());
    apply_news(&mut one, 1, held(), 11);
    assert_eq!(
        (one.status(), one.completion_owed()),
        (Status::GatewayHold, None)
    );
    assert_eq!(one.duty(at(2 * 24 * 3600)), Some(Duty::LookUp(1)));
    for _ in 0..20 {
        let due = one.due_at().unwrap();
        assert_eq!(
            one.duty(due),
            Some(Duty::LookUp(1)),
            "the customer has come back: nobody is late"
        );
        one.settle(1, held(), Source::LookUp.at(due), &policy());
    }
}

#[test]
fn what_is_captured_later_is_not_captured_earlier_because_a_capture_failed() {
    let hour = 3600;
    let mut one = in_status(Status::Active).unwrap();
    one.plan_attempt(None, CaptureRule::After { seconds: hour }, 0);
    apply_news(&mut one, 1, approved(false), 1);
    assert_eq!(one.due_at(), Some(at(1 + hour)));
    let (n, _) = one.begin_capture(Some(10), begin(2)).unwrap();
    apply_news(&mut one, n, refused(), 3);
    assert_eq!(
        (one.due_at(), one.duty(at(hour))),
        (Some(at(1 + hour)), None)
    );
    assert_eq!(one.duty(at(1 + hour)), Some(Duty::Capture));
    let (n, _) = one.begin_capture(None, begin(1 + hour)).unwrap();
    apply_news(&mut one, n, refused(), 2 + hour);
    assert!(
        one.due_at().unwrap() > at(2 + hour),
        "then it is tried again"
    );
}

#[test]
fn a_capture_that_comes_after_the_end_of_the_life_time_is_not_waited_for() {
    let week = 7 * 24 * 3600;
    let mut one = in_status(Status::Active).unwrap();
    let seconds = week + 3600;
    one.plan_attempt(None, CaptureRule::After { seconds }, 0);
    apply_news(&mut one, 1, approved(false), 1);
    assert_eq!(one.duty(at(1 + week)), Some(Duty::Expire));
    let (n, _) = one
        .begin_cancel(CancelCause::Lifetime, None, begin(1 + week))
        .unwrap();
    let mut kept = one.clone();
    apply_news(&mut one, n, done(), 2 + week);
    assert_eq!((one.status(), one.due_at()), (Status::Cancelled, None));
    apply_news(&mut kept, n, refused(), 2 + week);
    let kept = with(&kept, &json!({ "expires_at": at(9 * 24 * 3600) }));
    assert_eq!(
        kept.duty(at(1 + week + 3600)),
        Some(Duty::Capture),
        "what the processor keeps alive is captured"
    );
}

#[test]
fn a_refund_that_settles_after_all_is_no_failed_one() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 400, 2);
    apply_news(&mut one, n, pending(), 3);
    apply_news(&mut one, n, refused(), 4);
    assert_eq!(one.status(), Status::RefundFailed);
    apply_news(&mut one, n, done(), 5);
    assert_eq!(
        (one.status(), one.refundable()),
        (Status::PartialRefunded, 600)
    );
}

#[test]
fn what_an_answer_does_not_repeat_is_kept_and_one_of_the_wrong_sort_says_nothing() {
    let mut one = in_status(Status::Needs3dSecure).unwrap();
    let id = |payment: &Payment| payment.operation(1).unwrap().processor_id.clone();
    assert_eq!(id(&one).as_deref(), Some("ch_1"));
    let wrong = News::Later(LaterAnswer::Done {
        processor_id: Some("re_9".to_owned()),
        booked: None,
    });
    apply_news(&mut one, 1, wrong, 2);
    assert_eq!(id(&one).as_deref(), Some("ch_1"));
    apply_news(&mut one, 1, approved(true), 3);
    assert_eq!(
        id(&one).as_deref(),
        Some("ch_1"),
        "a capture and a refund need it"
    );
    let n = refund(&mut one, 1, 4);
    apply_news(&mut one, n, declined(), 5);
    assert_eq!(one.operation(n).unwrap().answer, None);
}

/// A flow that waits for the outcome of what it began.
fn waiting_flow() -> FlowRun {
    FlowRun {
        id: FlowId::parse("default").unwrap(),
        name: "Default".to_owned(),
        version: 1,
        instance: Uuid::from_u128(7),
        started_at: at(0),
        dispute: None,
        pause: Some(serde_json::from_str::<Pause>(r#"{"next": 3, "why": "Outcome"}"#).unwrap()),
    }
}

fn flow_due(payment: &Payment) -> Option<Timestamp> {
    payment.flow().unwrap().pause.as_ref().unwrap().due
}

#[test]
fn a_flow_goes_on_once_when_the_attempt_that_it_began_has_ended() {
    let ends = [
        approved(true),
        approved(false),
        declined(),
        News::Nothing("down".to_owned()),
    ];
    let opens = [
        News::no_answer(),
        held(),
        asks(ActionKind::ThreeDSecure, false),
        asks(ActionKind::Apm, true),
    ];
    for end in &ends {
        for open in &opens {
            let one = in_status(Status::Active).unwrap();
            let mut one = with(&one, &json!({ "flow": waiting_flow() }));
            apply_news(&mut one, 1, open.clone(), 1);
            assert_eq!(flow_due(&one), None, "{open:?} is no outcome");
            if matches!(end, News::Nothing(_)) {
                one.settle(
                    1,
                    News::Answer(Answer::Failed {
                        reason: "down".into(),
                    }),
                    Source::LookUp.at(at(20)),
                    &policy(),
                );
            } else {
                apply_news(&mut one, 1, end.clone(), 20);
            }
            assert_eq!(
                (flow_due(&one), one.duty(at(20))),
                (Some(at(20)), Some(Duty::Flow)),
                "{open:?} {end:?}"
            );
            one.end_run(None);
            apply_news(&mut one, 1, end.clone(), 21);
            apply_news(&mut one, 1, approved(true), 22);
            assert_ne!(one.duty(at(22)), Some(Duty::Flow), "it goes on once");
        }
    }
}

#[test]
fn a_flow_that_waits_for_a_capture_goes_on_when_it_took_effect_after_all_or_was_released() {
    for released in [false, true] {
        let mut one = in_status(Status::Authorised).unwrap();
        assert!(one.decide_capture(CaptureRule::Immediate, at(2)));
        let (n, _) = if released {
            one.begin_cancel(CancelCause::Lifetime, None, begin(2))
                .unwrap()
        } else {
            one.begin_capture(None, begin(2)).unwrap()
        };
        one = with(&one, &json!({ "flow": waiting_flow() }));
        apply_news(&mut one, n, News::Nothing("down".to_owned()), 3);
        assert_eq!(flow_due(&one), None, "it is tried again");
        apply_news(&mut one, n, done(), 4);
        assert_eq!(
            one.status(),
            if released {
                Status::Cancelled
            } else {
                Status::Succeeded
            }
        );
        assert_eq!(one.duty(at(4)), Some(Duty::Flow));
    }
}

#[test]
fn a_document_from_before_reads() {
    let one = in_status(Status::RefundPending).unwrap();
    let mut document = serde_json::to_value(&one).unwrap();
    for name in [
        "three_ds",
        "three_ds_redirect",
        "apm_redirect",
        "rule",
        "route",
        "made_by",
        "flow",
        "gateway",
    ] {
        document.as_object_mut().unwrap().remove(name);
    }
    for operation in document["operations"].as_array_mut().unwrap() {
        for name in [
            "action",
            "give_up_at",
            "return_key",
            "owed",
            "once",
            "looks",
        ] {
            operation.as_object_mut().unwrap().remove(name);
        }
    }
    let mut operations = one.operations().to_vec();
    for operation in &mut operations {
        operation.return_key = None;
    }
    let before = with(&one, &json!({ "operations": operations }));
    assert_eq!(serde_json::from_value::<Payment>(document).unwrap(), before);
}
