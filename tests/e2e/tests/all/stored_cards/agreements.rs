//! What a merchant says of a payment with a stored card, and what comes of it.

use serde_json::{Value, json};
use testkit::{Order, Shop, cards};

use super::{agreeing, at, merchants, said, shop, transaction_of};
use crate::routing;

#[test]
fn a_merchants_payment_names_the_transaction_of_the_consent_at_another_processor() {
    let shop = shop();
    let token = shop.tokenise(cards::VISA);
    let first = shop.order(&agreeing(&token, "simulator-a"));
    first.assert_status("AUTHORISED");
    first.assert_says("The customer agrees to later payments with the card (SUBSCRIPTION).");
    assert_eq!(
        said(&shop, &first),
        json!({"reason": "SUBSCRIPTION", "first": true, "networkId": null, "byOwnToken": false})
    );
    let wanted = transaction_of(&shop, &first);
    let recurring = json!({"reason": "SUBSCRIPTION"});
    let later = shop.order(&merchants(&token, "simulator-b").with("recurring", recurring));
    later.assert_status("AUTHORISED");
    assert_eq!(
        said(&shop, &later),
        json!({"reason": "SUBSCRIPTION", "first": false, "networkId": wanted, "byOwnToken": false})
    );
    later.assert_says(&format!(
        "Merchant-initiated (SUBSCRIPTION), by the scheme's transaction of {}, at the connection simulator-a.",
        first.id()
    ));
    shop.assert_books_agree_on(&later.id());
}

#[test]
fn the_connection_where_the_customer_agreed_is_paid_by_its_own_token() {
    let shop = shop();
    let token = shop.tokenise(cards::MASTERCARD);
    shop.order(&agreeing(&token, "simulator-a"))
        .assert_status("AUTHORISED");
    let linked = shop.method(&token)["linkedPaymentGateways"].clone();
    assert_eq!(linked.as_array().map(Vec::len), Some(1), "{linked}");
    assert_eq!(linked[0]["id"], "simulator-a");
    let later = shop.order(&merchants(&token, "simulator-a"));
    later.assert_status("AUTHORISED");
    assert_eq!(
        said(&shop, &later),
        json!({"reason": "UNSCHEDULED", "first": false, "networkId": null, "byOwnToken": true})
    );
    shop.capture(&later.id()).assert_status("SUCCEEDED");
    shop.refund(&later.id(), 1000).assert_status("REFUNDED");
    shop.assert_books_agree_on(&later.id());
}

#[test]
fn a_payment_without_a_word_brings_the_transaction_too_and_a_merchants_is_unscheduled() {
    let shop = shop();
    let token = shop.tokenise(cards::VISA);
    let alone = shop.order(&merchants(&token, "simulator-b"));
    assert_eq!(
        said(&shop, &alone),
        json!({"reason": "UNSCHEDULED", "first": false, "networkId": null, "byOwnToken": false})
    );
    alone.assert_says("without a transaction by which the customer agreed");
    let plain = shop.order(&at(&token, "simulator-a"));
    assert_eq!(said(&shop, &plain), Value::Null);
    let later = shop.order(&merchants(&token, "simulator-b"));
    assert_eq!(
        said(&shop, &later)["networkId"],
        transaction_of(&shop, &plain),
        "the customer's payment says more than the merchant's"
    );
    assert_eq!(
        shop.method(&token)["linkedPaymentGateways"],
        json!([]),
        "nobody agreed that the processor keeps the card"
    );
}

#[test]
fn a_demand_for_the_customer_is_a_soft_decline_and_leaves_nothing() {
    let shop = shop();
    let token = shop.tokenise("4000002760003184");
    let declined = shop.order(&merchants(&token, "simulator-a"));
    declined.assert_status("DECLINED");
    let outcome = declined.at("/paymentCore/outcome");
    assert_eq!(outcome["declineCode"], "AUTHORIZATION_REQUIRED");
    assert_eq!(outcome["declineType"], "SOFT");
    declined.assert_says("without a transaction by which the customer agreed");
}

#[test]
fn what_does_not_fit_is_refused_with_its_field() {
    let shop = shop();
    let token = shop.tokenise(cards::VISA);
    let first = json!({"reason": "UNSCHEDULED", "first": true});
    shop.try_authorise(
        &merchants(&token, "simulator-a").with("recurring", first.clone()),
        None,
    )
    .assert_invalid("authorisePayment.recurring.first");
    let ideal = Order::card(cards::VISA)
        .without("paymentMethod")
        .with("paymentMethod", json!({"type": "IDEAL"}))
        .with("recurring", first.clone());
    shop.try_authorise(&ideal, None)
        .assert_invalid("authorisePayment.recurring");
    let words = at(&token, "simulator-a").with("recurring", json!({"reason": "OFTEN"}));
    shop.try_authorise(&words, None).assert_badly_asked();
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    let paid = browser.order(&Order::card(cards::VISA).with("recurring", first));
    paid.assert_status("SUCCEEDED");
}

#[test]
fn another_word_of_the_agreement_is_another_request() {
    let shop = shop();
    let token = shop.tokenise(cards::VISA);
    let key = Shop::fresh_key();
    let order = agreeing(&token, "simulator-a");
    shop.try_authorise(&order, Some(&key)).root();
    assert!(shop.try_authorise(&order, Some(&key)).replayed());
    let other = order.with("recurring", json!({"reason": "INSTALMENTS", "first": true}));
    shop.try_authorise(&other, Some(&key))
        .assert_error("error.idempotency.key-reused");
}

#[test]
fn another_team_and_a_card_that_is_stored_again_know_nothing_of_it() {
    let (shop, other) = (shop(), routing::server().other_team());
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    shop.order(&agreeing(&token, "simulator-a"))
        .assert_status("AUTHORISED");
    other
        .try_authorise(&merchants(&token, "simulator-a"), None)
        .assert_error("error.payment-method.not-found");
    other.connection("theirs", json!({}));
    let of_others = other.tokenise(cards::VISA);
    let theirs = other.order(&merchants(&of_others, "theirs"));
    assert_eq!(said(&other, &theirs)["networkId"], Value::Null);
    assert_eq!(shop.try_delete_customer(&customer).root(), &json!(true));
    shop.try_authorise(&merchants(&token, "simulator-a"), None)
        .assert_error("error.payment-method.not-found");
    let again = shop.tokenise(cards::VISA);
    let later = shop.order(&merchants(&again, "simulator-a"));
    assert_eq!(
        said(&shop, &later),
        json!({"reason": "UNSCHEDULED", "first": false, "networkId": null, "byOwnToken": false})
    );
}
