//! The keys: versioned key-encryption keys, and one key from which the keyed hashes are derived.

mod source;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::id::TeamId;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use world::World;
use zeroize::{Zeroize, Zeroizing};

use crate::envelope::RecordKind;

/// What is wrong with the keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be read or written.
    #[error("the key file {path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The text is not a set of keys.
    #[error("the vault's keys can't be read: {0}")]
    Format(&'static str),
    /// The file's text is not a set of keys.
    #[error("the key file {path} can't be used: {reason}")]
    Junk {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Keys that are given can't be added to.
    #[error(
        "the vault's keys are given by the environment: add a key with a higher version there, restart, and rotate"
    )]
    Given,
    /// Another hand changed the file since it was read. It is left as it is.
    #[error("the key file {0} has changed since it was read: restart, then rotate")]
    Changed(PathBuf),
    /// Another node is changing the file. It is left as it is.
    #[error("another node is changing the key file {0}: rotate again in a moment")]
    Busy(PathBuf),
}

/// Where the keys are.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// In a file, which is made with mode 0600 when it is not there.
    File(PathBuf),
    /// Given as text, in the form of the file.
    Given(Given),
}

/// Keys given as text. Can't be printed.
#[derive(Clone)]
pub struct Given(Arc<Zeroizing<String>>);

impl Given {
    /// Takes the text.
    pub fn new(text: String) -> Self {
        Self(Arc::new(Zeroizing::new(text)))
    }
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(keys)")
    }
}

/// Whether others on the machine can read the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Only their owner can.
    Owner,
    /// Others can.
    Open,
}

/// A 256-bit key. Can't be printed; wiped when its last clone is dropped. The bytes stay in one place on the heap, so that
/// a move leaves no copy behind.
#[derive(Clone)]
pub(crate) struct Key(Arc<Zeroizing<[u8; 32]>>);

impl Key {
    pub(crate) fn random(world: &World) -> Self {
        Self::filled(|bytes| world.fill(bytes))
    }

    /// `None` for another length, and for what nobody has drawn: zeros, a byte or a few again and again, one after the other.
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != 32 || !looks_drawn(bytes) {
            return None;
        }
        Some(Self::filled(|key| key.copy_from_slice(bytes)))
    }

    /// Filled where it stays.
    fn filled(fill: impl FnOnce(&mut [u8; 32])) -> Self {
        let mut bytes = Arc::new(Zeroizing::new([0; 32]));
        if let Some(bytes) = Arc::get_mut(&mut bytes) {
            fill(bytes);
        }
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn read(text: &str) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(
            STANDARD
                .decode(text)
                .map_err(|_| KeyError::Format("a key is not base64"))?,
        );
        Self::from_slice(&bytes).ok_or(KeyError::Format("a key is not 32 random bytes"))
    }
}

/// Whether 32 bytes may come from a random source: of those fewer than 16 different ones are as good as impossible
/// (below 2^-50), as are steps that are all alike.
fn looks_drawn(bytes: &[u8]) -> bool {
    let different: std::collections::BTreeSet<u8> = bytes.iter().copied().collect();
    let step = |pair: &[u8]| match pair {
        [first, second] => second.wrapping_sub(*first),
        _ => 0,
    };
    let mut steps = bytes.windows(2).map(step);
    let first = steps.next();
    different.len() >= 16 && steps.any(|step| Some(step) != first)
}

/// The keys as they are used.
#[derive(Clone)]
pub(crate) struct Keyring {
    current: u32,
    versions: BTreeMap<u32, Key>,
    index: Key,
}

/// The keys as they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    current: u32,
    keys: BTreeMap<u32, String>,
    index: String,
}

impl Drop for Written {
    fn drop(&mut self) {
        self.keys.values_mut().for_each(Zeroize::zeroize);
        self.index.zeroize();
    }
}

impl Keyring {
    fn create(world: &World) -> Self {
        Self {
            current: 1,
            versions: BTreeMap::from([(1, Key::random(world))]),
            index: Key::random(world),
        }
    }

    fn parse(text: &str) -> Result<Self, KeyError> {
        let written: Written = serde_json::from_str(text)
            .map_err(|_| KeyError::Format("not the form of a key file"))?;
        let versions = written
            .keys
            .iter()
            .map(|(version, key)| Ok((*version, Key::read(key)?)));
        let versions = versions.collect::<Result<BTreeMap<_, _>, KeyError>>()?;
        if !versions.contains_key(&written.current) {
            return Err(KeyError::Format("the current version has no key"));
        }
        let ring = Self {
            current: written.current,
            versions,
            index: Key::read(&written.index)?,
        };
        if ring.has_twins() {
            return Err(KeyError::Format("two of the keys are the same"));
        }
        Ok(ring)
    }

    fn text(&self) -> Zeroizing<Vec<u8>> {
        let keys = self
            .versions
            .iter()
            .map(|(version, key)| (*version, STANDARD.encode(key.bytes())))
            .collect();
        let written = Written {
            current: self.current,
            keys,
            index: STANDARD.encode(self.index.bytes()),
        };
        // Room from the start: growing would leave copies behind. A key takes about 60 bytes.
        let mut text = Zeroizing::new(Vec::with_capacity(256 + 80 * self.versions.len()));
        // Numbers and texts can always be written.
        let _ = serde_json::to_writer_pretty(&mut *text, &written);
        text
    }

    /// Keys of several purposes are never the same: what one gives away must not weaken the other.
    fn has_twins(&self) -> bool {
        let mut all: Vec<&[u8; 32]> = self
            .versions
            .values()
            .chain([&self.index])
            .map(Key::bytes)
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() < count
    }

