//! Wallet A: the tokens of `vectors/make.py`, which another implementation made.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod vectors;

use serde_json::{Value, json};
use vectors::{Vectors, changed_bytes, flipped, read};
use wallet::{
    Form, KeyError, NetworkToken, TokenKind, WalletError, form,
    google_pay::{Recipient, RecipientKey, RootKeys},
};

fn key(vectors: &Vectors, name: &str) -> RecipientKey {
    RecipientKey::from_pem(vectors.text(&format!("/google/keys/{name}"))).unwrap()
}

fn roots(vectors: &Vectors, name: &str) -> RootKeys {
    RootKeys::from_json(&vectors.value(&format!("/google/roots/{name}")).to_string()).unwrap()
}

fn recipient(vectors: &Vectors) -> Recipient {
    let keys = vec![key(vectors, "second"), key(vectors, "first")];
    Recipient::new(
        vectors.text("/google/gatewayId"),
        keys,
        roots(vectors, "all"),
    )
    .unwrap()
}

fn open(vectors: &Vectors, token: &Value) -> Result<NetworkToken, WalletError> {
    recipient(vectors).open(token, &["shop-1".to_owned()], vectors.now())
}

fn good(vectors: &Vectors, name: &str) -> NetworkToken {
    let token = vectors.value(&format!("/google/good/{name}"));
    assert_eq!(form(token), Some(Form::GooglePay));
    open(vectors, token).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_network_token_comes_with_its_cryptogram() {
    let vectors = read();
    for name in ["cryptogram", "twoSignatures", "noMerchant"] {
        let token = good(&vectors, name);
        assert_eq!(token.number.expose(), "4895370012003478");
        assert_eq!((token.expiry.month(), token.expiry.year()), (12, 2031));
        assert_eq!(token.kind, TokenKind::Cryptogram);
        assert_eq!(
            token.cryptogram.unwrap().expose(),
            "AgAAAAAABk4DWZ4C28yUQAAAAAA="
        );
        assert_eq!(token.eci.as_deref(), Some("07"));
        assert_eq!(token.message_id.as_deref(), Some("AH2Ejtc-message"));
        assert_eq!(
            token.gateway_merchant_id.as_deref(),
            (name != "noMerchant").then_some("shop-1")
        );
        assert!(token.money.is_none() && token.transaction_id.is_none());
    }
}

#[test]
fn a_card_on_file_comes_without_a_cryptogram() {
    let vectors = read();
    let token = good(&vectors, "panOnly");
    assert_eq!(token.number.expose(), "4111111111111111");
    assert_eq!((token.expiry.month(), token.expiry.year()), (10, 2030));
    assert_eq!(token.kind, TokenKind::PanOnly);
    assert!(token.cryptogram.is_none() && token.eci.is_none());
}

#[test]
fn tokens_of_the_first_protocol_are_opened_too() {
    let vectors = read();
    assert_eq!(good(&vectors, "v1Pan").kind, TokenKind::PanOnly);
    let token = good(&vectors, "v1Tokenized");
    assert_eq!(token.kind, TokenKind::Cryptogram);
    assert_eq!(token.number.expose(), "4895370012003478");
    assert!(token.cryptogram.is_some());
    assert_eq!(token.eci.as_deref(), Some("05"));
}

#[test]
fn a_token_may_be_given_as_its_text() {
    let vectors = read();
    let text = Value::from(vectors.value("/google/good/cryptogram").to_string());
    assert!(open(&vectors, &text).is_ok());
}

#[test]
fn bad_tokens_are_refused_with_their_reason() {
    let vectors = read();
    for (name, case) in vectors.value("/google/bad").as_object().unwrap() {
        let error = open(&vectors, &case[0]).err();
        assert_eq!(
            error.map(|error| format!("{error:?}")).as_deref(),
            case[1].as_str(),
            "{name}"
        );
    }
}

#[test]
fn any_changed_byte_is_refused() {
    let vectors = read();
    let recipient = recipient(&vectors);
    let mut changed = 0;
    for name in ["cryptogram", "v1Pan"] {
        let token = vectors.value(&format!("/google/good/{name}"));
        let fields = [
            "/protocolVersion",
            "/signature",
            "/signedMessage",
            "/intermediateSigningKey/signedKey",
            "/intermediateSigningKey/signatures/0",
        ];
        for field in fields
            .into_iter()
            .filter(|field| token.pointer(field).is_some())
        {
            for forged in flipped(token, field) {
                changed += 1;
                assert!(
                    recipient.open(&forged, &[], vectors.now()).is_err(),
                    "{name}: {field}: {changed}"
                );
            }
        }
        for field in ["/signature", "/intermediateSigningKey/signatures/0"] {
            for forged in changed_bytes(token, field) {
                changed += 1;
                assert!(
                    recipient.open(&forged, &[], vectors.now()).is_err(),
                    "{name}: {field}: {changed}"
                );
            }
        }
    }
    assert!(changed > 1500, "{changed}");
}

#[test]
fn a_missing_field_is_named() {
    let vectors = read();
    for field in [
        "protocolVersion",
        "signature",
        "signedMessage",
        "intermediateSigningKey",
    ] {
        for wrong in [None, Some(json!(1)), Some(json!("")), Some(json!(["x"]))] {
            let mut token = vectors.value("/google/good/cryptogram").clone();
            match wrong {
                None => token.as_object_mut().unwrap().remove(field),
                Some(wrong) => token
                    .as_object_mut()
                    .unwrap()
                    .insert(field.to_owned(), wrong),
            };
            assert_eq!(
                open(&vectors, &token).err(),
                Some(WalletError::Field(field))
            );
        }
    }
    let mut token = vectors.value("/google/good/cryptogram").clone();
    token["signedMessage"] = Value::from("x".repeat(40_000));
    assert_eq!(
        open(&vectors, &token).err(),
        Some(WalletError::Field("signedMessage"))
    );
}

#[test]
fn a_part_of_another_token_does_not_fit() {
    let vectors = read();
    let (one, other) = (
        vectors.value("/google/good/cryptogram"),
        vectors.value("/google/good/panOnly"),
    );
    for field in ["signature", "signedMessage"] {
        let mut mixed = one.clone();
        mixed[field] = other[field].clone();
        assert_eq!(open(&vectors, &mixed).err(), Some(WalletError::Signature));
    }
    // A downgrade: what an intermediate key signed is no message of the first protocol.
    let mut downgraded = one.clone();
    downgraded["protocolVersion"] = json!("ECv1");
    assert_eq!(
        open(&vectors, &downgraded).err(),
        Some(WalletError::Signature)
    );
    for version in ["ECv2SigningOnly", "ECv3", "ecv2"] {
        downgraded["protocolVersion"] = json!(version);
        assert_eq!(
            open(&vectors, &downgraded).err(),
            Some(WalletError::Version)
        );
    }
}

#[test]
fn only_configured_keys_and_roots_open_a_token() {
    let vectors = read();
    let open = |keys: &[&str], name: &str, token: &str| {
        let keys = keys.iter().map(|name| key(&vectors, name)).collect();
        let recipient = Recipient::new("pointsman", keys, roots(&vectors, name)).unwrap();
        recipient
            .open(
                vectors.value(&format!("/google/good/{token}")),
                &[],
                vectors.now(),
            )
            .err()
    };
    assert_eq!(open(&["first"], "all", "cryptogram"), None);
    assert_eq!(
        open(&["second"], "all", "cryptogram"),
        Some(WalletError::Key)
    );
    assert_eq!(open(&["first"], "all", "panOnly"), Some(WalletError::Key));
    assert_eq!(open(&["first"], "onlyV2", "cryptogram"), None);
    assert_eq!(
        open(&["first"], "onlyV2", "v1Pan"),
        Some(WalletError::Version)
    );
    assert_eq!(
        open(&["first"], "onlyV1", "cryptogram"),
        Some(WalletError::Version)
    );
    assert_eq!(
        open(&["first"], "others", "cryptogram"),
        Some(WalletError::SigningKey)
    );
    assert_eq!(
        open(&["first"], "others", "v1Pan"),
        Some(WalletError::Signature)
    );
    let google = Recipient::new(
        "pointsman",
        vec![key(&vectors, "first")],
        RootKeys::google_test().unwrap(),
    )
    .unwrap();
    let token = vectors.value("/google/good/cryptogram");
    assert_eq!(
        google.open(token, &[], vectors.now()).err(),
        Some(WalletError::SigningKey)
    );
}

#[test]
fn every_gateway_opens_its_own_tokens_only() {
    let vectors = read();
    let another = Recipient::new(
        "another",
        vec![key(&vectors, "first")],
        roots(&vectors, "all"),
    )
    .unwrap();
    for version in ["forAnotherGateway", "v1ForAnotherGateway"] {
        let token = vectors.value(&format!("/google/bad/{version}/0"));
        assert!(another.open(token, &[], vectors.now()).is_ok());
    }
    for version in ["cryptogram", "v1Tokenized"] {
        let token = vectors.value(&format!("/google/good/{version}"));
        assert_eq!(
            another.open(token, &[], vectors.now()).err(),
            Some(WalletError::Signature)
        );
    }
}

#[test]
fn a_merchant_is_checked_when_merchants_are_set_up() {
    let vectors = read();
    let recipient = recipient(&vectors);
    let named = vectors.value("/google/good/cryptogram");
    let open = |merchants: &[&str]| {
        let merchants: Vec<String> = merchants.iter().map(|&name| name.to_owned()).collect();
        recipient.open(named, &merchants, vectors.now()).err()
    };
    assert_eq!(open(&[]), None);
    assert_eq!(open(&["shop-0", "shop-1"]), None);
    assert_eq!(open(&["shop-0"]), Some(WalletError::Merchant));
}

#[test]
fn times_end_tokens_and_keys() {
    let vectors = read();
    let recipient = recipient(&vectors);
    let token = vectors.value("/google/good/cryptogram");
    let at = |days: u64| {
        recipient
            .open(
                token,
                &[],
                vectors
                    .now()
                    .after(std::time::Duration::from_hours(24 * days)),
            )
            .err()
    };
    assert_eq!(at(4), None);
    assert_eq!(at(5), Some(WalletError::Expired));
    assert_eq!(at(7), Some(WalletError::SigningKeyExpired));
    assert_eq!(at(30), Some(WalletError::SigningKey));
}

#[test]
fn configuration_that_cannot_work_is_refused() {
    let vectors = read();
    let none = RecipientKey::from_pem(vectors.text("/google/keys/p384")).err();
    assert_eq!(none, Some(KeyError::NotP256));
    assert_eq!(RecipientKey::from_pem("").err(), Some(KeyError::NoKey));
    assert_eq!(
        RecipientKey::from_pem(vectors.text("/apple/keys/rsa")).err(),
        Some(KeyError::NotP256)
    );
    let keys = || vec![key(&vectors, "first")];
    assert_eq!(
        Recipient::new("", keys(), roots(&vectors, "all")).err(),
        Some(KeyError::Identifier)
    );
    assert_eq!(
        Recipient::new("pointsman", Vec::new(), roots(&vectors, "all")).err(),
        Some(KeyError::Empty)
    );
    for wrong in [
        "",
        "[]",
        "{}",
        r#"{"keys":{}}"#,
        r#"{"keys":[1]}"#,
        r#"{"keys":[{"protocolVersion":"ECv1"}]}"#,
    ] {
        assert_eq!(RootKeys::from_json(wrong).err(), Some(KeyError::RootKeys));
    }
    assert_eq!(
        RootKeys::from_json(r#"{"keys":[]}"#).err(),
        Some(KeyError::Empty)
    );
    let without = vectors.value("/google/roots/withoutExpiration").to_string();
    assert_eq!(
        RootKeys::from_json(&without).err(),
        Some(KeyError::RootKeys)
    );
}
