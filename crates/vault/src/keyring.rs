//! The keys: versioned key-encryption keys, and one key from which the keyed hashes are derived.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::id::TeamId;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use world::World;
use zeroize::{Zeroize, Zeroizing};

use crate::envelope::Kind;

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
    /// Keys that are given can't be added to.
    #[error("the vault's keys are given by the environment: add a key with a higher version there, restart, and rotate")]
    Given,
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

/// A 256-bit key. Can't be printed; wiped when it is dropped.
#[derive(Clone)]
pub(crate) struct Key(Zeroizing<[u8; 32]>);

impl Key {
    pub(crate) fn random(world: &World) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        world.fill(bytes.as_mut_slice());
        Self(bytes)
    }

    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes: [u8; 32]| Self(Zeroizing::new(bytes)))
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn read(text: &str) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(STANDARD.decode(text).map_err(|_| KeyError::Format("a key is not base64"))?);
        Self::from_slice(&bytes).ok_or(KeyError::Format("a key has not 32 bytes"))
    }
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
        Self { current: 1, versions: BTreeMap::from([(1, Key::random(world))]), index: Key::random(world) }
    }

    fn parse(text: &str) -> Result<Self, KeyError> {
        let written: Written = serde_json::from_str(text).map_err(|_| KeyError::Format("not the form of a key file"))?;
        let versions = written.keys.iter().map(|(version, key)| Ok((*version, Key::read(key)?)));
        let versions = versions.collect::<Result<BTreeMap<_, _>, KeyError>>()?;
        if !versions.contains_key(&written.current) {
            return Err(KeyError::Format("the current version has no key"));
        }
        Ok(Self { current: written.current, versions, index: Key::read(&written.index)? })
    }

    fn text(&self) -> Zeroizing<String> {
        let keys = self.versions.iter().map(|(version, key)| (*version, STANDARD.encode(key.bytes()))).collect();
        let written = Written { current: self.current, keys, index: STANDARD.encode(self.index.bytes()) };
        Zeroizing::new(serde_json::to_string_pretty(&written).unwrap_or_default())
    }

    /// The version that seals now, and its key.
    pub(crate) fn current(&self) -> Option<(u32, &Key)> {
        self.versions.get(&self.current).map(|key| (self.current, key))
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

    /// Drops every version but the current one.
    fn retire(&mut self) {
        let current = self.current;
        self.versions.retain(|version, _| *version == current);
    }

    pub(crate) fn has_old_versions(&self) -> bool {
        self.versions.len() > 1
    }

    pub(crate) fn fingerprint(&self, team: TeamId, kind: Kind, number: &str) -> String {
        self.hash("fingerprint", &[team.uuid().as_bytes(), kind.text().as_bytes(), number.as_bytes()])
    }

    pub(crate) fn request_hash(&self, request: &[u8]) -> String {
        self.hash("request", &[request])
    }

    pub(crate) fn credential_hash(&self, credential: &str) -> String {
        self.hash("credential", &[credential.as_bytes()])
    }

    /// A keyed hash of the parts, each with its length, under a key derived for the purpose.
    fn hash(&self, purpose: &str, parts: &[&[u8]]) -> String {
        let derived = Zeroizing::new(mac(self.index.bytes(), &[purpose.as_bytes()]));
        hex(&mac(&derived, parts))
    }
}

fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC takes a key of any length.
    let Ok(mut mac) = <Hmac<Sha256> as Mac>::new_from_slice(key) else { return [0; 32] };
    for part in parts {
        mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl KeySource {
    /// Reads the keys; a key file that is not there is made.
    pub(crate) fn load_or_create(&self, world: &World) -> Result<Keyring, KeyError> {
        let path = match self {
            Self::Given(text) => return Keyring::parse(&text.0),
            Self::File(path) => path,
        };
        match fs::read_to_string(path) {
            Ok(text) => Keyring::parse(&Zeroizing::new(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let keys = Keyring::create(world);
                replace(path, &keys.text()).map_err(failed(path))?;
                Ok(keys)
            }
            Err(error) => Err(failed(path)(error)),
        }
    }

    /// Adds a version and makes it current: written to the file before anything is sealed under it.
    pub(crate) fn advance(&self, keys: &Keyring, world: &World) -> Result<Keyring, KeyError> {
        let mut next = keys.clone();
        match self {
            Self::File(path) => {
                next.advance(Some(Key::random(world)));
                replace(path, &next.text()).map_err(failed(path))?;
            }
            Self::Given(_) => {
                next.advance(None);
                if next.current == keys.current {
                    return Err(KeyError::Given);
                }
            }
        }
        Ok(next)
    }

    /// Drops the versions that nothing is sealed under any more.
    pub(crate) fn retire(&self, keys: &Keyring) -> Result<Keyring, KeyError> {
        let mut next = keys.clone();
        next.retire();
        if let Self::File(path) = self {
            replace(path, &next.text()).map_err(failed(path))?;
        }
        Ok(next)
    }

    /// Whether others on the machine can read the keys.
    ///
    /// # Errors
    /// The file can't be looked at.
    pub fn protection(&self) -> Result<Protection, KeyError> {
        let Self::File(path) = self else { return Ok(Protection::Owner) };
        let mode = fs::metadata(path).map_err(failed(path))?.permissions().mode();
        Ok(if mode & 0o077 == 0 { Protection::Owner } else { Protection::Open })
    }
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> KeyError + use<> {
    let path = path.to_owned();
    move |error| KeyError::File { path, error }
}

/// Replaces the file as one step: after a crash there is the old text or the new one, never half of it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let fresh = folder.join(name);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(folder)?.sync_all()
}
