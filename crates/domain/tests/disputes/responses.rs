//! Responses: when one may be begun, and what is made of what is learnt of it.

use std::time::Duration;

use domain::{
    Code, Timestamp,
    dispute::{
        Absence, Dispute, DisputeDuty, DisputeReport, NewResponse, ResponseKind, ResponseNews,
        ResponseState,
    },
    payment::Begin,
};

use super::{
    Chargeback, Inquiry, Lost, NeedsResponse, Notification, PreArbitration, SentForReview,
    UnderReview, Won, at, kinds, of, opened,
};

const EVIDENCE: ResponseKind = ResponseKind::Evidence;

fn new(kind: ResponseKind) -> NewResponse {
    NewResponse {
        kind,
        attachments: Vec::new(),
        document: None,
    }
}

fn begin(seconds: i64) -> Begin {
    Begin {
        at: at(seconds),
        send_within: Duration::from_secs(10),
        answer_within: Duration::from_secs(3),
        once: None,
        return_key: None,
    }
}

fn asked() -> Dispute {
    opened(of(0, Chargeback, NeedsResponse)).0
}

/// A dispute whose evidence is being sent since second 1.
fn sending() -> Dispute {
    let mut one = asked();
    let (n, _) = one.begin_response(new(EVIDENCE), begin(1)).unwrap();
    assert_eq!(n, 1);
    one
}

/// The processor said at this second that it does not have the response; four seconds after it can have been sent that proves it.
fn absent(seconds: i64, report: DisputeReport) -> ResponseNews {
    ResponseNews::Absent(Absence {
        report: Some(report),
        asked: at(seconds),
        final_after: Some(Duration::from_secs(4)),
    })
}

fn state(dispute: &Dispute) -> &'static str {
    dispute.responses().last().unwrap().state_word()
}

#[test]
fn only_a_dispute_that_waits_is_responded_to_and_evidence_only_in_time() {
    for status in [Notification, SentForReview, UnderReview, Won, Lost] {
        let stage = if status == Notification {
            Inquiry
        } else {
            Chargeback
        };
        let (one, _) = opened(of(0, stage, status));
        for kind in [EVIDENCE, ResponseKind::Acceptance] {
            let refused = one.may_respond(kind, at(1)).unwrap_err();
            assert_eq!(refused.code, Code::DisputeStatus);
            assert_eq!(refused.status.as_deref(), Some(status.code()));
        }
    }
    let one = asked();
    let by = one.respond_by().unwrap();
    assert!(one.may_respond(EVIDENCE, at(1)).is_ok());
    assert!(one.may_respond(EVIDENCE, by).is_err());
    assert!(one.may_respond(ResponseKind::Acceptance, by).is_ok());
}

#[test]
fn a_draft_is_replaced_and_becomes_what_is_sent() {
    let mut one = asked();
    let (first, drafted) = one.save_draft(Vec::new(), at(1)).unwrap();
    assert_eq!(kinds(&[drafted]), ["response"]);
    let (second, _) = one.save_draft(Vec::new(), at(2)).unwrap();
    assert_eq!((first, second, one.responses().len()), (1, 1, 1));
    let (sent, _) = one.begin_response(new(EVIDENCE), begin(3)).unwrap();
    assert_eq!((sent, one.responses().len()), (1, 1));
    assert_eq!(state(&one), "SENDING");
}

#[test]
fn while_one_is_being_sent_there_is_no_other() {
    let mut one = sending();
    let refused = one.begin_response(new(EVIDENCE), begin(2)).unwrap_err();
    assert_eq!(refused.code, Code::OperationInProgress);
    assert!(refused.is_for_now());
    assert!(one.save_draft(Vec::new(), at(2)).is_err());
}

