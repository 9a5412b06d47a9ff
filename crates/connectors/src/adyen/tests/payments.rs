//! Authorisations and their completion.

use connector::{
    AccountData, Answer, Authorise, CallError, CardData, Cause, Complete, Connector, Cryptogram,
    Earlier, FundingSource, Reference, Returned, ThreeDsCall,
};
use domain::{
    bank_account::AccountKind,
    browser::Browser,
    card_number::{AccountNumber, CardNumber, SecurityCode},
    decline::DeclineCode,
    expiry::Expiry,
    method::Method,
    payment::ThreeDsWish,
    person::Address,
    returned::Parameter,
};
use serde_json::{Value, json};

use super::{Asked, OURS, Stage, euros, now, reference};
use crate::adyen::Adyen;

fn card() -> CardData {
    CardData {
        number: CardNumber::parse("4111111111111111".to_owned()).unwrap(),
        expiry: Expiry::parse(3, 2030).unwrap(),
        cvc: Some(SecurityCode::parse("737".to_owned()).unwrap()),
        brand: "VISA".to_owned(),
        name: Some("Jo Shopper".to_owned()),
        address: None,
    }
}

fn address() -> Address {
    Address {
        line1: Some("Simon Carmiggeltstraat 6".to_owned()),
        city: Some("Amsterdam".to_owned()),
        postal_code: Some("1011DJ".to_owned()),
        country: Some("NL".to_owned()),
        ..Address::default()
    }
}

fn call<'a>(reference: &'a Reference, source: FundingSource<'a>) -> Authorise<'a> {
    Authorise {
        reference,
        money: euros(1000),
        capture: true,
        method: Method::Visa,
        funding_source: source,
        three_ds: ThreeDsCall {
            wish: ThreeDsWish::AsIssuer,
            return_url: Some("https://pay.example/3ds/abc"),
            browser: None,
        },
        merchant_initiated: false,
        stored: None,
        shopper: None,
        payer: None,
        statement_descriptor: None,
        fraud: None,
    }
}

fn authorised() -> Value {
    json!({"resultCode": "Authorised", "pspReference": "NC6HT9CRT65ZGN82", "merchantReference": OURS, "amount": {"value": 1000, "currency": "EUR"}})
}

fn authorise(
    call: &Authorise<'_>,
    answers: &[(u16, Value)],
) -> (Result<Answer, CallError>, Vec<Asked>) {
    let stage = Stage::with(answers);
    let answer = now(Adyen.authorise(&stage.link(), call));
    (answer, stage.asked())
}

fn body_of(call: &Authorise<'_>) -> Value {
    let (_, asked) = authorise(call, &[(200, authorised())]);
    asked[0].body()
}

#[test]
fn a_card_is_sent_with_all_that_adyen_wants() {
    let (reference, mut card) = (reference(1), card());
    card.address = Some(address());
    let browser = Browser {
        language: Some("nl-NL".to_owned()),
        color_depth: Some(24),
        screen_height: Some(723),
        screen_width: Some(1536),
        time_zone_offset: Some(0),
        user_agent: Some("Mozilla/5.0".to_owned()),
        accept_header: Some("text/html".to_owned()),
        java_enabled: Some(true),
        window_size: None,
    };
    let mut call = call(&reference, FundingSource::Card(&card));
    call.three_ds.browser = Some(&browser);
    call.three_ds.wish = ThreeDsWish::Request;
    call.statement_descriptor = Some("BOOKS <& TOYS> of a very long name");
    let (answer, asked) = authorise(&call, &[(200, authorised())]);
    assert!(
        matches!(answer, Ok(Answer::Approved { captured: true, .. })),
        "{answer:?}"
    );
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].url, "checkout-test.adyen.com/v72/payments");
    assert_eq!(asked[0].headers[0], ("x-api-key", "AQEsecret".to_owned()));
    assert_eq!(
        asked[0].body(),
        json!({
            "amount": {"currency": "EUR", "value": 1000},
            "merchantAccount": "ShopECOM",
            "reference": OURS,
            "returnUrl": "https://pay.example/3ds/abc",
            "channel": "Web",
            "captureDelayHours": 0,
            "shopperInteraction": "Ecommerce",
            "shopperStatement": "BOOKS  TOYS of a very",
            "paymentMethod": {
                "type": "scheme",
                "number": "4111111111111111",
                "expiryMonth": "03",
                "expiryYear": "2030",
                "cvc": "737",
                "holderName": "Jo Shopper",
            },
            "countryCode": "NL",
            "billingAddress": {
                "street": "Simon Carmiggeltstraat 6",
                "houseNumberOrName": "N/A",
                "city": "Amsterdam",
                "postalCode": "1011DJ",
                "country": "NL",
            },
            "browserInfo": {
                "acceptHeader": "text/html",
                "colorDepth": 24,
                "javaEnabled": true,
                "language": "nl-NL",
                "screenHeight": 723,
                "screenWidth": 1536,
                "timeZoneOffset": 0,
                "userAgent": "Mozilla/5.0",
            },
            "authenticationData": {
                "attemptAuthentication": "always",
                "threeDSRequestData": {"nativeThreeDS": "disabled"},
            },
            "redirectFromIssuerMethod": "GET",
            "redirectToIssuerMethod": "GET",
        })
    );
}

