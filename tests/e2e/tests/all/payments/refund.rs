//! Refunding, whole and in parts.

use serde_json::{Value, json};
use testkit::{Setup, cards};

use crate::shared;

#[test]
fn a_refund_gives_back_what_remains_by_default() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let part = shop.refund(&id, 300);
    part.assert_status("PARTIAL_REFUNDED");
    assert_eq!(part.number("/refundedAmount"), 300);
    let rest = testkit::Payment(shop.try_refund(&id, Value::Null).root().clone());
    rest.assert_status("REFUNDED");
    assert_eq!(rest.number("/refundedAmount"), 1000);
    assert_eq!(rest.number("/capturedAmount"), 1000);
    shop.assert_books_agree_on(&id);
}

#[test]
fn refunds_are_listed_oldest_first_with_reason_and_status() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    shop.refund(&id, 300);
    let payment = shop.refund(&id, 200);
    let refunds = payment.at("/refunds").as_array().unwrap();
    let amounts: Vec<&Value> = refunds.iter().map(|refund| &refund["amount"]).collect();
    assert_eq!(amounts, [&json!(300), &json!(200)]);
    for refund in refunds {
        assert_eq!(refund["status"], "SUCCEEDED");
        assert_eq!(refund["reason"], "goods came back");
        assert!(refund["id"].is_string() && refund["date"].is_string());
    }
    assert_ne!(refunds[0]["id"], refunds[1]["id"]);
}

#[test]
fn more_than_remains_is_refused_with_the_largest_amount() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    shop.try_refund(&id, json!(1001))
        .assert_error("error.refund.amount-exceeds-captured");
    shop.refund(&id, 400);
    let answer = shop.try_refund(&id, json!(601));
    answer.assert_error("error.refund.amount-exceeds-captured");
    assert_eq!(answer.extension("id"), &json!(id));
    assert_eq!(answer.extension("maxAmount"), &json!(600));
    assert!(
        answer
            .message()
            .contains("at most 600 (€6.00) can be refunded"),
        "{}",
        answer.message()
    );
    shop.refund(&id, 600).assert_status("REFUNDED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_whole_refund_leaves_nothing_to_refund() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    shop.refund(&id, 1000).assert_status("REFUNDED");
    for amount in [json!(1), Value::Null] {
        let answer = shop.try_refund(&id, amount);
        answer.assert_error("error.refund.invalid-status");
        assert_eq!(answer.extension("status"), "REFUNDED");
    }
    shop.assert_books_agree_on(&id);
}

#[test]
fn an_authorised_payment_is_cancelled_and_not_refunded() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let answer = shop.try_refund(&id, Value::Null);
    answer.assert_error("error.refund.invalid-status");
    assert_eq!(answer.extension("status"), "AUTHORISED");
    shop.cancel(&id).assert_status("CANCELLED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn of_a_partial_capture_no_more_than_the_part_is_refunded() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.try_capture(&id, json!(400)).data();
    shop.try_refund(&id, json!(401))
        .assert_error("error.refund.amount-exceeds-captured");
    let refunded = testkit::Payment(shop.try_refund(&id, Value::Null).root().clone());
    refunded.assert_status("REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 400);
    shop.assert_books_agree_on(&id);
}

#[test]
fn amounts_that_are_none_are_refused() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    for amount in [json!(0), json!(-1), json!("")] {
        shop.try_refund(&id, amount).assert_invalid("amount");
    }
    for amount in [
        json!(1.5),
        json!("x"),
        json!({}),
        json!("9223372036854775808"),
    ] {
        assert!(!shop.try_refund(&id, amount).errors().is_empty());
    }
    shop.payment(&id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn an_unknown_payment_cannot_be_refunded() {
    for id in ["payments:0192a000-0000-7000-8000-000000000000", "x", ""] {
        shared::shop()
            .try_refund(id, Value::Null)
            .assert_error("error.payment.not-found");
    }
}

#[test]
fn a_slow_refund_is_pending_and_then_refunded_by_itself() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::SLOW_REFUND).id();
    let pending = shop.refund(&id, 1000);
    pending.assert_status("REFUND_PENDING");
    assert_eq!(pending.at("/refundedAmount"), &Value::Null);
    assert_eq!(pending.at("/refunds/0/status"), &json!("PENDING"));
    let refunded = shop.wait_for_status(&id, "REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 1000);
    shop.assert_books_equal_payments();
}

#[test]
fn a_slow_part_is_reserved_while_it_is_pending() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::SLOW_REFUND).id();
    shop.refund(&id, 700).assert_status("REFUND_PENDING");
    let answer = shop.try_refund(&id, json!(301));
    assert!(
        !answer.errors().is_empty(),
        "more than remains next to the pending one: {}",
        answer.json()
    );
    let payment = shop.wait_for_status(&id, "PARTIAL_REFUNDED");
    assert_eq!(payment.number("/refundedAmount"), 700);
    shop.assert_books_equal_payments();
}

#[test]
fn a_failing_refund_rests_as_failed_gives_nothing_back_and_can_be_tried_again() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::FAILING_REFUND).id();
    shop.refund(&id, 1000).assert_status("REFUND_PENDING");
    let failed = shop.wait_for_status(&id, "REFUND_FAILED");
    assert_eq!(failed.at("/refundedAmount"), &Value::Null);
    assert_eq!(failed.at("/refunds/0/status"), &json!("FAILED"));
    shop.assert_books_equal_payments();
    shop.refund(&id, 500).assert_status("REFUND_PENDING");
    let failed = shop.wait_for_status(&id, "REFUND_FAILED");
    assert_eq!(failed.at("/refunds").as_array().map(Vec::len), Some(2));
    shop.assert_books_equal_payments();
}

#[test]
fn pending_refunds_settle_by_themselves_after_a_kill() {
    let mut server = Setup::new().start();
    let slow = server.shop().authorise(cards::SLOW_REFUND).id();
    let failing = server.shop().authorise(cards::FAILING_REFUND).id();
    server
        .shop()
        .refund(&slow, 1000)
        .assert_status("REFUND_PENDING");
    server
        .shop()
        .refund(&failing, 1000)
        .assert_status("REFUND_PENDING");
    server.kill();
    server.restart();
    let shop = server.shop();
    shop.wait_for_status(&slow, "REFUNDED");
    shop.wait_for_status(&failing, "REFUND_FAILED");
    shop.assert_books_equal_payments();
}
