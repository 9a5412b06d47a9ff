//! Disputes: every transition, and what it makes of the payment.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod responses;

use std::time::Duration;

use domain::{
    Timestamp,
    dispute::{
        Dispute, DisputeDuty, DisputeEvent, DisputeOccurrence, DisputeReason, DisputeReport,
        DisputeStage, DisputeStatus, DisputedFunds, NewDispute, Standing, Step, Warning,
    },
    id::{ConnectionId, DisputeId, PaymentId, TeamId},
    money::{Currency, Money},
};
use uuid::Uuid;

use DisputeStage::{Chargeback, Inquiry, PreArbitration};
use DisputeStatus::{
    Closed, Lost, NeedsResponse, Notification, Refunded, SentForReview, UnderReview, Won,
};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros((1_767_225_600 + seconds) * 1_000_000)
}

fn euros(minor: i64) -> Money {
    Money::new(minor, Currency::parse("EUR").unwrap())
}

fn report(stage: DisputeStage, status: DisputeStatus) -> DisputeReport {
    DisputeReport {
        source_id: "dp_1".to_owned(),
        source_payment: Some("ch_1".to_owned()),
        status,
        stage,
        reason: Some(DisputeReason::Fraud),
        money: euros(1000),
        disputed_at: at(0),
        respond_by: Some(at(7 * 86_400)),
        processor_status: None,
        processor_reason: Some("10.4".into()),
        funds: None,
        as_of: None,
    }
}

fn of(seconds: i64, stage: DisputeStage, status: DisputeStatus) -> DisputeReport {
    DisputeReport {
        as_of: Some(at(seconds)),
        ..report(stage, status)
    }
}

fn opened(report: DisputeReport) -> (Dispute, Vec<DisputeOccurrence>) {
    let new = NewDispute {
        id: DisputeId::new(Uuid::from_u128(1)),
        team: TeamId::new(Uuid::from_u128(2)),
        payment: PaymentId::new(Uuid::from_u128(3)),
        connection: ConnectionId::parse("bank-a").unwrap(),
    };
    Dispute::open(new, report, at(0))
}

fn kinds(occurred: &[DisputeOccurrence]) -> Vec<&'static str> {
    let events = occurred.iter().flat_map(|one| &one.events);
    let kind = |event: &DisputeEvent| match event {
        DisputeEvent::Opened(_) => "opened",
        DisputeEvent::Updated(_) => "updated",
        DisputeEvent::Confirmed => "confirmed",
        DisputeEvent::ResponseDue(due) if due.is_past => "past",
        DisputeEvent::ResponseDue(_) => "near",
        DisputeEvent::Won(_) => "won",
        DisputeEvent::Lost(_) => "lost",
        DisputeEvent::Closed(_) => "closed",
        DisputeEvent::Response(_) => "response",
        DisputeEvent::Other => "other",
    };
    events.map(kind).collect()
}

fn take(dispute: &mut Dispute, report: DisputeReport) -> Vec<&'static str> {
    kinds(&dispute.take(report, at(1)))
}

#[test]
fn each_status_leads_where_the_contract_says_and_nowhere_back_unless_the_processor_proves_it() {
    let order = [
        &[Notification][..],
        &[NeedsResponse],
        &[SentForReview],
        &[UnderReview],
        &[Won, Lost, Closed, Refunded],
    ];
    let place = |status: DisputeStatus| order.iter().position(|ones| ones.contains(&status));
    for stage in DisputeStage::ALL.iter().copied() {
        for from in DisputeStatus::ALL.iter().copied() {
            for to in DisputeStatus::ALL.iter().copied() {
                let known = Standing {
                    stage,
                    status: from,
                };
                let reported = Standing { stage, status: to };
                let step = |proven| known.step_to(reported, proven);
                if from == to {
                    assert_eq!((step(false), step(true)), (Step::Same, Step::Same));
                } else if to == Notification {
                    assert_eq!((step(false), step(true)), (Step::Stale, Step::Stale));
                } else if place(to) > place(from) {
                    assert_eq!((step(false), step(true)), (Step::Forward, Step::Forward));
                } else if place(to) == place(from) {
                    assert_eq!((step(false), step(true)), (Step::Stale, Step::Corrected));
                } else {
                    assert_eq!((step(false), step(true)), (Step::Stale, Step::Back));
                }
            }
        }
    }
}

