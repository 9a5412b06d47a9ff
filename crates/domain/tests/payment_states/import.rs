//! Payments that were made elsewhere.

use domain::{
    Timestamp,
    answer::LaterAnswer,
    id::{ConnectionId, MethodId, PaymentId, RefundId, TeamId},
    method::Method,
    money::{Currency, Money},
    payment::{
        Gateway, MadeElsewhere, NewImport, News, Occurrence, Origin, Payment, PaymentEvent,
        RefundElsewhere, Status,
    },
};
use uuid::Uuid;

use crate::bench::{apply_news, at, connection, done, in_status, refund};

fn made() -> MadeElsewhere {
    MadeElsewhere {
        processor_id: "ch_1".to_owned(),
        made_at: at(1),
        money: Money::new(1000, Currency::parse("EUR").unwrap()),
        captured: 800,
        refunded: 0,
        method: Method::Visa,
        last_four: Some("4242".to_owned()),
        order_id: Some("order-17".to_owned()),
    }
}

fn import(made: &MadeElsewhere, is_announced: bool) -> (Payment, Vec<Occurrence>) {
    let new = NewImport {
        team: TeamId::new(Uuid::from_u128(1)),
        id: PaymentId::new(Uuid::from_u128(2)),
        connection: ConnectionId::parse("bank-a").unwrap(),
        gateway: Gateway {
            processor: "bank".to_owned(),
            name: "Bank".to_owned(),
            logo: None,
        },
        method: MethodId::new(Uuid::from_u128(3)),
        refund: RefundId::new(Uuid::from_u128(4)),
        is_announced,
        at: at(10),
    };
    Payment::import(made, new)
}

fn events(lines: &[Occurrence]) -> Vec<&PaymentEvent> {
    lines.iter().flat_map(|line| &line.events).collect()
}

#[test]
fn an_import_is_a_charge_that_is_done_and_nothing_is_due_for_it() {
    let (mut one, _) = import(&made(), false);
    assert_eq!(
        (one.origin(), one.status()),
        (Origin::Import, Status::Succeeded)
    );
    assert_eq!((one.captured(), one.refundable()), (800, 800));
    assert_eq!(one.created_at(), at(1));
    let charge = one.authorisation().unwrap();
    assert_eq!(charge.processor_id.as_deref(), Some("ch_1"));
    assert_eq!((one.expires_at(), one.capture_at()), (None, None));
    assert!(one.authorisation_ended());
    let back = refund(&mut one, 800, 20);
    apply_news(&mut one, back, done(), 21);
    assert_eq!(one.status(), Status::Refunded);
}

#[test]
fn a_quiet_import_has_no_public_event_and_an_announced_one_has_those_of_a_sale() {
    let refunded = MadeElsewhere {
        refunded: 300,
        ..made()
    };
    let (mut quiet, lines) = import(&refunded, false);
    quiet.count_public_events(&lines);
    assert_eq!(quiet.public_events_before(&[]), 0);
    assert!(matches!(
        events(&lines)[..],
        [PaymentEvent::Imported(_), PaymentEvent::RefundImported(_)]
    ));
    let (mut announced, lines) = import(&refunded, true);
    announced.count_public_events(&lines);
    assert_eq!(announced.public_events_before(&[]), 4);
    assert!(matches!(
        events(&lines)[..],
        [
            PaymentEvent::Created(_),
            PaymentEvent::Imported(_),
            PaymentEvent::Authorised(_),
            PaymentEvent::Captured(_),
            PaymentEvent::Refunded(_)
        ]
    ));
}

#[test]
fn what_others_give_back_counts_once_and_never_comes_to_more_than_was_captured() {
    let (mut one, _) = import(&made(), true);
    let mut takes = |refunded: i64, n: u128| {
        let refund = RefundId::new(Uuid::from_u128(n));
        let report = MadeElsewhere { refunded, ..made() };
        let took = one.take_report(&report, refund, true, at(30)).unwrap();
        (!took.is_empty(), one.refunded(), one.status())
    };
    assert_eq!(takes(300, 10), (true, 300, Status::PartialRefunded));
    assert_eq!(takes(300, 11), (false, 300, Status::PartialRefunded));
    assert_eq!(
        takes(200, 12),
        (false, 300, Status::PartialRefunded),
        "an older report"
    );
    assert_eq!(takes(800, 13), (true, 800, Status::Refunded));
    let (mut mixed, _) = import(&made(), true);
    let own = refund(&mut mixed, 700, 20);
    apply_news(&mut mixed, own, done(), 21);
    let report = MadeElsewhere {
        refunded: 300,
        ..made()
    };
    let id = RefundId::new(Uuid::from_u128(14));
    let took = mixed.take_report(&report, id, true, at(30)).unwrap();
    assert_eq!(took.len(), 1);
    assert_eq!((mixed.refunded(), mixed.status()), (800, Status::Refunded));
}

#[test]
fn a_refund_under_way_keeps_no_payment_open_of_which_others_have_given_all_back() {
    let (mut one, _) = import(&made(), true);
    let own = refund(&mut one, 300, 20);
    let report = MadeElsewhere {
        refunded: 800,
        ..made()
    };
    let id = RefundId::new(Uuid::from_u128(15));
    one.take_report(&report, id, true, at(21)).unwrap();
    assert_eq!(one.status(), Status::Refunded);
    apply_news(&mut one, own, News::no_answer(), 22);
    assert_eq!(one.status(), Status::Refunded);
}

