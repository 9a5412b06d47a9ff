//! Payments by cards and by other methods.

use serde_json::{Value, json};

use super::{Account, Client, Got, altered, card, numbered, request};

/// The shopper presses a button; what comes back.
fn press(client: &mut Client, url: &str, form: &str) -> String {
    let path = url.strip_prefix("http://simulator").unwrap();
    let pressed = client.form(path, form);
    assert_eq!(pressed.status, 302);
    let location = &pressed.answer.reply.headers["location"];
    let result = location.strip_prefix("https://shop.example/back?a=1&redirectResult=");
    result.unwrap().replace("%21", "!")
}

fn details(client: &mut Client, result: &str) -> Got {
    client.post(
        "/v72/payments/details",
        &json!({"details": {"redirectResult": result}}),
    )
}

#[test]
fn a_card_is_authorised_with_what_the_account_shows() {
    let mut client = Client::new();
    let paid = client.pay("J. Smith");
    assert_eq!((paid.status, paid.text("/resultCode")), (200, "Authorised"));
    assert_eq!(paid.psp().len(), 16);
    assert_eq!(paid.text("/merchantReference"), "order-1");
    assert_eq!(paid.text("/paymentMethod/brand"), "visa");
    assert_eq!(paid.text("/additionalData/cardSummary"), "1111");
    assert_eq!(paid.text("/additionalData/cvcResult"), "1 Matches");
    assert_eq!(paid.text("/additionalData/networkTxReference").len(), 15);
    assert_eq!(client.events(), ["AUTHORISATION true"]);
    assert_eq!(client.balance(), 0, "nothing is captured yet");

    let mut quiet = Client::with(Account {
        shows_additional_data: false,
        ..Account::default()
    });
    let paid = quiet.pay("J. Smith");
    assert!(paid.view.get("additionalData").is_none());
    assert_eq!(quiet.balance(), 1000, "captured at once, as usual");
}

#[test]
fn the_address_and_the_code_are_checked() {
    for (house, postal_code, check) in [
        ("1", "1011DJ", '7'),
        ("0", "1011DJ", '6'),
        ("1", "00000", '1'),
        ("0", "00000", '2'),
    ] {
        let address = json!({"city": "A", "country": "NL", "houseNumberOrName": house, "postalCode": postal_code, "street": "S"});
        let paid = Client::new().post(
            "/v72/payments",
            &altered(&card("J. Smith"), &[("/billingAddress", address)]),
        );
        assert!(paid.text("/additionalData/avsResult").starts_with(check));
    }
    let mut client = Client::new();
    assert!(
        client
            .pay("J. Smith")
            .text("/additionalData/avsResult")
            .starts_with('5')
    );
    let jcb = client.post("/v72/payments", &numbered("3569990010095841", "J. Smith"));
    assert!(jcb.text("/additionalData/avsResult").starts_with('4'));
    let wrong = altered(&card("J. Smith"), &[("/paymentMethod/cvc", json!("000"))]);
    let wrong = client.post("/v72/payments", &wrong);
    assert_eq!(wrong.text("/additionalData/cvcResult"), "2 Doesn't match");
}

#[test]
fn the_holders_name_asks_for_a_refusal() {
    for (holder, result, code, reason) in [
        ("DECLINED", "Refused", "2", "Refused"),
        ("NOT_ENOUGH_BALANCE", "Refused", "12", "Not enough balance"),
        ("CVC_DECLINED", "Refused", "24", "CVC Declined"),
        ("ERROR", "Error", "4", "Acquirer Error"),
        (
            "AUTHENTICATION_REQUIRED",
            "Refused",
            "38",
            "Authentication required",
        ),
    ] {
        let mut client = Client::new();
        let got = client.pay(holder);
        assert_eq!(got.status, 200);
        assert_eq!(got.text("/resultCode"), result);
        assert_eq!(got.text("/refusalReasonCode"), code);
        assert_eq!(got.text("/refusalReason"), reason);
        assert_eq!(client.events(), ["AUTHORISATION false"]);
        assert_eq!(client.last()["reason"], reason);
    }
    let mut client = Client::new();
    let raw = client.pay("DECLINED : 05 : Do not honor");
    assert_eq!(
        raw.text("/additionalData/refusalReasonRaw"),
        "05 : Do not honor"
    );
    let by_code = [(
        "/additionalData",
        json!({"RequestedTestAcquirerResponseCode": "6"}),
    )];
    let by_code = client.post("/v72/payments", &altered(&card("J. Smith"), &by_code));
    assert_eq!(by_code.text("/refusalReason"), "Expired Card");
    let by_number = client.post("/v72/payments", &numbered("4000000000009995", "J. Smith"));
    assert_eq!(by_number.text("/refusalReasonCode"), "12");
    let unknown = client.post("/v72/payments", &numbered("4012000033330026", "J. Smith"));
    assert_eq!(unknown.text("/refusalReasonCode"), "8");
    let old = [
        ("/paymentMethod/expiryYear", json!("2026")),
        ("/paymentMethod/expiryMonth", json!("10")),
    ];
    let old = client.post("/v72/payments", &altered(&card("J. Smith"), &old));
    assert_eq!(old.text("/refusalReasonCode"), "6");
    let advised = client.post(
        "/v72/payments",
        &numbered("5555444433331111", "RESTRICTED_CARD"),
    );
    assert_eq!(advised.text("/additionalData/merchantAdviceCode"), "03");
}

