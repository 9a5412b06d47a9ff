//! Setting wallets up.

use serde_json::{Value, json};
use testkit::KeyKind;

use super::setup;
use crate::shared;

fn validation() -> Value {
    json!({
        "merchantIdentifier": "merchant.example", "displayName": "Example Shop", "initiativeContext": "shop.example",
        "validationUrl": "https://apple-pay-gateway.apple.com/paymentservices/startSession",
    })
}

#[test]
fn wallet_a_registers_a_merchant_as_often_as_it_is_asked() {
    let shop = shared::other_shop();
    for name in ["WALLETA_PAY", "GOOGLE_PAY", "WALLETA_PAY"] {
        let answer = setup(&shop, name, &json!({"merchantGatewayId": "BCR2DN"}));
        assert_eq!(
            answer.root(),
            &json!({"merchantGatewayId": "BCR2DN", "gateway": "pointsman"})
        );
    }
    for wrong in [
        json!({}),
        json!({"merchantGatewayId": ""}),
        json!({"merchantGatewayId": 5}),
    ] {
        setup(&shop, "WALLETA_PAY", &wrong).assert_invalid("merchantGatewayId");
    }
}

#[test]
fn the_sandbox_gives_a_session_with_every_field() {
    let shop = shared::shop();
    for caller in [shop.clone(), shop.client(json!({}))] {
        let answer = setup(&caller, "WALLETB_PAY", &validation());
        let session = answer.root();
        let (from, to) = (
            session["epochTimestamp"].as_i64().unwrap(),
            session["expiresAt"].as_i64().unwrap(),
        );
        assert!(from > 1_600_000_000_000 && to == from + 300_000);
        for name in ["merchantSessionIdentifier", "nonce", "signature"] {
            assert!(
                session[name].as_str().is_some_and(|text| !text.is_empty()),
                "{name}"
            );
        }
        assert_eq!(session["merchantIdentifier"], "merchant.example");
        assert_eq!(session["domainName"], "shop.example");
        assert_eq!(session["displayName"], "Example Shop");
        assert_eq!(
            session["operationalAnalyticsIdentifier"],
            "Example Shop:merchant.example"
        );
        assert_eq!(session["retries"], 0);
        assert_eq!(session.as_object().unwrap().len(), 10);
    }
}

#[test]
fn only_the_wallets_own_hosts_are_asked() {
    let shop = shared::shop();
    let with = |url: &str| {
        let mut payload = validation();
        payload["validationUrl"] = json!(url);
        setup(&shop, "APPLE_PAY", &payload)
    };
    for url in [
        "http://apple-pay-gateway.apple.com/",
        "apple.com",
        "https://a@apple-pay-gateway.apple.com/",
        "file:///x",
    ] {
        with(url).assert_invalid("validationUrl");
    }
    for url in [
        "https://evil.example/",
        "https://169.254.169.254/",
        "https://localhost:1/",
        "https://apple.com.evil.example/",
    ] {
        let answer = with(url);
        answer.assert_error("error.wallet.setup-failed");
        assert!(!answer.reply.text().contains("evil"));
    }
}

#[test]
fn who_may_set_up_what() {
    let shop = shared::shop();
    setup(&shop, "WALLETC", &json!({})).assert_error("error.wallet.unsupported-type");
    let merchant = json!({"merchantGatewayId": "m"});
    setup(&shop.client(json!({})), "WALLETA_PAY", &merchant).assert_error("api.key.forbidden");
    let public = shared::server().shop_with(&shared::server().create_key(KeyKind::Public));
    setup(&public, "WALLETB_PAY", &validation()).assert_error("api.key.forbidden");
}
