//! When the processor has another amount, currency or kind of operation under our reference than was asked for.

use domain::{
    Code,
    answer::{Answer, Approval, Booked, Booking, LaterAnswer},
    money::{Currency, Money},
    payment::{CancelCause, Duty, News, OperationKind, OperationState, Payment, Source, Status},
};

use crate::bench::{apply_news, at, begin, in_status, policy, refund};

fn money(minor: i64, currency: &str) -> Money {
    Money::new(minor, Currency::parse(currency).unwrap())
}

fn booked(what: Booking, minor: i64) -> Booked {
    let money = money(minor, "EUR");
    Booked { what, money }
}

fn done(what: Booking, minor: i64) -> News {
    News::Later(LaterAnswer::Done {
        processor_id: Some("re_1".to_owned()),
        booked: Some(booked(what, minor)),
    })
}

fn approved(captured: bool, money: Money) -> News {
    let approval = Approval {
        processor_id: Some("ch_1".to_owned()),
        booked: Some(money),
        ..Approval::default()
    };
    News::Answer(Answer::Approved { captured, approval })
}

/// Takes news as a look-up before the call brings it in a restored database; the titles.
fn restored(payment: &mut Payment, n: u32, news: News) -> Vec<String> {
    let lines = payment.settle(n, news, Source::Restored.at(at(9)), &policy());
    lines.into_iter().map(|line| line.entry.title).collect()
}

fn capture(payment: &mut Payment, amount: i64) -> u32 {
    payment.begin_capture(Some(amount), begin(5)).unwrap().0
}

fn cancel(payment: &mut Payment) -> u32 {
    let cause = CancelCause::Merchant;
    payment.begin_cancel(cause, None, begin(5)).unwrap().0
}

#[test]
fn another_amount_is_recorded_as_it_is_and_the_request_learns_that_it_was_not_made() {
    let mut one = in_status(Status::Authorised).unwrap();
    let n = capture(&mut one, 500);
    let titles = restored(&mut one, n, done(Booking::Capture, 300));
    assert_eq!(titles, ["The processor has something else", "Captured"]);
    assert_eq!((one.status(), one.captured()), (Status::Succeeded, 300));
    let fault = one.verdict(n).unwrap_err();
    assert_eq!(fault.code, Code::CaptureProcessor);
    assert!(fault.message.contains("€3.00"), "{}", fault.message);

    let n = refund(&mut one, 300, 6);
    restored(&mut one, n, done(Booking::Refund, 100));
    assert_eq!((one.refunded(), one.refundable()), (100, 200));
    assert_eq!(one.verdict(n).unwrap_err().code, Code::RefundProcessor);
    // The same amount is taken for what was asked for.
    let n = refund(&mut one, 200, 7);
    assert_eq!(
        restored(&mut one, n, done(Booking::Refund, 200)),
        ["Refunded"]
    );
    assert!(one.verdict(n).is_ok());
    assert_eq!(one.status(), Status::Refunded);
}

#[test]
fn another_operation_is_recorded_as_what_it_is() {
    let mut one = in_status(Status::Authorised).unwrap();
    let n = cancel(&mut one);
    restored(&mut one, n, done(Booking::Capture, 700));
    assert_eq!((one.status(), one.captured()), (Status::Succeeded, 700));
    assert_eq!(one.verdict(n).unwrap_err().code, Code::CancelProcessor);
    assert_eq!(one.operation(n).unwrap().kind, OperationKind::Capture);

    let mut one = in_status(Status::Authorised).unwrap();
    let n = capture(&mut one, 1000);
    restored(&mut one, n, done(Booking::Cancellation, 1000));
    assert_eq!((one.status(), one.captured()), (Status::Cancelled, 0));
    assert_eq!(one.verdict(n).unwrap_err().code, Code::CaptureProcessor);
}

