//! Every status against every action, and every piece of news against everything that is under way. Source: behaviour
//! contract, section 7 "States".

use domain::{
    answer::ActionKind,
    payment::{
        AbandonCause, CancelCause, CaptureRule, OperationKind, OperationState, Payment, Source,
        Status,
    },
};

use crate::bench::{
    Act, Word, apply_news, approved, asks, at, begin, connection, declined, in_status, not_found,
    payment, policy, refund,
};

/// The actions that a status allows. `None`: no operation leads to the status.
fn allowed(status: Status) -> Option<&'static [Act]> {
    match status {
        Status::Active
        | Status::Declined
        | Status::Failed
        | Status::Cancelled
        | Status::Refunded => Some(&[]),
        Status::Needs3dSecure | Status::NeedsApmAuthorization | Status::GatewayHold => {
            Some(&[Act::Abandon])
        }
        Status::NoAnswerFromPsp => Some(&[Act::Resolve]),
        Status::Authorised => Some(&[Act::Capture, Act::CapturePart, Act::Cancel]),
        Status::Succeeded
        | Status::PartialRefunded
        | Status::RefundPending
        | Status::RefundFailed => Some(&[Act::Refund]),
        Status::Inactive | Status::Disputed | Status::Removed | Status::Draft => None,
    }
}

#[test]
fn every_status_allows_its_actions_and_refuses_all_others() {
    for status in Status::ALL.iter().copied() {
        let (start, allowed) = (in_status(status), allowed(status));
        assert_eq!(
            start.is_some(),
            allowed.is_some(),
            "{status}: one without the other"
        );
        let (Some(start), Some(allowed)) = (start, allowed) else {
            continue;
        };
        for act in Act::ALL {
            let mut one = start.clone();
            match act.on(&mut one, 9, Some(1)) {
                Ok(_) => {
                    assert!(allowed.contains(&act), "{status} allows {act:?}");
                    assert_ne!(one, start, "{act:?} in {status} does nothing");
                }
                Err(fault) => {
                    assert!(
                        !allowed.contains(&act),
                        "{status} refuses {act:?}: {fault:?}"
                    );
                    assert_eq!(one, start, "what is refused changes nothing");
                    assert_eq!(
                        fault.as_ref().map(|fault| fault.code),
                        act.code(),
                        "{act:?} in {status}"
                    );
                    if let Some(fault) = fault {
                        assert_eq!(fault.status.as_deref(), Some(status.text()));
                        assert!(fault.id.is_some());
                    }
                }
            }
        }
    }
}

/// Where news about its attempt leads a payment, once the attempt can be under way no more. `None`: see [`in_status`].
fn led(from: Status, word: Word) -> Option<Status> {
    let decided = match word {
        Word::Captured => Some(Status::Succeeded),
        Word::Approved => Some(Status::Authorised),
        Word::Declined => Some(Status::Declined),
        Word::Held => Some(Status::GatewayHold),
        Word::Asks3ds | Word::Ready3ds => Some(Status::Needs3dSecure),
        Word::AsksApm | Word::ReadyApm => Some(Status::NeedsApmAuthorization),
        Word::Failed => Some(Status::Failed),
        Word::Done
        | Word::Pending
        | Word::Refused
        | Word::NoAnswer
        | Word::Nothing
        | Word::NotFound
        | Word::LookUpFailed => None,
    };
    match from {
        Status::Active => decided.or(Some(match word {
            Word::Nothing | Word::NotFound => Status::Failed,
            Word::Captured
            | Word::Approved
            | Word::Declined
            | Word::Held
            | Word::Asks3ds
            | Word::Ready3ds
            | Word::AsksApm
            | Word::ReadyApm
            | Word::Failed
            | Word::Done
            | Word::Pending
            | Word::Refused
            | Word::NoAnswer
            | Word::LookUpFailed => Status::NoAnswerFromPsp,
        })),
        Status::NoAnswerFromPsp if word == Word::NotFound => Some(Status::Failed),
        Status::NoAnswerFromPsp
        | Status::Needs3dSecure
        | Status::NeedsApmAuthorization
        | Status::GatewayHold => decided.or(Some(from)),
        Status::Authorised
        | Status::Succeeded
        | Status::Declined
        | Status::Failed
        | Status::Cancelled
        | Status::Refunded
        | Status::PartialRefunded
        | Status::RefundPending
        | Status::RefundFailed => Some(from),
        Status::Inactive | Status::Disputed | Status::Removed | Status::Draft => None,
    }
}

#[test]
fn every_piece_of_news_about_an_attempt_leads_where_the_contract_says() {
    for status in Status::ALL.iter().copied() {
        let Some(start) = in_status(status) else {
            continue;
        };
        for word in Word::ALL {
            for source in [Source::LookUp, Source::Notification(uuid::Uuid::nil())] {
                let mut one = start.clone();
                one.settle(1, word.news(at(20)), source.at(at(20)), &policy());
                assert_eq!(
                    Some(one.status()),
                    led(status, word),
                    "{status} and {word:?}"
                );
                let charged = matches!(word, Word::Captured | Word::Approved);
                let ended = matches!(status, Status::Declined | Status::Failed);
                assert_eq!(
                    one.reversals_owed().any(|n| n == 1),
                    charged && ended,
                    "{status} and {word:?}"
                );
            }
        }
    }
}

