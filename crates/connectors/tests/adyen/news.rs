//! What Adyen notifies: believed as far as it is signed, and once.

use connector::{
    Answer, Booking, CallError, Cancel, Complete, Connector, Earlier, LaterAnswer, NotGenuine,
    NoticeContent, Reference, Refund,
};
use domain::dispute::{DisputeStage, DisputeStatus};

use super::shop::{Shop, authorisation, card, euros, named};

fn own(reference: &Reference, n: u32) -> Reference {
    let (payment, _) = Reference::parse(reference.as_str()).unwrap();
    Reference::new(payment, n)
}

/// The id of a sale that is approved.
fn sold(shop: &Shop, reference: &Reference, name: &str) -> String {
    match shop.sale(reference, &named(name)) {
        Some(Ok(Answer::Approved { approval, .. })) => approval.processor_id.unwrap(),
        other => panic!("{name}: {other:?}"),
    }
}

fn words(contents: &[NoticeContent]) -> Vec<&'static str> {
    contents
        .iter()
        .map(|content| match content {
            NoticeContent::Approved(_) => "approved",
            NoticeContent::Authorisation(_) => "declined",
            NoticeContent::Later(LaterAnswer::Done { .. }) => "done",
            NoticeContent::Later(LaterAnswer::Refused { .. }) => "refused",
            NoticeContent::Later(LaterAnswer::Reversed { .. }) => "reversed",
            NoticeContent::Dispute(_) => "dispute",
            NoticeContent::Ended => "ended",
            _ => "other",
        })
        .collect()
}

fn reported(shop: &Shop, seconds: u64) -> Vec<NoticeContent> {
    let reported = shop.reported(seconds);
    reported.into_iter().map(|notice| notice.content).collect()
}

#[test]
pub(crate) fn an_approval_is_reported_with_its_id_and_amount() {
    let shop = Shop::open();
    let reference = shop.reference();
    let id = sold(&shop, &reference, "APPROVED");
    let mut notices = shop.reported(5);
    let notice = notices.remove(0);
    assert_eq!(
        notice.subject.reference.as_deref(),
        Some(reference.as_str())
    );
    let NoticeContent::Approved(approval) = notice.content else {
        panic!("{:?}", notice.content);
    };
    assert_eq!(approval.processor_id, Some(id));
    assert_eq!(approval.booked, Some(euros(1000)));
}

#[test]
pub(crate) fn what_is_pending_is_decided_by_news() {
    for (name, word) in [("PENDING", "approved"), ("PENDING_DECLINED", "declined")] {
        let shop = Shop::open();
        let answer = shop.sale(&shop.reference(), &named(name));
        assert!(
            matches!(answer, Some(Ok(Answer::Held { .. }))),
            "{answer:?}"
        );
        assert_eq!(words(&reported(&shop, 60)), [word], "{name}");
    }
}

#[test]
pub(crate) fn a_refund_can_fail_after_it_was_done() {
    for (name, expected) in [
        ("APPROVED", vec!["approved", "done"]),
        ("refund refused", vec!["approved", "refused"]),
        ("refund failed", vec!["approved", "done", "reversed"]),
        ("refunded reversed", vec!["approved", "done", "reversed"]),
    ] {
        let shop = Shop::open();
        let reference = shop.reference();
        let id = sold(&shop, &reference, name);
        let refund = own(&reference, 2);
        let call = Refund {
            reference: &refund,
            authorisation: Earlier {
                reference: &reference,
                processor_id: Some(&id),
            },
            capture: None,
            money: euros(400),
            reason: None,
        };
        let answer = shop
            .play(shop.connector.refund(&shop.link(), &call))
            .unwrap();
        let LaterAnswer::Pending { processor_id, .. } = answer else {
            panic!("{answer:?}");
        };
        let notices = shop.reported(60);
        for notice in &notices[1..] {
            assert_eq!(
                notice.subject.reference.as_deref(),
                Some(refund.as_str()),
                "{name}"
            );
            assert_eq!(notice.subject.processor_id, processor_id, "{name}");
            let NoticeContent::Later(
                LaterAnswer::Done { booked, .. }
                | LaterAnswer::Refused { booked, .. }
                | LaterAnswer::Reversed { booked, .. },
            ) = &notice.content
            else {
                panic!("{name}: {notice:?}");
            };
            let booked = booked.unwrap();
            assert_eq!((booked.what, booked.money), (Booking::Refund, euros(400)));
        }
        let contents: Vec<_> = notices.into_iter().map(|notice| notice.content).collect();
        assert_eq!(words(&contents), expected, "{name}");
    }
}