#[test]
fn what_the_processor_has_is_taken_once_and_a_later_stage_asks_again() {
    let mut one = sending();
    let report = of(2, Chargeback, SentForReview);
    let taken = one.settle_response(1, ResponseNews::Taken(report.clone()), at(2));
    assert_eq!(kinds(&taken), ["response", "updated"]);
    assert_eq!((one.status(), state(&one)), (SentForReview, "TAKEN"));
    let again = one.settle_response(1, ResponseNews::Taken(report), at(3));
    assert!(again.is_empty(), "an answer that comes twice says nothing");
    assert!(one.may_respond(EVIDENCE, at(3)).is_err());
    one.take(of(4, PreArbitration, NeedsResponse), at(4));
    let (n, _) = one.begin_response(new(EVIDENCE), begin(5)).unwrap();
    assert_eq!(n, 2);
}

#[test]
fn a_processor_that_still_asks_right_after_it_took_a_response_gets_no_second_one() {
    let mut one = sending();
    let lagging = of(2, Chargeback, NeedsResponse);
    one.settle_response(1, ResponseNews::Taken(lagging), at(2));
    let refused = one.may_respond(EVIDENCE, at(3)).unwrap_err();
    assert_eq!(refused.code, Code::DisputeStatus);
    // It asks again, and proves it.
    one.take(of(4, Chargeback, UnderReview), at(4));
    one.take(of(5, Chargeback, NeedsResponse), at(5));
    assert!(one.may_respond(EVIDENCE, at(6)).is_ok());
}

#[test]
fn no_answer_is_no_failure_and_is_asked_for_when_it_cant_be_sent_any_more() {
    let mut one = sending();
    let due = one.due_after(at(1)).unwrap();
    assert_eq!(due, at(14), "its time to be sent, and to be answered");
    let shown = one.settle_response(1, ResponseNews::NoAnswer, at(2));
    assert_eq!(kinds(&shown), ["response"]);
    assert_eq!(state(&one), "SENDING");
    assert_eq!(one.due_after(at(2)), Some(at(14)));
    assert_eq!(one.duty(at(13)), Some(DisputeDuty::LookUp));
    assert_eq!(one.duty(at(14)), Some(DisputeDuty::Confirm(1)));
    one.settle_response(1, ResponseNews::LookUpFailed, at(14));
    assert_eq!(one.due_after(at(14)), Some(at(44)), "later each time");
    one.settle_response(1, ResponseNews::LookUpFailed, at(44));
    assert_eq!(one.due_after(at(44)), Some(at(164)));
}

#[test]
fn what_the_processor_does_not_have_is_sent_again_only_while_the_dispute_waits() {
    let mut one = sending();
    let there = of(2, Chargeback, NeedsResponse);
    let same = one.settle_response(1, absent(14, there), at(14));
    assert_eq!(
        kinds(&same),
        ["confirmed"],
        "nothing but the processor's time"
    );
    assert!(one.is_still_wanted(1));
    let looked_for = one.looked_for(1).unwrap();
    let again = one.send_response_again(looked_for, begin(14)).unwrap();
    // Who has looked at the same time knows nothing of what was sent since.
    assert!(one.send_response_again(looked_for, begin(14)).is_none());
    assert_eq!(kinds(&[again]), ["response"]);
    assert_eq!(one.due_after(at(14)), Some(at(27)));
    let lost = of(20, Chargeback, Lost);
    let shown = one.settle_response(1, absent(28, lost), at(28));
    assert_eq!(kinds(&shown), ["lost", "response", "updated"]);
    assert!(matches!(
        one.response(1).unwrap().state,
        ResponseState::Refused { .. }
    ));
    assert!(one.looked_for(1).is_none());
    assert_eq!(one.response_due(), None);
}

#[test]
fn what_a_look_up_does_not_find_too_early_may_still_be_there() {
    let mut one = sending();
    // A notification has overtaken the books that are looked into.
    one.take(of(3, Chargeback, SentForReview), at(3));
    let behind = absent(14, of(0, Chargeback, NeedsResponse));
    let shown = one.settle_response(1, behind, at(14));
    assert_eq!(kinds(&shown), ["response"]);
    assert_eq!(state(&one), "SENDING", "it was sent until second 11");
    assert_eq!(one.due_after(at(14)), Some(at(19)));
    let never = ResponseNews::Absent(Absence {
        report: None,
        asked: at(1_000),
        final_after: None,
    });
    one.settle_response(1, never, at(1_000));
    assert_eq!(state(&one), "SENDING", "its look-ups prove nothing");
    let proven = absent(1_001, of(3, Chargeback, SentForReview));
    one.settle_response(1, proven, at(1_001));
    assert_eq!(state(&one), "REFUSED");
}