#[test]
fn what_is_not_known_yet_is_notified() {
    for (holder, result, later) in [
        ("PENDING", "Received", "AUTHORISATION true"),
        ("PENDING_DECLINED", "Received", "AUTHORISATION false"),
    ] {
        let mut client = Client::new();
        assert_eq!(client.pay(holder).text("/resultCode"), result);
        assert!(client.events().is_empty());
        client.wait(10);
        assert_eq!(client.events(), [later]);
    }
    let mut client = Client::new();
    assert_eq!(client.pay("ERROR_APPROVED").text("/resultCode"), "Error");
    client.wait(5);
    assert_eq!(
        client.events(),
        ["AUTHORISATION false", "AUTHORISATION true"]
    );
    let items = client.items();
    assert_eq!(items[0]["pspReference"], items[1]["pspReference"]);
}

#[test]
fn a_partial_authorisation_says_how_much() {
    let mut client = Client::new();
    let partly = client.pay("PARTIALLY_APPROVED");
    assert_eq!(partly.text("/resultCode"), "PartiallyAuthorised");
    assert_eq!(partly.view["amount"]["value"], json!(500));
    assert_eq!(client.last()["amount"]["value"], json!(500));
    client.modify(&partly.psp(), "captures", Some(501));
    client.wait(1);
    assert_eq!(client.events().pop().unwrap(), "CAPTURE false");
}

#[test]
fn a_bank_asks_by_an_address_or_by_a_form() {
    for (number, method) in [("4917610000000000", "GET"), ("5212345678901234", "POST")] {
        let mut client = Client::new();
        let asked = client.post("/v72/payments", &numbered(number, "J. Smith"));
        assert_eq!(asked.text("/resultCode"), "RedirectShopper");
        assert_eq!(asked.text("/action/method"), method);
        assert_eq!(asked.text("/action/type"), "redirect");
        assert!(
            asked.view.get("pspReference").is_none(),
            "not before the details"
        );
        let url = asked.text("/action/url").to_owned();
        let page = client.form(
            url.strip_prefix("http://simulator").unwrap(),
            "MD=a&PaReq=b",
        );
        let page = String::from_utf8(page.answer.reply.body).unwrap();
        assert!(page.contains("10.00 EUR") && page.contains("Complete"));
        assert_eq!(asked.text("/action/data/MD").is_empty(), method == "GET");
        let result = press(&mut client, &url, "result=complete");
        assert!(
            client.events().is_empty(),
            "authorised with the details only"
        );
        for wrong in [
            "",
            "x",
            &format!("{result}x"),
            &result.replace("Xtf!", "Xtf!a"),
        ] {
            assert_eq!(details(&mut client, wrong).status, 422, "{wrong}");
        }
        let paid = details(&mut client, &result);
        assert_eq!(paid.text("/resultCode"), "Authorised");
        assert_eq!(paid.text("/additionalData/liabilityShift"), "true");
        assert_eq!(details(&mut client, &result).status, 422, "used once");
        assert_eq!(client.events(), ["AUTHORISATION true"]);
    }
}

#[test]
fn a_bank_that_says_no_refuses() {
    let mut client = Client::new();
    let asked = client.post("/v72/payments", &numbered("4917610000000000", "J. Smith"));
    let result = press(&mut client, asked.text("/action/url"), "result=fail");
    let refused = details(&mut client, &result);
    assert_eq!(
        (
            refused.text("/resultCode"),
            refused.text("/refusalReasonCode")
        ),
        ("Refused", "11")
    );
    let late = client.post("/v72/payments", &numbered("4917610000000000", "J. Smith"));
    let result = press(&mut client, late.text("/action/url"), "result=complete");
    client.wait(12 * 3600);
    assert_eq!(
        details(&mut client, &result).status,
        422,
        "twelve hours are too late"
    );
    assert_eq!(
        client.events(),
        ["AUTHORISATION false", "OFFER_CLOSED true"]
    );
}