#[test]
fn a_refusal_and_a_pending_one_of_another_amount_are_not_the_new_requests() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 400, 5);
    let refusal = LaterAnswer::Refused {
        reason: "no".into(),
        booked: Some(booked(Booking::Refund, 600)),
    };
    restored(&mut one, n, News::Later(refusal));
    assert_eq!((one.status(), one.refundable()), (Status::Succeeded, 1000));
    let fault = one.verdict(n).unwrap_err();
    assert!(fault.message.contains("€6.00"), "{}", fault.message);

    let n = refund(&mut one, 400, 6);
    let waits = LaterAnswer::Pending {
        processor_id: None,
        booked: Some(booked(Booking::Refund, 600)),
    };
    restored(&mut one, n, News::Later(waits));
    assert_eq!(
        (one.status(), one.refundable()),
        (Status::RefundPending, 400)
    );
    // It settles as what it is; nothing new is reported of it.
    apply_news(&mut one, n, done(Booking::Refund, 600), 10);
    assert_eq!(
        (one.status(), one.refunded()),
        (Status::PartialRefunded, 600)
    );
}

#[test]
fn what_fits_nothing_is_taken_for_nothing_and_waits_for_a_person() {
    let in_dollars = News::Later(LaterAnswer::Done {
        processor_id: Some("re_1".to_owned()),
        booked: Some(Booked {
            what: Booking::Refund,
            money: money(400, "USD"),
        }),
    });
    for news in [in_dollars, done(Booking::Capture, 400)] {
        let mut one = in_status(Status::Succeeded).unwrap();
        let n = refund(&mut one, 400, 5);
        let titles = restored(&mut one, n, news.clone());
        assert_eq!(
            titles,
            [
                "The processor has something else",
                "No answer to the refund"
            ]
        );
        assert_eq!((one.status(), one.refunded()), (Status::RefundPending, 0));
        assert_eq!(one.operation(n).unwrap().processor_id, None);
        // That is reported once.
        let lines = one.settle(n, news, Source::LookUp.at(at(20)), &policy());
        assert_eq!(lines, []);
        assert_eq!((one.status(), one.refunded()), (Status::RefundPending, 0));
    }
}

#[test]
fn an_approval_of_another_amount_is_declined_and_given_back() {
    for (captured, source) in [
        (false, Source::Call),
        (true, Source::Call),
        (true, Source::LookUp),
    ] {
        let mut one = in_status(Status::Active).unwrap();
        let news = approved(captured, money(400, "EUR"));
        one.settle(1, news, source.at(at(9)), &policy());
        assert_eq!((one.status(), one.captured()), (Status::Declined, 0));
        assert_eq!(one.decline().unwrap().code.code(), "INVALID_AMOUNT");
        let owed = Duty::Reverse {
            target: 1,
            captured,
        };
        assert_eq!(one.duty(at(9)), Some(owed));
        let (reversal, _) = one.begin_reverse(1, captured, begin(10)).unwrap();
        assert_eq!(one.operation(reversal).unwrap().amount, 400);
        assert_eq!(one.may_fall_back(1), None);
    }
    let mut one = in_status(Status::Active).unwrap();
    let news = approved(true, money(1000, "USD"));
    one.settle(1, news, Source::Call.at(at(9)), &policy());
    assert_eq!(one.status(), Status::NoAnswerFromPsp);
    assert_eq!(one.operation(1).unwrap().answer, None);
    let mut one = in_status(Status::Active).unwrap();
    one.settle(
        1,
        approved(true, money(1000, "EUR")),
        Source::Call.at(at(9)),
        &policy(),
    );
    assert_eq!((one.status(), one.captured()), (Status::Succeeded, 1000));
}

#[test]
fn a_late_success_of_another_amount_counts_with_its_own() {
    let mut one = in_status(Status::Succeeded).unwrap();
    let n = refund(&mut one, 400, 5);
    apply_news(&mut one, n, News::Nothing("down".to_owned()), 6);
    assert!(matches!(
        one.operation(n).unwrap().state,
        OperationState::Failed { .. }
    ));
    apply_news(&mut one, n, done(Booking::Refund, 100), 7);
    assert_eq!(
        (one.status(), one.refunded()),
        (Status::PartialRefunded, 100)
    );
}
