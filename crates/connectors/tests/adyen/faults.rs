//! What breaks between a request and its answer: nothing that was charged is called a failure, and nothing is charged twice.

use std::time::Duration;

use connector::{
    Answer, CallError, Capture, Cause, Complete, Connector, Credentials, Earlier, LaterAnswer,
    Link, Reference,
};

use super::shop::{Shop, authorisation, card, euros, named};

const CARD: &str = "4111111111111111";

#[test]
pub(crate) fn whatever_happens_to_an_answer_the_outcome_is_never_called_another() {
    for fault in [
        "lost-before",
        "lost-after",
        "error-before",
        "error-after",
        "html",
        "rate-limit",
        "cut=0",
        "cut=100",
        "slow=21000",
        "slow=60000",
    ] {
        let shop = Shop::open();
        let reference = shop.reference();
        shop.arm(fault, "/v72/payments");
        let answer = shop.sale(&reference, &card(CARD));
        let seen = format!("{fault}: {answer:?}");
        match answer {
            // Nothing can be looked up, so nothing is ever proven not to have happened.
            Some(Err(CallError::Unknown { .. })) | None => {}
            other => panic!("{seen}: {other:?}"),
        }
        // What was charged comes to light by itself.
        let reported = shop.reported(60);
        assert_eq!(reported.len(), shop.charges(), "{seen}: {reported:?}");
        for notice in reported {
            let subject = notice.subject.reference;
            assert_eq!(subject.as_deref(), Some(reference.as_str()), "{seen}");
        }
    }
}

#[test]
pub(crate) fn a_request_that_is_repeated_charges_once_whatever_is_in_it() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.arm("lost-after", "/v72/payments");
    let first = shop.sale(&reference, &card(CARD));
    assert!(
        matches!(first, Some(Err(CallError::Unknown { .. }))),
        "{first:?}"
    );
    let again = shop.sale(&reference, &card(CARD));
    assert!(
        matches!(again, Some(Ok(Answer::Approved { .. }))),
        "{again:?}"
    );
    assert_eq!(shop.charges(), 1);
    let other_card = shop.sale(&reference, &card("5555555555554444"));
    assert!(
        matches!(other_card, Some(Err(CallError::Rejected { .. }))),
        "{other_card:?}"
    );
    let (link, card) = (shop.link(), card(CARD));
    let more = authorisation(&reference, &card, 2000);
    let other_amount = shop.play(shop.connector.authorise(&link, &more));
    assert!(
        matches!(other_amount, Err(CallError::Rejected { .. })),
        "{other_amount:?}"
    );
    assert_eq!(shop.charges(), 1);
}

#[test]
pub(crate) fn a_request_is_sent_again_only_as_long_as_its_key_is_kept() {
    let shop = Shop::open();
    let reference = shop.reference();
    shop.arm("lost-after", "/v72/payments");
    let first = shop.sale(&reference, &card(CARD));
    assert!(
        matches!(first, Some(Err(CallError::Unknown { .. }))),
        "{first:?}"
    );
    // The last moment at which it may be sent again.
    let span = shop.connector.certainty().unwrap().replays_within();
    let last = span.saturating_sub(Duration::from_secs(1));
    shop.play(shop.world.sleep(last));
    let again = shop.sale(&reference, &card(CARD));
    assert!(
        matches!(again, Some(Ok(Answer::Approved { .. }))),
        "{again:?}"
    );
    assert_eq!(shop.charges(), 1);
}

#[test]
pub(crate) fn a_request_under_way_is_never_a_decline() {
    let shop = Shop::open();
    let reference = shop.reference();
    // The first takes a minute; who asks again meanwhile gets error 704.
    shop.arm("slow=60000", "/v72/payments");
    for _ in 0..2 {
        let answer = shop.sale(&reference, &card(CARD));
        assert!(
            matches!(answer, Some(Err(CallError::Unknown { .. })) | None),
            "{answer:?}"
        );
    }
    assert_eq!(shop.charges(), 1);
}

#[test]
pub(crate) fn an_error_on_the_way_to_the_issuer_is_unknown_since_it_may_be_authorised_after_all() {
    let shop = Shop::open();
    let answer = shop.sale(&shop.reference(), &named("ERROR_APPROVED"));
    assert!(
        matches!(&answer, Some(Err(CallError::Unknown { known, .. })) if known.processor_id.is_some()),
        "{answer:?}"
    );
    assert_eq!(shop.charges(), 0);
    shop.reported(60);
    assert_eq!(shop.charges(), 1);
}

