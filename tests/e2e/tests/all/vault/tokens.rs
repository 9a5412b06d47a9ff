//! Tokenising: whose the token is, and what it shows.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Order, Shop, cards};

use crate::shared;

fn card_input(number: &str) -> Value {
    json!({"paymentMethod": {"card": Shop::card(number)}})
}

#[test]
fn a_token_has_at_least_16_letters_and_digits_and_is_never_given_twice() {
    let shop = shared::shop();
    let tokens: BTreeSet<String> = (0..20).map(|_| shop.tokenise(cards::VISA)).collect();
    assert_eq!(tokens.len(), 20);
    for token in tokens {
        assert!(
            token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{token}"
        );
        assert!(!token.contains("4242"), "a token tells nothing of its card");
    }
}

#[test]
fn a_token_for_nobody_shows_its_card_masked() {
    let shop = shared::shop();
    let answer = shop.try_tokenise(
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}, "externalId": "card-7", "metadata": {"a": [1]}}),
        None,
    );
    let made = answer.root();
    assert_eq!(made["customer"], Value::Null);
    assert!(made["id"].is_string() && made["createdDate"].is_string());
    let card = &made["card"];
    assert_eq!(card["number"], json!(cards::masked(cards::VISA)));
    assert_eq!(card["brand"], "VISA");
    assert_eq!(card["expMonth"], json!(11));
    assert_eq!(card["expYear"], json!(2033));
    assert_eq!(card["name"], "Ada Byron");
    assert_eq!(card["bin"], "424242");
    assert_eq!(card["externalId"], "card-7");
    assert_eq!(card["metadata"], json!({"a": [1]}));
    assert_eq!(card["vaultCustomerId"], Value::Null);
    assert_eq!(card["linkedPaymentGateways"], json!([]));
    assert_eq!(shop.method(made["token"].as_str().unwrap()), *card);
}

#[test]
fn the_day_of_creation_has_no_fraction() {
    let shop = shared::shop();
    let method = shop.method(&shop.tokenise(cards::VISA));
    let created = method["systemCreated"].as_str().unwrap();
    assert_eq!(created.len(), "2026-01-31T09:30:00Z".len(), "{created}");
    assert!(created.ends_with('Z'));
}

#[test]
fn brands_are_reported_by_their_numbers() {
    let shop = shared::shop();
    for (number, brand) in [
        (cards::VISA, "VISA"),
        (cards::VISA_DEBIT, "VISA"),
        (cards::MASTERCARD, "MASTERCARD"),
        ("2223003122003222", "MASTERCARD"),
        (cards::AMEX, "AMEX"),
        (cards::DISCOVER, "DISCOVER"),
        (cards::DINERS, "DINERS"),
        (cards::JCB, "JCB"),
        (cards::UNIONPAY, "UNIONPAY"),
        ("6759649826438453", "MAESTRO"),
        ("5019717010103742", "DANKORT"),
        ("9999999999999995", "UNKNOWN"),
    ] {
        let method = shop.method(&shop.tokenise(number));
        assert_eq!(method["brand"], brand, "{number}");
        assert_eq!(method["number"], json!(cards::masked(number)));
    }
}