#[test]
fn what_is_refused_when_it_is_sent_again_is_asked_for_while_the_first_may_arrive() {
    let mut one = sending();
    let looked_for = one.looked_for(1).unwrap();
    one.send_response_again(looked_for, begin(14)).unwrap();
    let refused = ResponseNews::RefusedAgain("the dispute does not wait".to_owned());
    let shown = one.settle_response(1, refused, at(15));
    assert_eq!(kinds(&shown), ["response"]);
    assert_eq!(state(&one), "SENDING");
    assert_eq!(one.due_after(at(15)), Some(at(20)));
}

#[test]
fn what_was_taken_for_an_earlier_stage_leaves_the_later_one_to_be_answered() {
    let mut one = sending();
    one.take(of(5, PreArbitration, NeedsResponse), at(5));
    let late = ResponseNews::Taken(of(5, PreArbitration, NeedsResponse));
    one.settle_response(1, late, at(14));
    assert_eq!(state(&one), "TAKEN");
    assert!(one.may_respond(EVIDENCE, at(15)).is_ok());
}

#[test]
fn a_refusal_ends_one_response_and_lets_another_begin() {
    let mut one = sending();
    let refused = ResponseNews::Refused("no".to_owned());
    let shown = one.settle_response(1, refused.clone(), at(2));
    assert_eq!(kinds(&shown), ["response", "updated"]);
    let (n, _) = one.begin_response(new(EVIDENCE), begin(3)).unwrap();
    assert_eq!(n, 2, "under a reference of its own");
    one.settle_response(2, refused, at(4));
    for _ in 0..48 {
        let (n, _) = one.begin_response(new(EVIDENCE), begin(5)).unwrap();
        one.settle_response(n, ResponseNews::Refused("no".to_owned()), at(6));
    }
    assert!(
        one.may_respond(EVIDENCE, at(7)).is_err(),
        "there is an end to it"
    );
}

#[test]
fn a_dispute_that_has_ended_is_due_while_its_response_is_open() {
    let mut one = sending();
    one.take(of(3, Chargeback, Lost), at(3));
    assert_eq!(one.due_after(at(3)), Some(at(14)));
    assert_eq!(one.duty(at(14)), Some(DisputeDuty::Confirm(1)));
}

#[test]
fn an_erasure_waits_for_what_is_being_sent() {
    let mut one = sending();
    assert!(one.forget_responses(at(2)).is_some());
    assert!(one.forget_responses(at(3)).is_none());
    assert!(one.response(1).unwrap().forget);
    assert!(asked().forget_responses(at(1)).is_none());
}

#[test]
fn evidence_that_could_not_be_sent_is_tried_again_until_the_time_for_it_is_over() {
    let by = 25 * 3600;
    let report = DisputeReport {
        respond_by: Some(at(by)),
        ..of(0, Chargeback, NeedsResponse)
    };
    let mut one = opened(report).0;
    one.begin_response(new(EVIDENCE), begin(1)).unwrap();
    let mut now = at(5);
    let mut tries = 0;
    while now < at(by) {
        let news = ResponseNews::NotSent("it is away".to_owned());
        assert!(!one.settle_response(1, news, now).is_empty());
        let (_, next) = one.response_due().unwrap();
        assert!(
            next < at(by) || now > at(by - 20),
            "asleep from {now:?} to {next:?}"
        );
        assert!(next > now);
        (now, tries) = (next, tries + 1);
    }
    assert!(tries < 30, "{tries}");
}

