//! What is charged: a raw card, a token, a customer's default, a customer's token.

use serde_json::{Value, json};
use testkit::{Order, Setup, cards};

use crate::shared;

#[test]
fn a_customer_alone_pays_with_the_default_method() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    shop.tokenise_for(&customer, cards::VISA);
    let second = shop.tokenise_for(&customer, cards::MASTERCARD);
    let payment = shop.order(&Order::customer(&customer));
    payment.assert_status("SUCCEEDED");
    assert_eq!(
        payment.text("/paymentMethodDetails/number"),
        cards::masked(cards::VISA)
    );
    assert_eq!(payment.text("/paymentCustomer/id"), customer);
    shop.try_make_default(&second).data();
    let payment = shop.order(&Order::customer(&customer));
    assert_eq!(
        payment.text("/paymentMethodDetails/number"),
        cards::masked(cards::MASTERCARD)
    );
}

#[test]
fn a_customer_and_a_token_pay_with_that_token() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    shop.tokenise_for(&customer, cards::VISA);
    let chosen = shop.tokenise_for(&customer, cards::AMEX);
    let order = Order::token(&chosen).with("customer", json!({"id": customer}));
    assert_eq!(
        shop.order(&order).text("/paymentMethodDetails/number"),
        cards::masked(cards::AMEX)
    );
}

#[test]
fn an_unknown_customer_is_not_found_and_one_without_a_method_is_refused() {
    let shop = shared::shop();
    shop.try_authorise(
        &Order::customer("0192a000-0000-7000-8000-000000000000"),
        None,
    )
    .assert_error("error.customer.not-found");
    shop.try_authorise(&Order::customer(&shop.create_customer("Ada")), None)
        .assert_error("error.validation");
}

#[test]
fn a_token_of_another_customer_is_not_found_and_one_of_nobody_is_fine() {
    let shop = shared::shop();
    let (ada, eve) = (shop.create_customer("Ada"), shop.create_customer("Eve"));
    let hers = shop.tokenise_for(&eve, cards::VISA);
    let nobodys = shop.tokenise(cards::VISA);
    let with = |token: &str| {
        shop.try_authorise(
            &Order::token(token).with("customer", json!({"id": ada})),
            None,
        )
    };
    with(&hers).assert_error("error.payment-method.not-found");
    assert_eq!(with(&nobodys).root()["status"], "SUCCEEDED");
}

#[test]
fn with_a_token_other_card_fields_are_ignored() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    let order = Order::token(&token).with(
        "paymentMethod/card",
        json!({"number": "not a number", "expMonth": 99}),
    );
    let payment = shop.order(&order);
    payment.assert_status("SUCCEEDED");
    assert_eq!(
        payment.text("/paymentMethodDetails/number"),
        cards::masked(cards::VISA)
    );
}

#[test]
fn nothing_to_charge_is_refused() {
    let shop = shared::shop();
    let bare = Order::card(cards::VISA).without("paymentMethod");
    shop.try_authorise(&bare, None)
        .assert_error("error.validation");
    shop.try_authorise(
        &bare.clone().with("paymentMethod", json!({"type": "CARD"})),
        None,
    )
    .assert_error("error.validation");
    shop.try_authorise(&bare.clone().with("paymentMethod", Value::Null), None)
        .assert_error("error.validation");
    shop.try_authorise(&bare.with("customer", json!({"name": "Ada"})), None)
        .assert_error("error.validation");
}

#[test]
fn an_unknown_token_is_not_found_and_nothing_is_charged() {
    let server = Setup::new().start();
    let shop = server.shop();
    for token in ["NoSuchToken00000000", "zq", "4242424242424242"] {
        let answer = shop.try_authorise(&Order::token(token), None);
        answer.assert_error("error.payment-method.not-found");
        assert!(!answer.reply.text().contains(token));
    }
    assert!(shop.books().entries.is_empty());
    assert!(shop.every_payment().is_empty());
}

#[test]
fn an_empty_token_is_absent() {
    let shop = shared::shop();
    shop.order(&Order::card(cards::VISA).with("paymentMethod/token", json!("")))
        .assert_status("SUCCEEDED");
}

#[test]
fn an_unknown_type_is_refused() {
    for kind in ["CASH", "card", "", "CARDS"] {
        let order = Order::card(cards::VISA).with("paymentMethod/type", json!(kind));
        shared::shop()
            .try_authorise(&order, None)
            .assert_invalid("type");
    }
}

#[test]
fn a_raw_card_is_forgotten_and_leaves_no_method_behind() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let order = Order::card(cards::VISA).with("customer", json!({"id": customer}));
    shop.order(&order).assert_status("SUCCEEDED");
    assert!(shop.methods(&customer).is_empty());
    assert_eq!(
        shop.customer(&customer)["defaultPaymentMethod"],
        Value::Null
    );
}

#[test]
fn every_brand_pays_and_is_shown() {
    let shop = shared::shop();
    for (number, brand) in [
        (cards::VISA, "VISA"),
        (cards::MASTERCARD, "MASTERCARD"),
        (cards::AMEX, "AMEX"),
        (cards::DISCOVER, "DISCOVER"),
        (cards::JCB, "JCB"),
        (cards::DINERS, "DINERS"),
        (cards::UNIONPAY, "UNIONPAY"),
    ] {
        let payment = shop.authorise(number);
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.text("/paymentCore/paymentMethod"), brand);
        assert_eq!(payment.text("/paymentMethodDetails/brand"), brand);
        assert_eq!(payment.text("/paymentMethodDetails/paymentMethod"), brand);
    }
    let payment = shop.authorise("9999999999999995");
    assert_eq!(payment.text("/paymentCore/paymentMethod"), "CARD");
    assert_eq!(payment.text("/paymentMethodDetails/brand"), "UNKNOWN");
}

#[test]
fn a_stored_card_pays_for_its_owner_and_another_card_for_whom_the_order_names() {
    let shop = shared::shop();
    let owner = shop.create_customer("Ada");
    let token = shop.tokenise_for(&owner, cards::VISA);
    assert_eq!(
        shop.order(&Order::token(&token))
            .text("/paymentCustomer/id"),
        owner
    );
    let named = json!({"email": "bea@example.com", "name": "Bea"});
    let payment = shop.order(&Order::token(&shop.tokenise(cards::VISA)).with("customer", named));
    assert_eq!(payment.text("/paymentCustomer/email"), "bea@example.com");
    assert_eq!(payment.at("/paymentCustomer/id"), &Value::Null);
}
