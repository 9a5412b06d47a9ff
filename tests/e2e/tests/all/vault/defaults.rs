//! The default method of a customer.

use serde_json::{Value, json};
use testkit::{Shop, cards};

use crate::shared;

fn default_of(shop: &Shop, customer: &str) -> Value {
    let default = shop.customer(customer)["defaultPaymentMethod"].clone();
    let flagged: Vec<Value> = shop
        .methods(customer)
        .iter()
        .filter(|method| method["isDefault"] == json!(true))
        .map(|method| method["token"].clone())
        .collect();
    assert_eq!(
        flagged.len(),
        usize::from(!default.is_null()),
        "at most one is the default"
    );
    assert_eq!(
        flagged.first().unwrap_or(&Value::Null),
        &default,
        "both views agree"
    );
    default
}

#[test]
fn the_first_method_is_the_default_and_a_second_is_not() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    assert_eq!(default_of(&shop, &customer), Value::Null);
    let first = shop.tokenise_for(&customer, cards::VISA);
    shop.tokenise_for(&customer, cards::MASTERCARD);
    assert_eq!(default_of(&shop, &customer), json!(first));
    assert_eq!(shop.methods(&customer).len(), 2);
}

#[test]
fn is_default_makes_a_new_method_the_default() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    shop.tokenise_for(&customer, cards::VISA);
    let mut card = Shop::card(cards::MASTERCARD);
    card["isDefault"] = json!(true);
    let made = shop.try_tokenise(
        json!({"paymentMethod": {"card": card}, "customer": {"id": customer}}),
        None,
    );
    assert_eq!(default_of(&shop, &customer), made.root()["token"]);
}

#[test]
fn a_default_can_be_chosen_and_chosen_again() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let first = shop.tokenise_for(&customer, cards::VISA);
    let second = shop.tokenise_for(&customer, cards::MASTERCARD);
    for choice in [&second, &second, &first] {
        assert_eq!(shop.try_make_default(choice).root(), &json!(true));
        assert_eq!(default_of(&shop, &customer), json!(choice));
    }
}

#[test]
fn deleting_the_default_makes_the_newest_remaining_one_the_default() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let first = shop.tokenise_for(&customer, cards::VISA);
    let second = shop.tokenise_for(&customer, cards::MASTERCARD);
    let third = shop.tokenise_for(&customer, cards::AMEX);
    assert_eq!(shop.try_delete_method(&first).root(), &json!(true));
    assert_eq!(default_of(&shop, &customer), json!(third));
    shop.try_delete_method(&third).data();
    assert_eq!(default_of(&shop, &customer), json!(second));
    shop.try_delete_method(&second).data();
    assert_eq!(default_of(&shop, &customer), Value::Null);
    assert!(shop.methods(&customer).is_empty());
}

#[test]
fn deleting_another_leaves_the_default() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let first = shop.tokenise_for(&customer, cards::VISA);
    let second = shop.tokenise_for(&customer, cards::MASTERCARD);
    shop.try_delete_method(&second).data();
    assert_eq!(default_of(&shop, &customer), json!(first));
}

#[test]
fn a_token_of_nobody_cannot_be_a_default() {
    let shop = shared::shop();
    shop.try_make_default(&shop.tokenise(cards::VISA))
        .assert_error("error.validation");
    shop.try_make_default("NoSuchToken00000000")
        .assert_error("error.payment-method.not-found");
}