#[test]
fn an_authorisation_that_is_completed_ends_by_its_answer_and_waits_again_without_one() {
    for kind in [ActionKind::ThreeDSecure, ActionKind::Apm] {
        let waits = if kind == ActionKind::ThreeDSecure {
            Status::Needs3dSecure
        } else {
            Status::NeedsApmAuthorization
        };
        for word in Word::ALL {
            let mut one = in_status(Status::Active).unwrap();
            apply_news(&mut one, 1, asks(kind, true), 1);
            assert_eq!(one.completion_owed(), Some(1));
            assert!(one.begin_complete(1, begin(2)).is_some());
            assert_eq!(
                (one.status(), one.completion_owed()),
                (waits, None),
                "under way"
            );
            assert!(one.begin_complete(1, begin(2)).is_none(), "once");
            assert!(
                one.begin_abandon(AbandonCause::Superseded, begin(2))
                    .is_none(),
                "not while it is completed"
            );
            apply_news(&mut one, 1, word.news(at(3)), 3);
            let expected = match word {
                Word::Nothing => waits,
                // It was at the processor: that it can't be found proves nothing.
                Word::NotFound => Status::NoAnswerFromPsp,
                Word::Captured
                | Word::Approved
                | Word::Declined
                | Word::Held
                | Word::Asks3ds
                | Word::Ready3ds
                | Word::AsksApm
                | Word::ReadyApm
                | Word::Failed
                | Word::Done
                | Word::Pending
                | Word::Refused
                | Word::NoAnswer
                | Word::LookUpFailed => led(Status::Active, word).unwrap(),
            };
            assert_eq!(one.status(), expected, "{kind:?} and {word:?}");
            assert_eq!(
                one.completion_owed().is_some(),
                matches!(word, Word::Nothing | Word::Ready3ds | Word::ReadyApm)
            );
        }
    }
}

/// A payment with a later operation just begun: its number, and the kind as the tables name it.
fn with_later() -> Vec<(&'static str, Payment, u32)> {
    let mut all = Vec::new();
    let mut capture = in_status(Status::Authorised).unwrap();
    let n = capture.begin_capture(None, begin(2)).unwrap().0;
    all.push(("capture", capture, n));
    for cause in [CancelCause::Merchant, CancelCause::Lifetime] {
        let mut cancel = in_status(Status::Authorised).unwrap();
        let n = cancel.begin_cancel(cause, None, begin(2)).unwrap().0;
        all.push(("cancel", cancel, n));
    }
    let mut part = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut part, 400, 2);
    all.push(("refund", part, n));
    let mut reverse = in_status(Status::Declined).unwrap();
    apply_news(&mut reverse, 1, approved(true), 2);
    let n = reverse.begin_reverse(1, true, begin(2)).unwrap().0;
    all.push(("reverse", reverse, n));
    for status in [
        Status::Needs3dSecure,
        Status::NeedsApmAuthorization,
        Status::GatewayHold,
    ] {
        let mut abandon = in_status(status).unwrap();
        let n = abandon
            .begin_abandon(AbandonCause::Merchant, begin(2))
            .unwrap()
            .0;
        all.push(("abandon", abandon, n));
    }
    all
}

fn letter(state: &OperationState) -> char {
    match state {
        OperationState::Sent => 's',
        OperationState::Unknown { .. } => 'u',
        OperationState::Waiting { .. } => 'w',
        OperationState::Pending { .. } => 'p',
        OperationState::Done { .. } => 'd',
        OperationState::Refused { .. } => 'r',
        OperationState::Failed { .. } => 'f',
    }
}

/// How a later operation stands after news about it, from how it stood; the call can be under way no more.
fn later_after(before: char, word: Word) -> char {
    match (before, word) {
        ('s' | 'u' | 'p' | 'r' | 'f', Word::Done) => 'd',
        ('s' | 'u', Word::Pending) => 'p',
        ('s' | 'u' | 'p', Word::Refused) => 'r',
        ('s', Word::Nothing) | ('s' | 'u', Word::NotFound) => 'f',
        // An answer of another sort tells only that the call is over.
        ('s', _) => 'u',
        (before, _) => before,
    }
}

