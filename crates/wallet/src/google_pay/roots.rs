//! Google's root keys, as Google publishes them.

use domain::Timestamp;
use p256::{ecdsa::VerifyingKey, pkcs8::DecodePublicKey as _};
use serde_json::{Map, Value};

use super::Protocol;
use crate::{KeyError, field};

/// Largest document of root keys. Unit: bytes.
const DOCUMENT_MAX: usize = 64 * 1024;

/// Google's root key for tokens of its TEST environment, which hold test cards; valid until 2038-04-14.
///
/// Source: payments.developers.google.com/paymentmethodtoken/test/keys.json.
const GOOGLE_TEST_ROOT_KEYS: &str = include_str!("google_test_root_keys.json");

/// The keys that Google signs with, each for one version of the protocol.
pub struct RootKeys(Vec<RootKey>);

struct RootKey {
    protocol: Protocol,
    key: VerifyingKey,
    /// `None`: never.
    expires_at: Option<Timestamp>,
}

impl RootKeys {
    /// Reads `{"keys": [{keyValue, protocolVersion, keyExpiration}]}`: P-256 public keys as base64 of their DER, times in
    /// milliseconds since the epoch. Keys of other versions are left out, since Google publishes those in the same place.
    /// Errors: `RootKeys` (a key of `ECv2` without `keyExpiration` too), `Empty`.
    pub fn from_json(text: &str) -> Result<Self, KeyError> {
        let document = field::object_in(text, DOCUMENT_MAX).map_err(|_| KeyError::RootKeys)?;
        let listed = document
            .get("keys")
            .and_then(Value::as_array)
            .ok_or(KeyError::RootKeys)?;
        let mut keys = Vec::new();
        for entry in listed {
            let entry = entry.as_object().ok_or(KeyError::RootKeys)?;
            keys.extend(root_key(entry)?);
        }
        if keys.is_empty() {
            Err(KeyError::Empty)
        } else {
            Ok(Self(keys))
        }
    }

    /// Google's own for its TEST environment (`ECv2`). Never for real money. Errors: none in practice.
    pub fn google_test() -> Result<Self, KeyError> {
        Self::from_json(GOOGLE_TEST_ROOT_KEYS)
    }

    /// The keys of one version of the protocol that have not expired.
    pub(super) fn current(
        &self,
        protocol: Protocol,
        now: Timestamp,
    ) -> impl Iterator<Item = &VerifyingKey> {
        let is_current =
            move |root: &&RootKey| root.expires_at.is_none_or(|expires_at| now < expires_at);
        self.0
            .iter()
            .filter(move |root| root.protocol == protocol)
            .filter(is_current)
            .map(|root| &root.key)
    }

    /// Whether there is any key of the version, expired ones included.
    pub(super) fn knows(&self, protocol: Protocol) -> bool {
        self.0.iter().any(|root| root.protocol == protocol)
    }
}

fn root_key(entry: &Map<String, Value>) -> Result<Option<RootKey>, KeyError> {
    let version = field::text(entry, "protocolVersion", 32).map_err(|_| KeyError::RootKeys)?;
    let Some(protocol) = Protocol::parse(version) else {
        return Ok(None);
    };
    let key = field::bytes(entry, "keyValue", 256)
        .ok()
        .and_then(|bytes| public_key(&bytes));
    let expires_at = match (entry.get("keyExpiration"), protocol) {
        (None, Protocol::EcV1) => None,
        (None, Protocol::EcV2) => return Err(KeyError::RootKeys),
        (Some(time), _) => Some(field::time(time).ok_or(KeyError::RootKeys)?),
    };
    Ok(Some(RootKey {
        protocol,
        key: key.ok_or(KeyError::RootKeys)?,
        expires_at,
    }))
}

/// A P-256 public key from its `SubjectPublicKeyInfo`.
pub(super) fn public_key(der: &[u8]) -> Option<VerifyingKey> {
    VerifyingKey::from_public_key_der(der).ok()
}
