//! Processors' own tokens for stored cards.

use serde_json::{Value, json};
use testkit::{
    Answer, Setup, Shop, cards,
    http::{Reply, Request},
};

use crate::shared;

/// A card whose bank wants to see the customer.
const CHALLENGED: &str = "4000002760003184";
const DECLINED: &str = "4000000000009979";

fn request(token: &str, redirect: &str) -> Value {
    json!({
        "vaultToken": token, "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR",
        "threeDSecureRedirectUrl": redirect,
    })
}

/// A text of an error's extensions.
fn field_of(answer: &Answer, name: &str) -> String {
    answer.extension(name).as_str().expect("a text").to_owned()
}

/// Opens an address of the service's, as a browser does.
fn open(shop: &Shop, address: &str) -> Reply {
    Request::new("GET", path(address)).send(shop.address())
}

/// What follows the host.
fn path(address: &str) -> String {
    let (_, rest) = address.split_once("://").expect("an absolute address");
    let at = rest.find('/').expect("a path");
    rest[at..].to_owned()
}

/// Decides on the bank's page; the address to which the browser is sent.
fn decide(shop: &Shop, page: &str, outcome: &str) -> String {
    let reply = Request::new("POST", path(page))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("outcome={outcome}"))
        .send(shop.address());
    assert_eq!(reply.status, 303, "{}", reply.text());
    reply.header("location").unwrap().to_owned()
}

#[test]
fn a_processors_token_is_given_at_once_and_again() {
    let shop = shared::shop();
    let vault = shop.tokenise(cards::VISA);
    let first = shop.try_processor_token(request(&vault, "")).root()["token"].clone();
    assert!(first.as_str().is_some_and(|token| !token.is_empty()));
    assert_eq!(
        shop.try_processor_token(request(&vault, "")).root()["token"],
        first
    );
    let linked = shop.method(&vault)["linkedPaymentGateways"].clone();
    assert_eq!(linked.as_array().unwrap().len(), 1);
    assert_eq!(
        (&linked[0]["id"], &linked[0]["token"]),
        (&json!("simulator-a"), &first)
    );
}

#[test]
fn a_token_that_needs_the_customer_comes_with_the_second_call() {
    let shop = shared::shop();
    let vault = shop.tokenise(CHALLENGED);
    let ask = || shop.try_processor_token(request(&vault, "localhost:3000/back?cart=7"));
    let first = ask();
    first.assert_error("error.authorize.requires3DSecure");
    let (id, page) = (field_of(&first, "id"), field_of(&first, "url"));
    let again = ask();
    again.assert_error("error.authorize.requires3DSecure");
    assert_eq!(
        (field_of(&again, "id"), field_of(&again, "url")),
        (id.clone(), page.clone())
    );

    let back = decide(&shop, &page, "complete");
    let expected = format!(
        "http://localhost:3000/back?cart=7&id={id}&3ds_status=COMPLETED&vault_token={vault}"
    );
    for _ in 0..2 {
        let reply = open(&shop, &back);
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, Some(expected.as_str())),
            "{}",
            reply.text()
        );
    }
    let token = ask().root()["token"].clone();
    assert!(token.is_string());
    assert_eq!(ask().root()["token"], token);
}

#[test]
fn a_customer_who_fails_comes_back_as_failed_and_may_try_again() {
    let shop = shared::shop();
    let vault = shop.tokenise(CHALLENGED);
    let first = shop.try_processor_token(request(&vault, ""));
    first.assert_error("error.authorize.requires3DSecure");
    let back = decide(&shop, &field_of(&first, "url"), "fail");
    let reply = open(&shop, &back);
    assert_eq!(reply.status, 200);
    assert!(
        reply.text().contains("You may close this page"),
        "{}",
        reply.text()
    );
    let declined = shop.try_processor_token(request(&vault, ""));
    declined.assert_error("error.token.declined");
    assert_eq!(field_of(&declined, "reason"), "THREE_D_SECURE");
    assert_eq!(field_of(&declined, "id"), field_of(&first, "id"));
    let again = shop.try_processor_token(request(&vault, ""));
    again.assert_error("error.authorize.requires3DSecure");
    assert_ne!(field_of(&again, "id"), field_of(&first, "id"));
    assert_eq!(open(&shop, "http://x/token-return/AAAA").status, 404);
}

#[test]
fn what_gives_no_token_says_why() {
    let shop = shared::shop();
    let declined = shop.tokenise(DECLINED);
    let refused = shop.try_processor_token(request(&declined, ""));
    refused.assert_error("error.token.declined");
    assert_eq!(
        field_of(&refused, "reason"),
        "LOST_RESTRICTED_OR_STOLEN_CARD"
    );
    let good = shop.tokenise(cards::VISA);
    let mut nowhere = request(&good, "");
    nowhere["paymentProcessorConnectionId"] = json!("nowhere");
    shop.try_processor_token(nowhere)
        .assert_error("error.connection.not-found");
    shared::other_shop()
        .try_processor_token(request(&good, ""))
        .assert_error("error.payment-method.not-found");
    shop.try_processor_token(request(&good, "javascript:alert(1)"))
        .assert_invalid("tokenRequest.threeDSecureRedirectUrl");
    shop.client(json!({}))
        .try_processor_token(request(&good, ""))
        .assert_error("api.key.forbidden");
}

#[test]
fn an_open_request_and_a_token_survive_a_crash() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let (plain, challenged) = (shop.tokenise(cards::VISA), shop.tokenise(CHALLENGED));
    let token = shop.try_processor_token(request(&plain, "")).root()["token"].clone();
    let first = shop.try_processor_token(request(&challenged, ""));
    first.assert_error("error.authorize.requires3DSecure");
    server.kill();
    server.restart();
    let shop = server.shop();
    assert_eq!(
        shop.try_processor_token(request(&plain, "")).root()["token"],
        token
    );
    let again = shop.try_processor_token(request(&challenged, ""));
    again.assert_error("error.authorize.requires3DSecure");
    assert_eq!(field_of(&again, "id"), field_of(&first, "id"));
}

#[test]
fn a_security_code_is_given_to_a_stored_card() {
    let shop = shared::shop();
    let customer = shop.create_customer("Ada");
    let token = shop.tokenise_for(&customer, cards::VISA);
    assert_eq!(shop.try_attach_code(&token, "737").root(), &json!(true));
    assert_eq!(
        shop.client(json!({"customerId": customer}))
            .try_attach_code(&token, "737")
            .root(),
        &json!(true)
    );
    shop.client(json!({}))
        .try_attach_code(&token, "737")
        .assert_error("error.payment-method.not-found");
    shared::other_shop()
        .try_attach_code(&token, "737")
        .assert_error("error.payment-method.not-found");
    shop.try_attach_code(&token, "73").assert_invalid("cvc");
}
