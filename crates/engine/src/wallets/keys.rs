//! A team's keys and identifiers at the wallets, from the texts in which they are given.

use std::{sync::Arc, time::Duration};

use domain::caller::Mode;
use http_client::{HostPattern, Identity, IdentityError};
use wallet::{
    KeyError,
    apple_pay::{Merchant, ProcessingKey, RootCertificates, SignatureAge},
    google_pay::{Recipient, RecipientKey, RootKeys},
};
use zeroize::Zeroizing;

/// The gateway's id at wallet A when nothing is said.
pub const GATEWAY_ID: &str = "pointsman";

/// The hosts that wallet B's merchant validation may call when nothing is said.
pub const VALIDATION_HOSTS: &str = "*.apple.com";

/// More hosts than this are not listed.
const HOSTS_MAX: usize = 50;

/// How old a signature of wallet B's may be when nothing is said.
pub const SIGNATURE_MAX_AGE: Duration = Duration::from_mins(5);

/// What a team has set up. A wallet that is absent is not set up.
#[derive(Clone, Default)]
pub struct WalletKeys {
    /// Wallet A.
    pub a: Option<Arc<WalletA>>,
    /// Wallet B.
    pub b: Option<Arc<WalletB>>,
}

/// A setting of a wallet that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyProblem {
    /// The setting's name.
    pub setting: &'static str,
    /// Which entry of it, where it is a list.
    pub entry: Option<usize>,
    /// What is wrong with it, as a clause about it. Never holds a value.
    pub reason: String,
}

impl KeyProblem {
    pub(super) fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        Self {
            setting,
            entry: None,
            reason: reason.into(),
        }
    }

    fn of(setting: &'static str) -> impl Fn(KeyError) -> Self {
        move |error| Self::new(setting, error.to_string())
    }
}

/// The settings that can't be used, as they are found.
#[derive(Default)]
pub(super) struct Problems(Vec<KeyProblem>);

impl Problems {
    /// What is good, or nothing once the problem is noted.
    pub(super) fn good<T>(&mut self, read: Result<T, KeyProblem>) -> Option<T> {
        read.map_err(|problem| self.0.push(problem)).ok()
    }

    /// The same for settings that may be absent.
    pub(super) fn or_absent<T>(&mut self, read: Result<Option<T>, KeyProblem>) -> Option<T> {
        self.good(read).flatten()
    }

    /// Notes what was found later, unless it may follow from a problem with the same setting.
    pub(super) fn join(&mut self, later: Vec<KeyProblem>) {
        let known: Vec<&str> = self.0.iter().map(|problem| problem.setting).collect();
        let mut new = later;
        new.retain(|problem| !known.contains(&problem.setting));
        self.0.extend(new);
    }

    /// The whole, when there was no problem.
    pub(super) fn end<T>(self, whole: Option<T>) -> Result<T, Vec<KeyProblem>> {
        whole.filter(|_| self.0.is_empty()).ok_or(self.0)
    }
}

/// An identifier at a wallet.
fn identifier(setting: &'static str, text: String) -> Result<String, KeyProblem> {
    if (1..=255).contains(&text.chars().count()) {
        return Ok(text);
    }
    Err(KeyProblem::new(setting, KeyError::Identifier.to_string()))
}

/// A secret text, wiped when dropped.
pub type SecretText = Zeroizing<String>;

/// Wallet A as it is given. Texts are what the files hold.
#[derive(Default)]
pub struct WalletAText {
    /// The gateway's id at the wallet: tokens are for `gateway:` and this. [`GATEWAY_ID`] when absent.
    pub gateway_id: Option<String>,
    /// Private keys, PEM; several while they are rotated.
    pub private_keys: Vec<SecretText>,
    /// The wallet's root keys, JSON.
    pub root_keys: Option<String>,
}

/// Wallet A, ready to open tokens.
pub struct WalletA {
    /// The gateway's id at the wallet.
    pub(crate) gateway_id: String,
    pub(super) recipient: Recipient,
}

impl WalletA {
    /// Reads keys. Without root keys, those of the wallet's test environment count in test mode; live mode needs some.
    ///
    /// # Errors
    /// Every setting that can't be used.
    pub fn read(text: &WalletAText, mode: Mode) -> Result<Self, Vec<KeyProblem>> {
        let mut problems = Problems::default();
        let mut keys = Vec::with_capacity(text.private_keys.len());
        for (entry, key) in text.private_keys.iter().enumerate() {
            let key = RecipientKey::from_pem(key).map_err(KeyProblem::of("private_keys"));
            keys.extend(problems.good(key.map_err(|problem| KeyProblem {
                entry: Some(entry),
                ..problem
            })));
        }
        let roots = problems.good(Self::roots(text, mode));
        let id = text.gateway_id.clone();
        let id = id.unwrap_or_else(|| GATEWAY_ID.to_owned());
        let id = problems.good(identifier("gateway_id", id));
        if text.private_keys.is_empty() {
            problems.join(vec![KeyProblem::new(
                "private_keys",
                "must hold at least one key",
            )]);
        }
        let (roots, gateway_id) = problems.end(roots.zip(id))?;
        let recipient = Recipient::new(&gateway_id, keys, roots)
            .map_err(|error| vec![KeyProblem::new("gateway_id", error.to_string())])?;
        Ok(Self {
            gateway_id,
            recipient,
        })
    }

    fn roots(text: &WalletAText, mode: Mode) -> Result<RootKeys, KeyProblem> {
        let roots = match (&text.root_keys, mode) {
            (Some(json), _) => RootKeys::from_json(json),
            (None, Mode::Test) => RootKeys::google_test(),
            (None, Mode::Live) => {
                return Err(KeyProblem::new(
                    "root_keys",
                    "is required in live mode: the wallet publishes its keys",
                ));
            }
        };
        roots.map_err(KeyProblem::of("root_keys"))
    }
}

