//! The encrypted part of a payment token.

use aes::{Aes128, Aes256};
use aes_gcm::{
    AesGcm, KeyInit,
    aead::{AeadInPlace, consts::U16, generic_array::GenericArray},
};
use p256::{PublicKey, SecretKey, ecdh, pkcs8::DecodePublicKey as _};
use rsa::{Oaep, RsaPrivateKey};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::blinding::Blinding;
use crate::WalletError;

/// Decrypts `data` of `EC_v1`: ephemeral P-256 key agreement, the single-step KDF of NIST SP 800-56A with SHA-256, and
/// AES-256-GCM. Errors: `Field` for the ephemeral key, `Sealed`.
pub(super) fn open_elliptic(
    key: &SecretKey,
    ephemeral: &[u8],
    merchant: &[u8; 32],
    data: Vec<u8>,
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let ephemeral = PublicKey::from_public_key_der(ephemeral)
        .map_err(|_| WalletError::Field("ephemeralPublicKey"))?;
    let shared = ecdh::diffie_hellman(key.to_nonzero_scalar(), ephemeral.as_affine());
    let mut kdf = Sha256::new();
    // The counter, the shared secret, and then who uses the key for what: algorithm, Apple, the merchant.
    kdf.update(1_u32.to_be_bytes());
    kdf.update(shared.raw_secret_bytes());
    kdf.update(b"\x0did-aes256-GCMApple");
    kdf.update(merchant);
    let derived = Zeroizing::new(<[u8; 32]>::from(kdf.finalize()));
    decrypt::<AesGcm<Aes256, U16>>(derived.as_slice(), data)
}

/// Decrypts `data` of `RSA_v1`: the key of AES-128-GCM is wrapped by RSA-OAEP with SHA-256.
/// Errors: `Sealed`, whichever of the two fails.
pub(super) fn open_rsa(
    key: &RsaPrivateKey,
    wrapped: &[u8],
    data: Vec<u8>,
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let mut blinding = Blinding::new(key, wrapped);
    let unwrapped = key
        .decrypt_blinded(&mut blinding, Oaep::new::<Sha256>(), wrapped)
        .map(Zeroizing::new)
        .map_err(|_| WalletError::Sealed)?;
    decrypt::<AesGcm<Aes128, U16>>(&unwrapped, data)
}

/// AES-GCM with a nonce of sixteen zeros: every key encrypts one token only.
fn decrypt<C: KeyInit + AeadInPlace<NonceSize = U16>>(
    key: &[u8],
    data: Vec<u8>,
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let cipher = C::new_from_slice(key).map_err(|_| WalletError::Sealed)?;
    let mut text = Zeroizing::new(data);
    cipher
        .decrypt_in_place(&GenericArray::default(), b"", &mut *text)
        .map_err(|_| WalletError::Sealed)?;
    Ok(text)
}
