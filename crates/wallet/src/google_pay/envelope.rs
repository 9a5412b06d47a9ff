//! The encrypted message: ECIES-KEM with P-256, HKDF-SHA256, AES in counter mode and HMAC-SHA256.

use aes::{
    Aes128, Aes256,
    cipher::{KeyIvInit, StreamCipher},
};
use ctr::Ctr128BE;
use hkdf::Hkdf;
use hmac::{Hmac, Mac as _};
use p256::{PublicKey, SecretKey, ecdh};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{MESSAGE_MAX, Protocol, RecipientKey};
use crate::{WalletError, field};

/// An uncompressed point of P-256. Unit: bytes.
const POINT: usize = 65;
/// An HMAC-SHA256. Unit: bytes.
const TAG: usize = 32;

/// Decrypts a message whose signature has been verified, with the first key that its MAC fits.
/// Errors: `Field`, `TooLarge`, `Key` when none fits.
pub(super) fn open(
    signed_message: &str,
    protocol: Protocol,
    keys: &[RecipientKey],
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let envelope = field::object_in(signed_message, MESSAGE_MAX)
        .map_err(|_| WalletError::Field("signedMessage"))?;
    let encrypted = field::bytes(&envelope, "encryptedMessage", MESSAGE_MAX)?;
    let point = field::bytes(&envelope, "ephemeralPublicKey", POINT)?;
    let tag = field::bytes(&envelope, "tag", TAG)?;
    let ephemeral = PublicKey::from_sec1_bytes(&point)
        .ok()
        .filter(|_| point.len() == POINT);
    let ephemeral = ephemeral.ok_or(WalletError::Field("ephemeralPublicKey"))?;
    keys.iter()
        .find_map(|RecipientKey(key)| {
            let derived = derive(key, &ephemeral, &point, protocol)?;
            let (cipher_key, mac_key) = derived.split_at(derived.len() / 2);
            // Constant time, and before anything is decrypted.
            let mac = Hmac::<Sha256>::new_from_slice(mac_key)
                .ok()?
                .chain_update(&encrypted);
            mac.verify_slice(&tag).ok()?;
            let mut plain = Zeroizing::new(encrypted.clone());
            match protocol {
                Protocol::EcV1 => apply::<Ctr128BE<Aes128>>(cipher_key, &mut plain)?,
                Protocol::EcV2 => apply::<Ctr128BE<Aes256>>(cipher_key, &mut plain)?,
            }
            Some(plain)
        })
        .ok_or(WalletError::Key)
}

/// The key of the cipher and then the key of the MAC, of equal length.
fn derive(
    key: &SecretKey,
    ephemeral: &PublicKey,
    point: &[u8],
    protocol: Protocol,
) -> Option<Zeroizing<Vec<u8>>> {
    let shared = ecdh::diffie_hellman(key.to_nonzero_scalar(), ephemeral.as_affine());
    let mut material = Zeroizing::new(Vec::with_capacity(
        point.len().saturating_add(shared.raw_secret_bytes().len()),
    ));
    material.extend_from_slice(point);
    material.extend_from_slice(shared.raw_secret_bytes());
    let length = match protocol {
        Protocol::EcV1 => 32,
        Protocol::EcV2 => 64,
    };
    let mut derived = Zeroizing::new(vec![0; length]);
    Hkdf::<Sha256>::new(None, &material)
        .expand(b"Google", &mut derived)
        .ok()?;
    Some(derived)
}

/// Counter mode from zero: every key encrypts one message only.
fn apply<C: KeyIvInit + StreamCipher>(key: &[u8], text: &mut [u8]) -> Option<()> {
    C::new_from_slices(key, &[0; 16])
        .ok()?
        .try_apply_keystream(text)
        .ok()
}
