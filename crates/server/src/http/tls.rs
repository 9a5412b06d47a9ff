//! TLS of the public listener: a certificate and its key from files, read again when they change.
//!
//! The files are looked at again and again instead of being watched: certificates are often exchanged by renaming a
//! directory or a link, which a watcher of the file would not see. What can't be used is logged, and the certificate from
//! before goes on being served.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::{Mutex, RwLock};
use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;
use world::World;
use x509_cert::der::Decode;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// What is wrong with the files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// A file can't be read.
    #[error("{0}: {1}")]
    File(PathBuf, String),
    /// A file holds nothing of what it is for.
    #[error("{0}: it holds no {1} in PEM")]
    Empty(PathBuf, &'static str),
    /// Each file is good; the two are not of one pair.
    #[error("the private key in {key} does not belong to the certificate in {certificate}")]
    Mismatch {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
    /// Certificate or key are of a kind that is not supported.
    #[error(
        "the certificate in {certificate} and the private key in {key} can't be used: {reason}"
    )]
    Unusable {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// What the TLS library says.
        reason: String,
    },
}

/// The certificate that is served now.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: RwLock<Arc<ServerConfig>>,
    /// Of the files that were read last, whether they could be used or not.
    seen: Mutex<[u8; 32]>,
}

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let (certificate, key) = (certificate.to_owned(), key.to_owned());
        let files = Files::read(&certificate, &key)?;
        let config = files.config(&certificate, &key)?;
        Ok(Self {
            certificate,
            key,
            config: RwLock::new(Arc::new(config)),
            seen: Mutex::new(files.digest()),
        })
    }

    /// Takes a handshake with the certificate of now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.config.read()))
    }

    /// Reads the files again from time to time.
    pub fn keep_up(self: &Arc<Self>, world: &World) {
        let (tls, clock) = (Arc::clone(self), world.clone());
        world.spawn(async move {
            loop {
                clock.sleep(LOOK).await;
                let own = Arc::clone(&tls);
                let _ = clock.blocking(move || own.look()).await;
            }
        });
    }

    fn look(&self) {
        // A file that is missing for a moment is being exchanged; one that stays away is logged by its digest, once.
        let files = Files::read(&self.certificate, &self.key);
        let digest = files.as_ref().map_or([0; 32], Files::digest);
        if std::mem::replace(&mut *self.seen.lock(), digest) == digest {
            return;
        }
        match files.and_then(|files| files.config(&self.certificate, &self.key)) {
            Ok(config) => {
                *self.config.write() = Arc::new(config);
                tracing::info!("the certificate was read again and is served from now on");
            }
            Err(error) => {
                tracing::error!(%error, "the changed certificate can't be used; the one from before is served");
            }
        }
    }
}

struct Files {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Files {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let read = |path: &Path| {
            fs::read(path).map_err(|error| TlsError::File(path.to_owned(), error.to_string()))
        };
        Ok(Self {
            certificate: read(certificate)?,
            key: read(key)?,
        })
    }

    fn digest(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(&self.certificate);
        hasher.update(&self.key);
        hasher.finalize().into()
    }

    fn config(&self, certificate: &Path, key: &Path) -> Result<ServerConfig, TlsError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::File(certificate.to_owned(), error.to_string()))?;
        let Some(first) = chain.first() else {
            return Err(TlsError::Empty(certificate.to_owned(), "certificate"));
        };
        let end = end_of(first);
        let secret = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| TlsError::Empty(key.to_owned(), "private key"))?;
        let (certificate, key) = (certificate.to_owned(), key.to_owned());
        let unusable = |error: rustls::Error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => TlsError::Mismatch {
                certificate: certificate.clone(),
                key: key.clone(),
            },
            other => TlsError::Unusable {
                certificate: certificate.clone(),
                key: key.clone(),
                reason: other.to_string(),
            },
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        if let Some(end) = end {
            metrics::gauge!("pointsman_tls_certificate_expiry_timestamp_seconds")
                .set(Duration::from_secs(end).as_secs_f64());
        }
        Ok(config)
    }
}

/// When a certificate ends, in seconds since 1970.
fn end_of(certificate: &CertificateDer<'_>) -> Option<u64> {
    let read = x509_cert::Certificate::from_der(certificate).ok()?;
    let end = read.tbs_certificate.validity.not_after.to_unix_duration();
    Some(end.as_secs())
}
