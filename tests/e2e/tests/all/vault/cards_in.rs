//! Which cards are taken, in the vault and in a payment.

use serde_json::{Value, json};
use testkit::{Answer, Order, Shop, cards};

use crate::shared;

fn tokenised_with(field: &str, value: Value) -> Answer {
    let mut card = Shop::card(cards::VISA);
    card[field] = value;
    shared::shop().try_tokenise(json!({"paymentMethod": {"card": card}}), None)
}

fn paid_with(field: &str, value: Value) -> Answer {
    let order = Order::card(cards::VISA).with(&format!("paymentMethod/card/{field}"), value);
    shared::shop().try_authorise(&order, None)
}

#[test]
fn a_number_with_a_wrong_check_digit_separators_or_length_is_refused() {
    for number in [
        "4242424242424241",
        "4242 4242 4242 4242",
        "4242-4242-4242-4242",
        "42424242422",
        "42424242424242424242",
        "424242424242424x",
        "４２４２４２４２４２４２４２４２",
        " 4242424242424242",
        "4242424242424242\n",
        "",
        "0",
    ] {
        tokenised_with("number", json!(number)).assert_invalid("number");
        paid_with("number", json!(number)).assert_invalid("number");
    }
}

#[test]
fn a_refused_number_is_never_repeated() {
    for number in [
        "4242424242424241",
        "4242 4242 4242 4242",
        "424242424242424x",
    ] {
        for answer in [
            tokenised_with("number", json!(number)),
            paid_with("number", json!(number)),
        ] {
            assert!(
                !answer.reply.text().contains(number),
                "the number is repeated"
            );
        }
    }
}

#[test]
fn numbers_from_12_to_19_digits_are_taken() {
    for number in [
        "676770000002",
        "4222222222222",
        "36227206271667",
        "6304000000000000",
        "4242424242424242",
        "6799990100000000019",
    ] {
        let valid = with_check_digit(&number[..number.len() - 1]);
        let answer = tokenised_with("number", json!(valid));
        assert!(
            answer.errors().is_empty(),
            "{} digits: {}",
            valid.len(),
            answer.json()
        );
    }
}

#[test]
fn months_are_1_to_12() {
    for month in [0, 13, -1, 100] {
        tokenised_with("expMonth", json!(month)).assert_invalid("expMonth");
        paid_with("expMonth", json!(month)).assert_invalid("expMonth");
    }
    for month in [1, 12] {
        assert!(tokenised_with("expMonth", json!(month)).errors().is_empty());
    }
}

#[test]
fn years_have_four_digits() {
    for year in [33, 0, -2033, 203, 20_330] {
        tokenised_with("expYear", json!(year)).assert_invalid("expYear");
        paid_with("expYear", json!(year)).assert_invalid("expYear");
    }
}

#[test]
fn an_expired_card_is_refused() {
    for year in [2020, 2023] {
        tokenised_with("expYear", json!(year)).assert_error("error.validation");
        paid_with("expYear", json!(year)).assert_error("error.validation");
    }
}

#[test]
fn a_security_code_has_three_or_four_digits() {
    for code in ["12", "12345", "12a", "１２３", " 123", "-12"] {
        tokenised_with("cvc", json!(code)).assert_invalid("cvc");
        paid_with("cvc", json!(code)).assert_invalid("cvc");
    }
    for code in ["000", "1234"] {
        assert!(tokenised_with("cvc", json!(code)).errors().is_empty());
    }
}

#[test]
fn without_a_security_code_a_card_is_taken() {
    assert!(tokenised_with("cvc", Value::Null).errors().is_empty());
    assert_eq!(paid_with("cvc", Value::Null).root()["status"], "SUCCEEDED");
}

#[test]
fn a_payments_card_needs_number_month_and_year() {
    for field in ["number", "expMonth", "expYear"] {
        paid_with(field, Value::Null).assert_invalid(field);
    }
}

#[test]
fn an_unknown_country_in_an_address_is_refused_and_known_ones_come_back_as_alpha_2() {
    let shop = shared::shop();
    tokenised_with("billingAddress", json!({"country": "XX"})).assert_invalid("country");
    for country in ["IE", "IRL"] {
        let answer = tokenised_with(
            "billingAddress",
            json!({"line1": "1 Quay", "city": "Cork", "country": country}),
        );
        let token = answer.root()["token"].as_str().unwrap();
        assert_eq!(shop.method(token)["billingAddress"]["country"], "IE");
    }
}

#[test]
fn texts_with_control_characters_or_of_absurd_length_are_refused() {
    for name in ["A\u{0}B".to_owned(), "A\u{1}B".to_owned(), "x".repeat(5000)] {
        tokenised_with("name", json!(name)).assert_invalid("name");
        paid_with("name", json!(name)).assert_invalid("name");
    }
}

#[test]
fn names_of_all_scripts_are_taken() {
    for name in [
        "Søren Kierkegaard",
        "李小龍",
        "محمد",
        "O'Brien-Smith",
        "Ada 🚂",
    ] {
        let answer = tokenised_with("name", json!(name));
        assert_eq!(answer.root()["card"]["name"], json!(name));
    }
}

fn with_check_digit(digits: &str) -> String {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(digit - b'0');
            let doubled = if place % 2 == 0 { value * 2 } else { value };
            doubled / 10 + doubled % 10
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