#[test]
fn the_same_request_has_the_same_bytes_and_key_and_no_reference_in_it() {
    let (one, other, card) = (reference(1), reference(2), card());
    let asked = |reference: &Reference| {
        let (_, asked) = authorise(&call(reference, FundingSource::Card(&card)), &[]);
        asked[0].clone()
    };
    assert_eq!(asked(&one), asked(&one));
    let key = asked(&one).key().unwrap().to_owned();
    assert_ne!(Some(key.as_str()), asked(&other).key());
    assert!(!key.contains("0189") && key.len() <= 64, "{key}");
}

#[test]
fn what_is_held_is_captured_by_hand() {
    let (reference, card) = (reference(1), card());
    let mut call = call(&reference, FundingSource::Card(&card));
    call.capture = false;
    let body = body_of(&call);
    assert_eq!(body["additionalData"], json!({"manualCapture": "true"}));
    assert_eq!(body.get("captureDelayHours"), None);
}

#[test]
fn a_merchants_own_payment_says_so_and_wants_nobody() {
    let (reference, mut card) = (reference(1), card());
    card.cvc = None;
    let mut call = call(&reference, FundingSource::Card(&card));
    call.merchant_initiated = true;
    call.three_ds.return_url = None;
    let body = body_of(&call);
    assert_eq!(body["shopperInteraction"], "ContAuth");
    assert_eq!(body["recurringProcessingModel"], "UnscheduledCardOnFile");
    assert_eq!(body["returnUrl"], "https://return.invalid/");
    assert_eq!(body["paymentMethod"].get("cvc"), None);
    let challenge = json!({"resultCode": "RedirectShopper", "action": {"type": "redirect", "url": "https://a.example/"}});
    let (answer, _) = authorise(&call, &[(200, challenge)]);
    assert!(
        matches!(&answer, Ok(Answer::Declined { decline, .. }) if decline.code == DeclineCode::AuthorizationRequired),
        "{answer:?}"
    );
}

#[test]
fn a_wallets_number_goes_with_its_cryptogram() {
    let (reference, mut card) = (reference(1), card());
    card.cvc = None;
    let cryptogram = Cryptogram {
        value: "AgAAAAAABk4DWZ4C28yUQAAAAAA=".to_owned(),
        eci: Some("07".to_owned()),
    };
    let source = FundingSource::NetworkToken {
        card: &card,
        cryptogram: &cryptogram,
    };
    for (method, brand) in [
        (Method::WalletbPay, "applepay"),
        (Method::WalletaPay, "googlepay"),
    ] {
        let call = Authorise {
            method,
            ..call(&reference, source)
        };
        let body = body_of(&call);
        assert_eq!(body["paymentMethod"]["type"], "networkToken");
        assert_eq!(body["paymentMethod"]["brand"], brand);
        assert_eq!(
            body["mpiData"],
            json!({
                "authenticationResponse": "Y",
                "directoryResponse": "Y",
                "eci": "07",
                "tokenAuthenticationVerificationValue": "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
            })
        );
    }
}

#[test]
fn other_methods_are_sent_as_adyen_calls_them() {
    let reference = reference(1);
    for (method, kind) in [
        (Method::Ideal, "ideal"),
        (Method::BanContact, "bcmc_mobile"),
        (Method::Bnpla, "klarna"),
    ] {
        let call = Authorise {
            method,
            ..call(&reference, FundingSource::Page)
        };
        let body = body_of(&call);
        assert_eq!(body["paymentMethod"], json!({ "type": kind }));
        assert_eq!(body.get("authenticationData"), None);
        assert_eq!(body.get("lineItems").is_some(), kind == "klarna");
    }
    let account = AccountData {
        number: AccountNumber::parse("NL13TEST0123456789".to_owned()).unwrap(),
        kind: AccountKind::Iban,
        holder: Some("A. Klaassen".to_owned()),
        mandate: None,
    };
    let call = Authorise {
        method: Method::SepaDirectDebit,
        ..call(&reference, FundingSource::Account(&account))
    };
    let expected = json!({"type": "sepadirectdebit", "iban": "NL13TEST0123456789", "ownerName": "A. Klaassen"});
    assert_eq!(body_of(&call)["paymentMethod"], expected);
}

