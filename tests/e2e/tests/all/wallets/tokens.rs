//! Tokens that are real in form: verified, opened, used once, never kept.

use serde_json::{Value, json};
use testkit::{Shop, needles_of_number};

use super::{Vectors, assert_bad_token, order, setup};

const DEVICE_NUMBER: &str = "4895370012003478";
const CRYPTOGRAM: &str = "AgAAAAAABk4DWZ4C28yUQAAAAAA=";

#[test]
fn a_token_of_wallet_a_pays_once_for_a_registered_merchant_and_leaves_no_trace() {
    let vectors = Vectors::read();
    let mut server = vectors.server();
    let shop = server.shop();
    let token = vectors.at("/google/good/cryptogram");
    let with = |token: &Value| order("WALLETA_PAY", token).amount(700).currency("EUR");
    assert_bad_token(&shop.try_authorise(&with(token), None), "merchant");
    setup(
        &shop,
        "WALLETA_PAY",
        &json!({"merchantGatewayId": "shop-1"}),
    )
    .data();
    shop.try_authorise(&order("WALLETA_PAY", token), None)
        .assert_invalid("amount");

    let key = Shop::fresh_key();
    let first = shop.try_authorise(&with(token), Some(&key));
    let payment = first.root();
    assert_eq!(payment["status"], "SUCCEEDED");
    assert_eq!(
        payment["paymentMethodDetails"]["paymentMethod"],
        "WALLETA_PAY"
    );
    assert_eq!(
        payment["paymentMethodDetails"]["number"],
        "************3478"
    );
    assert_eq!(payment["paymentMethodDetails"]["brand"], "VISA");
    let again = shop.try_authorise(&with(token), Some(&key));
    assert!(again.replayed());
    assert_eq!(again.root()["id"], payment["id"]);
    assert_bad_token(&shop.try_authorise(&with(token), None), "used before");
    let text = Value::from(token.to_string());
    assert_bad_token(
        &shop.try_authorise(&with(&text), Some(&Shop::fresh_key())),
        "used before",
    );

    for name in ["noMerchant", "panOnly"] {
        // These share the message's id with the first token, as copies of one message would.
        assert_bad_token(
            &shop.try_authorise(&with(vectors.at(&format!("/google/good/{name}"))), None),
            "used before",
        );
    }
    assert_eq!(shop.every_payment().len(), 1);
    shop.assert_books_equal_payments();
    assert!(server.stop().success());
    let needles = needles_of_number(DEVICE_NUMBER);
    assert!(server.search(&needles).is_empty());
    let output = server.output();
    assert!(!needles.iter().any(|needle| needle.is_in(&output)));
    assert_eq!(server.files_with(CRYPTOGRAM.as_bytes()), [""; 0]);
    assert!(
        !output
            .windows(CRYPTOGRAM.len())
            .any(|window| window == CRYPTOGRAM.as_bytes())
    );
}

#[test]
fn a_token_of_wallet_b_brings_amount_and_currency_and_pays_once() {
    let vectors = Vectors::read();
    let server = vectors.server();
    let shop = server.shop();
    let token = vectors.at("/apple/good/elliptic");
    shop.try_authorise(&order("APPLE_PAY", token).amount(1), None)
        .assert_invalid("amount");
    shop.try_authorise(&order("APPLE_PAY", token).currency("GBP"), None)
        .assert_invalid("currencyCode");
    let payment = shop.order(&order("WALLETB_PAY", token));
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.at("/amount/rawAmount"), &json!(5099));
    assert_eq!(payment.text("/amount/currency"), "EUR");
    assert_eq!(
        payment.text("/paymentMethodDetails/paymentMethod"),
        "WALLETB_PAY"
    );
    assert_bad_token(
        &shop.try_authorise(&order("WALLETB_PAY", token), None),
        "used before",
    );
    // The same transaction, sealed in the other way.
    assert_bad_token(
        &shop.try_authorise(&order("WALLETB_PAY", vectors.at("/apple/good/rsa")), None),
        "used before",
    );
    shop.assert_books_equal_payments();
}

#[test]
fn forged_tokens_and_those_of_others_are_refused_and_nothing_is_charged() {
    let vectors = Vectors::read();
    let server = vectors.server();
    let shop = server.shop();
    setup(&shop, "GOOGLE_PAY", &json!({"merchantGatewayId": "shop-1"})).data();
    let a = |token: &Value| {
        shop.try_authorise(
            &order("GOOGLE_PAY", token).amount(700).currency("EUR"),
            None,
        )
    };
    for name in ["forAnotherGateway", "otherMerchant", "brokenTag"] {
        assert_bad_token(&a(&vectors.at(&format!("/google/bad/{name}"))[0]), "must");
    }
    let mut forged = vectors.at("/google/good/cryptogram").clone();
    let text = forged["signedMessage"]
        .as_str()
        .unwrap()
        .replacen('A', "B", 1);
    forged["signedMessage"] = Value::from(text);
    assert_bad_token(&a(&forged), "must");
    assert_bad_token(
        &a(&json!({"protocolVersion": "ECv9", "signedMessage": "x"})),
        "version",
    );
    assert_bad_token(&a(vectors.at("/apple/good/elliptic")), "protocolVersion");
    let mut forged = vectors.at("/apple/good/elliptic").clone();
    forged["header"]["transactionId"] = json!("00");
    assert_bad_token(
        &shop.try_authorise(&order("WALLETB_PAY", &forged), None),
        "must",
    );
    assert!(shop.every_payment().is_empty());
    assert!(shop.books().entries.is_empty());
}

#[test]
fn another_team_has_its_own_keys_and_gives_them_by_the_api() {
    let vectors = Vectors::read();
    let server = vectors.server();
    let other = server.other_team();
    let token = vectors.at("/google/good/noMerchant");
    let pay = |shop: &Shop| {
        shop.try_authorise(
            &order("WALLETA_PAY", token).amount(700).currency("EUR"),
            None,
        )
    };
    assert_bad_token(&pay(&other), "not set up");
    let save = |shop: &Shop, settings: &Value| {
        let query = "mutation($settings: JSON!) { saveWallet(walletType: \"GOOGLE_PAY\", settings: $settings) }";
        shop.gql(query, json!({"settings": settings}))
    };
    save(&other, &json!({"private_keys": ["no key"]})).assert_invalid("private_keys.0");
    save(&other.client(json!({})), &vectors.settings_a()).assert_error("api.key.forbidden");
    assert_eq!(save(&other, &vectors.settings_a()).root(), &json!(true));
    assert_eq!(pay(&other).root()["status"], "SUCCEEDED");
    // What one team has used says nothing about another's.
    assert_eq!(pay(&server.shop()).root()["status"], "SUCCEEDED");
}
