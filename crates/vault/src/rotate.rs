//! Rotation of the key-encryption key, while the vault serves.

use crate::{Vault, VaultError, envelope, records};

/// How far a rotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The version that is rotated to.
    pub version: u32,
    /// Records under it.
    pub done: i64,
    /// Records in all.
    pub total: i64,
    /// Whether no record is under an old version and the old versions are gone.
    pub finished: bool,
}

impl Vault {
    /// Begins a rotation: a new version seals from now on. One that was interrupted is gone on with instead.
    ///
    /// # Errors
    /// The keys can't be written.
    pub fn rotate_begin(&self) -> Result<u32, VaultError> {
        let mut keys = self.0.keys.lock();
        if !keys.has_old_versions() || matches!(self.0.source, crate::KeySource::Given(_)) {
            let next = self.0.source.advance(&keys, &self.0.world);
            match next {
                Ok(next) => *keys = next,
                // Given keys that can't advance may still have records under an old version.
                Err(crate::KeyError::Given) if keys.has_old_versions() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(keys.version())
    }

    /// Seals up to `limit` data keys again. When none is left, drops the old versions.
    ///
    /// # Errors
    /// The database's; `Damaged` and `NoKey` name a record that can't be opened.
    pub async fn rotate_step(&self, limit: i64) -> Result<Progress, VaultError> {
        let keys = self.0.keys.lock().clone();
        let old = records::of_other_versions(&self.0.db, keys.version(), limit).await?;
        let left = !old.is_empty();
        for (place, sealed) in old {
            let renewed = envelope::rewrap(&keys, &self.0.world, &place, &sealed)?;
            self.commit(&place.blob.key(), records::rewrap(&place, &sealed, &renewed)).await?;
        }
        if !left {
            let mut keys = self.0.keys.lock();
            if keys.has_old_versions() {
                *keys = self.0.source.retire(&keys)?;
            }
        }
        let (total, done) = records::count(&self.0.db, keys.version()).await?;
        Ok(Progress { version: keys.version(), done, total, finished: !left })
    }
}
