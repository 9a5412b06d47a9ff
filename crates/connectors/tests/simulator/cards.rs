//! The table of test numbers, row by row.

use connector::{Answer, LaterAnswer};
use connectors::simulator::BookingKind;
use domain::{
    decline::{DeclineCode, DeclineType},
    method::CardFunding,
};
use serde_json::json;
use world::Elapsed;

use crate::shop::{Charge, Seen, Shop};

const SUCCESS: &[&str] = &[
    "4242424242424242",
    "4111111111111111",
    "4012888888881881",
    "4000056655665556",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "3566002020360505",
    "36227206271667",
    "6200000000000005",
    // Their disputes come later.
    "4000000000000259",
    "4000000000002685",
    "4000000000005423",
    // Any other valid number.
    "4222222222222",
    "6799990100000000019",
    // These succeed too, up to what comes later.
    "4000000000007726",
    "4000000000005126",
    "4000000000000937",
    "4000000000000945",
];

#[test]
fn numbers_that_succeed_do_as_a_sale_and_as_an_authorisation() {
    let shop = Shop::open();
    for number in SUCCESS {
        let (authorised, sold) = (shop.authorised(number), shop.sold(number));
        assert_eq!(shop.sums(&authorised), [1000, 0, 0], "{number}");
        assert_eq!(shop.sums(&sold), [1000, 1000, 0], "{number}");
        assert_eq!(shop.entry(&sold)["declined"], json!(false));
    }
}

#[test]
fn an_approval_comes_with_its_facts() {
    let shop = Shop::open();
    for (number, funding) in [
        ("4242424242424242", CardFunding::Credit),
        ("4000056655665556", CardFunding::Debit),
    ] {
        let reference = shop.reference();
        let answer = shop
            .authorise(&reference, number, Charge::sale(1000))
            .unwrap()
            .unwrap();
        let Answer::Approved { approval, .. } = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(approval.funding, Some(funding));
        assert_eq!(
            approval.processor_id,
            Some(format!("sim_{}", reference.as_str()))
        );
        assert_eq!(approval.processor_status.as_deref(), Some("captured"));
        assert_eq!(
            approval.network_status.as_deref(),
            Some("approved_by_network")
        );
        assert_eq!(approval.risk_level.as_deref(), Some("normal"));
        assert!(approval.risk_score_hundredths.is_some());
        assert_eq!(approval.issuing_bank.as_deref(), Some("Simulated Bank"));
        assert_eq!(approval.card_country.as_deref(), Some("US"));
        assert_eq!(approval.receipt_url, None);
        assert!(approval.scheme_transaction_id.is_some());
    }
}

#[test]
fn numbers_that_are_declined_are_for_their_reason() {
    let shop = Shop::open();
    for (number, code, kind) in [
        (
            "4000000000000002",
            DeclineCode::GeneralDecline,
            DeclineType::Hard,
        ),
        (
            "4000000000000069",
            DeclineCode::ExpiredCard,
            DeclineType::Hard,
        ),
        (
            "4000000000009995",
            DeclineCode::InsufficientFunds,
            DeclineType::Soft,
        ),
        (
            "4000000000009979",
            DeclineCode::LostRestrictedOrStolenCard,
            DeclineType::Hard,
        ),
        (
            "4100000000000019",
            DeclineCode::SuspectedFraud,
            DeclineType::Hard,
        ),
        (
            "4000000000000127",
            DeclineCode::InvalidCvc,
            DeclineType::Hard,
        ),
        (
            "4000002760003184",
            DeclineCode::AuthorizationRequired,
            DeclineType::Soft,
        ),
        (
            "4000008400001629",
            DeclineCode::AuthorizationRequired,
            DeclineType::Soft,
        ),
    ] {
        for capture in [false, true] {
            let reference = shop.reference();
            let answer = shop
                .authorise(&reference, number, Charge::of(1000, capture))
                .unwrap()
                .unwrap();
            let Answer::Declined { decline, approval } = &answer else {
                panic!("{number}: {answer:?}")
            };
            assert_eq!((decline.code, decline.kind), (code, kind), "{number}");
            assert!(decline.processor_code.is_some() && decline.processor_type.is_some());
            assert_eq!(
                approval.network_status.as_deref(),
                Some("declined_by_network")
            );
            assert_eq!(approval.scheme_transaction_id, None);
            assert_eq!(
                shop.look_up(&reference, &reference),
                Seen::Authorisation(answer)
            );
            assert_eq!(shop.sums(&reference), [0, 0, 0]);
            assert_eq!(shop.entry(&reference)["declined"], json!(true));
        }
    }
}

