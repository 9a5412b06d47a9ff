//! Wallet A: Google Pay with tokenization type `PAYMENT_GATEWAY`.
//!
//! A token is signed by Google and encrypted to a key of the gateway. With `ECv2` a root key signs an intermediate key,
//! which signs the message; with `ECv1` a root key signs the message itself. The recipient, `gateway:` and the gateway's
//! id, is part of what is signed, so that a token for someone else does not verify here.
//!
//! Source: "Payment data cryptography for merchants", developers.google.com/pay/api/web/guides/resources/payment-data-cryptography.

mod envelope;
mod message;
mod roots;
mod signed;

use domain::Timestamp;
use p256::{SecretKey, pkcs8::DecodePrivateKey as _};
use rustls_pki_types::pem::SectionKind;
use serde_json::Value;

use crate::{KeyError, NetworkToken, WalletError, field, pem};

pub use roots::RootKeys;

/// Largest `signedMessage`. Unit: bytes.
const MESSAGE_MAX: usize = 32 * 1024;

/// The version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// A root key signs the message; keys of 128 bits.
    EcV1,
    /// A root key signs an intermediate key; keys of 256 bits.
    EcV2,
}

impl Protocol {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "ECv1" => Some(Self::EcV1),
            "ECv2" => Some(Self::EcV2),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::EcV1 => "ECv1",
            Self::EcV2 => "ECv2",
        }
    }
}

/// A private key of the gateway (P-256), which tokens are encrypted for. Wiped when dropped.
pub struct RecipientKey(SecretKey);

impl RecipientKey {
    /// Reads the first key of a PEM text, PKCS#8 or SEC1. Errors: `NoKey`, `Malformed`, `NotP256`.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        if let Some(block) = pem::block(text, SectionKind::PrivateKey)? {
            return SecretKey::from_pkcs8_der(&block)
                .map(Self)
                .map_err(|_| KeyError::NotP256);
        }
        let block = pem::block(text, SectionKind::EcPrivateKey)?.ok_or(KeyError::NoKey)?;
        SecretKey::from_sec1_der(&block)
            .map(Self)
            .map_err(|_| KeyError::NotP256)
    }
}

/// The gateway as the recipient of tokens: who it is, what it can open and whom it trusts.
pub struct Recipient {
    /// `gateway:` and the gateway's id, as it is part of what is signed.
    id: String,
    keys: Vec<RecipientKey>,
    roots: RootKeys,
}

impl Recipient {
    /// A gateway with its private keys (several while they are rotated) and Google's root keys.
    /// Errors: `Identifier` for the gateway's id, `Empty` without a key.
    pub fn new(
        gateway_id: &str,
        keys: Vec<RecipientKey>,
        roots: RootKeys,
    ) -> Result<Self, KeyError> {
        if gateway_id.is_empty() || gateway_id.chars().count() > 255 {
            return Err(KeyError::Identifier);
        }
        if keys.is_empty() {
            return Err(KeyError::Empty);
        }
        Ok(Self {
            id: format!("gateway:{gateway_id}"),
            keys,
            roots,
        })
    }

    /// Opens a token, given as an object or as its text, at the time `now`.
    ///
    /// `merchants` are the `gatewayMerchantId`s that are set up; when there are any, a token that names its merchant must
    /// name one of them. Errors: every one but those of certificates; the first check that fails tells.
    pub fn open(
        &self,
        token: &Value,
        merchants: &[String],
        now: Timestamp,
    ) -> Result<NetworkToken, WalletError> {
        let token = field::object(token)?;
        let protocol = Protocol::parse(field::text(&token, "protocolVersion", 32)?)
            .ok_or(WalletError::Version)?;
        let signed_message = field::text(&token, "signedMessage", MESSAGE_MAX)?;
        let signer = match protocol {
            Protocol::EcV1 => signed::Signer::Roots(&self.roots),
            Protocol::EcV2 => signed::intermediate(&token, &self.roots, now)?,
        };
        signed::verify_message(&token, protocol, &self.id, &signer, now)?;
        let plain = envelope::open(signed_message, protocol, &self.keys)?;
        message::read(&plain, merchants, now)
    }
}
