//! What a token of a processor's fields pays, and how often.

use serde_json::{Value, json};
use testkit::{Payment, Setup, at_once, cards, find_leaks, needles_of_number};

use super::{OWN, order, stage, store, token, try_store};

const NEVER_TWICE: &str = "authorisePayment.paymentMethod";

#[test]
fn a_token_pays_once_at_its_connection_and_is_never_shown() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let first = token(&server, cards::VISA);
    let paid = shop.order(&order(OWN, &first).flow("there"));
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/connectionId"), OWN);
    assert_eq!(shop.books().charge(&paid).connection, OWN);
    shop.refund(&paid.id(), 400)
        .assert_status("PARTIAL_REFUNDED");
    let again = shop.try_authorise(&order(OWN, &first).flow("there"), None);
    again.assert_invalid(NEVER_TWICE);
    assert!(
        again.message().contains("used before"),
        "{}",
        again.message()
    );
    // A later capture, and a cancellation.
    let second = token(&server, cards::MASTERCARD);
    let held = Payment(
        shop.try_authorise(&order(OWN, &second).at(OWN), None)
            .root()
            .clone(),
    );
    held.assert_status("AUTHORISED");
    shop.capture(&held.id()).assert_status("SUCCEEDED");
    let third = token(&server, cards::VISA);
    let given_up = shop.try_authorise(&order(OWN, &third).at(OWN), None);
    let given_up = Payment(given_up.root().clone());
    shop.cancel(&given_up.id()).assert_status("CANCELLED");
    shop.assert_books_equal_payments();
    for token in [&first, &second, &third] {
        assert!(!server.log().contains(token.as_str()), "in the log");
        assert!(
            !paid.0.to_string().contains(token.as_str()),
            "in the answer"
        );
    }
    let leaks = find_leaks(&server.root(), &needles_of_number(cards::VISA));
    assert!(leaks.is_empty(), "{leaks:?}");
}

#[test]
fn the_same_request_again_is_the_same_payment() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let order = order(OWN, &token(&server, cards::VISA)).flow("there");
    let first = shop.try_authorise(&order, Some("one-try"));
    let again = shop.try_authorise(&order, Some("one-try"));
    assert_eq!(first.root()["id"], again.root()["id"]);
    assert!(again.replayed());
    assert_eq!(shop.books().charges(), 1);
}

#[test]
fn a_token_that_comes_ten_times_at_once_charges_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let given = token(&server, cards::VISA);
    let answers = at_once(10, |_| {
        shop.try_authorise(&order(OWN, &given).flow("there"), None)
    });
    let paid: Vec<_> = answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .collect();
    assert_eq!(paid.len(), 1);
    for refused in answers.iter().filter(|answer| !answer.errors().is_empty()) {
        refused.assert_invalid(NEVER_TWICE);
    }
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_stored_token_has_nothing_to_show_and_pays_once_too() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let given = token(&server, cards::VISA);
    let browser = shop.client(json!({"amount": 1000, "currency": "EUR"}));
    let stored = store(&browser, OWN, &given);
    let method = shop.method(&stored);
    for nothing in ["number", "brand", "expMonth", "expYear", "vaultCustomerId"] {
        assert_eq!(method[nothing], Value::Null, "{nothing}");
    }
    assert!(!method.to_string().contains(&given));
    let paid = shop.order(&testkit::Order::token(&stored).flow("there"));
    paid.assert_status("SUCCEEDED");
    // Its record ended with the payment; the processor's token is known as used.
    shop.try_authorise(&testkit::Order::token(&stored).flow("there"), None)
        .assert_error("error.payment-method.not-found");
    shop.try_method(&stored)
        .assert_error("error.payment-method.not-found");
    shop.try_authorise(&order(OWN, &given).flow("there"), None)
        .assert_invalid(NEVER_TWICE);
    let twice = store(&shop, OWN, &given);
    shop.try_authorise(&testkit::Order::token(&twice).flow("there"), None)
        .assert_invalid(NEVER_TWICE);
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_stored_token_is_no_customers() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let customer = shop.create_customer("Ada");
    let given = token(&server, cards::VISA);
    let card = json!({"processorToken": {"connectionId": OWN, "token": given}});
    shop.try_tokenise(
        json!({"paymentMethod": card, "customer": {"id": customer}}),
        None,
    )
    .assert_invalid("data.customer");
    let stored = store(&shop, OWN, &given);
    shop.try_attach(&stored, &customer).assert_invalid("token");
    let both = json!({"processorToken": {"connectionId": OWN, "token": given}, "card": testkit::Shop::card(cards::VISA)});
    shop.try_tokenise(json!({ "paymentMethod": both }), None)
        .assert_invalid("data.paymentMethod.processorToken");
    // One that was not used can be deleted, and is gone then.
    shop.try_delete_method(&stored).data();
    shop.try_authorise(&testkit::Order::token(&stored).flow("there"), None)
        .assert_error("error.payment-method.not-found");
    assert_eq!(try_store(&shop, OWN, &given).errors().len(), 0);
}

#[test]
fn a_decline_is_a_decline_and_a_challenge_leads_to_the_processor() {
    let server = Setup::new().start();
    let shop = server.shop();
    stage(&shop);
    let declined = shop.order(&order(OWN, &token(&server, cards::GENERAL_DECLINE)).flow("there"));
    declined.assert_status("DECLINED");
    for (outcome, status) in [("complete", "SUCCEEDED"), ("fail", "DECLINED")] {
        let given = token(&server, cards::CHALLENGE);
        let asked = order(OWN, &given)
            .flow("there")
            .three_ds("https://shop.example/back");
        let detour = shop.challenged(&asked);
        shop.decide_and_return(&detour, outcome);
        shop.payment(&detour.id).assert_status(status);
        shop.try_authorise(&asked, None).assert_invalid(NEVER_TWICE);
    }
    shop.assert_books_equal_payments();
}
