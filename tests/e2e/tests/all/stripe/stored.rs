//! Cards that Stripe stores.

use serde_json::{Value, json};
use testkit::{Detour, Order, Payment};

use super::Desk;

/// Approved.
const VISA: &str = "4242424242424242";
/// Its bank asks for the customer, unless it was set up and the customer is not there.
const ASKS_UNLESS_SET_UP: &str = "4000002500003155";
const SHOP: &str = "https://shop.example/back";

impl Desk {
    /// The intent of a payment.
    fn intent(&self, payment: &Payment) -> Value {
        let uuid = payment.uuid();
        let is_its = |intent: &&Value| {
            let reference = intent["metadata"]["pointsman"].as_str();
            reference.is_some_and(|reference| reference.starts_with(&uuid))
        };
        let intents = self.at_stripe("payment_intents");
        intents.iter().find(is_its).unwrap().clone()
    }

    fn linked(&self, token: &str) -> Value {
        self.shop.method(token)["linkedPaymentGateways"].clone()
    }
}

fn at_stripe(token: &str) -> Order {
    Order::token(token).flow("stripe-now")
}

fn merchants(token: &str) -> Order {
    at_stripe(token).with("initiator", json!("MERCHANT"))
}

fn agreeing(token: &str) -> Order {
    at_stripe(token).with(
        "recurring",
        json!({"reason": "SUBSCRIPTION", "first": true}),
    )
}

#[test]
fn a_payment_by_which_the_customer_agrees_stores_the_card_and_the_merchant_charges_by_it() {
    let desk = Desk::quiet();
    let token = desk.shop.tokenise(ASKS_UNLESS_SET_UP);
    let without = desk.shop.order(&merchants(&token));
    without.assert_status("DECLINED");
    assert_eq!(
        without.text("/paymentCore/outcome/declineCode"),
        "AUTHORIZATION_REQUIRED"
    );
    let present = agreeing(&token).with("perform3DSecure", json!({"redirectUrl": SHOP}));
    let asked = desk.shop.try_authorise(&present, None);
    let away = Detour::of(&asked, "error.authorize.requires3DSecure");
    desk.comes_back(&away.url, "complete");
    let first = desk.shop.payment(&away.id);
    first.assert_status("SUCCEEDED");
    let intent = desk.intent(&first);
    assert_eq!(intent["setup_future_usage"], "off_session");
    let linked = desk.linked(&token);
    assert_eq!(linked[0]["token"], intent["payment_method"], "{linked}");
    let later = desk.shop.order(&merchants(&token));
    later.assert_status("SUCCEEDED");
    let charged = desk.intent(&later);
    assert_eq!(charged["payment_method"], intent["payment_method"]);
    assert_eq!(charged["customer"], intent["customer"]);
    assert_eq!(desk.taken_and_given_back(), (2000, 0));
}

#[test]
fn a_token_that_is_asked_for_is_verified_at_stripe_and_pays_there() {
    let desk = Desk::quiet();
    let token = desk.shop.tokenise(ASKS_UNLESS_SET_UP);
    let request = json!({"vaultToken": token, "paymentProcessorConnectionId": "stripe", "currencyCode": "EUR",
        "threeDSecureRedirectUrl": SHOP});
    let ask = || desk.shop.try_processor_token(request.clone());
    let asked = ask();
    asked.assert_error("error.authorize.requires3DSecure");
    let page = asked.extension("url").as_str().unwrap().to_owned();
    let onward = desk.comes_back(&page, "complete");
    assert!(
        onward
            .parameters
            .contains(&("3ds_status".to_owned(), "COMPLETED".to_owned()))
    );
    let own = ask().root()["token"].clone();
    assert!(
        own.as_str().is_some_and(|own| own.starts_with("pm_")),
        "{own}"
    );
    assert_eq!(ask().root()["token"], own);
    assert_eq!(desk.taken_and_given_back(), (0, 0), "no money moves");
    let paid = desk.shop.order(&merchants(&token));
    paid.assert_status("SUCCEEDED");
    assert_eq!(desk.intent(&paid)["payment_method"], own);
    // With the code that the customer has typed, too.
    desk.shop.try_attach_code(&token, "737").root();
    let plain = desk.shop.tokenise(VISA);
    desk.shop.try_attach_code(&plain, "737").root();
    let request = json!({"vaultToken": plain, "paymentProcessorConnectionId": "stripe", "currencyCode": "EUR"});
    desk.shop.try_processor_token(request).root();
    desk.shop.try_attach_code(&plain, "737").root();
    let paid = desk.shop.order(&at_stripe(&plain));
    paid.assert_status("SUCCEEDED");
}

#[test]
fn a_declined_card_gets_no_token() {
    let desk = Desk::quiet();
    let token = desk.shop.tokenise("4000000000009995");
    let request = json!({"vaultToken": token, "paymentProcessorConnectionId": "stripe", "currencyCode": "EUR"});
    let declined = desk.shop.try_processor_token(request);
    declined.assert_error("error.token.declined");
    assert_eq!(declined.extension("reason"), "INSUFFICIENT_FUNDS");
    assert_eq!(desk.linked(&token), json!([]));
}

#[test]
fn a_card_that_stripe_does_not_know_any_more_is_charged_by_its_number_the_next_time() {
    let desk = Desk::quiet();
    let token = desk.shop.tokenise(VISA);
    desk.shop
        .order(&agreeing(&token))
        .assert_status("SUCCEEDED");
    let own = desk.linked(&token)[0]["token"].as_str().unwrap().to_owned();
    desk.stripe
        .post(&format!("/v1/payment_methods/{own}/detach"), "");
    let failed = desk.shop.order(&merchants(&token));
    failed.assert_status("FAILED");
    failed.assert_says("its token is forgotten");
    assert_eq!(desk.linked(&token), json!([]));
    let paid = desk.shop.order(&merchants(&token));
    paid.assert_status("SUCCEEDED");
    assert_ne!(desk.intent(&paid)["payment_method"], json!(own));
    assert_eq!(desk.taken_and_given_back(), (2000, 0));
}

#[test]
fn a_lost_answer_to_the_payment_that_stores_the_card_is_looked_up_with_the_token() {
    let desk = Desk::quiet();
    let token = desk.shop.tokenise(VISA);
    desk.break_next("lost-after", 1, "/v1/payment_intents/pi_");
    let unknown = desk.shop.order(&agreeing(&token));
    unknown.assert_status("NO_ANSWER_FROM_PSP");
    let paid = desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
    let linked = desk.linked(&token);
    assert_eq!(linked[0]["token"], desk.intent(&paid)["payment_method"]);
    desk.shop
        .order(&merchants(&token))
        .assert_status("SUCCEEDED");
    assert_eq!(desk.taken_and_given_back(), (2000, 0));
}
