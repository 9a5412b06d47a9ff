//! `[wallets.a]` and `[wallets.b]`: the first team's keys and identifiers at the wallets, and the files that hold them.

use std::{path::PathBuf, sync::Arc, time::Duration};

use domain::caller::Mode;
use engine::{
    KeyPair, KeyProblem, SIGNATURE_MAX_AGE, SecretText, VALIDATION_HOSTS, WalletA, WalletAText,
    WalletB, WalletBText, WalletKeys,
};

use super::reader::Reader;

/// Largest file of keys or certificates. Unit: bytes.
const FILE_MAX: u64 = 256 * 1024;

/// A signature that may be older than this may as well not be checked.
const LONGEST_AGE: Duration = Duration::from_hours(24);

/// The file that proves to wallet B that a domain is the merchant's.
const DOMAIN_ASSOCIATION: &str = "wallets.b.domain_association";

/// `[wallets]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wallets {
    /// Wallet A, Google Pay.
    a: SectionA,
    /// Wallet B, Apple Pay.
    b: SectionB,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SectionA {
    gateway_id: Option<String>,
    private_keys: Vec<PathBuf>,
    root_keys: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SectionB {
    merchant_identifier: Option<String>,
    processing: Pair,
    rsa_processing: Pair,
    root_certificates: Option<PathBuf>,
    signature_max_age: Duration,
    identity: Pair,
    validation_hosts: Vec<String>,
    domain_association: Option<PathBuf>,
}

/// A certificate and its key, where they are given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// A setting that can't be used: its name and why.
type Problem = (String, String);

impl Wallets {
    /// Reads the sections, and the files that they name: what can't be used is refused at start.
    pub(super) fn read(reader: &mut Reader, mode: Mode) -> Self {
        let wallets = Self {
            a: SectionA {
                gateway_id: reader.take_optional("wallets.a.gateway_id"),
                private_keys: reader.paths("wallets.a.private_keys"),
                root_keys: reader.path("wallets.a.root_keys"),
            },
            b: SectionB {
                merchant_identifier: reader.take_optional("wallets.b.merchant_identifier"),
                processing: Pair {
                    certificate: reader.path("wallets.b.processing_certificate"),
                    key: reader.path("wallets.b.processing_key"),
                },
                rsa_processing: Pair {
                    certificate: reader.path("wallets.b.rsa_processing_certificate"),
                    key: reader.path("wallets.b.rsa_processing_key"),
                },
                root_certificates: reader.path("wallets.b.root_certificates"),
                signature_max_age: reader.within(
                    "wallets.b.signature_max_age",
                    SIGNATURE_MAX_AGE,
                    &(Duration::ZERO..=LONGEST_AGE),
                ),
                identity: Pair {
                    certificate: reader.path("wallets.b.identity_certificate"),
                    key: reader.path("wallets.b.identity_key"),
                },
                validation_hosts: reader.take(
                    "wallets.b.validation_hosts",
                    vec![VALIDATION_HOSTS.to_owned()],
                ),
                domain_association: reader.path(DOMAIN_ASSOCIATION),
            },
        };
        if let Err((setting, why)) = wallets.keys(mode) {
            reader.refuse(&setting, &why);
        }
        if let Err((setting, why)) = wallets.domain_association() {
            reader.refuse(&setting, &why);
        }
        wallets
    }

    /// What wallet B reads at this domain, so that its button may be shown here, from its file.
    ///
    /// # Errors
    /// The setting, when the file can't be read.
    pub fn domain_association(&self) -> Result<Option<String>, Problem> {
        public_content(DOMAIN_ASSOCIATION, self.b.domain_association.as_ref())
    }

    /// Whether wallet B is set up here.
    pub fn has_wallet_b(&self) -> bool {
        !self.b.is_absent()
    }

    /// The keys, from their files.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub fn keys(&self, mode: Mode) -> Result<WalletKeys, Problem> {
        Ok(WalletKeys {
            a: self.a.keys(mode)?.map(Arc::new),
            b: self.b.keys()?.map(Arc::new),
        })
    }
}

