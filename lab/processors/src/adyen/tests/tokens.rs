//! Stored methods, the scheme's reference, and network tokens.

use serde_json::{Value, json};

use super::{Client, altered, card, numbered, request};

fn storing() -> Value {
    altered(
        &card("J. Smith"),
        &[
            ("/storePaymentMethod", json!(true)),
            ("/shopperReference", json!("shopper-1")),
            ("/recurringProcessingModel", json!("UnscheduledCardOnFile")),
            ("/shopperInteraction", json!("Ecommerce")),
        ],
    )
}

/// A later payment with a token.
fn later(token: &str) -> Value {
    altered(
        &storing(),
        &[
            ("/storePaymentMethod", Value::Null),
            ("/shopperInteraction", json!("ContAuth")),
            (
                "/paymentMethod",
                json!({"type": "scheme", "storedPaymentMethodId": token}),
            ),
        ],
    )
}

#[test]
fn a_token_is_made_used_listed_and_forgotten() {
    let mut client = Client::new();
    let first = client.post("/v72/payments", &storing());
    let token = first
        .text("/additionalData/tokenization.storedPaymentMethodId")
        .to_owned();
    assert_eq!(token.len(), 16);
    let noticed = client.last();
    assert_eq!(
        noticed["additionalData"]["tokenization.storedPaymentMethodId"],
        token
    );
    let again = client.post("/v72/payments", &storing());
    assert_eq!(
        again.text("/additionalData/tokenization.storedPaymentMethodId"),
        token
    );

    let paid = client.post("/v72/payments", &later(&token));
    assert_eq!(paid.text("/resultCode"), "Authorised");
    assert_eq!(
        paid.text("/additionalData/cvcResult"),
        "6 No CVC/CVV provided"
    );
    let stranger = altered(&later(&token), &[("/shopperReference", json!("shopper-2"))]);
    assert_eq!(
        client.post("/v72/payments", &stranger).text("/errorCode"),
        "800"
    );

    let address = "?merchantAccount=ShopECOM&shopperReference=shopper-1";
    let listed = client.ask(&request(
        "GET",
        &format!("/v72/storedPaymentMethods{address}"),
    ));
    assert_eq!(listed.text("/storedPaymentMethods/0/id"), token);
    assert_eq!(listed.text("/storedPaymentMethods/0/lastFour"), "1111");
    let one = format!("/v72/storedPaymentMethods/{token}{address}");
    let forgotten = client.ask(&request("DELETE", &one));
    assert_eq!(
        (forgotten.status, forgotten.answer.reply.body.len()),
        (204, 0)
    );
    assert_eq!(client.ask(&request("DELETE", &one)).status, 422);
    assert_eq!(client.post("/v72/payments", &later(&token)).status, 422);
}

#[test]
fn a_refused_payment_stores_nothing() {
    let mut client = Client::new();
    let refused = altered(
        &storing(),
        &[("/paymentMethod/holderName", json!("DECLINED"))],
    );
    let refused = client.post("/v72/payments", &refused);
    assert_eq!(refused.text("/resultCode"), "Refused");
    assert_eq!(client.books()["storedPaymentMethods"], json!([]));
}

#[test]
fn a_method_is_stored_without_a_payment() {
    let mut client = Client::new();
    let body = json!({
        "merchantAccount": "ShopECOM",
        "shopperReference": "shopper-1",
        "recurringProcessingModel": "CardOnFile",
        "paymentMethod": card("J. Smith")["paymentMethod"],
    });
    let stored = client.post("/v72/storedPaymentMethods", &body);
    assert_eq!(stored.status, 201);
    let paid = client.post("/v72/payments", &later(stored.text("/id")));
    assert_eq!(paid.text("/resultCode"), "Authorised");
}

#[test]
fn the_schemes_reference_goes_with_a_number() {
    let mut client = Client::new();
    let first = client.post("/v72/payments", &numbered("5555444433331111", "J. Smith"));
    let reference = first.text("/additionalData/networkTxReference").to_owned();
    assert_eq!(reference.len(), 13);
    let changes = [
        ("/shopperInteraction", json!("ContAuth")),
        ("/paymentMethod/networkPaymentReference", json!(reference)),
        ("/paymentMethod/cvc", Value::Null),
    ];
    let merchants = altered(&numbered("5555444433331111", "J. Smith"), &changes);
    assert_eq!(
        client.post("/v72/payments", &merchants).text("/resultCode"),
        "Authorised"
    );
    let with_shopper = altered(&merchants, &[("/shopperInteraction", json!("Ecommerce"))]);
    assert_eq!(client.post("/v72/payments", &with_shopper).status, 422);
}

#[test]
fn a_network_token_needs_its_cryptogram_while_the_shopper_is_there() {
    let mut client = Client::new();
    let bare = altered(
        &card("J. Smith"),
        &[
            ("/paymentMethod/type", json!("networkToken")),
            ("/paymentMethod/cvc", Value::Null),
        ],
    );
    assert_eq!(client.post("/v72/payments", &bare).status, 422);
    let proof = json!({"tokenAuthenticationVerificationValue": "AAECAwQFBgcICQoLDA0ODxAREhM=", "eci": "05"});
    let proven = client.post("/v72/payments", &altered(&bare, &[("/mpiData", proof)]));
    assert_eq!(proven.text("/resultCode"), "Authorised");
    assert_eq!(proven.text("/paymentMethod/type"), "networkToken");
    let merchants = altered(&bare, &[("/shopperInteraction", json!("ContAuth"))]);
    assert_eq!(
        client.post("/v72/payments", &merchants).text("/resultCode"),
        "Authorised"
    );
}

#[test]
fn encrypted_test_details_are_read() {
    let method = json!({
        "type": "scheme",
        "encryptedCardNumber": "test_4111111111111111",
        "encryptedExpiryMonth": "test_03",
        "encryptedExpiryYear": "test_2030",
        "encryptedSecurityCode": "test_737",
    });
    let body = altered(&card(""), &[("/paymentMethod", method)]);
    assert_eq!(
        Client::new()
            .post("/v72/payments", &body)
            .text("/resultCode"),
        "Authorised"
    );
}