#[test]
fn what_is_taken_after_the_processor_asked_again_is_no_answer_to_that() {
    let asked_again = [
        vec![of(20, PreArbitration, NeedsResponse)],
        vec![
            of(20, Chargeback, UnderReview),
            of(30, Chargeback, NeedsResponse),
        ],
    ];
    for reports in asked_again {
        let mut one = sending();
        for report in reports {
            assert!(!one.take(report, at(40)).is_empty());
        }
        let (stage, status) = (one.stage(), one.status());
        let news = ResponseNews::Taken(of(0, Chargeback, UnderReview));
        assert!(!one.settle_response(1, news, at(50)).is_empty());
        assert_eq!(
            (one.stage(), one.status(), state(&one)),
            (stage, status, "TAKEN")
        );
        assert_eq!(one.may_respond(EVIDENCE, at(60)), Ok(()), "{stage:?}");
    }
}

#[test]
fn look_ups_that_hurry_before_the_time_is_over_do_not_sleep_for_a_day_after_it() {
    let report = DisputeReport {
        respond_by: Some(at(100)),
        ..of(0, Chargeback, NeedsResponse)
    };
    let mut one = opened(report).0;
    one.begin_response(new(EVIDENCE), begin(1)).unwrap();
    one.take(of(2, Chargeback, SentForReview), at(2));
    let mut now = at(14);
    while now < at(100) {
        let behind = absent(13, of(0, Chargeback, NeedsResponse));
        one.settle_response(1, behind, now);
        (_, now) = one.response_due().unwrap();
    }
    one.settle_response(1, ResponseNews::LookUpFailed, now);
    let (_, next) = one.response_due().unwrap();
    assert!(next < now.after(Duration::from_hours(1)), "{next:?}");
}

#[test]
fn what_two_look_ups_find_at_once_counts_once() {
    let mut one = sending();
    one.settle_response(1, ResponseNews::LookUpFailed, at(14));
    let due = one.response_due();
    let same = one.settle_response(1, ResponseNews::LookUpFailed, at(15));
    assert!(same.is_empty());
    one.take(of(16, Chargeback, SentForReview), at(16));
    let behind = absent(13, of(0, Chargeback, NeedsResponse));
    assert!(one.settle_response(1, behind, at(16)).is_empty());
    assert_eq!(one.response_due(), due);
}

/// The processor does not say whether it has a response.
fn unproven(asked: Timestamp) -> ResponseNews {
    ResponseNews::Absent(Absence {
        report: None,
        asked,
        final_after: None,
    })
}

fn no_answer(seconds: i64) -> Dispute {
    let mut one = sending();
    one.settle_response(1, ResponseNews::NoAnswer, at(seconds));
    one
}

#[test]
fn a_notification_that_there_is_a_response_confirms_the_one_that_may_be_there() {
    let mut one = no_answer(2);
    assert_eq!(one.confirmable(), Some(1));
    let taken = one.settle_response(1, ResponseNews::Confirmed, at(3));
    assert_eq!(kinds(&taken), ["response", "updated"]);
    assert_eq!((one.status(), state(&one)), (SentForReview, "TAKEN"));
    assert_eq!(one.confirmable(), None, "it is of one response");
    let mut accepted = asked();
    let acceptance = new(ResponseKind::Acceptance);
    accepted.begin_response(acceptance, begin(1)).unwrap();
    assert_eq!(accepted.confirmable(), None, "it is of evidence");
    let mut unsent = sending();
    assert_eq!(unsent.confirmable(), Some(1), "its process may have died");
    unsent.settle_response(1, ResponseNews::NotSent("no way".to_owned()), at(2));
    assert_eq!(unsent.confirmable(), None, "nothing has left");
    let nothing = unsent.settle_response(1, ResponseNews::Confirmed, at(3));
    assert!(nothing.is_empty());
}