impl SectionA {
    /// `None` when nothing is set up.
    fn keys(&self, mode: Mode) -> Result<Option<WalletA>, Problem> {
        if self.gateway_id.is_none() && self.private_keys.is_empty() && self.root_keys.is_none() {
            return Ok(None);
        }
        let mut text = WalletAText {
            gateway_id: self.gateway_id.clone(),
            ..WalletAText::default()
        };
        for file in &self.private_keys {
            text.private_keys
                .push(content("wallets.a.private_keys", file)?);
        }
        text.root_keys = public_content("wallets.a.root_keys", self.root_keys.as_ref())?;
        WalletA::read(&text, mode)
            .map(Some)
            .map_err(|problems| first("wallets.a", problems))
    }
}

impl SectionB {
    fn is_absent(&self) -> bool {
        let pairs = [&self.processing, &self.rsa_processing, &self.identity];
        self.merchant_identifier.is_none()
            && self.root_certificates.is_none()
            && pairs
                .iter()
                .all(|pair| pair.certificate.is_none() && pair.key.is_none())
    }

    /// `None` when nothing is set up.
    fn keys(&self) -> Result<Option<WalletB>, Problem> {
        if self.is_absent() {
            let hosts = WalletB::hosts(&self.validation_hosts);
            return hosts
                .map(|_| None)
                .map_err(|problem| named("wallets.b", problem));
        }
        let text = WalletBText {
            merchant_identifier: self.merchant_identifier.clone(),
            processing: self.processing.content("processing")?,
            rsa_processing: self.rsa_processing.content("rsa_processing")?,
            root_certificates: public_content(
                "wallets.b.root_certificates",
                self.root_certificates.as_ref(),
            )?,
            signature_max_age: self.signature_max_age,
            identity: self.identity.content("identity")?,
            validation_hosts: self.validation_hosts.clone(),
        };
        WalletB::read(&text)
            .map(Some)
            .map_err(|problems| first("wallets.b", problems))
    }
}

impl Pair {
    /// The texts of the two files, which come together.
    fn content(&self, what: &str) -> Result<Option<KeyPair>, Problem> {
        let name = |which: &str| format!("wallets.b.{what}_{which}");
        match (&self.certificate, &self.key) {
            (None, None) => Ok(None),
            (Some(_), None) => Err((
                name("key"),
                format!("is required with {}", name("certificate")),
            )),
            (None, Some(_)) => Err((
                name("certificate"),
                format!("is required with {}", name("key")),
            )),
            (Some(certificate), Some(key)) => Ok(Some(KeyPair {
                certificate: content(&name("certificate"), certificate)?.to_string(),
                key: content(&name("key"), key)?,
            })),
        }
    }
}

/// The first problem: the others are found when it is mended.
fn first(section: &str, problems: Vec<KeyProblem>) -> Problem {
    let none = || (section.to_owned(), "can't be used".to_owned());
    let first = problems.into_iter().next();
    first.map_or_else(none, |problem| named(section, problem))
}

fn named(section: &str, problem: KeyProblem) -> Problem {
    let entry = problem
        .entry
        .map(|entry| format!("[{entry}]"))
        .unwrap_or_default();
    (
        format!("{section}.{}{entry}", problem.setting),
        problem.reason,
    )
}

fn public_content(setting: &str, file: Option<&PathBuf>) -> Result<Option<String>, Problem> {
    file.map(|file| content(setting, file).map(|text| text.to_string()))
        .transpose()
}

/// The text of a file.
fn content(setting: &str, file: &PathBuf) -> Result<SecretText, Problem> {
    let refused = |why: &str| (setting.to_owned(), format!("{}: {why}", file.display()));
    let known =
        std::fs::metadata(file).map_err(|error| refused(&format!("can't be read: {error}")))?;
    if !known.is_file() || known.len() > FILE_MAX {
        return Err(refused("is no file of at most 256 KiB"));
    }
    let text = std::fs::read_to_string(file)
        .map_err(|error| refused(&format!("can't be read: {error}")))?;
    Ok(SecretText::new(text))
}
