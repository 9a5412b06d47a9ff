//! Many at once on one payment.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, at_once, cards};

fn succeeded(answers: &[Answer]) -> usize {
    answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .count()
}

#[test]
fn of_200_refunds_of_1_on_a_payment_of_100_exactly_100_succeed() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.order(&Order::card(cards::VISA).amount(100)).id();
    let answers = at_once(200, |_| shop.try_refund(&id, json!(1)));
    assert_eq!(succeeded(&answers), 100);
    for refused in answers.iter().filter(|answer| !answer.errors().is_empty()) {
        let code = refused.error_code().unwrap_or_default();
        assert!(
            matches!(
                code,
                "error.refund.amount-exceeds-captured" | "error.refund.invalid-status"
            ),
            "{}",
            refused.json()
        );
    }
    let payment = shop.payment(&id);
    payment.assert_status("REFUNDED");
    assert_eq!(payment.number("/refundedAmount"), 100);
    assert_eq!(shop.books().charge(&payment).refunded, 100);
    shop.assert_books_equal_payments();
}

#[test]
fn refunds_of_different_amounts_never_exceed_what_was_captured() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA);
    at_once(40, |number| {
        shop.try_refund(&payment.id(), json!(31 + 7 * number))
    });
    let charge = shop.books().charge(&payment);
    assert!(charge.refunded <= 1000 && charge.refunded > 0, "{charge:?}");
    shop.assert_books_equal_payments();
}

#[test]
fn of_captures_at_once_exactly_one_succeeds() {
    let server = Setup::new().start();
    let shop = server.shop();
    for _ in 0..5 {
        let id = shop.authorise_later(cards::VISA).id();
        let answers = at_once(20, |number| shop.try_capture(&id, json!(100 + number)));
        assert_eq!(succeeded(&answers), 1);
    }
    shop.assert_books_equal_payments();
}

#[test]
fn of_a_capture_and_a_cancellation_exactly_one_wins() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut captured = 0;
    for round in 0..30 {
        let id = shop.authorise_later(cards::VISA).id();
        let answers = at_once(2, |number| {
            if (number + round) % 2 == 0 {
                shop.try_capture(&id, Value::Null)
            } else {
                shop.try_cancel(&id)
            }
        });
        assert_eq!(
            succeeded(&answers),
            1,
            "{} {}",
            answers[0].json(),
            answers[1].json()
        );
        let loser = answers
            .iter()
            .find(|answer| !answer.errors().is_empty())
            .unwrap();
        assert!(
            matches!(
                loser.error_code(),
                Some(
                    "error.payment.operation-in-progress"
                        | "error.capture.invalid-status"
                        | "error.cancel.invalid-status"
                )
            ),
            "{}",
            loser.json()
        );
        let status = shop.payment(&id);
        assert!(
            matches!(status.status(), "SUCCEEDED" | "CANCELLED"),
            "{}",
            status.0
        );
        captured += usize::from(status.status() == "SUCCEEDED");
    }
    println!("the capture won {captured} of 30 times");
    shop.assert_books_equal_payments();
}

#[test]
fn of_cancellations_at_once_exactly_one_succeeds() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::VISA).id();
    assert_eq!(succeeded(&at_once(20, |_| shop.try_cancel(&id))), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_mixed_crowd_leaves_books_and_payments_equal() {
    let server = Setup::new().start();
    let shop = server.shop();
    let ids: Vec<String> = (0..4)
        .map(|_| shop.authorise_later(cards::VISA).id())
        .collect();
    at_once(48, |number| {
        let id = &ids[number % ids.len()];
        match number / ids.len() % 4 {
            0 => drop(shop.try_capture(id, json!(500))),
            1 => drop(shop.try_cancel(id)),
            2 => drop(shop.try_refund(id, json!(120))),
            _ => drop(shop.authorise(cards::MASTERCARD)),
        }
    });
    shop.assert_books_equal_payments();
}

#[test]
fn reads_of_an_unknown_outcome_at_once_settle_it_once() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let payment = shop.authorise(cards::UNKNOWN_CHARGED);
    at_once(30, |_| shop.payment(&payment.id()));
    let settled = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(settled.number("/capturedAmount"), 1000);
    assert_eq!(shop.books().of(&payment).len(), 1);
    shop.assert_books_equal_payments();
}