#[test]
pub(crate) fn a_forged_notification_is_not_believed_and_an_altered_one_neither() {
    let shop = Shop::open();
    shop.posted("/_sim/faults", "fault=webhook-forged&times=1");
    sold(&shop, &shop.reference(), "APPROVED");
    shop.play(shop.world.sleep(std::time::Duration::from_secs(5)));
    let posts = shop.posts();
    let judged: Vec<bool> = posts.iter().map(|post| shop.read(post).is_ok()).collect();
    assert!(judged.contains(&true), "{judged:?}");
    for mut post in posts.into_iter().filter(|post| shop.read(post).is_ok()) {
        let text = String::from_utf8(post.body.clone()).unwrap();
        for (from, to) in [
            ("\"success\":\"true\"", "\"success\":\"false\""),
            ("\"value\":1000", "\"value\":9000"),
            ("AUTHORISATION", "CANCELLATION"),
        ] {
            assert!(text.contains(from), "{text}");
            post.body = text.replace(from, to).into_bytes();
            assert_eq!(shop.read(&post).unwrap_err(), NotGenuine::Forged, "{to}");
        }
        post.body = text
            .replace("\"live\":\"false\"", "\"live\":\"true\"")
            .into_bytes();
        assert_eq!(shop.read(&post).unwrap_err(), NotGenuine::OtherMode);
        post.body = text.into_bytes();
        post.headers.remove("authorization");
        assert_eq!(shop.read(&post).unwrap_err(), NotGenuine::Forged);
    }
}

/// An authorisation that waits for the customer.
fn waiting(shop: &Shop, reference: &Reference) -> String {
    let card = card("4917610000000000");
    let call = authorisation(reference, &card, 1000);
    match shop.play(shop.connector.authorise(&shop.link(), &call)) {
        Ok(Answer::ActionRequired { action, .. }) => action.url,
        other => panic!("{other:?}"),
    }
}

#[test]
pub(crate) fn what_nobody_came_back_for_is_closed_and_pays_no_more() {
    let shop = Shop::open();
    let reference = shop.reference();
    let url = waiting(&shop, &reference);
    let cancel = own(&reference, 2);
    let authorisation = Earlier {
        reference: &reference,
        processor_id: None,
    };
    let call = Cancel {
        reference: &cancel,
        authorisation,
        money: euros(1000),
        asked: None,
        reason: None,
    };
    let answer = shop.play(shop.connector.cancel(&shop.link(), &call));
    assert!(
        matches!(answer, Ok(LaterAnswer::Pending { .. })),
        "{answer:?}"
    );
    // Adyen has no payment yet that could be cancelled.
    assert_eq!(words(&reported(&shop, 60)), ["refused"]);
    // A card needs nothing of Adyen: it is authorised by what the customer brings back, which nobody brings any more.
    let of_card = Cancel {
        asked: Some(connector::ActionKind::ThreeDSecure),
        ..call
    };
    let answer = shop.play(shop.connector.cancel(&shop.link(), &of_card));
    assert!(matches!(answer, Ok(LaterAnswer::Done { .. })), "{answer:?}");
    let returned = shop.press(&url, "complete");
    assert_eq!(words(&reported(&shop, 13 * 3600)), ["declined"]);
    let complete = Complete {
        authorisation,
        money: euros(1000),
        capture: true,
        returned: Some(&returned),
    };
    let late = shop.play(shop.connector.complete(&shop.link(), &complete));
    assert!(late.is_err(), "{late:?}");
    assert_eq!(shop.charges(), 0);
}

#[test]
pub(crate) fn the_result_of_another_payment_pays_nothing() {
    let shop = Shop::open();
    let (cheap, dear) = (shop.reference(), shop.reference());
    let url = waiting(&shop, &cheap);
    waiting(&shop, &dear);
    let stolen = shop.press(&url, "complete");
    let complete = Complete {
        authorisation: Earlier {
            reference: &dear,
            processor_id: None,
        },
        money: euros(1000),
        capture: true,
        returned: Some(&stolen),
    };
    let answer = shop.play(shop.connector.complete(&shop.link(), &complete));
    // Not unknown: the payment goes on waiting for its own customer.
    let is_refused = matches!(answer, Err(CallError::Rejected { .. }));
    assert!(is_refused, "{answer:?}");
}

#[test]
pub(crate) fn a_dispute_is_reported_step_by_step() {
    let shop = Shop::open();
    sold(&shop, &shop.reference(), "Second chargeback");
    let mut standings = Vec::new();
    // The longest pause between two steps is days.
    for content in (0..60).flat_map(|_| reported(&shop, 24 * 3600)) {
        if let NoticeContent::Dispute(report) = content {
            assert_eq!(report.check(), Ok(()));
            standings.push((report.stage, report.status));
        }
    }
    let first = (DisputeStage::Chargeback, DisputeStatus::NeedsResponse);
    assert_eq!(standings.first(), Some(&first), "{standings:?}");
    let last = standings.last().map(|(_, status)| *status);
    assert_eq!(last, Some(DisputeStatus::Lost), "{standings:?}");
}
