//! Who we are to others: a certificate with its private key.

use std::sync::Arc;

use rustls::{
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    sign::{CertifiedKey, SingleCertAndKey},
};

/// A certificate with its private key. It has no `Debug`, and shows nothing of the key.
#[derive(Clone)]
pub struct Identity(pub(crate) Arc<SingleCertAndKey>);

/// Why a certificate and a key are no identity, as a clause about the one or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// No certificate in the text.
    #[error("must be PEM with a certificate")]
    Certificate,
    /// No private key in the text, or an encrypted one.
    #[error("must be PEM with a private key that is not encrypted (PKCS#8, SEC1 or PKCS#1)")]
    Key,
    /// A kind of key that TLS does not use here.
    #[error("must be an ECDSA key (P-256, P-384) or an RSA key of 2048 to 8192 bits")]
    Kind,
    /// The certificate has another public key.
    #[error("must belong to its certificate")]
    Mismatch,
}

impl Identity {
    /// Reads a certificate, perhaps followed by those that lead to its root, and its key; both PEM.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, IdentityError> {
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(certificate.as_bytes()).collect();
        let chain = chain
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or(IdentityError::Certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|_| IdentityError::Key)?;
        let key = ring::sign::any_supported_type(&key).map_err(|_| IdentityError::Kind)?;
        let certified = CertifiedKey::new(chain, key);
        match certified.keys_match() {
            Ok(()) => Ok(Self(Arc::new(SingleCertAndKey::from(certified)))),
            Err(rustls::Error::InvalidCertificate(_)) => Err(IdentityError::Certificate),
            Err(_) => Err(IdentityError::Mismatch),
        }
    }
}