    /// Whether both hold the same keys.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        fn keys(ring: &Keyring) -> impl Iterator<Item = (u32, &[u8; 32])> {
            ring.versions
                .iter()
                .map(|(version, key)| (*version, key.bytes()))
        }
        self.index.bytes() == other.index.bytes() && keys(self).eq(keys(other))
    }

    /// A value by which this version of these keys is distinguished from that of others. It says nothing else about them.
    pub(crate) fn mark(&self, version: u32) -> Option<String> {
        let key = self.key(version)?;
        Some(hex(&mac(
            key.bytes(),
            &[b"mark", self.hash("mark", &[]).as_bytes()],
        )))
    }

    /// The version that seals now, and its key.
    pub(crate) fn current(&self) -> Option<(u32, &Key)> {
        self.versions
            .get(&self.current)
            .map(|key| (self.current, key))
    }

    /// The key for security codes that belongs to a version.
    pub(crate) fn code_key(&self, version: u32) -> Option<Key> {
        let derived = Zeroizing::new(mac(self.key(version)?.bytes(), &[b"security codes"]));
        Key::from_slice(derived.as_slice())
    }

    /// Whether the other ones are of the same vault.
    fn is_kin_of(&self, other: &Self) -> bool {
        self.index.bytes() == other.index.bytes()
    }

    /// The version that seals now.
    pub(crate) fn version(&self) -> u32 {
        self.current
    }

    /// The key of a version.
    pub(crate) fn key(&self, version: u32) -> Option<&Key> {
        self.versions.get(&version)
    }

    /// Makes the newest version current, after adding one when `add` says so.
    fn advance(&mut self, add: Option<Key>) {
        let newest = self.versions.keys().next_back().copied().unwrap_or(0);
        let current = match add {
            Some(key) => {
                let next = newest.saturating_add(1);
                self.versions.insert(next, key);
                next
            }
            None => newest,
        };
        self.current = current;
    }

    /// These keys with the newest version in use, if it is another than now.
    pub(crate) fn advanced(&self) -> Option<Self> {
        let mut next = self.clone();
        next.advance(None);
        (next.current != self.current).then_some(next)
    }

    /// The versions that are not in use.
    pub(crate) fn other_versions(&self) -> impl Iterator<Item = u32> {
        self.versions
            .keys()
            .copied()
            .filter(|version| *version != self.current)
    }

    pub(crate) fn has_old_versions(&self) -> bool {
        self.versions.len() > 1
    }

    pub(crate) fn fingerprint(&self, team: TeamId, kind: RecordKind, number: &str) -> String {
        self.hash(
            "fingerprint",
            &[
                team.uuid().as_bytes(),
                kind.text().as_bytes(),
                number.as_bytes(),
            ],
        )
    }

    /// A keyed hash by which a number is counted. No fingerprint, so that neither leads to the other.
    pub(crate) fn number_mark(&self, team: TeamId, kind: RecordKind, number: &str) -> String {
        self.hash(
            "number mark",
            &[
                team.uuid().as_bytes(),
                kind.text().as_bytes(),
                number.as_bytes(),
            ],
        )
    }

    pub(crate) fn request_hash(&self, request: &[u8]) -> String {
        self.hash("request", &[request])
    }

    pub(crate) fn credential_hash(&self, credential: &str) -> String {
        self.hash("credential", &[credential.as_bytes()])
    }

    /// The key of the audit trail. Rotation leaves it as it is, so that what was sealed stays verifiable.
    pub(crate) fn audit_key(&self) -> AuditKey {
        AuditKey(Zeroizing::new(mac(self.index.bytes(), &[b"audit trail"])))
    }

    /// A keyed hash of what stands in an address.
    pub(crate) fn address_mark(&self, purpose: &str, content: &[u8]) -> String {
        self.hash("signed address", &[purpose.as_bytes(), content])
    }

    /// A keyed hash of the parts, each with its length, under a key derived for the purpose.
    fn hash(&self, purpose: &str, parts: &[&[u8]]) -> String {
        let derived = Zeroizing::new(mac(self.index.bytes(), &[purpose.as_bytes()]));
        hex(&mac(&derived, parts))
    }
}

/// The key by which entries of the audit trail are sealed. Can't be printed.
pub struct AuditKey(Zeroizing<[u8; 32]>);

impl AuditKey {
    /// A keyed hash of the parts, each with its length.
    pub fn seal(&self, parts: &[&[u8]]) -> String {
        hex(&mac(&self.0, parts))
    }
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC takes a key of any length.
    let Ok(mut mac) = <Hmac<Sha256> as Mac>::new_from_slice(key) else {
        return [0; 32];
    };
    for part in parts {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let mut text = String::with_capacity(bytes.len() * 2);
    text.extend(halves.filter_map(|half| char::from_digit(u32::from(half), 16)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_nobody_has_drawn_is_none() {
        let pattern: Vec<u8> = (0..32).map(|place| place % 8).collect();
        let counted: Vec<u8> = (0..32).collect();
        for weak in [
            &[0; 32][..],
            &[7; 32],
            &pattern,
            &counted,
            b"sixteen letters1",
        ] {
            assert!(Key::from_slice(weak).is_none(), "{weak:?}");
        }
        for seed in 0..2_000 {
            let (world, _) = World::simulated(seed);
            let mut drawn = [0; 32];
            world.fill(&mut drawn);
            assert!(Key::from_slice(&drawn).is_some(), "{drawn:?}");
        }
    }
}
