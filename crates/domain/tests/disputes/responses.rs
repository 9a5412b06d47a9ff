//! Responses: when one may be begun, and what is made of what is learnt of it.

use std::time::Duration;

use domain::{
    Code,
    dispute::{
        Dispute, DisputeDuty, DisputeReport, NewResponse, ResponseKind, ResponseNews, ResponseState,
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
    let absent = |report: DisputeReport| ResponseNews::Absent(Some(report));
    let same = one.settle_response(1, absent(there), at(14));
    assert_eq!(
        kinds(&same),
        ["confirmed"],
        "nothing but the processor's time"
    );
    assert!(one.is_still_wanted(1));
    let again = one.send_response_again(1, begin(14)).unwrap();
    assert_eq!(kinds(&[again]), ["response"]);
    assert_eq!(one.due_after(at(14)), Some(at(27)));
    let lost = of(20, Chargeback, Lost);
    let shown = one.settle_response(1, absent(lost), at(27));
    assert_eq!(kinds(&shown), ["lost", "response", "updated"]);
    assert!(matches!(
        one.response(1).unwrap().state,
        ResponseState::Refused { .. }
    ));
    assert!(one.send_response_again(1, begin(28)).is_none());
    assert_eq!(one.response_due(), None);
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
