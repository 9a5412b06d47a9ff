//! The sandbox's unsigned tokens.

use serde_json::{Value, json};
use testkit::cards;

use super::{assert_bad_token, order};
use crate::shared;

fn token_of(number: &str, more: &Value) -> Value {
    let mut fields = json!({"number": number, "expMonth": 11, "expYear": 2033});
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    json!({"sandbox": fields})
}

#[test]
fn a_test_token_pays_what_it_says_as_often_as_one_likes() {
    let shop = shared::shop();
    let token = token_of(
        cards::MASTERCARD,
        &json!({"amount": 4200, "currencyCode": "GBP"}),
    );
    for kind in ["WALLETA_PAY", "GOOGLE_PAY", "WALLETB_PAY", "APPLE_PAY"] {
        let payment = shop.order(&order(kind, &token));
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.at("/amount/rawAmount"), &json!(4200));
        assert_eq!(payment.text("/amount/currency"), "GBP");
        assert_eq!(payment.text("/paymentMethodDetails/brand"), "MASTERCARD");
        assert_eq!(
            payment.text("/paymentMethodDetails/number"),
            cards::masked(cards::MASTERCARD)
        );
        assert_eq!(payment.text("/paymentMethodDetails/expires"), "11/2033");
    }
    shop.try_authorise(&order("WALLETB_PAY", &token).amount(4201), None)
        .assert_invalid("amount");
    shop.try_authorise(&order("WALLETB_PAY", &token).currency("EUR"), None)
        .assert_invalid("currencyCode");
    shop.order(&order("WALLETB_PAY", &token).amount(4200).currency("GBP"))
        .assert_status("SUCCEEDED");
}

#[test]
fn a_test_token_of_a_card_that_is_declined_is_declined() {
    let token = token_of(cards::INSUFFICIENT_FUNDS, &json!({}));
    let payment = shared::shop().order(&order("WALLETA_PAY", &token).amount(500).currency("EUR"));
    payment.assert_status("DECLINED");
}

#[test]
fn anything_else_stands_for_a_card_that_succeeds_and_for_ten_euro() {
    let shop = shared::shop();
    for token in [json!("anything"), json!({"any": "thing"})] {
        let payment = shop.order(&order("WALLETB_PAY", &token));
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.at("/amount/rawAmount"), &json!(1000));
        assert_eq!(payment.text("/amount/currency"), "EUR");
        assert_eq!(
            payment.text("/paymentMethodDetails/number"),
            cards::masked(cards::VISA)
        );
        let payment = shop.order(&order("WALLETB_PAY", &token).amount(77).currency("JPY"));
        assert_eq!(payment.at("/amount/rawAmount"), &json!(77));
    }
}

#[test]
fn what_is_wrong_with_a_token_is_reported_and_nothing_of_it() {
    let shop = shared::shop();
    let answer = shop.try_authorise(
        &order("WALLETB_PAY", &token_of("4242424242424241", &json!({}))),
        None,
    );
    assert_bad_token(&answer, "card number");
    assert!(!answer.reply.text().contains("4242424242424241"));
    assert_bad_token(
        &shop.try_authorise(&order("WALLETB_PAY", &json!({})), None),
        "payment token",
    );
    shop.try_authorise(&order("WALLETB_PAY", &json!("")), None)
        .assert_invalid("walletToken");
    // What has the form of a real token is treated like one.
    let answer = shop.try_authorise(&order("WALLETB_PAY", &json!({"version": "EC_v1"})), None);
    assert_bad_token(&answer, "not set up");
    let bare = order("WALLETB_PAY", &json!("x")).with("paymentMethod/type", json!("WALLETA_PAY"));
    shop.try_authorise(&bare, None)
        .assert_invalid("transactionId");
    shop.try_authorise(&order("CARD", &json!("x")), None)
        .assert_invalid("walletToken");
}
