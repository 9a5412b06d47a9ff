//! Wallet B: the tokens of `vectors/make.py`, which another implementation made.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod vectors;

use std::time::Duration;

use serde_json::{Value, json};
use vectors::{Vectors, changed_bytes, flipped, read};
use wallet::{
    Form, KeyError, NetworkToken, TokenKind, WalletError,
    apple_pay::{Merchant, ProcessingKey, RootCertificates, SignatureAge},
    form,
};

const AGE: SignatureAge = SignatureAge::AtMost(Duration::from_mins(5));

fn key(vectors: &Vectors, certificate: &str, key: &str) -> Result<ProcessingKey, KeyError> {
    let certificate = vectors.text(&format!("/apple/certificates/{certificate}"));
    ProcessingKey::from_pem(certificate, vectors.text(&format!("/apple/keys/{key}")))
}

fn merchant(vectors: &Vectors, root: &str, age: SignatureAge) -> Merchant {
    let keys = ["first", "second", "rsa"].map(|name| key(vectors, name, name).unwrap());
    let roots = RootCertificates::from_pem(vectors.text(&format!("/apple/roots/{root}"))).unwrap();
    Merchant::new(
        vectors.text("/apple/merchantIdentifier"),
        keys.into(),
        roots,
        age,
    )
    .unwrap()
}

fn open(vectors: &Vectors, token: &Value) -> Result<NetworkToken, WalletError> {
    merchant(vectors, "right", AGE).open(token, vectors.now())
}

#[test]
fn a_token_gives_number_cryptogram_and_amount() {
    let vectors = read();
    for (name, token) in vectors.value("/apple/good").as_object().unwrap() {
        assert_eq!(form(token), Some(Form::ApplePay));
        let token = open(&vectors, token).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(token.number.expose(), "4817499130400012", "{name}");
        assert_eq!((token.expiry.month(), token.expiry.year()), (11, 2033));
        assert_eq!(token.kind, TokenKind::Cryptogram);
        let money = token.money.unwrap();
        assert_eq!((money.minor(), money.currency().code()), (5099, "EUR"));
        assert_eq!(
            token.transaction_id.as_deref(),
            Some(vectors.text("/apple/transactionId"))
        );
        assert!(token.message_id.is_none() && token.gateway_merchant_id.is_none());
        let (cryptogram, eci) = if name == "noEci" {
            ("AAAA", None)
        } else {
            ("Af9x/QwAA/DjmU65oyc1MAABAAA=", Some("05"))
        };
        assert_eq!(token.cryptogram.unwrap().expose(), cryptogram);
        assert_eq!(token.eci.as_deref(), eci);
    }
}

#[test]
fn bad_tokens_are_refused_with_their_reason() {
    let vectors = read();
    for (name, case) in vectors.value("/apple/bad").as_object().unwrap() {
        let error = open(&vectors, &case[0]).err();
        assert_eq!(
            error.map(|error| format!("{error:?}")).as_deref(),
            case[1].as_str(),
            "{name}"
        );
    }
}

#[test]
fn any_changed_character_of_the_other_fields_is_refused() {
    let vectors = read();
    let merchant = merchant(&vectors, "right", AGE);
    let mut changed = 0;
    let both = [
        "/version",
        "/data",
        "/header/publicKeyHash",
        "/header/transactionId",
    ];
    let own = [
        ("elliptic", "/header/ephemeralPublicKey"),
        ("rsa", "/header/wrappedKey"),
        ("applicationData", "/header/applicationData"),
    ];
    for (name, field) in both.map(|field| ("elliptic", field)).into_iter().chain(own) {
        for forged in flipped(vectors.value(&format!("/apple/good/{name}")), field) {
            changed += 1;
            assert!(
                merchant.open(&forged, vectors.now()).is_err(),
                "{name}: {field}: {changed}"
            );
        }
    }
    assert!(changed > 1000, "{changed}");
}

#[test]
fn any_changed_byte_of_the_signature_and_its_certificates_is_refused() {
    let vectors = read();
    let merchant = merchant(&vectors, "right", AGE);
    // The certificates of authority and root are the same in both; every fourth byte of the second is enough.
    for (name, step) in [("elliptic", 1), ("rsa", 4)] {
        let forgeries = changed_bytes(vectors.value(&format!("/apple/good/{name}")), "/signature");
        assert!(forgeries.len() > 1000);
        for (place, forged) in forgeries.iter().enumerate().step_by(step) {
            assert!(
                merchant.open(forged, vectors.now()).is_err(),
                "{name}: byte {place}"
            );
        }
    }
}