#[test]
fn a_failure_authorises_nothing_and_is_no_decline() {
    let shop = Shop::open();
    let reference = shop.reference();
    let answer = shop
        .authorise(&reference, "4000000000000119", Charge::sale(1000))
        .unwrap()
        .unwrap();
    assert!(matches!(answer, Answer::Failed { .. }), "{answer:?}");
    assert_eq!(
        shop.look_up(&reference, &reference),
        Seen::Authorisation(answer)
    );
    assert_eq!(shop.sums(&reference), [0, 0, 0]);
    assert_eq!(shop.entry(&reference)["declined"], json!(false));
}

#[test]
fn a_silent_charge_is_found_by_the_first_look_up() {
    let shop = Shop::open();
    for capture in [false, true] {
        let reference = shop.reference();
        let before = shop.world.now();
        assert_eq!(
            shop.authorise(&reference, "4000000000000903", Charge::of(1000, capture)),
            Err(Elapsed)
        );
        assert_eq!(shop.world.now().since(before).as_secs(), 2);
        let found = shop.look_up(&reference, &reference);
        assert!(
            matches!(found, Seen::Authorisation(Answer::Approved { captured, .. }) if captured == capture),
            "{found:?}"
        );
        assert_eq!(
            shop.sums(&reference),
            [1000, if capture { 1000 } else { 0 }, 0]
        );
    }
}

#[test]
fn a_silence_without_a_charge_leaves_nothing_to_find() {
    let shop = Shop::open();
    let reference = shop.reference();
    assert_eq!(
        shop.authorise(&reference, "4000000000000911", Charge::sale(1000)),
        Err(Elapsed)
    );
    assert_eq!(shop.look_up(&reference, &reference), Seen::NotFound);
    assert_eq!(shop.read(), [] as [serde_json::Value; 0]);
}

#[test]
fn a_held_payment_is_accepted_two_seconds_later_as_it_was_asked_for() {
    let shop = Shop::open();
    for capture in [false, true] {
        let reference = shop.reference();
        let answer = shop
            .authorise(&reference, "4000000000000929", Charge::of(1000, capture))
            .unwrap()
            .unwrap();
        assert!(matches!(answer, Answer::Held { .. }), "{answer:?}");
        let refund = shop
            .later(BookingKind::Refund, &reference, &shop.reference(), 1000)
            .unwrap()
            .unwrap();
        assert!(matches!(refund, LaterAnswer::Refused { .. }), "{refund:?}");
        shop.wait(1999);
        assert_eq!(
            shop.look_up(&reference, &reference),
            Seen::Authorisation(answer)
        );
        assert_eq!(shop.sums(&reference), [0, 0, 0]);
        shop.wait(1);
        let found = shop.look_up(&reference, &reference);
        assert!(
            matches!(found, Seen::Authorisation(Answer::Approved { captured, .. }) if captured == capture),
            "{found:?}"
        );
        assert_eq!(
            shop.sums(&reference),
            [1000, if capture { 1000 } else { 0 }, 0]
        );
    }
}

#[test]
fn a_stubborn_authorisation_can_be_neither_captured_nor_cancelled() {
    let shop = Shop::open();
    let authorised = shop.authorised("4000000000000937");
    for kind in [BookingKind::Capture, BookingKind::Cancel] {
        let reference = shop.reference();
        let answer = shop
            .later(kind, &authorised, &reference, 1000)
            .unwrap()
            .unwrap();
        assert!(matches!(answer, LaterAnswer::Refused { .. }), "{answer:?}");
        assert_eq!(shop.look_up(&authorised, &reference), Seen::Later(answer));
    }
    assert_eq!(shop.sums(&authorised), [1000, 0, 0]);
    assert_eq!(shop.entry(&authorised)["cancelled"], json!(false));
    let sold = shop.sold("4000000000000937");
    let refund = shop
        .later(BookingKind::Refund, &sold, &shop.reference(), 1000)
        .unwrap()
        .unwrap();
    assert!(matches!(refund, LaterAnswer::Done { .. }), "{refund:?}");
}

