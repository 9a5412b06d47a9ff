//! A team's own settings at a wallet: given by the API, checked, and kept sealed.

use std::time::Duration;

use db::Change;
use domain::{
    Fault,
    caller::{Caller, Mode},
};
use serde_json::{Map, Value};
use vault::Holder;

use super::{
    KeyPair, KeyProblem, SIGNATURE_MAX_AGE, SecretText, VALIDATION_HOSTS, Wallet, WalletA,
    WalletAText, WalletB, WalletBText,
};
use crate::{
    Engine,
    faults::{Stop, only_fault},
};

/// Where the settings stand in a fault's `field`.
const FIELD: &str = "settings";
/// Longest setting. Unit: bytes.
const TEXT_MAX: usize = 32 * 1024;
/// Longest list.
const LIST_MAX: usize = 50;
/// A signature that may be older than this may as well not be checked.
const LONGEST_AGE: Duration = Duration::from_hours(24);

/// A wallet's settings, ready to open tokens.
pub(super) enum Ready {
    A(WalletA),
    B(WalletB),
}

impl Engine {
    /// Saves a team's settings at a wallet in the place of those that there were. They count within a second.
    ///
    /// # Errors
    /// `error.validation` with the path of the setting that can't be used.
    pub async fn save_wallet(
        &self,
        caller: &Caller,
        wallet: Wallet,
        settings: &Value,
    ) -> Result<(), Fault> {
        read(wallet, settings, self.inner.settings.mode).map_err(|problem| refused(&problem))?;
        self.keep_settings(caller, wallet, settings)
            .await
            .map_err(only_fault)
    }

    async fn keep_settings(
        &self,
        caller: &Caller,
        wallet: Wallet,
        settings: &Value,
    ) -> Result<(), Stop> {
        let (store, vault, team) = (&self.inner.store, &self.inner.vault, caller.team);
        let text = SecretText::new(settings.to_string());
        let name = wallet.method().code();
        let before = store::wallet_setting::of_team(store, team).await?;
        let sealed = vault
            .seal_secret(team, &Holder::wallet(name), text.as_bytes())
            .await?;
        let statement = store::wallet_setting::put(team, name, sealed, self.inner.world.now());
        self.commit_plain(Change::new(self.change_id(), &team.key()).with(statement))
            .await?;
        for (_, old) in before
            .into_iter()
            .filter(|(known, old)| known == name && *old != sealed)
        {
            vault.erase_secret(team, old).await?;
        }
        self.inner.wallet_keys.forget(&team);
        Ok(())
    }
}

fn refused(problem: &KeyProblem) -> Fault {
    let entry = problem
        .entry
        .map(|entry| format!(".{entry}"))
        .unwrap_or_default();
    let field = if problem.setting.is_empty() {
        FIELD.to_owned()
    } else {
        format!("{FIELD}.{}{entry}", problem.setting)
    };
    Fault::invalid(field, problem.reason.clone())
}

/// Reads settings: those of the configuration's section, with texts in the place of files.
pub(super) fn read(wallet: Wallet, settings: &Value, mode: Mode) -> Result<Ready, KeyProblem> {
    let whole = |reason: &str| KeyProblem {
        setting: "",
        entry: None,
        reason: reason.to_owned(),
    };
    let fields = settings
        .as_object()
        .ok_or_else(|| whole("must be a JSON object"))?;
    let fields = Fields(fields);
    let names: &[&str] = match wallet {
        Wallet::A => &["gateway_id", "private_keys", "root_keys"],
        Wallet::B => &[
            "merchant_identifier",
            "processing_certificate",
            "processing_key",
            "rsa_processing_certificate",
            "rsa_processing_key",
            "root_certificates",
            "signature_max_age",
            "identity_certificate",
            "identity_key",
            "validation_hosts",
        ],
    };
    if fields.0.keys().any(|name| !names.contains(&name.as_str())) {
        return Err(whole(&format!(
            "has a name that is no setting; there are {}",
            names.join(", ")
        )));
    }
    match wallet {
        Wallet::A => fields.a(mode).map(Ready::A),
        Wallet::B => fields.b().map(Ready::B),
    }
}

struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn a(&self, mode: Mode) -> Result<WalletA, KeyProblem> {
        let root_keys = match self.0.get("root_keys") {
            Some(Value::Object(keys)) => Some(Value::Object(keys.clone()).to_string()),
            _ => self.text("root_keys")?,
        };
        let private_keys = self.list("private_keys")?.unwrap_or_default();
        let private_keys = private_keys.into_iter().map(SecretText::new).collect();
        WalletA::read(
            &WalletAText {
                gateway_id: self.text("gateway_id")?,
                private_keys,
                root_keys,
            },
            mode,
        )
    }

    fn b(&self) -> Result<WalletB, KeyProblem> {
        let age = self
            .text("signature_max_age")?
            .map(|text| humantime::parse_duration(&text));
        let age = age
            .transpose()
            .ok()
            .map(|age| age.unwrap_or(SIGNATURE_MAX_AGE))
            .filter(|age| *age <= LONGEST_AGE);
        let hosts = self.list("validation_hosts")?;
        WalletB::read(&WalletBText {
            merchant_identifier: self.text("merchant_identifier")?,
            processing: self.pair("processing_certificate", "processing_key")?,
            rsa_processing: self.pair("rsa_processing_certificate", "rsa_processing_key")?,
            root_certificates: self.text("root_certificates")?,
            signature_max_age: age.ok_or_else(|| {
                KeyProblem::new(
                    "signature_max_age",
                    "must be a duration such as `5m`, at most `24h`",
                )
            })?,
            identity: self.pair("identity_certificate", "identity_key")?,
            validation_hosts: hosts.unwrap_or_else(|| vec![VALIDATION_HOSTS.to_owned()]),
        })
    }

    fn text(&self, name: &'static str) -> Result<Option<String>, KeyProblem> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if (1..=TEXT_MAX).contains(&text.len()) => {
                Ok(Some(text.clone()))
            }
            Some(_) => Err(KeyProblem::new(name, "must be a text of 1 to 32768 bytes")),
        }
    }

    fn list(&self, name: &'static str) -> Result<Option<Vec<String>>, KeyProblem> {
        let wrong = || KeyProblem::new(name, "must be a list of at most 50 texts");
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(items)) if items.len() <= LIST_MAX => {
                let texts: Option<Vec<String>> = items
                    .iter()
                    .map(|item| item.as_str().map(str::to_owned))
                    .collect();
                texts.map(Some).ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    fn pair(
        &self,
        certificate: &'static str,
        key: &'static str,
    ) -> Result<Option<KeyPair>, KeyProblem> {
        match (self.text(certificate)?, self.text(key)?) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(KeyProblem::new(
                key,
                format!("is required with {certificate}"),
            )),
            (None, Some(_)) => Err(KeyProblem::new(
                certificate,
                format!("is required with {key}"),
            )),
            (Some(certificate), Some(key)) => Ok(Some(KeyPair {
                certificate,
                key: SecretText::new(key),
            })),
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "settings are written where they are used"
)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(wallet: Wallet, settings: Value) -> String {
        let problem = read(wallet, &settings, Mode::Test).err().unwrap();
        refused(&problem).field.unwrap()
    }

    #[test]
    fn settings_that_can_t_be_used_are_refused_by_name() {
        assert_eq!(field(Wallet::A, json!([])), "settings");
        assert_eq!(field(Wallet::A, json!({"private_key": []})), "settings");
        assert_eq!(field(Wallet::A, json!({})), "settings.private_keys");
        assert_eq!(
            field(Wallet::A, json!({"private_keys": "x"})),
            "settings.private_keys"
        );
        assert_eq!(
            field(Wallet::A, json!({"private_keys": ["x"]})),
            "settings.private_keys.0"
        );
        assert_eq!(
            field(Wallet::A, json!({"gateway_id": 5})),
            "settings.gateway_id"
        );
        assert_eq!(
            field(Wallet::B, json!({"processing_key": "x"})),
            "settings.processing_certificate"
        );
        assert_eq!(
            field(Wallet::B, json!({"identity_certificate": "x"})),
            "settings.identity_key"
        );
        let pair = json!({"identity_certificate": "x", "identity_key": "y"});
        assert_eq!(field(Wallet::B, pair), "settings.identity_certificate");
        for age in ["soon", "25h", "-1s"] {
            assert_eq!(
                field(Wallet::B, json!({"signature_max_age": age})),
                "settings.signature_max_age"
            );
        }
        assert_eq!(
            field(Wallet::B, json!({"validation_hosts": ["a.example", "*"]})),
            "settings.validation_hosts.1"
        );
        assert!(read(Wallet::B, &json!({"merchant_identifier": "m"}), Mode::Test).is_ok());
    }
}