#[test]
fn a_token_may_be_given_as_shops_have_it() {
    let vectors = read();
    let data = vectors.value("/apple/good/elliptic");
    let token = json!({ "paymentData": data, "transactionIdentifier": "x", "paymentMethod": { "network": "Visa" } });
    for given in [
        data.clone(),
        Value::from(data.to_string()),
        token.clone(),
        json!({ "token": token }),
    ] {
        assert_eq!(form(&given), Some(Form::ApplePay));
        assert!(open(&vectors, &given).is_ok());
    }
    assert_eq!(
        open(&vectors, &json!({ "paymentData": "x" })).err(),
        Some(WalletError::Field("paymentData"))
    );
}

#[test]
fn the_identity_of_a_token_does_not_depend_on_how_it_is_written() {
    let vectors = read();
    let mut token = vectors.value("/apple/good/elliptic").clone();
    let upper = vectors.text("/apple/transactionId").to_ascii_uppercase();
    token["header"]["transactionId"] = Value::from(upper);
    let opened = open(&vectors, &token).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        opened.transaction_id.as_deref(),
        Some(vectors.text("/apple/transactionId"))
    );
}

#[test]
fn parts_of_two_tokens_do_not_fit() {
    let vectors = read();
    let (one, other) = (
        vectors.value("/apple/good/elliptic"),
        vectors.value("/apple/good/elliptic2"),
    );
    for field in ["/data", "/signature", "/header/ephemeralPublicKey"] {
        let mut mixed = one.clone();
        *mixed.pointer_mut(field).unwrap() = other.pointer(field).unwrap().clone();
        assert_eq!(
            open(&vectors, &mixed).err(),
            Some(WalletError::Signature),
            "{field}"
        );
    }
    // The hash of the key is not signed; naming another of the merchant's keys leads nowhere.
    let mut mixed = one.clone();
    mixed["header"]["publicKeyHash"] = other["header"]["publicKeyHash"].clone();
    assert_eq!(open(&vectors, &mixed).err(), Some(WalletError::Sealed));
    // Leaving the application's data out changes what is signed.
    let mut without = vectors.value("/apple/good/applicationData").clone();
    without["header"]
        .as_object_mut()
        .unwrap()
        .remove("applicationData");
    assert_eq!(open(&vectors, &without).err(), Some(WalletError::Signature));
}

#[test]
fn a_missing_field_is_named() {
    let vectors = read();
    for (pointer, field) in [
        ("", "version"),
        ("", "data"),
        ("", "signature"),
        ("", "header"),
        ("/header", "ephemeralPublicKey"),
        ("/header", "publicKeyHash"),
        ("/header", "transactionId"),
    ] {
        for wrong in [
            None,
            Some(json!(1)),
            Some(json!("")),
            Some(json!("x".repeat(60_000))),
        ] {
            let mut token = vectors.value("/apple/good/elliptic").clone();
            let object = token.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
            match wrong {
                None => object.remove(field),
                Some(wrong) => object.insert(field.to_owned(), wrong),
            };
            assert_eq!(
                open(&vectors, &token).err(),
                Some(WalletError::Field(field))
            );
        }
    }
}

#[test]
fn another_root_does_not_vouch_even_with_the_same_name() {
    let vectors = read();
    let token = vectors.value("/apple/good/elliptic");
    let other = merchant(&vectors, "other", AGE);
    assert_eq!(
        other.open(token, vectors.now()).err(),
        Some(WalletError::Chain)
    );
    let keys = vec![key(&vectors, "first", "first").unwrap()];
    let apple = Merchant::new(
        "merchant.example",
        keys,
        RootCertificates::apple().unwrap(),
        AGE,
    )
    .unwrap();
    assert_eq!(
        apple.open(token, vectors.now()).err(),
        Some(WalletError::Chain)
    );
    let both = [
        vectors.text("/apple/roots/other"),
        vectors.text("/apple/roots/right"),
    ]
    .concat();
    let keys = vec![key(&vectors, "first", "first").unwrap()];
    let both = Merchant::new(
        "merchant.example",
        keys,
        RootCertificates::from_pem(&both).unwrap(),
        AGE,
    )
    .unwrap();
    assert!(both.open(token, vectors.now()).is_ok());
}