#[test]
fn a_later_stage_counts_whatever_the_status_and_an_earlier_one_never() {
    for (n, from) in DisputeStage::ALL.iter().enumerate() {
        for (m, to) in DisputeStage::ALL
            .iter()
            .enumerate()
            .filter(|(m, _)| *m != n)
        {
            for status in DisputeStatus::ALL
                .iter()
                .copied()
                .filter(|one| *one != Notification)
            {
                for known in DisputeStatus::ALL.iter().copied() {
                    let known = Standing {
                        stage: *from,
                        status: known,
                    };
                    let step = known.step_to(Standing { stage: *to, status }, true);
                    let wanted = if m > n { Step::NewStage } else { Step::Stale };
                    assert_eq!(step, wanted, "{known:?} {to} {status}");
                }
            }
        }
    }
}

#[test]
fn a_chargeback_is_contested_and_won() {
    let (mut one, occurred) = opened(report(Chargeback, NeedsResponse));
    assert_eq!(kinds(&occurred), ["opened"]);
    assert!(one.standing().holds_payment());
    assert_eq!(
        take(&mut one, report(Chargeback, SentForReview)),
        ["updated"]
    );
    assert_eq!(take(&mut one, report(Chargeback, UnderReview)), ["updated"]);
    assert!(one.standing().holds_payment());
    assert_eq!(take(&mut one, report(Chargeback, Won)), ["won"]);
    assert!(!one.standing().holds_payment() && !one.status().is_open());
    let again: [&str; 0] = [];
    assert_eq!(take(&mut one, report(Chargeback, Won)), again, "twice");
    assert_eq!(
        take(&mut one, report(Chargeback, NeedsResponse)),
        again,
        "late"
    );
    assert_eq!(take(&mut one, report(Chargeback, Lost)), again, "unproven");
    assert_eq!(one.status(), Won);
}

#[test]
fn an_alert_becomes_an_inquiry_and_that_a_chargeback() {
    let (mut one, occurred) = opened(report(Inquiry, Notification));
    assert_eq!(kinds(&occurred), ["opened"]);
    assert_eq!(take(&mut one, report(Inquiry, NeedsResponse)), ["updated"]);
    assert!(!one.standing().holds_payment(), "an inquiry takes no money");
    assert_eq!(
        take(&mut one, report(Chargeback, NeedsResponse)),
        ["updated"]
    );
    assert!(one.standing().holds_payment());
    for end in [Closed, Refunded] {
        let (mut alert, _) = opened(report(Inquiry, Notification));
        assert_eq!(take(&mut alert, report(Inquiry, end)), ["closed"]);
        assert!(!alert.standing().holds_payment());
    }
}

#[test]
fn a_dispute_that_was_won_is_reopened_at_a_later_stage_and_asks_for_a_response_again() {
    let (mut one, _) = opened(report(Chargeback, NeedsResponse));
    assert_eq!(take(&mut one, report(Chargeback, Won)), ["won"]);
    assert_eq!(
        take(&mut one, report(PreArbitration, NeedsResponse)),
        ["updated"]
    );
    assert!(one.standing().holds_payment() && one.status().is_open());
    let last = one.take(report(PreArbitration, Lost), at(2));
    assert_eq!(kinds(&last), ["lost"]);
    assert!(
        one.standing().holds_payment(),
        "it stays DISPUTED when it is lost"
    );
}

#[test]
fn every_open_status_can_end_as_closed_or_refunded() {
    for from in [NeedsResponse, SentForReview, UnderReview] {
        for end in [Closed, Refunded] {
            let (mut one, _) = opened(report(Chargeback, from));
            assert_eq!(take(&mut one, report(Chargeback, end)), ["closed"]);
            assert_eq!(one.standing().holds_payment(), end == Refunded);
        }
    }
}

#[test]
fn what_is_first_reported_as_lost_is_opened_and_lost_at_once() {
    let (one, occurred) = opened(report(Chargeback, Lost));
    assert_eq!(kinds(&occurred), ["opened", "lost"]);
    assert_eq!(one.due_after(at(0)), None);
}

