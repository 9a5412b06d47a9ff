//! What disputes make of a payment, and refunds meanwhile.

use domain::{
    Timestamp,
    answer::LaterAnswer,
    dispute::{Dispute, DisputeReport, DisputeStage, DisputeStatus, NewDispute},
    id::{ConnectionId, DisputeId},
    payment::{News, Payment, PaymentEvent, Status},
};
use uuid::Uuid;

use crate::bench::{apply_news, approved, at, begin, connection, done, in_status, payment, refund};
use domain::payment::CaptureRule;

fn report(stage: DisputeStage, status: DisputeStatus) -> DisputeReport {
    DisputeReport {
        source_id: "dp".to_owned(),
        source_payment: None,
        status,
        stage,
        reason: None,
        money: domain::money::Money::new(400, domain::money::Currency::parse("USD").unwrap()),
        disputed_at: at(0),
        respond_by: None,
        processor_status: None,
        processor_reason: None,
        funds: None,
        as_of: None,
    }
}

/// A chargeback that needs a response until this time.
pub(crate) fn dated_chargeback(payment: &Payment, respond_by: Timestamp) -> Dispute {
    let mut dispute = dispute(
        payment,
        1,
        DisputeStage::Chargeback,
        DisputeStatus::NeedsResponse,
    );
    let dated = DisputeReport {
        respond_by: Some(respond_by),
        ..report(DisputeStage::Chargeback, DisputeStatus::NeedsResponse)
    };
    dispute.take(dated, at(1));
    dispute
}

fn dispute(payment: &Payment, n: u128, stage: DisputeStage, status: DisputeStatus) -> Dispute {
    let new = NewDispute {
        id: DisputeId::new(Uuid::from_u128(n)),
        team: payment.team(),
        payment: payment.id(),
        connection: ConnectionId::parse("bank-a").unwrap(),
    };
    Dispute::open(new, report(stage, status), at(9)).0
}

fn chargeback(payment: &Payment, n: u128) -> Dispute {
    dispute(
        payment,
        n,
        DisputeStage::Chargeback,
        DisputeStatus::NeedsResponse,
    )
}

fn become_status(one: &mut Dispute, status: DisputeStatus) {
    one.take(report(one.stage(), status), at(10));
}

#[test]
fn a_chargeback_disputes_any_captured_payment_and_one_that_is_won_or_closed_leads_back() {
    for status in [
        Status::Succeeded,
        Status::PartialRefunded,
        Status::Refunded,
        Status::RefundPending,
        Status::RefundFailed,
    ] {
        for end in [DisputeStatus::Won, DisputeStatus::Closed] {
            let mut one = in_status(status).unwrap();
            let mut claim = chargeback(&one, 1);
            let occurred = one.note_dispute(&claim, at(9)).unwrap();
            assert!(matches!(occurred.events[..], [PaymentEvent::Disputed(_)]));
            assert_eq!(one.status(), Status::Disputed);
            assert!(one.note_dispute(&claim, at(9)).is_none(), "once");
            assert!(
                one.begin_refund(
                    domain::id::RefundId::new(Uuid::from_u128(9)),
                    Some(1),
                    None,
                    begin(9)
                )
                .is_err()
            );
            become_status(&mut claim, end);
            let occurred = one.note_dispute(&claim, at(10)).unwrap();
            assert!(matches!(
                occurred.events[..],
                [PaymentEvent::DisputeEnded(_)]
            ));
            assert_eq!(one.status(), status);
            assert!(one.contested_by().is_empty());
        }
    }
}

#[test]
fn lost_and_refunded_stay_disputed_and_alerts_and_inquiries_change_nothing() {
    for end in [DisputeStatus::Lost, DisputeStatus::Refunded] {
        let mut one = in_status(Status::Succeeded).unwrap();
        let mut claim = chargeback(&one, 1);
        assert!(one.note_dispute(&claim, at(9)).is_some());
        become_status(&mut claim, end);
        assert!(one.note_dispute(&claim, at(10)).is_none());
        assert_eq!(one.status(), Status::Disputed);
    }
    for status in DisputeStatus::ALL.iter().copied() {
        let mut one = in_status(Status::Succeeded).unwrap();
        let question = dispute(&one, 1, DisputeStage::Inquiry, status);
        assert!(one.note_dispute(&question, at(9)).is_none());
        assert_eq!(one.status(), Status::Succeeded);
        refund(&mut one, 100, 10);
    }
}

#[test]
fn of_several_disputes_the_last_that_is_won_or_closed_frees_the_payment() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let (mut first, mut second) = (chargeback(&one, 1), chargeback(&one, 2));
    assert!(one.note_dispute(&first, at(9)).is_some());
    assert!(one.note_dispute(&second, at(9)).is_some());
    become_status(&mut first, DisputeStatus::Won);
    assert!(one.note_dispute(&first, at(10)).is_some());
    assert_eq!(one.status(), Status::Disputed);
    become_status(&mut second, DisputeStatus::Closed);
    assert!(one.note_dispute(&second, at(11)).is_some());
    assert_eq!(one.status(), Status::Succeeded);
    // Reopened at a later stage.
    first.take(
        report(DisputeStage::PreArbitration, DisputeStatus::NeedsResponse),
        at(12),
    );
    assert!(one.note_dispute(&first, at(12)).is_some());
    assert_eq!(one.status(), Status::Disputed);
}

#[test]
fn refunds_that_settle_or_fail_meanwhile_are_counted_and_seen_when_the_dispute_is_over() {
    let mut one = in_status(Status::RefundPending).unwrap();
    let n = one.refunds().next().unwrap().n;
    let mut claim = chargeback(&one, 1);
    one.note_dispute(&claim, at(9));
    apply_news(&mut one, n, done(), 10);
    assert_eq!((one.status(), one.refunded()), (Status::Disputed, 400));
    let returned = News::Later(LaterAnswer::Reversed {
        reason: "returned".into(),
        booked: None,
    });
    apply_news(&mut one, n, returned, 11);
    assert_eq!((one.status(), one.refunded()), (Status::Disputed, 0));
    become_status(&mut claim, DisputeStatus::Won);
    one.note_dispute(&claim, at(12));
    assert_eq!(one.status(), Status::Succeeded);
}

#[test]
fn a_dispute_that_is_reported_before_the_capture_counts_with_it() {
    let mut one = payment(CaptureRule::Api);
    let (n, _) = one.begin_authorise(connection(), true, begin(0));
    let claim = chargeback(&one, 1);
    let occurred = one.note_dispute(&claim, at(1)).unwrap();
    assert!(occurred.events.is_empty());
    assert_eq!(one.status(), Status::Active);
    apply_news(&mut one, n, approved(true), 2);
    assert_eq!((one.status(), one.captured()), (Status::Disputed, 1000));
}
