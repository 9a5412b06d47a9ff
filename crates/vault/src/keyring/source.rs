//! Where keys come from and where they are written.

use crate::key_file;
use std::path::Path;
use world::World;

use super::{AuditKey, Key, KeyError, KeySource, Keyring, Protection};

/// The keys in a file's text.
pub(super) fn of_file(path: &Path, text: &str) -> Result<Keyring, KeyError> {
    Keyring::parse(text).map_err(|error| match error {
        KeyError::Format(reason) => KeyError::Junk {
            path: path.to_owned(),
            reason,
        },
        other => other,
    })
}

impl KeySource {
    /// The key of the audit trail, to verify a copy of the trail without the databases.
    ///
    /// # Errors
    /// The keys are not there, or can't be read.
    pub fn audit_key(&self) -> Result<AuditKey, KeyError> {
        let keys = match self {
            Self::Given(text) => Keyring::parse(&text.0)?,
            Self::File(path) => {
                let text = key_file::read(path)?;
                let text = text.ok_or_else(|| KeyError::Junk {
                    path: path.clone(),
                    reason: "there is no such file",
                })?;
                of_file(path, &text)?
            }
        };
        Ok(keys.audit_key())
    }

    /// Reads the keys; a key file that is not there is made.
    pub(crate) fn load_or_create(&self, world: &World) -> Result<Keyring, KeyError> {
        let path = match self {
            Self::Given(text) => return Keyring::parse(&text.0),
            Self::File(path) => path,
        };
        if let Some(text) = key_file::read(path)? {
            return of_file(path, &text);
        }
        let keys = Keyring::create(world);
        match (
            key_file::create(path, &keys.text(), &world.uuid_v7().to_string()),
            key_file::read(path)?,
        ) {
            (Ok(()), _) => Ok(keys),
            // Another node was first.
            (Err(_), Some(text)) => of_file(path, &text),
            (Err(error), None) => Err(error),
        }
    }

    /// The keys of the file where they are others than these, and of the same vault: another node or a person has changed
    /// them. Given keys stay as they are.
    pub(crate) fn renewed(&self, keys: &Keyring) -> Option<Keyring> {
        let Self::File(path) = self else { return None };
        let there = Keyring::parse(&key_file::read(path).ok()??).ok()?;
        let is_other = there.current != keys.current || !there.equals(keys);
        (is_other && there.is_kin_of(keys)).then_some(there)
    }

    /// Adds a version and makes it current: written to the file before anything is sealed under it.
    pub(crate) fn advance(&self, keys: &Keyring, world: &World) -> Result<Keyring, KeyError> {
        let mut next = keys.clone();
        match self {
            Self::File(_) => {
                next.advance(Some(Key::random(world)));
                self.replace(keys, &next)?;
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

    /// Drops these versions, under which nothing is sealed any more and nothing will be.
    pub(crate) fn retire(&self, keys: &Keyring, retired: &[u32]) -> Result<Keyring, KeyError> {
        let mut next = keys.clone();
        next.versions
            .retain(|version, _| *version == keys.current || !retired.contains(version));
        if next.versions.len() < keys.versions.len() {
            self.replace(keys, &next)?;
        }
        Ok(next)
    }

    /// Puts `after` in the place of `before`, on stable storage. Given keys can't be written.
    fn replace(&self, before: &Keyring, after: &Keyring) -> Result<(), KeyError> {
        let Self::File(path) = self else {
            return Ok(());
        };
        // Of nodes that share the file only one compares and replaces at a time: else one would lose the key that it seals
        // under from then on.
        let _alone = key_file::lock(path)?;
        // A key that somebody put there by hand would be lost.
        let there = key_file::read(path)?
            .map(|text| of_file(path, &text))
            .transpose()?;
        if !there.is_some_and(|there| there.equals(before)) {
            return Err(KeyError::Changed(path.clone()));
        }
        key_file::replace(path, &after.text())
    }

    /// Whether others on the machine can read the keys.
    ///
    /// # Errors
    /// The file can't be looked at.
    pub fn protection(&self) -> Result<Protection, KeyError> {
        let Self::File(path) = self else {
            return Ok(Protection::Owner);
        };
        key_file::protection(path)
    }
}
