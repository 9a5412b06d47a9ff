//! Which certificates of a server are trusted.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    CertificateError, ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
    client::{
        WantsClientCert, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
};

use tokio_postgres::{Socket, tls::MakeTlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::DbError;

/// The driver's way to TLS. It asks for it, with an empty name, also of a socket of the same machine, which it then speaks plainly to.
#[derive(Clone)]
pub(crate) struct Tls(MakeRustlsConnect);

impl Tls {
    pub(crate) fn new(settings: ClientConfig) -> Self {
        Self(MakeRustlsConnect::new(settings))
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;
    type TlsConnect = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
    type Error = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Error;

    fn make_tls_connect(&mut self, name: &str) -> Result<Self::TlsConnect, Self::Error> {
        let name = if name.is_empty() { "localhost" } else { name };
        MakeTlsConnect::<Socket>::make_tls_connect(&mut self.0, name)
    }
}

/// Whom we believe to be the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Any server: what is said is encrypted, no more.
    Anyone,
    /// Any server with a certificate of an authority that is trusted, under any name.
    Authority,
    /// A server with one for the very name that we speak to.
    AuthorityAndName,
}

/// A certificate that says who we are, PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl ClientFiles {
    fn read(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), DbError> {
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unreadable("sslcert", &self.certificate, &error))?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| unreadable("sslkey", &self.key, &error))?;
        Ok((chain, key))
    }
}

fn unreadable(parameter: &str, file: &Path, why: &dyn std::fmt::Display) -> DbError {
    DbError::Address(format!("{parameter} {}: {why}", file.display()))
}

/// The last step: who we are.
fn known_as(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    client: Option<&ClientFiles>,
) -> Result<ClientConfig, DbError> {
    let Some(files) = client else {
        return Ok(builder.with_no_client_auth());
    };
    let (chain, key) = files.read()?;
    builder
        .with_client_auth_cert(chain, key)
        .map_err(|error| unreadable("sslcert", &files.certificate, &error))
}

/// The settings of TLS. The system's authorities are trusted when no file with some is given.
pub(crate) fn settings(
    trust: Trust,
    roots: Option<&Path>,
    client: Option<&ClientFiles>,
) -> Result<ClientConfig, DbError> {
    let provider = Arc::new(ring::default_provider());
    let failed =
        |error: &dyn std::fmt::Display| DbError::Storage(format!("TLS can't be set up: {error}"));
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    let mut settings = match trust {
        Trust::AuthorityAndName => {
            known_as(builder.with_root_certificates(authorities(roots)?), client)?
        }
        Trust::Authority | Trust::Anyone => {
            let authority = match trust {
                Trust::Anyone => None,
                Trust::Authority | Trust::AuthorityAndName => Some(
                    WebPkiServerVerifier::builder_with_provider(
                        Arc::new(authorities(roots)?),
                        Arc::clone(&provider),
                    )
                    .build()
                    .map_err(|error| failed(&error))?,
                ),
            };
            let lenient = Arc::new(Lenient {
                authority,
                provider,
            });
            known_as(
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(lenient),
                client,
            )?
        }
    };
    settings.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(settings)
}

fn authorities(file: Option<&Path>) -> Result<RootCertStore, DbError> {
    let mut store = RootCertStore::empty();
    let Some(file) = file else {
        let found = rustls_native_certs::load_native_certs();
        store.add_parsable_certificates(found.certs);
        return Ok(store);
    };
    let name = "sslrootcert";
    let found =
        CertificateDer::pem_file_iter(file).map_err(|error| unreadable(name, file, &error))?;
    for certificate in found {
        let certificate = certificate.map_err(|error| unreadable(name, file, &error))?;
        store
            .add(certificate)
            .map_err(|error| unreadable(name, file, &error))?;
    }
    if store.is_empty() {
        Err(unreadable(name, file, &"it holds no certificate"))
    } else {
        Ok(store)
    }
}

/// Checks less than the whole, as the operator asked for.
#[derive(Debug)]
struct Lenient {
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else {
            return Ok(ServerCertVerified::assertion());
        };
        match authority.verify_server_cert(certificate, between, name, ocsp, now) {
            // The name is looked at last, after the chain.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
