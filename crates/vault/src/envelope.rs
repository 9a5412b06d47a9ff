//! Sealing: a data key for each number or secret, itself sealed under a key-encryption key.

use aes_gcm_siv::{
    Aes256GcmSiv, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::id::{BlobId, TeamId};
use world::World;
use zeroize::Zeroizing;

use crate::{
    Holder, VaultError,
    keyring::{Key, Keyring},
};

/// Numbers are padded to this length, so that a sealed one doesn't tell its own. Longer than any that is accepted.
const PADDED: usize = 48;

/// Length of a nonce.
const NONCE: usize = 12;

/// Secrets are padded to a multiple of this length.
const SECRET_STEP: usize = 256;

/// Length of what stands before a padded secret: its own length.
const HEAD: usize = 4;

/// What kind of number is sealed, or that it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// A card's.
    Card,
    /// A bank account's.
    Account,
    /// No number but a secret of any form.
    Secret,
    /// What a processor's own fields gave in the place of a number.
    Token,
}

impl RecordKind {
    /// The kind as it is stored.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Account => "account",
            Self::Secret => "secret",
            Self::Token => "token",
        }
    }

    /// What is bound besides the kind.
    const fn purpose(self) -> &'static str {
        match self {
            Self::Card | Self::Account => "number",
            Self::Secret | Self::Token => "content",
        }
    }
}

/// Where a number or a secret belongs; bound to what is sealed.
pub(crate) struct RecordPlace {
    pub(crate) team: TeamId,
    pub(crate) blob: BlobId,
    pub(crate) kind: RecordKind,
}

impl RecordPlace {
    /// What is bound to the number or secret itself: its place, and the record that it belongs to.
    fn bound_to(&self, holder: &Holder) -> Vec<u8> {
        let mut bound = self.bound(self.kind.purpose(), 0);
        bound.push(0);
        bound.extend_from_slice(holder.text().as_bytes());
        bound
    }

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

/// A sealed number or secret as it is stored, in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) version: u32,
    pub(crate) key: String,
    pub(crate) content: String,
}

/// Seals a number or a secret.
pub(crate) fn seal(
    keys: &Keyring,
    world: &World,
    place: &RecordPlace,
    holder: &Holder,
    clear: &[u8],
) -> Result<Sealed, VaultError> {
    let (version, kek) = keys.current().ok_or(VaultError::NoKey(keys.version()))?;
    let data_key = Key::random(world);
    let padded = padded(place.kind, clear).ok_or(VaultError::TooLong)?;
    let content = encrypt(&data_key, world, &padded, &place.bound_to(holder));
    let key = encrypt(kek, world, data_key.bytes(), &place.bound("key", version));
    let (Some(content), Some(key)) = (content, key) else {
        return Err(VaultError::Damaged(place.blob));
    };
    Ok(Sealed {
        version,
        key,
        content,
    })
}

/// Opens a number or a secret.
pub(crate) fn open(
    keys: &Keyring,
    place: &RecordPlace,
    holder: &Holder,
    sealed: &Sealed,
) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    let data_key = open_key(keys, place, sealed)?;
    let damaged = || VaultError::Damaged(place.blob);
    let padded =
        decrypt(&data_key, &sealed.content, &place.bound_to(holder)).ok_or_else(damaged)?;
    let clear = match place.kind {
        RecordKind::Card | RecordKind::Account => padded.split(|byte| *byte == 0).next(),
        RecordKind::Secret | RecordKind::Token => {
            padded.split_first_chunk::<HEAD>().and_then(|(head, rest)| {
                let length = usize::try_from(u32::from_be_bytes(*head)).ok()?;
                rest.get(..length)
            })
        }
    };
    clear
        .map(|clear| Zeroizing::new(clear.to_vec()))
        .ok_or_else(damaged)
}

/// The clear text with room after it, so that what is sealed tells little of its length. `None` when it is too long.
fn padded(kind: RecordKind, clear: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let head = u32::try_from(clear.len()).ok()?.to_be_bytes();
    let (head, size): (&[u8], usize) = match kind {
        RecordKind::Card | RecordKind::Account if clear.len() > PADDED => return None,
        RecordKind::Card | RecordKind::Account => (&[], PADDED),
        RecordKind::Secret | RecordKind::Token => (
            &head,
            HEAD.saturating_add(clear.len())
                .checked_next_multiple_of(SECRET_STEP)?,
        ),
    };
    // Room from the start, since growing would leave copies behind.
    let mut padded = Zeroizing::new(Vec::with_capacity(size));
    padded.extend_from_slice(head);
    padded.extend_from_slice(clear);
    padded.resize(size, 0);
    Some(padded)
}

/// Seals a record's data key again, under the current version. The content itself is not opened and stays as it is.
pub(crate) fn rewrap(
    keys: &Keyring,
    world: &World,
    place: &RecordPlace,
    sealed: &Sealed,
) -> Result<Sealed, VaultError> {
    let data_key = open_key(keys, place, sealed)?;
    let (version, kek) = keys.current().ok_or(VaultError::NoKey(keys.version()))?;
    let key = encrypt(kek, world, data_key.bytes(), &place.bound("key", version));
    let key = key.ok_or(VaultError::Damaged(place.blob))?;
    Ok(Sealed {
        version,
        key,
        content: sealed.content.clone(),
    })
}

pub(crate) fn open_key(
    keys: &Keyring,
    place: &RecordPlace,
    sealed: &Sealed,
) -> Result<Key, VaultError> {
    let kek = keys
        .key(sealed.version)
        .ok_or(VaultError::NoKey(sealed.version))?;
    let bytes = decrypt(kek, &sealed.key, &place.bound("key", sealed.version));
    bytes
        .and_then(|bytes| Key::from_slice(&bytes))
        .ok_or(VaultError::Damaged(place.blob))
}

/// Nonce and ciphertext in base64.
pub(crate) fn encrypt(key: &Key, world: &World, clear: &[u8], bound: &[u8]) -> Option<String> {
    let mut nonce = [0; NONCE];
    world.fill(&mut nonce);
    let cipher = Aes256GcmSiv::new_from_slice(key.bytes()).ok()?;
    let sealed = cipher
        .encrypt(
            Nonce::from_slice(&nonce),
            Payload {
                msg: clear,
                aad: bound,
            },
        )
        .ok()?;
    Some(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
}

/// The clear text, if nothing was changed.
pub(crate) fn decrypt(key: &Key, text: &str, bound: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
    let cipher = Aes256GcmSiv::new_from_slice(key.bytes()).ok()?;
    cipher
        .decrypt(
            Nonce::from_slice(nonce),
            Payload {
                msg: sealed,
                aad: bound,
            },
        )
        .ok()
        .map(Zeroizing::new)
}
