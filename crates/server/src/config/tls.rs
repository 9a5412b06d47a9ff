//! `[server.tls]`: the certificate that the public listener serves.

use std::path::PathBuf;

use super::reader::Reader;

/// `[server.tls]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate with those between it and its authority, PEM.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
}

impl TlsFiles {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let certificate = reader.path("server.tls.certificate");
        let key = reader.path("server.tls.key");
        match (certificate, key) {
            (Some(certificate), Some(key)) => Some(Self { certificate, key }),
            (None, None) => None,
            (Some(_), None) => {
                reader.refuse("server.tls.certificate", "needs server.tls.key too");
                None
            }
            (None, Some(_)) => {
                reader.refuse("server.tls.key", "needs server.tls.certificate too");
                None
            }
        }
    }
}
