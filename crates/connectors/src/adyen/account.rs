//! The account behind a connection: which credentials fit which mode, and what Adyen says of it.

use connector::{AccountFacts, Called, Credentials, Link, Probe};
use domain::caller::Mode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Adyen,
    address::Service,
    api::{Api, Refusal},
    descriptor::{
        API_KEY, BASE_URL, HMAC_KEY, LIVE_PREFIX, MERCHANT_ACCOUNT, NOTIFICATION_PASSWORD,
        NOTIFICATION_USER, SEVERAL_CAPTURES,
    },
};

/// Beginnings of client keys, which browsers have and which can't charge. Source: docs/processors/adyen.md, "Addresses and requests".
const CLIENT_KEYS: [&str; 2] = ["test_", "live_"];

/// The shortest HMAC key that is taken; Adyen makes them of 32 bytes. Unit: bytes.
const HMAC_KEY_MIN: usize = 16;

/// The longest identifier that is taken. Unit: bytes.
const NAME_MAX: usize = 100;

/// `PaymentMethodsResponse`, as far as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Methods {
    #[serde(default)]
    payment_methods: Vec<Offered>,
}

#[derive(Debug, Deserialize)]
struct Offered {
    #[serde(rename = "type")]
    kind: Option<String>,
}

pub(super) fn check_settings(settings: &Value) -> Result<(), String> {
    let Some(settings) = settings.as_object() else {
        return Err("must be an object".to_owned());
    };
    let known = [BASE_URL, SEVERAL_CAPTURES];
    if settings.keys().any(|name| !known.contains(&name.as_str())) {
        return Err(format!(
            "has a setting that Adyen's connector does not know: it knows {SEVERAL_CAPTURES} and {BASE_URL} (test mode)"
        ));
    }
    match settings.get(SEVERAL_CAPTURES) {
        None | Some(Value::Bool(_)) => Ok(()),
        Some(_) => Err(format!("{SEVERAL_CAPTURES} must be true or false")),
    }
}

/// Whether the values can be credentials of this mode. Adyen's API keys don't tell their mode: the prefix of the live addresses does, and
/// neither environment takes the keys of the other.
pub(super) fn check(credentials: &Credentials, mode: Mode) -> Result<(), String> {
    let given = |name| credentials.get(name).filter(|value| !value.is_empty());
    if let Some(key) = given(API_KEY) {
        if CLIENT_KEYS.iter().any(|start| key.starts_with(start)) {
            return Err(format!(
                "{API_KEY} is a client key, which can't charge: it must be an API key"
            ));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("{API_KEY} has characters that no API key has"));
        }
    }
    let is_name = |value: &str| {
        value.len() <= NAME_MAX
            && value
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    if given(MERCHANT_ACCOUNT).is_some_and(|account| !is_name(account)) {
        return Err(format!(
            "{MERCHANT_ACCOUNT} must be the account's code: letters, digits, '-', '_' and '.'"
        ));
    }
    check_prefix(given(LIVE_PREFIX), mode)?;
    check_secrets(credentials)
}