#[test]
fn what_can_not_be_kept_says_why() {
    let now = at(10);
    assert_eq!(made().check(now), Ok(()));
    let ahead = MadeElsewhere {
        made_at: at(11),
        ..made()
    };
    assert_eq!(ahead.check(now), Ok(()), "its clock is not ours");
    let odd: [fn(&mut MadeElsewhere); 10] = [
        |made| made.captured = 0,
        |made| made.captured = 1001,
        |made| made.captured = -1,
        |made| made.refunded = 801,
        |made| made.refunded = -1,
        |made| made.made_at = at(10 + 301),
        |made| made.made_at = Timestamp::from_micros(-1),
        |made| made.processor_id.clear(),
        |made| made.processor_id = "p\u{202e}11".to_owned(),
        |made| made.last_four = Some("42424".to_owned()),
    ];
    for (n, change) in odd.iter().enumerate() {
        let mut one = made();
        change(&mut one);
        assert!(one.check(now).is_err(), "{n}");
    }
}

#[test]
fn an_order_of_another_system_holds_no_card_number() {
    let with_number = MadeElsewhere {
        order_id: Some("order 4242424242424242".to_owned()),
        ..made()
    };
    let (payment, _) = import(&with_number, false);
    let order = payment.order_id().unwrap();
    assert!(
        order.starts_with("order ") && !order.contains("4242424242"),
        "{order}"
    );
}

fn report(change: impl FnOnce(&mut MadeElsewhere)) -> MadeElsewhere {
    let mut report = made();
    change(&mut report);
    report
}

#[test]
fn a_later_report_that_does_not_fit_the_import_changes_nothing() {
    let (mut one, _) = import(&made(), true);
    let before = one.clone();
    let odd = [
        report(|made| made.money = Money::new(1000, Currency::parse("JPY").unwrap())),
        report(|made| made.money = Money::new(900, Currency::parse("EUR").unwrap())),
        report(|made| made.refunded = i64::MAX),
        report(|made| (made.captured, made.refunded) = (-1, 300)),
    ];
    for (n, made) in odd.iter().enumerate() {
        let id = RefundId::new(Uuid::from_u128(20));
        assert!(one.take_report(made, id, true, at(30)).is_err(), "{n}");
        assert_eq!(one, before, "{n}");
    }
}

#[test]
fn what_others_capture_later_counts_and_an_older_report_takes_none_of_it_back() {
    let (mut one, _) = import(&report(|made| made.captured = 500), false);
    let id = |n| RefundId::new(Uuid::from_u128(n));
    let all = report(|made| (made.captured, made.refunded) = (1000, 500));
    let lines = one.take_report(&all, id(30), false, at(30)).unwrap();
    assert!(matches!(
        events(&lines)[..],
        [
            PaymentEvent::CaptureImported(_),
            PaymentEvent::RefundImported(_)
        ]
    ));
    assert_eq!((one.captured(), one.refunded()), (1000, 500));
    assert_eq!(
        (one.status(), one.refundable()),
        (Status::PartialRefunded, 500)
    );
    let older = report(|made| made.captured = 500);
    assert_eq!(one.take_report(&older, id(31), false, at(31)), Ok(vec![]));
    assert_eq!(
        (one.captured(), one.status()),
        (1000, Status::PartialRefunded)
    );
    // Refunded whole as far as was known, and then more is captured.
    let (mut two, _) = import(
        &report(|made| (made.captured, made.refunded) = (500, 500)),
        true,
    );
    assert_eq!(two.status(), Status::Refunded);
    let more = report(|made| (made.captured, made.refunded) = (700, 500));
    let lines = two.take_report(&more, id(32), true, at(32)).unwrap();
    assert!(matches!(events(&lines)[..], [PaymentEvent::Captured(_)]));
    assert_eq!(
        (two.captured(), two.status()),
        (700, Status::PartialRefunded)
    );
}

#[test]
fn a_refund_that_somebody_else_made_counts_once_and_within_what_is_left() {
    let made = |id: &str, minor: i64, currency: &str| RefundElsewhere {
        processor_id: id.to_owned(),
        money: Money::new(minor, Currency::parse(currency).unwrap()),
        connection: connection(),
    };
    let id = || RefundId::new(Uuid::from_u128(50));
    let mut paid = in_status(Status::Succeeded).unwrap();
    let lines = paid
        .take_refund_elsewhere(&made("re_1", 400, "EUR"), id(), at(20))
        .unwrap();
    assert!(matches!(events(&lines)[..], [PaymentEvent::Refunded(_)]));
    assert_eq!(
        (paid.refunded(), paid.status()),
        (400, Status::PartialRefunded)
    );
    let again = paid.take_refund_elsewhere(&made("re_1", 400, "EUR"), id(), at(21));
    assert_eq!(again.unwrap().len(), 0);
    // What is under way here is reserved: both together would be more than was captured.
    let own = refund(&mut paid, 500, 22);
    for (other, why) in [
        (made("re_2", 101, "EUR"), "more than"),
        (made("re_2", 0, "EUR"), "more than"),
        (made("re_2", 100, "USD"), "currency"),
    ] {
        let refused = paid
            .take_refund_elsewhere(&other, id(), at(23))
            .unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    apply_news(&mut paid, own, done(), 24);
    assert_eq!(paid.refunded(), 900);
    // It can fail later, as one of ours can.
    let theirs = paid
        .operations()
        .iter()
        .find(|one| one.processor_id.as_deref() == Some("re_1"));
    let n = theirs.unwrap().n;
    let failed = LaterAnswer::Reversed {
        reason: "it failed".into(),
        booked: None,
    };
    apply_news(&mut paid, n, News::Later(failed), 25);
    assert_eq!(paid.refunded(), 500);
    let mut open = in_status(Status::Authorised).unwrap();
    let early = open.take_refund_elsewhere(&made("re_3", 1, "EUR"), id(), at(20));
    assert!(early.is_err(), "nothing is captured");
}