#[test]
fn what_a_method_can_not_do_is_refused_before_anything_is_sent() {
    let reference = reference(1);
    let held = Authorise {
        method: Method::Ideal,
        capture: false,
        ..call(&reference, FundingSource::Page)
    };
    let mut nowhere = Authorise {
        method: Method::Ideal,
        ..call(&reference, FundingSource::Page)
    };
    nowhere.three_ds.return_url = None;
    let without_account = Authorise {
        method: Method::SepaDirectDebit,
        ..call(&reference, FundingSource::Page)
    };
    for call in [held, nowhere, without_account] {
        let (answer, asked) = authorise(&call, &[]);
        assert!(
            matches!(answer, Err(CallError::Rejected { .. })),
            "{answer:?}"
        );
        assert!(asked.is_empty());
    }
    let other = Authorise {
        method: Method::Paypal,
        ..call(&reference, FundingSource::Page)
    };
    let (answer, asked) = authorise(&other, &[]);
    assert_eq!((answer, asked), (Err(CallError::Unsupported), Vec::new()));
}

#[test]
fn a_refused_request_is_a_decline_where_it_is_about_the_card() {
    let (reference, card) = (reference(1), card());
    let call = call(&reference, FundingSource::Card(&card));
    let error = |code: &str| json!({"status": 422, "errorCode": code, "errorType": "validation", "message": "4111111111111111"});
    let (answer, _) = authorise(&call, &[(422, error("101"))]);
    assert!(
        matches!(&answer, Ok(Answer::Declined { decline, .. }) if decline.code == DeclineCode::IncorrectNumber),
        "{answer:?}"
    );
    let (answer, _) = authorise(&call, &[(422, error("130"))]);
    assert!(
        matches!(&answer, Err(CallError::Rejected { cause: Cause::Request, code, .. }) if code.as_deref() == Some("130")),
        "{answer:?}"
    );
    assert!(!format!("{answer:?}").contains("4111"), "{answer:?}");
    let (answer, _) = authorise(&call, &[]);
    assert!(
        matches!(answer, Err(CallError::Unknown { .. })),
        "{answer:?}"
    );
}

fn complete(
    returned: Option<&Returned>,
    answers: &[(u16, Value)],
) -> (Result<Answer, CallError>, Vec<Asked>) {
    let reference = reference(1);
    let call = Complete {
        authorisation: Earlier {
            reference: &reference,
            processor_id: None,
        },
        money: euros(1000),
        capture: false,
        returned,
    };
    let stage = Stage::with(answers);
    let answer = now(Adyen.complete(&stage.link(), &call));
    (answer, stage.asked())
}

fn came_back(result: &str) -> Returned {
    let came = [Parameter {
        name: "redirectResult".to_owned(),
        value: result.to_owned(),
    }];
    Returned::among(&["redirectResult"], &came).unwrap()
}

#[test]
fn a_completion_sends_what_the_customer_brought_back() {
    let returned = came_back("X6XtfGC3!Y");
    let (answer, asked) = complete(Some(&returned), &[(200, authorised())]);
    assert!(
        matches!(
            answer,
            Ok(Answer::Approved {
                captured: false,
                ..
            })
        ),
        "{answer:?}"
    );
    assert_eq!(asked[0].url, "checkout-test.adyen.com/v72/payments/details");
    assert_eq!(
        asked[0].body(),
        json!({"details": {"redirectResult": "X6XtfGC3!Y"}})
    );
    let (_, again) = complete(Some(&returned), &[(200, authorised())]);
    assert_eq!(asked, again);
    let (_, other) = complete(Some(&came_back("another")), &[]);
    assert_ne!(asked[0].key(), other[0].key());
}

#[test]
fn without_a_result_nothing_is_sent() {
    let (answer, asked) = complete(None, &[]);
    assert!(
        matches!(answer, Err(CallError::Rejected { .. })),
        "{answer:?}"
    );
    assert!(asked.is_empty());
}

#[test]
fn the_result_of_another_payment_pays_nothing_here() {
    let returned = came_back("stolen");
    let mut other = authorised();
    other["merchantReference"] = json!("01890000-0000-7000-8000-000000000002-1");
    let (answer, _) = complete(Some(&returned), &[(200, other)]);
    assert!(
        matches!(answer, Err(CallError::Rejected { .. })),
        "{answer:?}"
    );
    for absent in ["merchantReference", "amount"] {
        let mut unnamed = authorised();
        unnamed.as_object_mut().unwrap().remove(absent);
        let (answer, _) = complete(Some(&returned), &[(200, unnamed)]);
        assert!(
            matches!(answer, Err(CallError::Unknown { .. })),
            "{answer:?}"
        );
    }
}