fn check_prefix(prefix: Option<&str>, mode: Mode) -> Result<(), String> {
    let is_prefix = |value: &str| {
        value.len() <= NAME_MAX
            && value
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    match (prefix, mode) {
        (Some(_), Mode::Test) => Err(format!(
            "{LIVE_PREFIX} is of live accounts: this deployment is in test mode"
        )),
        (None, Mode::Live) => Err(format!(
            "{LIVE_PREFIX} is missing: Adyen has no live address without it"
        )),
        (Some(prefix), Mode::Live) if !is_prefix(prefix) => Err(format!(
            "{LIVE_PREFIX} must be the prefix alone (letters, digits and '-'), not a whole address"
        )),
        (Some(_), Mode::Live) | (None, Mode::Test) => Ok(()),
    }
}

fn check_secrets(credentials: &Credentials) -> Result<(), String> {
    let given = |name| credentials.get(name).filter(|value| !value.is_empty());
    let is_key =
        |value: &str| hex::decode(value).is_ok_and(|decoded| decoded.len() >= HMAC_KEY_MIN);
    if let Some(key) = given(HMAC_KEY).filter(|key| !is_key(key)) {
        let count = key.chars().count();
        return Err(format!(
            "{HMAC_KEY} must be the key as Adyen shows it, 64 hexadecimal digits; this one has {count} characters"
        ));
    }
    match (given(NOTIFICATION_USER), given(NOTIFICATION_PASSWORD)) {
        (Some(user), Some(_)) if user.contains(':') => {
            Err(format!("{NOTIFICATION_USER} must not have a colon"))
        }
        (Some(_), Some(_)) | (None, None) => Ok(()),
        (Some(_), None) | (None, Some(_)) => Err(format!(
            "{NOTIFICATION_USER} and {NOTIFICATION_PASSWORD} go together"
        )),
    }
}

/// Whether the account has several captures of one authorisation switched on.
pub(super) fn takes_several_captures(settings: &Value) -> bool {
    settings.get(SEVERAL_CAPTURES).and_then(Value::as_bool) == Some(true)
}

impl Probe for Adyen {
    /// Lists the methods of payment, which changes nothing.
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts> {
        Box::pin(async move {
            let api = Api::of(link);
            let body = json!({"merchantAccount": api.account(), "channel": "Web"});
            let methods = api
                .post::<Methods>(Service::Checkout, "paymentMethods", None, &body)
                .await?;
            Ok(facts(methods.map_err(Refusal::rejected)?, link))
        })
    }
}

fn facts(methods: Methods, link: &Link<'_>) -> AccountFacts {
    let mut warnings = Vec::new();
    if link.credential(HMAC_KEY).is_none_or(str::is_empty) {
        warnings.push(
            "There is no hmacKey: Adyen's notifications are not believed until there is one, and captures, cancellations and refunds stay pending.".into(),
        );
    }
    let mut kinds: Vec<String> = methods
        .payment_methods
        .into_iter()
        .filter_map(|offered| offered.kind)
        .collect();
    if !kinds.iter().any(|kind| kind == "scheme") {
        warnings.push(
            "Adyen says that the merchant account takes no cards: add them in the Customer Area under Settings, Payment methods.".into(),
        );
    }
    kinds.sort();
    kinds.dedup();
    AccountFacts {
        id: link.credential(MERCHANT_ACCOUNT).map(Into::into),
        // The host says it: a key of the other environment is refused there.
        is_live: Some(link.mode == Mode::Live),
        capabilities: kinds.into_iter().map(Into::into).collect(),
        warnings,
        ..AccountFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(document: &Value, mode: Mode) -> Result<(), String> {
        check(
            &Credentials::read(document.to_string().as_bytes()).unwrap(),
            mode,
        )
    }

    #[test]
    fn credentials_of_the_other_mode_and_of_other_forms_are_refused_without_their_value() {
        let key = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
        for (given, mode, is_right) in [
            (json!({"apiKey": "AQEsecret1"}), Mode::Test, true),
            (json!({"apiKey": "test_SECRET1"}), Mode::Test, false),
            (json!({"apiKey": "AQE secret1"}), Mode::Test, false),
            (json!({"livePrefix": "secret1-Shop"}), Mode::Test, false),
            (json!({"livePrefix": "secret1-Shop"}), Mode::Live, true),
            (json!({"apiKey": "AQEsecret1"}), Mode::Live, false),
            (json!({"livePrefix": "https://secret1"}), Mode::Live, false),
            (
                json!({"livePrefix": "evil.example/secret1"}),
                Mode::Live,
                false,
            ),
            (json!({"merchantAccount": "ShopECOM"}), Mode::Test, true),
            (
                json!({"merchantAccount": "secret1:ECOM"}),
                Mode::Test,
                false,
            ),
            (json!({ "hmacKey": key }), Mode::Test, true),
            (json!({"hmacKey": "secret1"}), Mode::Test, false),
            (json!({"hmacKey": "abcdef012"}), Mode::Test, false),
            (json!({"hmacKey": "abcd"}), Mode::Test, false),
            (json!({"notificationUser": "secret1"}), Mode::Test, false),
            (
                json!({"notificationUser": "u:secret1", "notificationPassword": "secret1"}),
                Mode::Test,
                false,
            ),
            (
                json!({"notificationUser": "u", "notificationPassword": "p:p"}),
                Mode::Test,
                true,
            ),
        ] {
            let checked = checked(&given, mode);
            assert_eq!(checked.is_ok(), is_right, "{given}: {checked:?}");
            assert!(!checked.is_err_and(|why| why.contains("ecret1")), "{given}");
        }
    }

    #[test]
    fn settings_are_known_ones_of_their_form() {
        assert_eq!(check_settings(&json!({})), Ok(()));
        assert_eq!(check_settings(&json!({"several_captures": true})), Ok(()));
        for wrong in [
            json!([]),
            json!({"several_captures": "true"}),
            json!({"several": true}),
        ] {
            assert!(check_settings(&wrong).is_err(), "{wrong}");
        }
    }
}
