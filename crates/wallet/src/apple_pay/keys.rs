//! The merchant's processing keys, which payment tokens are encrypted for.

use der::{Decode as _, Encode as _, asn1::Utf8StringRef};
use p256::pkcs8::{DecodePrivateKey as _, EncodePublicKey as _};
use rsa::{RsaPrivateKey, pkcs1::DecodeRsaPrivateKey as _};
use rustls_pki_types::pem::SectionKind;
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate;

use super::certificate::{MERCHANT_MARK, extension, rsa_size_fits};
use crate::{KeyError, pem};

/// A processing certificate with its private key, which is wiped when dropped.
pub struct ProcessingKey {
    /// SHA-256 of the certificate's public key: how a token tells which key it was encrypted for.
    pub(super) public_key_hash: [u8; 32],
    /// SHA-256 of the merchant's identifier, where the certificate names it.
    pub(super) merchant: Option<[u8; 32]>,
    pub(super) private: Private,
}

/// A private key of either kind.
pub(super) enum Private {
    /// For `EC_v1`.
    Elliptic(p256::SecretKey),
    /// For `RSA_v1`.
    Rsa(Box<RsaPrivateKey>),
}

impl ProcessingKey {
    /// Reads a certificate and its private key, each the first of its PEM text: P-256 for `EC_v1`, RSA for `RSA_v1`;
    /// PKCS#8, SEC1 or PKCS#1. Errors: `NoCertificate`, `NoKey`, `Malformed`, `Kind`, `Mismatch`.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, KeyError> {
        let block =
            pem::block(certificate, SectionKind::Certificate)?.ok_or(KeyError::NoCertificate)?;
        let certificate = Certificate::from_der(&block).map_err(|_| KeyError::Malformed)?;
        let public = certificate
            .tbs_certificate
            .subject_public_key_info
            .to_der()
            .map_err(|_| KeyError::Malformed)?;
        let private = private(key)?;
        if private.public()? != public {
            return Err(KeyError::Mismatch);
        }
        Ok(Self {
            public_key_hash: Sha256::digest(&public).into(),
            merchant: merchant(&certificate)?,
            private,
        })
    }
}

impl Private {
    /// The public key as `SubjectPublicKeyInfo`.
    fn public(&self) -> Result<Vec<u8>, KeyError> {
        let document = match self {
            Self::Elliptic(key) => key.public_key().to_public_key_der(),
            Self::Rsa(key) => key.to_public_key().to_public_key_der(),
        };
        document
            .map(|document| document.as_bytes().to_vec())
            .map_err(|_| KeyError::Kind)
    }
}

fn private(text: &str) -> Result<Private, KeyError> {
    let elliptic = |key: p256::SecretKey| Private::Elliptic(key);
    if let Some(block) = pem::block(text, SectionKind::PrivateKey)? {
        let key = p256::SecretKey::from_pkcs8_der(&block).map(elliptic).ok();
        return key
            .or_else(|| rsa_key(RsaPrivateKey::from_pkcs8_der(&block).ok()))
            .ok_or(KeyError::Kind);
    }
    if let Some(block) = pem::block(text, SectionKind::EcPrivateKey)? {
        return p256::SecretKey::from_sec1_der(&block)
            .map(elliptic)
            .map_err(|_| KeyError::Kind);
    }
    let block = pem::block(text, SectionKind::RsaPrivateKey)?.ok_or(KeyError::NoKey)?;
    rsa_key(RsaPrivateKey::from_pkcs1_der(&block).ok()).ok_or(KeyError::Kind)
}

fn rsa_key(key: Option<RsaPrivateKey>) -> Option<Private> {
    key.filter(rsa_size_fits)
        .map(|key| Private::Rsa(Box::new(key)))
}

/// The hash of the merchant's identifier, as Apple writes it into the certificates that it issues: in hexadecimal.
fn merchant(certificate: &Certificate) -> Result<Option<[u8; 32]>, KeyError> {
    let Some(content) = extension(certificate, MERCHANT_MARK) else {
        return Ok(None);
    };
    let mut hash = [0; 32];
    let text = Utf8StringRef::from_der(content).map_err(|_| KeyError::Malformed)?;
    hex::decode_to_slice(text.as_str(), &mut hash).map_err(|_| KeyError::Malformed)?;
    Ok(Some(hash))
}