#[test]
fn a_bank_is_not_asked_without_the_shopper_or_after_it_was() {
    let asked = numbered("4917610000000000", "J. Smith");
    let proof =
        json!({"cavv": "AAECAwQFBgcICQoLDA0ODxAREhM=", "eci": "05", "directoryResponse": "Y"});
    for (pointer, value) in [
        ("/shopperInteraction", json!("ContAuth")),
        ("/shopperInteraction", json!("Moto")),
        ("/mpiData", proof),
        (
            "/authenticationData",
            json!({"attemptAuthentication": "never"}),
        ),
    ] {
        let got = Client::new().post("/v72/payments", &altered(&asked, &[(pointer, value)]));
        assert_eq!(got.text("/resultCode"), "Authorised", "{pointer}");
    }
    let always = [(
        "/authenticationData",
        json!({"attemptAuthentication": "always"}),
    )];
    for (number, result) in [
        ("371449635398431", "RedirectShopper"),
        ("4111111111111111", "Authorised"),
    ] {
        let asked = altered(&card("J. Smith"), &always);
        let asked = altered(
            &asked,
            &[
                ("/paymentMethod/number", json!(number)),
                ("/paymentMethod/cvc", Value::Null),
            ],
        );
        let got = Client::new().post("/v72/payments", &asked);
        assert_eq!(got.text("/resultCode"), result, "{number}");
    }
}

fn other(method: Value) -> Value {
    altered(&card(""), &[("/paymentMethod", method)])
}

#[test]
fn a_method_with_a_page_is_decided_there() {
    for (button, result, event) in [
        ("complete", "Authorised", "AUTHORISATION true"),
        ("fail", "Refused", "AUTHORISATION false"),
        ("cancel", "Cancelled", "AUTHORISATION false"),
    ] {
        let mut client = Client::new();
        let asked = client.post("/v72/payments", &other(json!({"type": "ideal"})));
        assert_eq!(asked.text("/action/paymentMethodType"), "ideal");
        let pressed = press(
            &mut client,
            asked.text("/action/url"),
            &format!("result={button}"),
        );
        assert_eq!(
            client.events(),
            [event],
            "whether or not the shopper comes back"
        );
        assert_eq!(details(&mut client, &pressed).text("/resultCode"), result);
        assert_eq!(client.events().len(), 1);
    }
    let mut client = Client::new();
    let asked = client.post("/v72/payments", &other(json!({"type": "klarna"})));
    let pressed = press(&mut client, asked.text("/action/url"), "result=pending");
    assert_eq!(
        details(&mut client, &pressed).text("/resultCode"),
        "Pending"
    );
    client.wait(10);
    assert_eq!(client.events(), ["AUTHORISATION true"]);
    let left = client.post("/v72/payments", &other(json!({"type": "ideal"})));
    client.wait(3600);
    assert_eq!(client.events().pop().unwrap(), "OFFER_CLOSED true");
    let reopened = press(&mut client, left.text("/action/url"), "result=complete");
    assert_eq!(details(&mut client, &reopened).status, 422);
}

#[test]
fn a_debit_is_done_later() {
    let mut client = Client::new();
    let method = json!({"type": "sepadirectdebit", "iban": "NL13TEST0123456789", "ownerName": "A. Klaassen"});
    assert_eq!(
        client
            .post("/v72/payments", &other(method.clone()))
            .text("/resultCode"),
        "Received"
    );
    client.wait(10);
    assert_eq!(client.events(), ["AUTHORISATION true"]);
    assert_eq!(client.last()["paymentMethod"], "sepadirectdebit");
    let wrong = altered(&method, &[("/iban", json!("NL13TEST0123456788"))]);
    assert_eq!(client.post("/v72/payments", &other(wrong)).status, 422);
    let refused = altered(&method, &[("/ownerName", json!("DECLINED"))]);
    assert_eq!(
        client
            .post("/v72/payments", &other(refused))
            .text("/resultCode"),
        "Refused"
    );
}

#[test]
fn a_card_is_checked_with_an_amount_of_zero() {
    let mut client = Client::new();
    let free = [("/amount/value", json!(0))];
    let checked = client.post("/v72/payments", &altered(&card("J. Smith"), &free));
    assert_eq!(checked.text("/resultCode"), "Authorised");
    assert_eq!(
        client.modify(&checked.psp(), "captures", Some(0)).status,
        422
    );
    let page = altered(&other(json!({"type": "ideal"})), &free);
    assert_eq!(client.post("/v72/payments", &page).status, 422);
}

#[test]
fn methods_are_listed_without_an_effect() {
    let mut client = Client::new();
    let listed = client.post(
        "/v72/paymentMethods",
        &json!({"merchantAccount": "ShopECOM"}),
    );
    assert_eq!(
        (listed.status, listed.text("/paymentMethods/0/type")),
        (200, "scheme")
    );
    let stranger = client.post("/v72/paymentMethods", &json!({"merchantAccount": "Other"}));
    assert_eq!(stranger.status, 403);
    assert_eq!(
        client
            .ask(&request("GET", "/checkoutshopper/nothing"))
            .status,
        404
    );
}
