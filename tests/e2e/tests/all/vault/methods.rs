//! Stored methods: read, list, delete.

use serde_json::json;
use testkit::{Order, cards};

use crate::shared;

#[test]
fn a_deleted_token_cannot_be_used_any_more_at_once() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    assert_eq!(shop.try_delete_method(&token).root(), &json!(true));
    for answer in [
        shop.try_method(&token),
        shop.try_delete_method(&token),
        shop.try_make_default(&token),
        shop.try_attach(&token, &customer),
        shop.try_authorise(&Order::token(&token), None),
    ] {
        answer.assert_error("error.payment-method.not-found");
    }
    assert!(shop.methods(&customer).is_empty());
}

#[test]
fn a_payment_by_a_deleted_token_can_still_be_captured_and_refunded() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    let payment = shop.order(&Order::token(&token).later());
    shop.try_delete_method(&token).data();
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    let refunded = shop.refund(&payment.id(), 1000);
    refunded.assert_status("REFUNDED");
    assert_eq!(
        refunded.text("/paymentMethodDetails/number"),
        cards::masked(cards::VISA)
    );
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn an_unknown_token_is_not_found() {
    let shop = shared::shop();
    for token in [
        "NoSuchToken00000000",
        "",
        "x",
        "'; drop table method; --",
        &"x".repeat(10_000),
    ] {
        shop.try_method(token)
            .assert_error("error.payment-method.not-found");
        shop.try_delete_method(token)
            .assert_error("error.payment-method.not-found");
    }
}

#[test]
fn a_customers_methods_are_listed_and_hidden_records_are_not() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    let order = Order::card(cards::MASTERCARD).with("customer", json!({"id": customer}));
    shop.order(&order).assert_status("SUCCEEDED");
    let tokens: Vec<_> = shop
        .methods(&customer)
        .iter()
        .map(|method| method["token"].clone())
        .collect();
    assert_eq!(
        tokens,
        [json!(token)],
        "a raw card in a payment is stored for nobody"
    );
}