#[test]
fn reports_with_a_time_of_the_processor_are_taken_in_its_order() {
    let (mut one, _) = opened(of(10, Chargeback, UnderReview));
    let nothing: [&str; 0] = [];
    assert_eq!(take(&mut one, of(5, Chargeback, Won)), nothing, "older");
    assert_eq!(take(&mut one, of(20, Chargeback, Lost)), ["lost"]);
    assert_eq!(take(&mut one, of(15, Chargeback, Won)), nothing, "older");
    assert_eq!(take(&mut one, of(30, Chargeback, Won)), ["won"], "reversed");
    assert_eq!(
        take(&mut one, of(40, Chargeback, NeedsResponse)),
        ["updated"],
        "reopened"
    );
    assert_eq!(
        one.standing(),
        Standing {
            stage: Chargeback,
            status: NeedsResponse
        }
    );
}

#[test]
fn funds_and_details_are_updates() {
    let (mut one, _) = opened(report(Chargeback, NeedsResponse));
    let withdrawn = DisputeReport {
        funds: Some(DisputedFunds::Withdrawn),
        ..report(Chargeback, NeedsResponse)
    };
    assert_eq!(take(&mut one, withdrawn.clone()), ["updated"]);
    assert!(one.take(withdrawn, at(2)).is_empty());
    let reinstated = DisputeReport {
        funds: Some(DisputedFunds::Reinstated),
        ..report(Chargeback, Won)
    };
    assert_eq!(take(&mut one, reinstated), ["won", "updated"]);
    let (mut part, _) = opened(report(Chargeback, NeedsResponse));
    let dollars = Money::new(300, Currency::parse("USD").unwrap());
    let other = DisputeReport {
        money: dollars,
        reason: None,
        ..report(Chargeback, NeedsResponse)
    };
    assert_eq!(take(&mut part, other), ["updated"]);
    assert_eq!(
        (part.money(), part.reason()),
        (dollars, DisputeReason::Fraud)
    );
}

#[test]
fn a_deadline_warns_near_and_past_and_decides_nothing() {
    let (mut one, _) = opened(report(Chargeback, NeedsResponse));
    let near = at(4 * 86_400);
    assert_eq!(one.due_after(at(0)), Some(near));
    assert_eq!(one.duty(at(0)), Some(DisputeDuty::LookUp));
    assert_eq!(one.duty(near), Some(DisputeDuty::Warn(Warning::Near)));
    assert_eq!(kinds(&[one.warn(near).unwrap()]), ["near"]);
    assert!(one.warn(near).is_none(), "once");
    let end = at(7 * 86_400);
    assert_eq!(one.due_after(near), Some(end));
    assert_eq!(kinds(&[one.warn(end).unwrap()]), ["past"]);
    assert_eq!(one.status(), NeedsResponse);
    let next = end.after(Duration::from_hours(24));
    assert_eq!(one.due_after(end), Some(next));
    assert_eq!(one.duty(next), Some(DisputeDuty::LookUp));
    let longer = DisputeReport {
        respond_by: Some(at(30 * 86_400)),
        ..report(Chargeback, NeedsResponse)
    };
    assert_eq!(take(&mut one, longer), ["updated"]);
    assert_eq!(
        one.due_after(end),
        Some(at(27 * 86_400)),
        "a new deadline warns again"
    );
    assert_eq!(
        one.due_after(at(29 * 86_400)),
        Some(at(29 * 86_400)),
        "never in the past"
    );
    let (mut late, _) = opened(report(Chargeback, NeedsResponse));
    assert_eq!(
        kinds(&[late.warn(at(8 * 86_400)).unwrap()]),
        ["past"],
        "no near end that is past"
    );
}

#[test]
fn a_report_of_a_later_time_counts_although_it_says_the_same() {
    let (mut one, _) = opened(of(10, Chargeback, Won));
    assert_eq!(take(&mut one, of(30, Chargeback, Won)), ["confirmed"]);
    assert!(take(&mut one, of(30, Chargeback, Won)).is_empty(), "once");
    assert!(take(&mut one, of(20, Chargeback, NeedsResponse)).is_empty());
    assert_eq!(one.status(), Won);
}

