//! A team's keys and identifiers at the wallets, from the texts in which they are given.

use std::{sync::Arc, time::Duration};

use domain::caller::Mode;
use wallet::{
    KeyError,
    apple_pay::{Merchant, ProcessingKey, RootCertificates, SignatureAge},
    google_pay::{Recipient, RecipientKey, RootKeys},
};
use zeroize::Zeroizing;

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
    fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        Self { setting, entry: None, reason: reason.into() }
    }

    fn of(setting: &'static str) -> impl Fn(KeyError) -> Self {
        move |error| Self::new(setting, error.to_string())
    }
}

/// A secret text, wiped when dropped.
pub type SecretText = Zeroizing<String>;

/// Wallet A as it is given. Texts are what the files hold.
#[derive(Default)]
pub struct WalletAText {
    /// The gateway's id at the wallet: tokens are for `gateway:` and this.
    pub gateway_id: String,
    /// Private keys, PEM; several while they are rotated.
    pub private_keys: Vec<SecretText>,
    /// The wallet's root keys, JSON.
    pub root_keys: Option<String>,
}

/// Wallet A, ready to open tokens.
pub struct WalletA {
    pub(super) recipient: Recipient,
}

impl WalletA {
    /// Reads keys. Without root keys, those of the wallet's test environment count in test mode; live mode needs some.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub fn read(text: &WalletAText, mode: Mode) -> Result<Self, KeyProblem> {
        let mut keys = Vec::with_capacity(text.private_keys.len());
        for (entry, key) in text.private_keys.iter().enumerate() {
            let key = RecipientKey::from_pem(key).map_err(KeyProblem::of("private_keys"));
            keys.push(key.map_err(|problem| KeyProblem { entry: Some(entry), ..problem })?);
        }
        let roots = match (&text.root_keys, mode) {
            (Some(json), _) => RootKeys::from_json(json),
            (None, Mode::Test) => RootKeys::google_test(),
            (None, Mode::Live) => {
                return Err(KeyProblem::new("root_keys", "is required in live mode: the wallet publishes its keys"));
            }
        };
        let roots = roots.map_err(KeyProblem::of("root_keys"))?;
        let recipient = Recipient::new(&text.gateway_id, keys, roots).map_err(|error| match error {
            KeyError::Empty => KeyProblem::new("private_keys", "must hold at least one key"),
            error => KeyProblem::new("gateway_id", error.to_string()),
        })?;
        Ok(Self { recipient })
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
    /// The merchant's identifier at the wallet.
    pub merchant_identifier: String,
    /// Opens `EC_v1`.
    pub processing: Option<KeyPair>,
    /// Opens `RSA_v1`.
    pub rsa_processing: Option<KeyPair>,
    /// Root certificates, PEM; the wallet's own when absent.
    pub root_certificates: Option<String>,
    /// How old a signature may be; zero switches the check off.
    pub signature_max_age: Duration,
}

/// Wallet B, ready to open tokens.
pub struct WalletB {
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
    /// The first setting that can't be used.
    pub fn read(text: &WalletBText) -> Result<Self, KeyProblem> {
        let mut keys = Vec::new();
        let named = [
            (&text.processing, "processing_certificate", "processing_key"),
            (&text.rsa_processing, "rsa_processing_certificate", "rsa_processing_key"),
        ];
        for (pair, certificate, key) in named {
            let Some(pair) = pair else { continue };
            let read = ProcessingKey::from_pem(&pair.certificate, &pair.key);
            keys.push(read.map_err(|error| {
                let setting = if error == KeyError::NoCertificate { certificate } else { key };
                KeyProblem::new(setting, error.to_string())
            })?);
        }
        let roots = text.root_certificates.as_deref().map_or_else(RootCertificates::apple, RootCertificates::from_pem);
        let roots = roots.map_err(KeyProblem::of("root_certificates"))?;
        let merchant_identifier = text.merchant_identifier.as_str();
        if merchant_identifier.is_empty() || merchant_identifier.chars().count() > 255 {
            return Err(KeyProblem::new("merchant_identifier", KeyError::Identifier.to_string()));
        }
        if keys.is_empty() {
            return Ok(Self { merchant: None });
        }
        let age = SignatureAge::from_setting(text.signature_max_age);
        let keys = Merchant::new(merchant_identifier, keys, roots, age).map_err(|error| {
            let setting = if error == KeyError::Merchant { "processing_certificate" } else { "merchant_identifier" };
            KeyProblem::new(setting, error.to_string())
        })?;
        let max_age = Some(text.signature_max_age).filter(|age| !age.is_zero());
        Ok(Self { merchant: Some(MerchantKeys { keys, max_age }) })
    }
}
