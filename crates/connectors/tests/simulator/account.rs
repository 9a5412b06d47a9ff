//! Which credentials the simulator takes, and what it says of the account behind them.

use connector::{AccountFacts, CallError, Cause, Connector, Credentials};
use domain::caller::Mode;
use serde_json::{Value, json};

use crate::shop::{Shop, link};

fn credentials(document: &Value) -> Credentials {
    Credentials::read(document.to_string().as_bytes()).unwrap()
}

fn checked(document: &Value, mode: Mode) -> Result<(), String> {
    let shop = Shop::open();
    shop.simulator
        .check_credentials(&credentials(document), mode)
}

fn asked(settings: &Value, key: &str) -> Result<AccountFacts, CallError> {
    let shop = Shop::open();
    let credentials = credentials(&json!({ "apiKey": key }));
    let link = link(&shop.connection, settings, Some(&credentials));
    shop.play(shop.simulator.probe().unwrap().account(&link))
}

#[test]
fn a_key_of_the_other_mode_is_refused_by_its_text_and_never_repeated() {
    let (test, live) = (
        json!({"apiKey": "simulator-key"}),
        json!({"apiKey": "live-abc"}),
    );
    assert_eq!(checked(&test, Mode::Test), Ok(()));
    assert_eq!(checked(&live, Mode::Live), Ok(()));
    for (document, mode, part) in [
        (&live, Mode::Test, "apiKey of live mode"),
        (&test, Mode::Live, "apiKey of test mode"),
    ] {
        let why = checked(document, mode).unwrap_err();
        assert!(why.contains(part), "{why}");
        assert!(
            !why.contains("abc") && !why.contains("simulator-key"),
            "{why}"
        );
    }
}

#[test]
fn a_secret_of_notifications_has_its_prefix() {
    let secret = |text: &str| checked(&json!({"notificationSecret": text}), Mode::Test);
    assert_eq!(secret("whsec_c2hvcnQ="), Ok(()));
    let why = secret("sesame").unwrap_err();
    assert!(why.contains("whsec_") && !why.contains("sesame"), "{why}");
}

#[test]
fn the_account_is_of_test_mode_unless_its_key_says_otherwise() {
    let facts = asked(&json!({}), "simulator-key").unwrap();
    assert_eq!(facts.is_live, Some(false));
    assert!(facts.id.is_some_and(|id| id.starts_with("sim_acct_")));
    assert!(facts.capabilities.iter().any(|one| &**one == "CARD"));
    assert_eq!(facts.warnings, []);
    let live = asked(&json!({}), "simulator-key-of-live-account").unwrap();
    assert_eq!(live.is_live, Some(true));
    let own_fields = asked(&json!({"fields": "shop"}), "simulator-key").unwrap();
    assert_eq!(own_fields.warnings.len(), 1);
}

#[test]
fn a_probe_misbehaves_as_the_settings_say() {
    assert!(matches!(
        asked(&json!({"fault": "down"}), "simulator-key"),
        Err(CallError::NotSent { .. })
    ));
    assert!(matches!(
        asked(&json!({"fault": "garbage"}), "simulator-key"),
        Err(CallError::Unknown { .. })
    ));
    assert!(matches!(
        asked(&json!({}), "wrong"),
        Err(CallError::Rejected {
            cause: Cause::Credentials,
            ..
        })
    ));
}