#[test]
pub(crate) fn a_change_without_an_answer_is_unknown_and_is_made_once_when_it_is_repeated() {
    for fault in ["lost-after", "error-after", "slow=60000"] {
        let shop = Shop::open();
        let (reference, card) = (shop.reference(), card(CARD));
        let mut hold = authorisation(&reference, &card, 1000);
        hold.capture = false;
        let answered = shop
            .play(shop.connector.authorise(&shop.link(), &hold))
            .unwrap();
        let Answer::Approved {
            captured: false,
            approval,
        } = answered
        else {
            panic!("{answered:?}");
        };
        let id = approval.processor_id.unwrap();
        let (payment, _) = Reference::parse(reference.as_str()).unwrap();
        let own = Reference::new(payment, 2);
        let call = Capture {
            reference: &own,
            authorisation: Earlier {
                reference: &reference,
                processor_id: Some(&id),
            },
            money: euros(600),
            is_final: true,
            reason: None,
        };
        shop.arm(fault, "/v72/payments/");
        let first = shop.play(shop.connector.capture(&shop.link(), &call));
        assert!(
            matches!(first, Err(CallError::Unknown { .. })),
            "{fault}: {first:?}"
        );
        shop.reported(60);
        let again = shop.play(shop.connector.capture(&shop.link(), &call));
        let is_taken = matches!(
            again,
            Ok(LaterAnswer::Pending { .. }) | Err(CallError::Unknown { .. })
        );
        assert!(is_taken, "{fault}: {again:?}");
        shop.reported(60);
        let books = shop.books();
        assert_eq!(books["payments"][0]["captured"], 600, "{fault}");
        assert_eq!(books["payments"][0]["captures"], 1, "{fault}");
    }
}

#[test]
pub(crate) fn wrong_credentials_are_refused_as_such_and_nothing_happens() {
    let shop = Shop::open();
    let (reference, card) = (shop.reference(), card(CARD));
    let call = authorisation(&reference, &card, 1000);
    for wrong in [
        r#"{"apiKey": "wrong", "merchantAccount": "ShopECOM"}"#,
        r#"{"apiKey": "AQE-secret-1", "merchantAccount": "SomebodyElse"}"#,
    ] {
        let wrong = Credentials::read(wrong.as_bytes()).unwrap();
        let link = Link {
            credentials: Some(&wrong),
            ..shop.link()
        };
        let answer = shop.play(shop.connector.authorise(&link, &call));
        assert!(
            matches!(
                answer,
                Err(CallError::Rejected {
                    cause: Cause::Credentials,
                    ..
                })
            ),
            "{answer:?}"
        );
    }
    assert_eq!(shop.charges(), 0);
}

#[test]
pub(crate) fn a_completion_that_gets_no_answer_charges_once_when_it_is_repeated() {
    for fault in [
        "lost-before",
        "lost-after",
        "error-before",
        "error-after",
        "html",
    ] {
        let shop = Shop::open();
        let (reference, card) = (shop.reference(), card("4917610000000000"));
        let call = authorisation(&reference, &card, 1000);
        let asked = shop
            .play(shop.connector.authorise(&shop.link(), &call))
            .unwrap();
        let Answer::ActionRequired { action, approval } = asked else {
            panic!("{asked:?}");
        };
        assert_eq!(approval.processor_id, None);
        let returned = shop.press(&action.url, "complete");
        let complete = Complete {
            authorisation: Earlier {
                reference: &reference,
                processor_id: None,
            },
            money: euros(1000),
            capture: true,
            returned: Some(&returned),
        };
        shop.arm(fault, "/v72/payments/details");
        let answer = shop.play(shop.connector.complete(&shop.link(), &complete));
        assert!(
            matches!(answer, Err(CallError::Unknown { .. })),
            "{fault}: {answer:?}"
        );
        let charged = shop.charges();
        let reported = shop.reported(60);
        assert_eq!(reported.len(), charged, "{fault}: {reported:?}");
        for _ in 0..2 {
            let answer = shop.play(shop.connector.complete(&shop.link(), &complete));
            let is_kept = matches!(
                answer,
                Ok(Answer::Approved { captured: true, .. }) | Err(CallError::Unknown { .. })
            );
            assert!(is_kept, "{fault}: {answer:?}");
        }
        assert!(shop.charges() <= 1, "{fault}");
    }
}

#[test]
pub(crate) fn nothing_that_a_call_says_holds_a_number_or_a_key() {
    for number in [CARD, "4000000000000002", "4012000033330026"] {
        for fault in ["html", "error-after", "cut=40", "rate-limit"] {
            let shop = Shop::open();
            shop.arm(fault, "/v72/payments");
            let said = format!("{:?}", shop.sale(&shop.reference(), &card(number)));
            assert!(!said.contains(number) && !said.contains("AQE"), "{said}");
        }
    }
}