/// A certificate with its private key, both PEM.
pub struct KeyPair {
    /// The certificate, or a chain that begins with it.
    pub certificate: String,
    /// The key.
    pub key: SecretText,
}

/// Wallet B as it is given. Texts are what the files hold.
pub struct WalletBText {
    /// The merchant's identifier at the wallet; needed to open tokens.
    pub merchant_identifier: Option<String>,
    /// Opens `EC_v1`.
    pub processing: Option<KeyPair>,
    /// Opens `RSA_v1`.
    pub rsa_processing: Option<KeyPair>,
    /// Root certificates, PEM; the wallet's own when absent.
    pub root_certificates: Option<String>,
    /// How old a signature may be; zero switches the check off.
    pub signature_max_age: Duration,
    /// Who the merchant is when it asks the wallet for a session.
    pub identity: Option<KeyPair>,
    /// Hosts that may be asked for one: `host` or `*.host`, either with a port.
    pub validation_hosts: Vec<String>,
}

/// Wallet B, ready to open tokens.
pub struct WalletB {
    /// The merchant's identifier at the wallet.
    pub(crate) merchant_identifier: Option<String>,
    /// `None`: merchants can't be validated.
    pub(super) identity: Option<Identity>,
    /// Hosts that may be asked for a session.
    pub(super) validation_hosts: Vec<HostPattern>,
    /// `None` without a processing key.
    pub(super) merchant: Option<MerchantKeys>,
}

/// What opens tokens of wallet B.
pub(super) struct MerchantKeys {
    pub(super) keys: Merchant,
    /// `None`: signatures of any age are good.
    pub(super) max_age: Option<Duration>,
}

impl WalletB {
    /// Reads keys and certificates.
    ///
    /// # Errors
    /// Every setting that can't be used.
    pub fn read(text: &WalletBText) -> Result<Self, Vec<KeyProblem>> {
        let mut problems = Problems::default();
        let keys = processing_keys(text, &mut problems);
        let roots = text
            .root_certificates
            .as_deref()
            .map_or_else(RootCertificates::apple, RootCertificates::from_pem);
        let roots = problems.good(roots.map_err(KeyProblem::of("root_certificates")));
        let hosts = problems.good(Self::hosts(&text.validation_hosts));
        let identity = problems.or_absent(identity(text.identity.as_ref()));
        let id = text.merchant_identifier.clone();
        let id = id.map(|id| identifier("merchant_identifier", id));
        let id = problems.or_absent(id.transpose());
        if !keys.is_empty() && text.merchant_identifier.is_none() {
            problems.join(vec![KeyProblem::new(
                "merchant_identifier",
                "is required with a processing certificate",
            )]);
        }
        let (roots, validation_hosts) = problems.end(roots.zip(hosts))?;
        let merchant = match &id {
            Some(id) if !keys.is_empty() => Some(merchant(id, keys, roots, text)?),
            _ => None,
        };
        Ok(Self {
            merchant_identifier: id,
            identity,
            validation_hosts,
            merchant,
        })
    }

    /// Reads the hosts that may be asked for a session.
    ///
    /// # Errors
    /// The entry that is no host.
    pub fn hosts(texts: &[String]) -> Result<Vec<HostPattern>, KeyProblem> {
        if texts.len() > HOSTS_MAX {
            return Err(KeyProblem::new(
                "validation_hosts",
                "must have at most 50 entries",
            ));
        }
        let read = |(entry, text): (usize, &String)| {
            HostPattern::parse(text).ok_or_else(|| KeyProblem {
                entry: Some(entry),
                ..KeyProblem::new(
                    "validation_hosts",
                    "must be a host such as `pay.example`, or `*.pay.example`",
                )
            })
        };
        texts.iter().enumerate().map(read).collect()
    }
}

fn processing_keys(text: &WalletBText, problems: &mut Problems) -> Vec<ProcessingKey> {
    let named = [
        (&text.processing, "processing_certificate", "processing_key"),
        (
            &text.rsa_processing,
            "rsa_processing_certificate",
            "rsa_processing_key",
        ),
    ];
    let mut keys = Vec::new();
    for (pair, certificate, key) in named {
        let Some(pair) = pair else { continue };
        let read = ProcessingKey::from_pem(&pair.certificate, &pair.key).map_err(|error| {
            let setting = if error == KeyError::NoCertificate {
                certificate
            } else {
                key
            };
            KeyProblem::new(setting, error.to_string())
        });
        keys.extend(problems.good(read));
    }
    keys
}

/// What opens tokens for the merchant of this identifier.
fn merchant(
    id: &str,
    keys: Vec<ProcessingKey>,
    roots: RootCertificates,
    text: &WalletBText,
) -> Result<MerchantKeys, Vec<KeyProblem>> {
    let age = SignatureAge::from_setting(text.signature_max_age);
    let keys = Merchant::new(id, keys, roots, age).map_err(|error| {
        let setting = if error == KeyError::Merchant {
            "processing_certificate"
        } else {
            "merchant_identifier"
        };
        vec![KeyProblem::new(setting, error.to_string())]
    })?;
    let max_age = Some(text.signature_max_age).filter(|age| !age.is_zero());
    Ok(MerchantKeys { keys, max_age })
}

fn identity(pair: Option<&KeyPair>) -> Result<Option<Identity>, KeyProblem> {
    let Some(pair) = pair else { return Ok(None) };
    Identity::from_pem(&pair.certificate, &pair.key)
        .map(Some)
        .map_err(|error| {
            let setting = if error == IdentityError::Certificate {
                "identity_certificate"
            } else {
                "identity_key"
            };
            KeyProblem::new(setting, error.to_string())
        })
}
