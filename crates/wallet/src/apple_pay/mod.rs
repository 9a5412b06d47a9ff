//! Wallet B: Apple Pay.
//!
//! A token is signed by Apple with a certificate that leads to Apple's root, and encrypted to the merchant's processing
//! certificate: by key agreement (`EC_v1`) or by a wrapped key (`RSA_v1`).
//!
//! Source: "Payment token format reference", developer.apple.com/documentation/passkit.

mod ber;
mod blinding;
mod certificate;
mod keys;
mod payload;
mod roots;
mod sealed;
mod signature;

use domain::Timestamp;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::{KeyError, NetworkToken, WalletError, field};
use keys::Private;

pub use keys::ProcessingKey;
pub use roots::RootCertificates;
pub use signature::SignatureAge;

/// Largest `data`. Unit: bytes.
const DATA_MAX: usize = 16 * 1024;
/// Largest `signature`, certificates included; real ones have about three thousand. The parsers sort sets in quadratic
/// time, so this bounds their work too. Unit: bytes.
const SIGNATURE_MAX: usize = 8 * 1024;

/// A merchant as the recipient of tokens: who it is, what it can open and whom it trusts.
pub struct Merchant {
    /// SHA-256 of the merchant's identifier.
    id: [u8; 32],
    keys: Vec<ProcessingKey>,
    roots: RootCertificates,
    age: SignatureAge,
}

/// The fields of a token, bounded and decoded.
struct Token {
    version: Version,
    data: Vec<u8>,
    signature: Vec<u8>,
    /// The ephemeral public key of `EC_v1`, the wrapped key of `RSA_v1`.
    key: Vec<u8>,
    public_key_hash: Vec<u8>,
    transaction_id: Vec<u8>,
    /// SHA-256 of the application's own data, where there are any.
    application_data: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Version {
    Elliptic,
    Rsa,
}

impl Merchant {
    /// A merchant with its processing keys (several while they are rotated, and of both kinds) and the trusted roots.
    /// Errors: `Identifier`, `Empty` without a key, `Merchant` for a key whose certificate names another merchant.
    pub fn new(
        merchant_identifier: &str,
        keys: Vec<ProcessingKey>,
        roots: RootCertificates,
        age: SignatureAge,
    ) -> Result<Self, KeyError> {
        if merchant_identifier.is_empty() || merchant_identifier.chars().count() > 255 {
            return Err(KeyError::Identifier);
        }
        if keys.is_empty() {
            return Err(KeyError::Empty);
        }
        let id: [u8; 32] = Sha256::digest(merchant_identifier).into();
        if keys
            .iter()
            .any(|key| key.merchant.is_some_and(|named| named != id))
        {
            return Err(KeyError::Merchant);
        }
        Ok(Self {
            id,
            keys,
            roots,
            age,
        })
    }

    /// Opens a token at the time `now`. It may be given as an object or as its text, and as the token's `paymentData`,
    /// as the token, or as the payment that holds the token.
    ///
    /// Errors: every one but those of wallet A's keys; the first check that fails tells.
    pub fn open(&self, token: &Value, now: Timestamp) -> Result<NetworkToken, WalletError> {
        let object = field::object(token)?;
        let token = Token::read(payment_data(&object)?)?;
        let key = self.key(&token)?;
        signature::verify(
            &token.signature,
            &token.signed(),
            &self.roots,
            self.age,
            now,
        )?;
        // Lower case whatever the token had, so that one token has one identity.
        let transaction_id = hex::encode(&token.transaction_id);
        payload::read(&self.decrypt(key, token)?, transaction_id)
    }

    /// The key that the token says it was encrypted for. Errors: `Version` without any key of its kind, `Key`.
    fn key(&self, token: &Token) -> Result<&Private, WalletError> {
        let of_kind = |key: &&ProcessingKey| {
            matches!(
                (token.version, &key.private),
                (Version::Elliptic, Private::Elliptic(_)) | (Version::Rsa, Private::Rsa(_))
            )
        };
        if !self.keys.iter().any(|key| of_kind(&key)) {
            return Err(WalletError::Version);
        }
        let named = |key: &&ProcessingKey| key.public_key_hash.as_slice() == token.public_key_hash;
        let found = self.keys.iter().filter(of_kind).find(named);
        found.map(|key| &key.private).ok_or(WalletError::Key)
    }

    fn decrypt(&self, key: &Private, token: Token) -> Result<Zeroizing<Vec<u8>>, WalletError> {
        match key {
            Private::Elliptic(key) => sealed::open_elliptic(key, &token.key, &self.id, token.data),
            Private::Rsa(key) => sealed::open_rsa(key, &token.key, token.data),
        }
    }
}

impl Token {
    fn read(data: &Map<String, Value>) -> Result<Self, WalletError> {
        let (version, key, key_max) = match field::text(data, "version", 16)? {
            "EC_v1" => (Version::Elliptic, "ephemeralPublicKey", 128),
            "RSA_v1" => (Version::Rsa, "wrappedKey", 512),
            _ => return Err(WalletError::Version),
        };
        let header = data
            .get("header")
            .and_then(Value::as_object)
            .ok_or(WalletError::Field("header"))?;
        let application_data = match header.get("applicationData") {
            None | Some(Value::Null) => Vec::new(),
            Some(_) => field::hex(header, "applicationData", 32)?,
        };
        Ok(Self {
            version,
            data: field::bytes(data, "data", DATA_MAX)?,
            signature: field::bytes(data, "signature", SIGNATURE_MAX)?,
            key: field::bytes(header, key, key_max)?,
            public_key_hash: field::bytes(header, "publicKeyHash", 32)?,
            transaction_id: field::hex(header, "transactionId", 64)?,
            application_data,
        })
    }

    /// What is signed.
    fn signed(&self) -> Vec<u8> {
        [
            &self.key,
            &self.data,
            &self.transaction_id,
            &self.application_data,
        ]
        .into_iter()
        .flatten()
        .copied()
        .collect()
    }
}

/// The object with `version`, down the ways in which shops hand a token on. Errors: `Field`.
fn payment_data(token: &Map<String, Value>) -> Result<&Map<String, Value>, WalletError> {
    let token = token
        .get("token")
        .and_then(Value::as_object)
        .unwrap_or(token);
    match token.get("paymentData") {
        None => Ok(token),
        Some(data) => data.as_object().ok_or(WalletError::Field("paymentData")),
    }
}
