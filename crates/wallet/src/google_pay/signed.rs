//! Who signed a token: the intermediate key and the message.

use domain::Timestamp;
use p256::ecdsa::{Signature, VerifyingKey, signature::Verifier as _};
use serde_json::{Map, Value};

use super::{MESSAGE_MAX, Protocol, RootKeys, roots::public_key};
use crate::{WalletError, field};

/// Who sends, as it is part of what is signed.
const SENDER: &str = "Google";
/// Largest signature: two integers of 33 bytes in DER. Unit: bytes.
const SIGNATURE_MAX: usize = 80;
/// Most signatures that an intermediate key may come with.
const SIGNATURES_MAX: usize = 16;

/// Whose signature a message must have.
pub(super) enum Signer<'a> {
    /// Any current root key's.
    Roots(&'a RootKeys),
    /// That of the intermediate key, which a root key vouched for.
    Intermediate(Box<VerifyingKey>),
}

/// The intermediate key of a token, when a current root key signed it and it has not expired.
/// Errors: `Field`, `TooLarge`, `Version`, `SigningKey`, `SigningKeyExpired`.
pub(super) fn intermediate<'a>(
    token: &Map<String, Value>,
    roots: &'a RootKeys,
    now: Timestamp,
) -> Result<Signer<'a>, WalletError> {
    const FIELD: &str = "intermediateSigningKey";
    let given = token
        .get(FIELD)
        .and_then(Value::as_object)
        .ok_or(WalletError::Field(FIELD))?;
    let signed_key = field::text(given, "signedKey", 4096)?;
    let signatures = signatures(given)?;
    if !roots.knows(Protocol::EcV2) {
        return Err(WalletError::Version);
    }
    let signed = signed_string(&[SENDER, Protocol::EcV2.name(), signed_key]);
    let mut keys = roots.current(Protocol::EcV2, now);
    if !keys.any(|root| {
        signatures
            .iter()
            .any(|signature| root.verify(&signed, signature).is_ok())
    }) {
        return Err(WalletError::SigningKey);
    }
    let key = field::object_in(signed_key, 4096).map_err(|_| WalletError::Field("signedKey"))?;
    let expires_at = key
        .get("keyExpiration")
        .and_then(field::time)
        .ok_or(WalletError::Field("keyExpiration"))?;
    if expires_at <= now {
        return Err(WalletError::SigningKeyExpired);
    }
    let public =
        public_key(&field::bytes(&key, "keyValue", 256)?).ok_or(WalletError::Field("keyValue"))?;
    Ok(Signer::Intermediate(Box::new(public)))
}

/// Checks the signature of the message for this recipient. Errors: `Field`, `Version`, `Signature`.
pub(super) fn verify_message(
    token: &Map<String, Value>,
    protocol: Protocol,
    recipient: &str,
    signer: &Signer<'_>,
    now: Timestamp,
) -> Result<(), WalletError> {
    let signature = field::bytes(token, "signature", SIGNATURE_MAX)?;
    let signature = Signature::from_der(&signature).map_err(|_| WalletError::Field("signature"))?;
    let text = field::text(token, "signedMessage", MESSAGE_MAX)?;
    let message = signed_string(&[SENDER, recipient, protocol.name(), text]);
    let verified = match signer {
        Signer::Intermediate(key) => key.verify(&message, &signature).is_ok(),
        Signer::Roots(roots) if !roots.knows(protocol) => return Err(WalletError::Version),
        Signer::Roots(roots) => roots
            .current(protocol, now)
            .any(|root| root.verify(&message, &signature).is_ok()),
    };
    if verified {
        Ok(())
    } else {
        Err(WalletError::Signature)
    }
}

fn signatures(given: &Map<String, Value>) -> Result<Vec<Signature>, WalletError> {
    const FIELD: &str = "signatures";
    let listed = given
        .get(FIELD)
        .and_then(Value::as_array)
        .ok_or(WalletError::Field(FIELD))?;
    if listed.is_empty() || listed.len() > SIGNATURES_MAX {
        return Err(WalletError::Field(FIELD));
    }
    let read = |value: &Value| {
        let bytes = field::base64(
            value
                .as_str()
                .filter(|text| text.len() <= SIGNATURE_MAX.saturating_mul(2))?,
        )?;
        Signature::from_der(&bytes).ok()
    };
    listed
        .iter()
        .map(|value| read(value).ok_or(WalletError::Field(FIELD)))
        .collect()
}

/// The bytes that Google signs: each part behind its length, four bytes, the lowest first.
fn signed_string(parts: &[&str]) -> Vec<u8> {
    let mut signed = Vec::new();
    for part in parts {
        // Every part has been bounded far below 4 GiB.
        signed.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        signed.extend(part.as_bytes());
    }
    signed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_behind_their_lengths() {
        assert_eq!(
            signed_string(&["Google", "", "é"]),
            b"\x06\0\0\0Google\0\0\0\0\x02\0\0\0\xc3\xa9"
        );
    }
}
