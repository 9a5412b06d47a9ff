//! Sealing: a data key for each number, itself sealed under a key-encryption key.

use aes_gcm_siv::{
    Aes256GcmSiv, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::id::{BlobId, TeamId};
use world::World;
use zeroize::Zeroizing;

use crate::{
    VaultError,
    keyring::{Key, Keyring},
};

/// Numbers are padded to this length, so that a sealed one doesn't tell its own. Longer than any that is accepted.
const PADDED: usize = 48;

/// Length of a nonce.
const NONCE: usize = 12;

/// What kind of number is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A card's.
    Card,
    /// A bank account's.
    Account,
}

impl Kind {
    /// The kind as it is stored.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Account => "account",
        }
    }
}

/// Where a number belongs; bound to what is sealed.
pub(crate) struct Place {
    pub(crate) team: TeamId,
    pub(crate) blob: BlobId,
    pub(crate) kind: Kind,
}

impl Place {
    fn bound(&self, purpose: &str, version: u32) -> Vec<u8> {
        let mut bound = Vec::with_capacity(80);
        bound.extend_from_slice(self.team.uuid().as_bytes());
        bound.extend_from_slice(self.blob.uuid().as_bytes());
        bound.extend_from_slice(&version.to_be_bytes());
        bound.extend_from_slice(self.kind.text().as_bytes());
        bound.push(0);
        bound.extend_from_slice(purpose.as_bytes());
        bound
    }
}

/// A sealed number as it is stored, in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) version: u32,
    pub(crate) key: String,
    pub(crate) number: String,
}

/// Seals a number.
pub(crate) fn seal(keys: &Keyring, world: &World, place: &Place, number: &str) -> Result<Sealed, VaultError> {
    let (version, kek) = keys.current().ok_or(VaultError::NoKey(keys.version()))?;
    let data_key = Key::random(world);
    let mut padded = Zeroizing::new([0_u8; PADDED]);
    if number.len() > PADDED {
        return Err(VaultError::Damaged(place.blob));
    }
    for (slot, byte) in padded.iter_mut().zip(number.bytes()) {
        *slot = byte;
    }
    let number = encrypt(&data_key, world, padded.as_slice(), &place.bound("number", 0));
    let key = encrypt(kek, world, data_key.bytes(), &place.bound("key", version));
    let (Some(number), Some(key)) = (number, key) else { return Err(VaultError::Damaged(place.blob)) };
    Ok(Sealed { version, key, number })
}

/// Opens a number.
pub(crate) fn open(keys: &Keyring, place: &Place, sealed: &Sealed) -> Result<String, VaultError> {
    let data_key = open_key(keys, place, sealed)?;
    let damaged = || VaultError::Damaged(place.blob);
    let padded = decrypt(&data_key, &sealed.number, &place.bound("number", 0)).ok_or_else(damaged)?;
    let number = padded.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8(number.to_vec()).map_err(|_| damaged())
}

/// Seals a record's data key again, under the current version. The number itself is not opened and stays as it is.
pub(crate) fn rewrap(keys: &Keyring, world: &World, place: &Place, sealed: &Sealed) -> Result<Sealed, VaultError> {
    let data_key = open_key(keys, place, sealed)?;
    let (version, kek) = keys.current().ok_or(VaultError::NoKey(keys.version()))?;
    let key = encrypt(kek, world, data_key.bytes(), &place.bound("key", version));
    let key = key.ok_or(VaultError::Damaged(place.blob))?;
    Ok(Sealed { version, key, number: sealed.number.clone() })
}

fn open_key(keys: &Keyring, place: &Place, sealed: &Sealed) -> Result<Key, VaultError> {
    let kek = keys.key(sealed.version).ok_or(VaultError::NoKey(sealed.version))?;
    let bytes = decrypt(kek, &sealed.key, &place.bound("key", sealed.version));
    bytes.and_then(|bytes| Key::from_slice(&bytes)).ok_or(VaultError::Damaged(place.blob))
}

/// Nonce and ciphertext in base64.
pub(crate) fn encrypt(key: &Key, world: &World, clear: &[u8], bound: &[u8]) -> Option<String> {
    let mut nonce = [0; NONCE];
    world.fill(&mut nonce);
    let cipher = Aes256GcmSiv::new_from_slice(key.bytes()).ok()?;
    let sealed = cipher.encrypt(Nonce::from_slice(&nonce), Payload { msg: clear, aad: bound }).ok()?;
    Some(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
}

/// The clear text, if nothing was changed.
pub(crate) fn decrypt(key: &Key, text: &str, bound: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
    let cipher = Aes256GcmSiv::new_from_slice(key.bytes()).ok()?;
    cipher.decrypt(Nonce::from_slice(nonce), Payload { msg: sealed, aad: bound }).ok().map(Zeroizing::new)
}
