//! The table of test numbers, and the books.

use serde_json::{Value, json};
use testkit::{Setup, cards};

use crate::shared;

#[test]
fn every_number_that_is_accepted_is() {
    let shop = shared::shop();
    for number in [
        cards::VISA,
        cards::VISA_OTHER,
        cards::VISA_THIRD,
        cards::VISA_DEBIT,
        cards::MASTERCARD,
        cards::AMEX,
        cards::DISCOVER,
        cards::JCB,
        cards::DINERS,
        cards::UNIONPAY,
        "4222222222222",
        "5105105105105100",
        "4000000000000259",
        "4000000000002685",
        "4000000000005423",
    ] {
        let payment = shop.authorise(number);
        payment.assert_status("SUCCEEDED");
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn every_number_that_is_declined_is_for_its_reason() {
    let server = Setup::new().start();
    let shop = server.shop();
    for (number, code, kind) in [
        (cards::GENERAL_DECLINE, "GENERAL_DECLINE", None),
        (cards::EXPIRED, "EXPIRED_CARD", None),
        (
            cards::INSUFFICIENT_FUNDS,
            "INSUFFICIENT_FUNDS",
            Some("SOFT"),
        ),
        (cards::LOST, "LOST_RESTRICTED_OR_STOLEN_CARD", Some("HARD")),
        (cards::SUSPECTED_FRAUD, "SUSPECTED_FRAUD", None),
        (cards::INVALID_CVC, "INVALID_CVC", None),
    ] {
        for later in [false, true] {
            let payment = if later {
                shop.authorise_later(number)
            } else {
                shop.authorise(number)
            };
            payment.assert_status("DECLINED");
            assert_eq!(payment.text("/paymentCore/outcome/declineCode"), code);
            let reported = payment.text("/paymentCore/outcome/declineType");
            assert!(matches!(reported, "SOFT" | "HARD"), "{reported}");
            assert!(
                kind.is_none_or(|kind| kind == reported),
                "{code} is {reported}"
            );
        }
    }
    assert_eq!(shop.books().charges(), 0);
    assert!(
        shop.books()
            .entries
            .iter()
            .all(|entry| entry.authorised == 0)
    );
    shop.assert_books_equal_payments();
}

#[test]
fn a_stored_number_does_what_a_raw_one_does() {
    let shop = shared::shop();
    for (number, status) in [
        (cards::VISA, "SUCCEEDED"),
        (cards::GENERAL_DECLINE, "DECLINED"),
        (cards::FAILED, "FAILED"),
        (cards::HELD, "GATEWAY_HOLD"),
        (cards::UNKNOWN_CHARGED, "NO_ANSWER_FROM_PSP"),
    ] {
        let token = shop.tokenise(number);
        shop.order(&testkit::Order::token(&token))
            .assert_status(status);
    }
}

#[test]
fn the_books_tell_of_one_reference_when_asked() {
    let server = Setup::new().start();
    let shop = server.shop();
    let (first, _second) = (shop.authorise(cards::VISA), shop.authorise(cards::VISA));
    let reference = shop.books().charge(&first).reference;
    assert!(reference.starts_with(&first.uuid()), "{reference}");
    let reply = shop.get(&format!("/sandbox/books?reference={reference}"));
    assert_eq!(reply.status, 200);
    let json: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["entries"][0]["reference"], json!(reference));
    let nothing = shop.get("/sandbox/books?reference=0192a000-0000-7000-8000-000000000000-1");
    let json: Value = serde_json::from_slice(&nothing.body).unwrap();
    assert_eq!(json["entries"], json!([]));
}

#[test]
fn the_books_survive_a_kill() {
    let mut server = Setup::new().start();
    server.shop().authorise(cards::VISA);
    let before = server.shop().books().entries;
    server.kill();
    server.restart();
    assert_eq!(server.shop().books().entries, before);
}