#[test]
fn the_same_card_has_the_same_fingerprint_and_another_card_another() {
    let shop = shared::shop();
    let fingerprint = |number: &str| {
        shop.method(&shop.tokenise(number))["fingerprint"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = fingerprint(cards::VISA);
    assert_eq!(first, fingerprint(cards::VISA));
    assert_ne!(first, fingerprint(cards::VISA_OTHER));
    assert!(!first.contains("4242") || first.len() > 20);
}

#[test]
fn with_a_customers_id_the_method_is_assigned_and_other_data_ignored() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let mut data = card_input(cards::VISA);
    data["customer"] =
        json!({"id": customer, "name": "Somebody else", "email": "else@example.com"});
    let answer = shop.try_tokenise(data, None);
    assert_eq!(answer.root()["customer"]["id"], json!(customer));
    assert_eq!(answer.root()["customer"]["name"], "Ada");
    assert_eq!(answer.root()["card"]["vaultCustomerId"], json!(customer));
    assert_eq!(shop.customer(&customer)["name"], "Ada");
    assert_eq!(shop.customer(&customer)["email"], Value::Null);
}

#[test]
fn with_customer_data_alone_a_customer_is_made() {
    let shop = shared::shop();
    let mut data = card_input(cards::VISA);
    data["customer"] = json!({"name": "Bea", "email": "bea@example.com"});
    let answer = shop.try_tokenise(data, None);
    let id = answer.root()["customer"]["id"].as_str().unwrap().to_owned();
    assert_eq!(shop.customer(&id)["email"], "bea@example.com");
    assert_eq!(
        shop.customer(&id)["defaultPaymentMethod"],
        answer.root()["token"]
    );
}

#[test]
fn an_unknown_customer_is_not_found_and_no_token_is_made() {
    let shop = shared::shop();
    for id in ["0192a000-0000-7000-8000-000000000000", "no uuid at all"] {
        let mut data = card_input(cards::VISA);
        data["customer"] = json!({"id": id, "name": "Ada"});
        shop.try_tokenise(data, None)
            .assert_error("error.customer.not-found");
    }
}

#[test]
fn customer_data_without_a_name_is_refused() {
    let shop = shared::shop();
    for customer in [
        json!({"email": "a@example.com"}),
        json!({"name": "", "email": "a@example.com"}),
        json!({"name": null, "phone": "1"}),
    ] {
        let mut data = card_input(cards::VISA);
        data["customer"] = customer;
        shop.try_tokenise(data, None).assert_invalid("name");
    }
}

#[test]
fn neither_card_nor_account_is_refused() {
    shared::shop()
        .try_tokenise(json!({"paymentMethod": {}}), None)
        .assert_error("error.validation");
    shared::shop()
        .try_tokenise(json!({"paymentMethod": {"card": null}}), None)
        .assert_error("error.validation");
}

#[test]
fn empty_optional_texts_are_absent() {
    let shop = shared::shop();
    let mut card = Shop::card(cards::VISA);
    card["name"] = json!("");
    card["cvc"] = json!("");
    let answer = shop.try_tokenise(
        json!({"paymentMethod": {"card": card}, "externalId": ""}),
        None,
    );
    assert_eq!(answer.root()["card"]["name"], Value::Null);
    assert_eq!(answer.root()["card"]["externalId"], Value::Null);
}

#[test]
fn attaching_gives_a_token_of_nobody_to_a_customer_once() {
    let shop = shared::shop();
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    let token = shop.tokenise(cards::VISA);
    assert_eq!(shop.try_attach(&token, &ada).root(), &json!(true));
    assert_eq!(shop.method(&token)["vaultCustomerId"], json!(ada));
    assert_eq!(
        shop.customer(&ada)["defaultPaymentMethod"],
        json!(token),
        "a first method becomes the default"
    );
    shop.try_attach(&token, &eve)
        .assert_error("error.payment-method.not-found");
    assert_eq!(shop.method(&token)["vaultCustomerId"], json!(ada));
    shop.try_attach(
        &shop.tokenise(cards::VISA),
        "0192a000-0000-7000-8000-000000000000",
    )
    .assert_error("error.customer.not-found");
    shop.try_attach("NoSuchToken00000000", &ada)
        .assert_error("error.payment-method.not-found");
}

#[test]
fn a_token_pays_as_often_as_it_is_asked_to() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    for _ in 0..3 {
        let payment = shop.order(&Order::token(&token));
        payment.assert_status("SUCCEEDED");
        assert_eq!(
            payment.text("/paymentMethodDetails/number"),
            cards::masked(cards::VISA)
        );
        shop.assert_books_agree_on(&payment.id());
    }
}
