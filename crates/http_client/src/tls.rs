//! Whose certificates are trusted.

use std::sync::{Arc, OnceLock};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::Identity;

/// The system's authorities, and those that were configured besides. The system's are read at the first call, since that
/// takes longer than a start may.
pub(crate) struct Trust {
    further: Vec<CertificateDer<'static>>,
    roots: OnceLock<Arc<RootCertStore>>,
}

/// The configured root certificates can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be PEM with certificates of authorities")]
pub struct TrustError;

impl Trust {
    /// `further`: PEM with authorities that are trusted besides the system's.
    pub(crate) fn new(further: Option<&str>) -> Result<Self, TrustError> {
        let read: Result<Vec<_>, _> = further.map_or(Ok(Vec::new()), |text| {
            CertificateDer::pem_slice_iter(text.as_bytes()).collect()
        });
        let found = read.map_err(|_| TrustError)?;
        let mut store = RootCertStore::empty();
        let usable = found
            .iter()
            .all(|certificate| store.add(certificate.clone()).is_ok());
        if !usable || (further.is_some() && found.is_empty()) {
            return Err(TrustError);
        }
        Ok(Self {
            further: found,
            roots: OnceLock::new(),
        })
    }

    /// The settings of a connection, with the certificate of `identity`.
    pub(crate) fn settings(
        &self,
        identity: Option<&Identity>,
    ) -> Result<ClientConfig, rustls::Error> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(self.roots());
        let mut settings = match identity {
            Some(identity) => builder.with_client_cert_resolver(identity.0.clone()),
            None => builder.with_no_client_auth(),
        };
        settings.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(settings)
    }

    fn roots(&self) -> Arc<RootCertStore> {
        let read = || {
            let mut store = RootCertStore::empty();
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            store.add_parsable_certificates(self.further.iter().cloned());
            Arc::new(store)
        };
        Arc::clone(self.roots.get_or_init(read))
    }
}
