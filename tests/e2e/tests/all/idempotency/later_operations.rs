//! Keys on captures, cancellations and refunds: one scope for each operation of each payment.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, Shop, at_once, cards};

use crate::shared;

fn send(shop: &Shop, request: &testkit::http::Request) -> Answer {
    Answer::of(request.send(shop.address()))
}

#[test]
fn a_refund_with_one_key_is_done_once() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let key = Shop::fresh_key();
    let request = shop.refund_request(&id, json!(100), Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    assert!(!first.replayed() && again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 100);
    let other = send(&shop, &shop.refund_request(&id, json!(200), Some(&key)));
    other.assert_error("error.idempotency.key-reused");
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 100);
    shop.assert_books_agree_on(&id);
}

#[test]
fn without_a_key_two_equal_refunds_are_two() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    shop.refund(&id, 100);
    assert_eq!(shop.refund(&id, 100).number("/refundedAmount"), 200);
    shop.assert_books_agree_on(&id);
}

#[test]
fn one_key_for_the_refunds_of_two_payments_does_both() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    for _ in 0..2 {
        let id = shop.authorise(cards::VISA).id();
        let answer = send(&shop, &shop.refund_request(&id, json!(100), Some(&key)));
        assert!(!answer.replayed());
        assert_eq!(answer.root()["refundedAmount"], json!(100));
    }
}

#[test]
fn captures_and_cancellations_are_replayed_instead_of_refused() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let id = shop.authorise_later(cards::VISA).id();
    let capture = shop.capture_request(&id, Value::Null, Some(&key));
    let (first, again) = (send(&shop, &capture), send(&shop, &capture));
    assert_eq!(first.root()["status"], "SUCCEEDED");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    send(&shop, &shop.capture_request(&id, Value::Null, None))
        .assert_error("error.capture.invalid-status");

    let id = shop.authorise_later(cards::VISA).id();
    let cancel = shop.cancel_request(&id, Some(&key));
    let (first, again) = (send(&shop, &cancel), send(&shop, &cancel));
    assert_eq!(first.root()["status"], "CANCELLED");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    shop.assert_books_agree_on(&id);
}

#[test]
fn errors_are_remembered_here_too() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let id = shop.authorise(cards::VISA).id();
    let request = shop.refund_request(&id, json!(5000), Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    first.assert_error("error.refund.amount-exceeds-captured");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let amended = send(&shop, &shop.refund_request(&id, json!(50), Some(&key)));
    amended.assert_error("error.idempotency.key-reused");
    assert_eq!(amended.extension("first"), first.extension("code"));
    shop.payment(&id).assert_status("SUCCEEDED");
}

#[test]
fn thirty_equal_refunds_with_one_key_at_once_are_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::VISA).id();
    let request = shop.refund_request(&id, json!(10), Some("same"));
    let answers = at_once(30, |_| send(&shop, &request));
    for answer in &answers {
        assert_eq!(answer.reply.body, answers[0].reply.body);
    }
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 10);
    shop.assert_books_equal_payments();
}

#[test]
fn equal_captures_and_equal_cancellations_with_one_key_at_once_get_the_same_answer() {
    let server = Setup::new().start();
    let shop = server.shop();
    for round in 0..8 {
        let held = shop
            .order(&Order::card(cards::VISA).flow("capture-by-api"))
            .id();
        let request = if round % 2 == 0 {
            shop.capture_request(&held, Value::Null, Some("same"))
        } else {
            shop.cancel_request(&held, Some("same"))
        };
        let answers = at_once(4, |_| send(&shop, &request));
        for answer in &answers {
            assert_eq!(answer.reply.body, answers[0].reply.body);
        }
        shop.payment(&held).assert_status(if round % 2 == 0 {
            "SUCCEEDED"
        } else {
            "CANCELLED"
        });
    }
    shop.assert_books_equal_payments();
}

#[test]
fn replays_stay_what_they_were_while_the_payment_goes_on_and_lose_the_person_when_it_is_erased() {
    let server = Setup::new().start();
    let shop = server.shop();
    let data = json!({"customer": {"name": "Zebedee Quux", "email": "quux@erased.example"}, "card": Shop::card(cards::VISA)});
    let customer = shop.try_create_customer(data, None);
    let customer = customer.root().as_str().unwrap().to_owned();
    let order = Order::customer(&customer).later();
    let authorised = shop.try_authorise(&order, Some("authorised"));
    let id = authorised.root()["id"].as_str().unwrap().to_owned();
    let capture = shop.capture_request(&id, Value::Null, Some("captured"));
    let refund = shop.refund_request(&id, json!(400), Some("refunded"));
    let originals = [authorised, send(&shop, &capture), send(&shop, &refund)];
    let replays = || {
        let first = shop.try_authorise(&order, Some("authorised"));
        [first, send(&shop, &capture), send(&shop, &refund)]
    };
    let are_the_originals = || {
        for (replay, original) in replays().iter().zip(&originals) {
            assert!(replay.replayed() && !original.replayed());
            assert_eq!(replay.reply.body, original.reply.body);
        }
    };
    are_the_originals();
    shop.refund(&id, 100);
    are_the_originals();
    shop.refund(&id, 100);
    are_the_originals();
    let statuses = originals.each_ref().map(|one| one.root()["status"].clone());
    assert_eq!(
        json!(statuses),
        json!(["AUTHORISED", "SUCCEEDED", "PARTIAL_REFUNDED"])
    );

    assert_eq!(shop.try_delete_customer(&customer).root(), &json!(true));
    shop.refund(&id, 100);
    for (replay, original) in replays().iter().zip(&originals) {
        assert!(replay.replayed());
        let (mut now, mut then) = (replay.root().clone(), original.root().clone());
        assert_eq!(then["paymentCustomer"]["email"], "quux@erased.example");
        assert_eq!(
            now["paymentCustomer"]["id"], then["paymentCustomer"]["id"],
            "{now}"
        );
        assert!(!now.to_string().contains("quux"), "{now}");
        for shown in [&mut now, &mut then] {
            shown["paymentCustomer"] = Value::Null;
        }
        for name in [
            "status",
            "capturedAmount",
            "refundedAmount",
            "paymentTimeline",
        ] {
            assert_eq!(now[name], then[name], "{name}");
        }
    }
    shop.assert_books_agree_on(&id);
}
