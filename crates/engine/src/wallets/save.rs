//! A team's own settings at a wallet: given by the API, checked, and kept sealed.

use crate::boxed;
use std::time::Duration;

use db::Change;
use domain::{
    Fault, Faults,
    audit::{Act, Deed},
    caller::{Caller, Mode},
};
use serde_json::{Map, Value};
use vault::Holder;

use super::keys::Problems;
use super::{
    KeyPair, KeyProblem, SIGNATURE_MAX_AGE, SecretText, VALIDATION_HOSTS, Wallet, WalletA,
    WalletAText, WalletB, WalletBText,
};
use crate::{
    Engine,
    faults::{EngineError, only_fault},
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
    /// `error.validation` with the path of each setting that can't be used.
    #[boxed]
    pub async fn save_wallet(
        &self,
        caller: &Caller,
        wallet: Wallet,
        settings: &Value,
    ) -> Result<(), Fault> {
        read(wallet, settings, self.inner.settings.mode).map_err(|problems| refused(&problems))?;
        self.keep_settings(caller, wallet, settings)
            .await
            .map_err(only_fault)
    }

    async fn keep_settings(
        &self,
        caller: &Caller,
        wallet: Wallet,
        settings: &Value,
    ) -> Result<(), EngineError> {
        let (store, vault, team) = (&self.inner.store, &self.inner.vault, caller.team);
        let text = SecretText::new(settings.to_string());
        let name = wallet.method().code();
        let before = store::wallet_setting::of_team(store, team).await?;
        let sealed = vault
            .seal_secret(team, &Holder::wallet(name), text.as_bytes())
            .await?;
        let statement = store::wallet_setting::put(team, name, sealed, self.inner.world.now());
        let deed = Deed::on(team, Act::WalletSaved, "wallet", name);
        let change = Change::new(self.change_id(), &team.key())
            .with(statement)
            .with(self.audit(&deed));
        self.commit_plain(change).await?;
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

fn refused(problems: &[KeyProblem]) -> Fault {
    let mut faults = Faults::default();
    for problem in problems {
        faults.add(refusal(problem));
    }
    faults.end(()).err().unwrap_or_else(Fault::unknown)
}

fn refusal(problem: &KeyProblem) -> Fault {
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
pub(super) fn read(wallet: Wallet, settings: &Value, mode: Mode) -> Result<Ready, Vec<KeyProblem>> {
    let whole = |reason: &str| KeyProblem {
        setting: "",
        entry: None,
        reason: reason.to_owned(),
    };
    let fields = settings
        .as_object()
        .ok_or_else(|| vec![whole("must be a JSON object")])?;
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
    let mut problems = Problems::default();
    if fields.0.keys().any(|name| !names.contains(&name.as_str())) {
        problems.join(vec![whole(&format!(
            "has a name that is no setting; there are {}",
            names.join(", ")
        ))]);
    }
    match wallet {
        Wallet::A => fields.a(problems, mode).map(Ready::A),
        Wallet::B => fields.b(problems).map(Ready::B),
    }
}

struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn a(&self, mut problems: Problems, mode: Mode) -> Result<WalletA, Vec<KeyProblem>> {
        let root_keys = match self.0.get("root_keys") {
            Some(Value::Object(keys)) => Some(Value::Object(keys.clone()).to_string()),
            _ => problems.or_absent(self.text("root_keys")),
        };
        let private_keys = problems.or_absent(self.list("private_keys"));
        let private_keys = private_keys.unwrap_or_default().into_iter();
        let text = WalletAText {
            gateway_id: problems.or_absent(self.text("gateway_id")),
            private_keys: private_keys.map(SecretText::new).collect(),
            root_keys,
        };
        finished(problems, WalletA::read(&text, mode))
    }

    fn b(&self, mut problems: Problems) -> Result<WalletB, Vec<KeyProblem>> {
        let hosts = problems.or_absent(self.list("validation_hosts"));
        let text = WalletBText {
            merchant_identifier: problems.or_absent(self.text("merchant_identifier")),
            processing: problems.or_absent(self.pair("processing_certificate", "processing_key")),
            rsa_processing: problems
                .or_absent(self.pair("rsa_processing_certificate", "rsa_processing_key")),
            root_certificates: problems.or_absent(self.text("root_certificates")),
            signature_max_age: problems
                .or_absent(self.age("signature_max_age"))
                .unwrap_or(SIGNATURE_MAX_AGE),
            identity: problems.or_absent(self.pair("identity_certificate", "identity_key")),
            validation_hosts: hosts.unwrap_or_else(|| vec![VALIDATION_HOSTS.to_owned()]),
        };
        finished(problems, WalletB::read(&text))
    }

    fn age(&self, name: &'static str) -> Result<Option<Duration>, KeyProblem> {
        let wrong = || KeyProblem::new(name, "must be a duration such as `5m`, at most `24h`");
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let age = humantime::parse_duration(&text).ok();
        age.filter(|age| *age <= LONGEST_AGE)
            .map(Some)
            .ok_or_else(wrong)
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

/// What was read, unless there was a problem with any setting.
fn finished<T>(
    mut problems: Problems,
    read: Result<T, Vec<KeyProblem>>,
) -> Result<T, Vec<KeyProblem>> {
    let read = read.map_err(|later| problems.join(later)).ok();
    problems.end(read)
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
        let problems = read(wallet, &settings, Mode::Test).err().unwrap();
        refused(&problems).field.unwrap()
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

    #[test]
    fn every_setting_that_can_t_be_used_is_named_at_once() {
        let all = |wallet: Wallet, settings: Value| -> Vec<String> {
            let problems = read(wallet, &settings, Mode::Test).err().unwrap();
            let faults = refused(&problems).faults;
            faults.into_iter().map(|fault| fault.field).collect()
        };
        assert_eq!(
            all(
                Wallet::A,
                json!({"gateway_id": "x".repeat(300), "private_keys": ["x", "y"], "root_keys": 5})
            ),
            [
                "settings.root_keys",
                "settings.private_keys.0",
                "settings.private_keys.1",
                "settings.gateway_id"
            ]
        );
        assert_eq!(
            all(
                Wallet::B,
                json!({
                    "nonsense": 1, "merchant_identifier": "x".repeat(300), "identity_key": "y",
                    "signature_max_age": "soon", "validation_hosts": ["*"], "root_certificates": "r",
                })
            ),
            [
                "settings",
                "settings.signature_max_age",
                "settings.identity_certificate",
                "settings.root_certificates",
                "settings.validation_hosts.0",
                "settings.merchant_identifier",
            ]
        );
    }
}
