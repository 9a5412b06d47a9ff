//! Amounts and currencies.

use serde_json::{Value, json};
use testkit::{Answer, Order, Payment, Setup, cards};

use crate::shared;

fn with_amount(amount: Value) -> Answer {
    shared::shop().try_authorise(&Order::card(cards::VISA).with("amount", amount), None)
}

#[test]
fn a_long_is_a_number_an_integral_float_or_a_text_of_one() {
    for (given, meant) in [
        (json!(2000), 2000),
        (json!(50.0), 50),
        (json!("2000"), 2000),
        (json!("2000.0"), 2000),
        (json!(1), 1),
        (json!("9007199254740993"), 9_007_199_254_740_993_i64),
    ] {
        let answer = with_amount(given.clone());
        assert_eq!(
            answer.root()["amount"]["rawAmount"],
            json!(meant),
            "{given}"
        );
    }
}

#[test]
fn a_long_in_the_document_is_read_like_one_in_the_variables() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    for literal in ["2000", "2000.0", "\"2000\"", "\"2000.0\"", "2e3"] {
        let answer = shop.gql(
            &format!(
                "mutation {{ authorizePayment(authorisePayment: {{amount: {literal}, currencyCode: \"EUR\", \
                 paymentMethod: {{type: \"CARD\", token: \"{token}\"}}}}) {{ amount {{ rawAmount }} }} }}"
            ),
            json!({}),
        );
        assert_eq!(
            answer.root()["amount"]["rawAmount"],
            json!(2000),
            "{literal}"
        );
    }
}

#[test]
fn what_is_no_positive_integral_amount_is_refused() {
    for given in [
        json!(0),
        json!(-1),
        json!("-5"),
        json!(10.5),
        json!("10.5"),
        json!("ten"),
        json!("1e400"),
        json!(1e300),
        json!("9223372036854775808"),
        json!(9_223_372_036_854_775_808_u64),
        json!(i64::MIN),
        json!(true),
        json!([1000]),
        json!({"a": 1}),
        json!(" 1000"),
        json!("0x10"),
    ] {
        let answer = with_amount(given.clone());
        assert!(!answer.errors().is_empty(), "{given}: {}", answer.json());
        assert!(
            answer.json()["data"]["authorizePayment"].is_null(),
            "{given}"
        );
    }
}

#[test]
fn an_amount_is_needed_and_an_empty_text_is_none() {
    for absent in [Value::Null, json!("")] {
        with_amount(absent).assert_invalid("amount");
    }
    shared::shop()
        .try_authorise(&Order::card(cards::VISA).without("amount"), None)
        .assert_invalid("amount");
}

#[test]
fn a_currency_is_needed_and_must_be_one() {
    let shop = shared::shop();
    for currency in ["eur", "EURO", "EU", "XXX", "ZZZ", "978", "€", "DEM"] {
        shop.try_authorise(&Order::card(cards::VISA).currency(currency), None)
            .assert_invalid("currencyCode");
    }
    for order in [
        Order::card(cards::VISA).without("currencyCode"),
        Order::card(cards::VISA).currency(""),
    ] {
        shop.try_authorise(&order, None)
            .assert_invalid("currencyCode");
    }
}

#[test]
fn amounts_are_shown_as_people_write_them() {
    let shop = shared::shop();
    for (minor, currency, shown) in [
        (5099, "EUR", "€50.99"),
        (500, "JPY", "¥500"),
        (5099, "KWD", "KWD\u{a0}5.099"),
        (123_456, "EUR", "€1,234.56"),
        (123_456_789, "USD", "$1,234,567.89"),
        (1, "EUR", "€0.01"),
        (50_000, "HUF", "HUF\u{a0}500.00"),
        (12_345, "UYW", "UYW\u{a0}1.2345"),
    ] {
        let payment = shop.order(&Order::card(cards::VISA).amount(minor).currency(currency));
        assert_eq!(
            payment.text("/amount/formattedAmount"),
            shown,
            "{minor} {currency}"
        );
        assert_eq!(payment.at("/amount/rawAmount"), &json!(minor));
        assert_eq!(payment.text("/amount/currency"), currency);
        assert_eq!(payment.text("/currency"), currency);
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn the_largest_amount_is_carried_through_every_operation() {
    let server = Setup::new().start();
    let shop = server.shop();
    let answer = shop.try_authorise(&Order::card(cards::VISA).later().amount(i64::MAX), None);
    if answer.errors().is_empty() {
        let payment = Payment(answer.root().clone());
        assert_eq!(payment.at("/amount/rawAmount"), &json!(i64::MAX));
        shop.capture(&payment.id()).assert_status("SUCCEEDED");
        shop.refund(&payment.id(), 1)
            .assert_status("PARTIAL_REFUNDED");
        shop.try_refund(&payment.id(), json!(i64::MAX))
            .assert_error("error.refund.amount-exceeds-captured");
        shop.refund(&payment.id(), i64::MAX - 1)
            .assert_status("REFUNDED");
    } else {
        answer.assert_invalid("amount");
    }
    shop.assert_books_equal_payments();
}