#[test]
fn a_notification_of_a_response_is_of_the_earliest_stage() {
    let mut one = no_answer(2);
    one.take(of(5, PreArbitration, NeedsResponse), at(5));
    one.settle_response(1, ResponseNews::Confirmed, at(6));
    assert_eq!((one.status(), state(&one)), (NeedsResponse, "TAKEN"));
    assert!(one.may_respond(EVIDENCE, at(7)).is_ok());
    // Somebody else may have answered the inquiry, of which the notification comes late.
    let (mut two, _) = opened(of(0, Inquiry, NeedsResponse));
    two.take(of(1, Chargeback, NeedsResponse), at(1));
    two.begin_response(new(EVIDENCE), begin(2)).unwrap();
    assert_eq!(two.confirmable(), None);
    let mut three = no_answer(2);
    three.take(report_of_an_inquiry(), at(3));
    assert_eq!(three.confirmable(), None, "the inquiry came late");
}

fn report_of_an_inquiry() -> DisputeReport {
    DisputeReport {
        as_of: None,
        ..of(0, Inquiry, NeedsResponse)
    }
}

#[test]
fn an_acceptance_that_is_not_confirmed_is_taken_once_the_dispute_is_lost() {
    let mut one = asked();
    let acceptance = new(ResponseKind::Acceptance);
    one.begin_response(acceptance, begin(1)).unwrap();
    one.settle_response(1, unproven(at(14)), at(14));
    assert_eq!(state(&one), "SENDING");
    one.take(of(15, Chargeback, Lost), at(15));
    one.settle_response(1, unproven(at(20)), at(20));
    assert_eq!(state(&one), "TAKEN");
}

/// Asks a processor that proves nothing until the response has an end.
fn asked_to_the_end(one: &mut Dispute, mut now: Timestamp) -> Timestamp {
    while state(one) == "SENDING" {
        now = one.response_due().unwrap().1.max(now);
        one.settle_response(1, unproven(now), now);
    }
    now
}

#[test]
fn evidence_that_nobody_confirms_is_unknown_a_day_after_the_dispute_went_on() {
    for after in [
        of(3, Chargeback, Lost),
        of(3, PreArbitration, NeedsResponse),
    ] {
        let mut one = no_answer(2);
        let asks_again = after.status == NeedsResponse;
        one.take(after, at(3));
        let took = asked_to_the_end(&mut one, at(14)).since(at(3));
        assert_eq!(state(&one), "UNCONFIRMED");
        assert!(
            took >= Duration::from_hours(24) && took < Duration::from_hours(49),
            "{took:?}"
        );
        if asks_again {
            assert!(one.may_respond(EVIDENCE, at(3).after(took)).is_ok());
        }
    }
    let mut unsent = sending();
    unsent.settle_response(1, ResponseNews::NotSent("no way".to_owned()), at(2));
    unsent.take(of(3, Chargeback, Lost), at(3));
    unsent.settle_response(1, unproven(at(14)), at(14));
    assert_eq!(state(&unsent), "REFUSED", "nothing has left");
}

#[test]
fn a_near_deadline_leaves_time_for_another_response() {
    let mut one = no_answer(2);
    let soon = DisputeReport {
        respond_by: Some(at(6 * 3_600)),
        ..of(3, PreArbitration, NeedsResponse)
    };
    one.take(soon, at(3));
    let ended = asked_to_the_end(&mut one, at(14));
    assert_eq!(state(&one), "UNCONFIRMED");
    assert!(ended < at(4 * 3_600), "{ended:?}");
    assert!(one.may_respond(EVIDENCE, ended).is_ok());
}

#[test]
fn what_is_refused_again_for_an_hour_lets_another_begin() {
    let mut one = no_answer(2);
    let refused = |one: &mut Dispute, seconds| {
        let looked_for = one.looked_for(1).unwrap();
        one.send_response_again(looked_for, begin(seconds)).unwrap();
        let refused = ResponseNews::RefusedAgain("no".to_owned());
        one.settle_response(1, refused, at(seconds + 1));
    };
    refused(&mut one, 20);
    assert_eq!(state(&one), "SENDING");
    refused(&mut one, 3_700);
    assert_eq!(state(&one), "UNCONFIRMED");
    assert!(one.may_respond(EVIDENCE, at(3_702)).is_ok());
    // Its notification still counts.
    one.settle_response(1, ResponseNews::Confirmed, at(3_800));
    assert_eq!(state(&one), "TAKEN");
}
