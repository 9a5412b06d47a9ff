//! The account behind a connection: which keys fit which mode, and what Stripe says of it.

use std::collections::BTreeMap;

use connector::{AccountFacts, CallError, Called, Credentials, Link, Probe};
use domain::caller::Mode;
use serde::Deserialize;

use super::{
    Stripe,
    api::{Api, Form, Refusal},
    descriptor::{SECRET_KEY, WEBHOOK_SECRET},
};

/// Beginnings of keys that may be used on a server, by mode. Source: docs/processors/stripe.md, "Addresses and requests".
const TEST_KEYS: [&str; 2] = ["sk_test_", "rk_test_"];
const LIVE_KEYS: [&str; 2] = ["sk_live_", "rk_live_"];

/// `Account`, as far as it is read. Source: npm `stripe` 23.1.0, `Accounts.d.ts`.
#[derive(Debug, Deserialize)]
struct Account {
    id: String,
    country: Option<String>,
    #[serde(default)]
    charges_enabled: bool,
    business_profile: Option<Profile>,
    #[serde(default)]
    capabilities: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    name: Option<String>,
}

/// Whether the values can be a key and a secret of this mode.
pub(super) fn check(credentials: &Credentials, mode: Mode) -> Result<(), String> {
    let (own, other, word) = match mode {
        Mode::Test => (TEST_KEYS, LIVE_KEYS, "test"),
        Mode::Live => (LIVE_KEYS, TEST_KEYS, "live"),
    };
    if let Some(key) = credentials.get(SECRET_KEY) {
        let begins = |beginnings: [&str; 2]| beginnings.iter().any(|start| key.starts_with(start));
        if begins(other) {
            return Err(format!(
                "{SECRET_KEY} is a key of the other mode: this deployment is in {word} mode, and takes {} or {}",
                own[0], own[1]
            ));
        }
        if !begins(own) {
            return Err(format!(
                "{SECRET_KEY} must begin with {} or {}: a publishable key (pk_) can't charge",
                own[0], own[1]
            ));
        }
    }
    match credentials.get(WEBHOOK_SECRET) {
        Some(secret) if !secret.is_empty() && !secret.starts_with("whsec_") => Err(format!(
            "{WEBHOOK_SECRET} must begin with whsec_: the signing secret of the endpoint, not its id (we_)"
        )),
        _ => Ok(()),
    }
}

impl Probe for Stripe {
    fn account<'a>(&'a self, link: &'a Link<'a>) -> Called<'a, AccountFacts> {
        Box::pin(async move {
            let (api, nothing) = (Api::of(link), Form::default());
            let account = match api.get::<Account>("/v1/account", &nothing).await {
                Ok(Ok(account)) => account,
                Ok(Err(refusal)) => return Err(Refusal::rejected(refusal)),
                Err(error) if is_restricted(link) && is_refused(&error) => {
                    return Ok(AccountFacts {
                        is_live: Some(is_live(link)),
                        warnings: vec![
                            "The restricted key may not read the account, so what it can do is not known.".into(),
                        ],
                        ..AccountFacts::default()
                    });
                }
                Err(error) => return Err(error),
            };
            Ok(facts(account, link))
        })
    }
}

fn facts(account: Account, link: &Link<'_>) -> AccountFacts {
    let mut warnings = Vec::new();
    if !account.charges_enabled {
        warnings.push("Stripe says that the account can't charge yet: finish its activation in the dashboard.".into());
    }
    if link.credential(WEBHOOK_SECRET).is_none_or(str::is_empty) {
        warnings.push("There is no webhookSecret: Stripe's notifications are not believed until there is one.".into());
    }
    let active = account
        .capabilities
        .into_iter()
        .filter(|(_, status)| status == "active");
    AccountFacts {
        id: Some(account.id.into()),
        name: account
            .business_profile
            .and_then(|profile| profile.name)
            .map(Into::into),
        country: account.country.map(Into::into),
        is_live: Some(is_live(link)),
        capabilities: active.map(|(name, _)| name.into()).collect(),
        warnings,
    }
}

/// The key says it: an account has no mode of its own.
fn is_live(link: &Link<'_>) -> bool {
    let key = link.credential(SECRET_KEY).unwrap_or_default();
    LIVE_KEYS.iter().any(|start| key.starts_with(start))
}

fn is_restricted(link: &Link<'_>) -> bool {
    link.credential(SECRET_KEY)
        .is_some_and(|key| key.starts_with("rk_"))
}

/// Whether Stripe refused the key for this question, not as a key.
fn is_refused(error: &CallError) -> bool {
    matches!(error, CallError::Rejected { code: Some(code), .. } if &**code == PERMISSION)
}

/// The code of an answer with status 403 that names no other.
pub(super) const PERMISSION: &str = "permission";

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(document: &str, mode: Mode) -> Result<(), String> {
        check(&Credentials::read(document.as_bytes()).unwrap(), mode)
    }

    #[test]
    fn keys_of_the_other_mode_and_keys_that_can_not_charge_are_refused_without_their_value() {
        for (key, mode, is_right) in [
            ("sk_test_abc123", Mode::Test, true),
            ("rk_test_abc123", Mode::Test, true),
            ("sk_live_abc123", Mode::Live, true),
            ("sk_live_abc123", Mode::Test, false),
            ("sk_test_abc123", Mode::Live, false),
            ("pk_test_abc123", Mode::Test, false),
            ("abc123", Mode::Live, false),
        ] {
            let checked = checked(&format!(r#"{{"secretKey": "{key}"}}"#), mode);
            assert_eq!(checked.is_ok(), is_right, "{key}");
            assert!(!checked.is_err_and(|why| why.contains("abc123")), "{key}");
        }
        assert!(checked(r#"{"webhookSecret": "we_1"}"#, Mode::Test).is_err());
        assert!(checked(r#"{"webhookSecret": "whsec_1"}"#, Mode::Test).is_ok());
    }
}