#[test]
fn the_time_to_respond_belongs_to_the_stage_for_which_it_was_said() {
    let (mut one, _) = opened(report(Inquiry, NeedsResponse));
    let end = at(7 * 86_400);
    assert_eq!(kinds(&[one.warn(end).unwrap()]), ["past"]);
    let without = DisputeReport {
        respond_by: None,
        ..report(Chargeback, NeedsResponse)
    };
    assert_eq!(take(&mut one, without), ["updated"]);
    assert_eq!(one.respond_by(), None);
    assert_eq!(one.duty(end), Some(DisputeDuty::LookUp));
    let dated = report(Chargeback, NeedsResponse);
    assert_eq!(take(&mut one, dated), ["updated"]);
    let near = one.due_after(at(0)).unwrap();
    assert_eq!(one.duty(near), Some(DisputeDuty::Warn(Warning::Near)));
}

#[test]
fn reports_that_cannot_be_kept_are_refused_with_their_reason() {
    let good = report(Chargeback, NeedsResponse);
    assert_eq!(good.check(), Ok(()));
    let with = |change: &dyn Fn(&mut DisputeReport)| {
        let mut one = good.clone();
        change(&mut one);
        one.check()
    };
    let (end, start) = (
        Timestamp::from_micros(i64::MAX),
        Timestamp::from_micros(i64::MIN),
    );
    for refused in [
        with(&|one| one.money = euros(-5000)),
        with(&|one| one.money = euros(i64::MIN)),
        with(&|one| one.disputed_at = start),
        with(&|one| one.disputed_at = end),
        with(&|one| one.respond_by = Some(end)),
        with(&|one| one.as_of = Some(start)),
        with(&|one| one.source_id.clear()),
        with(&|one| one.source_id = "x".repeat(256)),
        with(&|one| one.source_id = "dp\0".to_owned()),
    ] {
        assert!(refused.is_err());
    }
    for taken in [
        with(&|one| one.money = euros(0)),
        with(&|one| one.money = euros(i64::MAX)),
        with(&|one| one.respond_by = None),
        with(&|one| one.source_id = "x".repeat(255)),
    ] {
        assert_eq!(taken, Ok(()));
    }
}

#[test]
fn what_an_answer_without_a_time_decided_older_news_does_not_reopen() {
    let (mut one, _) = opened(of(1, Chargeback, NeedsResponse));
    // An acceptance is answered at second 5, by a processor that dates its events alone.
    assert_eq!(take(&mut one, report(Chargeback, Lost)), ["lost"]);
    let older = of(3, Chargeback, NeedsResponse);
    assert!(take(&mut one, older).is_empty());
    assert_eq!(one.status(), Lost);
    // Its own event has a time, and what comes after that counts.
    assert_eq!(take(&mut one, of(5, Chargeback, Lost)), ["confirmed"]);
    let newer = of(9, Chargeback, NeedsResponse);
    assert_eq!(take(&mut one, newer), ["updated"]);
}

#[test]
fn reports_that_nothing_orders_say_in_any_order_where_the_money_is() {
    let with = |stage, status, word: &str, funds| DisputeReport {
        processor_status: Some(word.into()),
        funds,
        ..report(stage, status)
    };
    let withdrawn = Some(DisputedFunds::Withdrawn);
    let opened_word = with(Chargeback, NeedsResponse, "NOTIFICATION", None);
    let taken = with(Chargeback, NeedsResponse, "CHARGEBACK", withdrawn);
    let (mut one, _) = opened(taken.clone());
    assert!(
        take(&mut one, opened_word).is_empty(),
        "it was sent before and says less"
    );
    let later_won = with(PreArbitration, Won, "PREARBITRATION_WON", None);
    assert_eq!(take(&mut one, later_won), ["won"]);
    let reversed = with(
        Chargeback,
        Won,
        "CHARGEBACK_REVERSED",
        Some(DisputedFunds::Reinstated),
    );
    assert_eq!(take(&mut one, reversed.clone()), ["updated"]);
    assert!(take(&mut one, reversed).is_empty());
    assert!(take(&mut one, taken.clone()).is_empty());
    assert_eq!((one.stage(), one.status()), (PreArbitration, Won));
    let (mut two, _) = opened(with(Chargeback, Lost, "ENDED", None));
    assert_eq!(take(&mut two, taken), ["updated"]);
}
