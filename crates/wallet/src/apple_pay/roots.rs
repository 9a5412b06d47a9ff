//! The root certificates that payment tokens must lead to.

use der::Decode as _;
use rustls_pki_types::pem::SectionKind;
use x509_cert::Certificate;

use crate::{KeyError, pem};

/// Apple's root for payment tokens, valid until 2039-04-30. SHA-256 of the certificate:
/// 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179.
///
/// Source: www.apple.com/certificateauthority, "Apple Root CA - G3 Root".
const APPLE_ROOT_CA_G3: &str = include_str!("apple_root_ca_g3.pem");

/// Root certificates; a token's chain must lead to one of them.
pub struct RootCertificates(Vec<Certificate>);

impl RootCertificates {
    /// Reads all certificates of a PEM text. Errors: `NoCertificate`, `Malformed`.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let blocks = pem::blocks(text, SectionKind::Certificate)?;
        if blocks.is_empty() {
            return Err(KeyError::NoCertificate);
        }
        let read = |block: &zeroize::Zeroizing<Vec<u8>>| {
            Certificate::from_der(block).map_err(|_| KeyError::Malformed)
        };
        blocks.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Apple's own: Apple Root CA - G3. Errors: none in practice.
    pub fn apple() -> Result<Self, KeyError> {
        Self::from_pem(APPLE_ROOT_CA_G3)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Certificate> {
        self.0.iter()
    }
}