#[test]
fn old_signatures_pass_only_when_the_check_is_off() {
    let vectors = read();
    let token = vectors.value("/apple/good/elliptic");
    let later = |age: SignatureAge, span: Duration| {
        merchant(&vectors, "right", age)
            .open(token, vectors.now().after(span))
            .err()
    };
    assert_eq!(later(AGE, Duration::from_mins(5)), None);
    assert_eq!(
        later(AGE, Duration::from_millis(300_001)),
        Some(WalletError::SigningTime)
    );
    assert_eq!(
        SignatureAge::from_setting(Duration::ZERO),
        SignatureAge::Unchecked
    );
    assert_eq!(SignatureAge::from_setting(Duration::from_mins(5)), AGE);
    assert_eq!(
        later(SignatureAge::Unchecked, Duration::from_hours(24)),
        None
    );
    assert_eq!(
        later(SignatureAge::Unchecked, Duration::from_hours(24 * 365 * 30)),
        Some(WalletError::CertificateExpired)
    );
}

#[test]
fn only_a_configured_key_of_the_right_kind_opens_a_token() {
    let vectors = read();
    let open = |name: &str, token: &str| {
        let keys = vec![key(&vectors, name, name).unwrap()];
        let roots = RootCertificates::from_pem(vectors.text("/apple/roots/right")).unwrap();
        let merchant = Merchant::new("merchant.example", keys, roots, AGE).unwrap();
        merchant
            .open(
                vectors.value(&format!("/apple/good/{token}")),
                vectors.now(),
            )
            .err()
    };
    assert_eq!(open("first", "elliptic"), None);
    assert_eq!(open("second", "elliptic"), Some(WalletError::Key));
    assert_eq!(open("rsa", "elliptic"), Some(WalletError::Version));
    assert_eq!(open("rsa", "rsa"), None);
    assert_eq!(open("first", "rsa"), Some(WalletError::Version));
}

#[test]
fn another_merchant_cannot_open_a_token_with_the_same_key() {
    let vectors = read();
    let keys = vec![key(&vectors, "second", "second").unwrap()];
    let roots = RootCertificates::from_pem(vectors.text("/apple/roots/right")).unwrap();
    let merchant = Merchant::new("merchant.another", keys, roots, AGE).unwrap();
    let token = vectors.value("/apple/good/elliptic2");
    assert_eq!(
        merchant.open(token, vectors.now()).err(),
        Some(WalletError::Sealed)
    );
}

#[test]
fn configuration_that_cannot_work_is_refused() {
    let vectors = read();
    let error = |certificate: &str, name: &str| key(&vectors, certificate, name).err();
    assert_eq!(error("rsa", "rsaPkcs1"), None);
    assert_eq!(error("first", "second"), Some(KeyError::Mismatch));
    assert_eq!(error("first", "rsa"), Some(KeyError::Mismatch));
    assert_eq!(error("rsa", "rsaSmall"), Some(KeyError::Kind));
    let certificate = vectors.text("/apple/certificates/first");
    let private = vectors.text("/apple/keys/first");
    assert_eq!(
        ProcessingKey::from_pem(private, private).err(),
        Some(KeyError::NoCertificate)
    );
    assert_eq!(
        ProcessingKey::from_pem(certificate, certificate).err(),
        Some(KeyError::NoKey)
    );
    assert_eq!(
        RootCertificates::from_pem(private).err(),
        Some(KeyError::NoCertificate)
    );
    assert_eq!(
        RootCertificates::from_pem(&private.replace("PRIVATE KEY", "CERTIFICATE")).err(),
        Some(KeyError::Malformed)
    );
    let make = |name: &str, keys: Vec<ProcessingKey>| {
        Merchant::new(name, keys, RootCertificates::apple().unwrap(), AGE).err()
    };
    assert_eq!(
        make(
            "merchant.example",
            vec![key(&vectors, "otherMerchant", "first").unwrap()]
        ),
        Some(KeyError::Merchant)
    );
    assert_eq!(make("merchant.example", Vec::new()), Some(KeyError::Empty));
    assert_eq!(
        make("", vec![key(&vectors, "first", "first").unwrap()]),
        Some(KeyError::Identifier)
    );
}