#[test]
fn a_slow_refund_is_done_two_seconds_later() {
    let shop = Shop::open();
    let (sold, refund) = (shop.sold("4000000000007726"), shop.reference());
    let answer = shop
        .later(BookingKind::Refund, &sold, &refund, 400)
        .unwrap()
        .unwrap();
    assert!(matches!(answer, LaterAnswer::Pending { .. }), "{answer:?}");
    shop.wait(1999);
    assert_eq!(shop.look_up(&sold, &refund), Seen::Later(answer));
    assert_eq!(shop.sums(&sold), [1000, 1000, 0]);
    assert_eq!(shop.entry(&sold)["refunds"][0]["status"], "pending");
    shop.wait(1);
    assert!(matches!(
        shop.look_up(&sold, &refund),
        Seen::Later(LaterAnswer::Done { .. })
    ));
    assert_eq!(shop.sums(&sold), [1000, 1000, 400]);
    assert_eq!(
        shop.entry(&sold)["refunds"],
        json!([{"reference": refund, "amount": 400, "status": "done"}])
    );
}

#[test]
fn a_failing_refund_fails_two_seconds_later_and_gives_its_amount_free() {
    let shop = Shop::open();
    let (sold, refund) = (shop.sold("4000000000005126"), shop.reference());
    let answer = shop
        .later(BookingKind::Refund, &sold, &refund, 700)
        .unwrap()
        .unwrap();
    assert!(matches!(answer, LaterAnswer::Pending { .. }), "{answer:?}");
    let alongside = shop
        .later(BookingKind::Refund, &sold, &shop.reference(), 301)
        .unwrap()
        .unwrap();
    assert!(
        matches!(alongside, LaterAnswer::Refused { .. }),
        "a pending refund reserves its amount: {alongside:?}"
    );
    shop.wait(2000);
    assert!(matches!(
        shop.look_up(&sold, &refund),
        Seen::Later(LaterAnswer::Refused { .. })
    ));
    assert_eq!(shop.sums(&sold), [1000, 1000, 0]);
    assert_eq!(shop.entry(&sold)["refunds"][0]["status"], "failed");
    let again = shop
        .later(BookingKind::Refund, &sold, &shop.reference(), 1000)
        .unwrap()
        .unwrap();
    assert!(matches!(again, LaterAnswer::Pending { .. }), "{again:?}");
}

#[test]
fn later_operations_of_a_silent_card_take_effect_and_answer_at_the_second_call() {
    let shop = Shop::open();
    let (captured, cancelled) = (
        shop.authorised("4000000000000945"),
        shop.authorised("4000000000000945"),
    );
    let steps = [
        (BookingKind::Capture, &captured, 1000),
        (BookingKind::Refund, &captured, 400),
        (BookingKind::Refund, &captured, 600),
        (BookingKind::Cancel, &cancelled, 1000),
    ];
    for (kind, about, minor) in steps {
        let reference = shop.reference();
        assert_eq!(
            shop.later(kind, about, &reference, minor),
            Err(Elapsed),
            "{kind:?}"
        );
        assert!(
            matches!(
                shop.look_up(about, &reference),
                Seen::Later(LaterAnswer::Done { .. })
            ),
            "{kind:?}"
        );
        let second = shop.later(kind, about, &reference, minor).unwrap().unwrap();
        assert!(matches!(second, LaterAnswer::Done { .. }), "{second:?}");
    }
    assert_eq!(shop.sums(&captured), [1000, 1000, 1000]);
    assert_eq!(shop.entry(&cancelled)["cancelled"], json!(true));
    // What has no effect is refused aloud.
    let above = shop
        .later(BookingKind::Refund, &captured, &shop.reference(), 1)
        .unwrap()
        .unwrap();
    assert!(matches!(above, LaterAnswer::Refused { .. }), "{above:?}");
}