#[test]
fn every_piece_of_news_about_a_later_operation_leads_where_the_contract_says() {
    for (kind, begun, n) in with_later() {
        for (first, before) in [
            (None, 's'),
            (Some(Word::NoAnswer), 'u'),
            (Some(Word::Pending), 'p'),
            (Some(Word::Done), 'd'),
            (Some(Word::Refused), 'r'),
            (Some(Word::Nothing), 'f'),
        ] {
            for word in Word::ALL {
                let mut one = begun.clone();
                if let Some(first) = first {
                    apply_news(&mut one, n, first.news(at(3)), 3);
                }
                let name = format!("{kind} from {before} and {word:?}");
                assert_eq!(letter(&one.operation(n).unwrap().state), before, "{name}");
                one.settle(n, word.news(at(40)), Source::LookUp.at(at(40)), &policy());
                let after = letter(&one.operation(n).unwrap().state);
                assert_eq!(after, later_after(before, word), "{name}");
                let promised = matches!(before, 'u' | 'p');
                let expected = match (kind, after) {
                    ("capture", 'd') => Status::Succeeded,
                    ("cancel", 'd') => Status::Cancelled,
                    ("refund", 'd') => Status::PartialRefunded,
                    ("refund", 'u' | 'p') => Status::RefundPending,
                    ("refund", 'r' | 'f') if promised => Status::RefundFailed,
                    ("abandon", 'd') if begun.status() == Status::NeedsApmAuthorization => {
                        Status::Cancelled
                    }
                    ("abandon", 'd') => Status::Declined,
                    _ => begun.status(),
                };
                assert_eq!(one.status(), expected, "{name}");
                assert_eq!(
                    one.captured(),
                    if expected == Status::Succeeded || kind == "refund" {
                        1000
                    } else {
                        0
                    }
                );
                let refused =
                    matches!(after, 'r' | 'f') && matches!(kind, "capture" | "cancel" | "refund");
                assert_eq!(one.verdict(n).is_err(), refused, "{name}");
                let settled = after == 'd' && kind != "capture" && kind != "refund";
                assert!(
                    !settled || one.due_at().is_none(),
                    "{name}: nothing is left to do"
                );
                assert!(
                    !matches!(after, 's' | 'u' | 'p') || one.due_at().is_some(),
                    "{name}: it is looked up"
                );
            }
        }
    }
}

#[test]
fn how_a_payment_may_go_on_elsewhere() {
    let connection_b = domain::id::ConnectionId::parse("simulator-b").unwrap();
    for word in Word::ALL {
        for (soft_decline, fault, outage) in [
            (true, false, false),
            (false, true, false),
            (false, false, true),
        ] {
            let mut one = payment(CaptureRule::Immediate);
            let rest = vec![connection_b.clone()];
            let route = domain::payment::Route {
                rest,
                soft_decline,
                fault,
                outage,
            };
            one.plan_attempt(Some(route), CaptureRule::Immediate, 0);
            let (n, _) = one.begin_authorise(connection(), true, begin(0));
            let mut found_out = one.clone();
            apply_news(&mut one, n, word.news(at(1)), 1);
            let may = match word {
                Word::Declined => soft_decline,
                Word::Failed => fault,
                Word::Nothing => outage,
                Word::Captured
                | Word::Approved
                | Word::Held
                | Word::Asks3ds
                | Word::Ready3ds
                | Word::AsksApm
                | Word::ReadyApm
                | Word::Done
                | Word::Pending
                | Word::Refused
                | Word::NoAnswer
                | Word::NotFound
                | Word::LookUpFailed => false,
            };
            assert_eq!(one.may_fall_back(n).is_some(), may, "{word:?}");
            found_out.settle(n, word.news(at(60)), Source::LookUp.at(at(60)), &policy());
            assert_eq!(
                found_out.may_fall_back(n),
                None,
                "{word:?}: what a look-up finds out comes too late"
            );
        }
    }
    let mut without = in_status(Status::Active).unwrap();
    apply_news(&mut without, 1, declined(), 1);
    assert_eq!(without.may_fall_back(1), None, "without a route");
}

#[test]
fn who_gives_up_what_decides_how_it_is_reported() {
    use domain::decline::DeclineCode::{AuthorizationRequired, PaymentCancelled, ThreeDSecure};
    let waits = [
        Status::Needs3dSecure,
        Status::NeedsApmAuthorization,
        Status::GatewayHold,
    ];
    let causes = [
        (AbandonCause::Merchant, [PaymentCancelled; 3]),
        (AbandonCause::Superseded, [PaymentCancelled; 3]),
        (AbandonCause::AlreadyPaid, [PaymentCancelled; 3]),
        (
            AbandonCause::Lifetime,
            [ThreeDSecure, PaymentCancelled, PaymentCancelled],
        ),
        (AbandonCause::NobodyPresent, [AuthorizationRequired; 3]),
    ];
    for (cause, codes) in causes {
        for (status, code) in waits.into_iter().zip(codes) {
            let mut one = in_status(status).unwrap();
            let (n, _) = one.begin_abandon(cause, begin(2)).unwrap();
            assert!(matches!(
                one.operation(n).unwrap().kind,
                OperationKind::Abandon { target: 1, .. }
            ));
            assert!(one.begin_abandon(cause, begin(2)).is_none(), "once");
            apply_news(&mut one, n, Word::Done.news(at(3)), 3);
            assert_eq!(
                one.decline().map(|decline| decline.code),
                Some(code),
                "{status} given up by {cause:?}"
            );
            let processor_id = one
                .approval()
                .and_then(|approval| approval.processor_id.clone());
            assert_eq!(
                processor_id.is_some(),
                status != Status::GatewayHold,
                "the processor's facts are kept"
            );
            apply_news(&mut one, 1, not_found(90), 90);
            assert_eq!(one.due_at(), None);
        }
    }
}
