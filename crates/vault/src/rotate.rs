//! Rotation of the key-encryption key, while the vault serves.
//!
//! The steps, each of which can be the last before a crash: the new version is in the key file; records are sealed under
//! it; data keys are sealed under it instead of an old one; the old versions are retired in the database; they leave the
//! key file. A rotation that was interrupted is gone on with by beginning again.

use async_recursion::async_recursion as boxed;
use std::{collections::BTreeMap, sync::Arc};

use domain::id::BlobId;

use crate::{
    KeyError, KeySource, Vault, VaultError,
    envelope::{self, RecordPlace, Sealed},
    keyring::Keyring,
    records,
};

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

/// A rotation at work.
pub(crate) struct Walk {
    /// What the rotation has reported last. The records that are sealed meanwhile are counted at its end.
    progress: Progress,
    /// The last record looked at under each old version.
    after: BTreeMap<u32, BlobId>,
    /// The first record that does not open.
    damaged: Option<BlobId>,
}

impl Vault {
    /// Begins a rotation: a new version seals from now on. One that was interrupted is gone on with instead.
    ///
    /// # Errors
    /// The keys can't be written; `Rotating`.
    pub fn rotate_begin(&self) -> Result<u32, VaultError> {
        let _turn = self.0.rotation.try_lock().ok_or(VaultError::Rotating)?;
        // Another node that shares the key file may have rotated since it was read.
        self.reload();
        let mut keys = self.0.keys.lock();
        if !keys.has_old_versions() || matches!(self.0.source, KeySource::Given(_)) {
            let next = self.0.source.advance(&keys, &self.0.world);
            match next {
                Ok(next) => *keys = Arc::new(next),
                // Another node has begun at the same moment: its rotation is gone on with.
                Err(error @ KeyError::Changed(_)) => {
                    let theirs = self
                        .0
                        .source
                        .renewed(&keys)
                        .filter(Keyring::has_old_versions);
                    *keys = Arc::new(theirs.ok_or(error)?);
                }
                // Given keys that can't advance may still have records under an old version.
                Err(KeyError::Given) if keys.has_old_versions() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(keys.version())
    }

    /// Refuses to change keys that other data need too.
    ///
    /// # Errors
    /// `Moved`; the database's.
    #[boxed]
    pub async fn refuse_moved(&self) -> Result<(), VaultError> {
        let Some((db, look)) = self.0.moved.get() else {
            return Ok(());
        };
        if db.read(*look, Vec::new()).await?.is_empty() {
            Ok(())
        } else {
            Err(VaultError::Moved)
        }
    }

    /// Seals up to `limit` data keys again, in one commit. When none is left, drops the old versions. Concurrency: one step
    /// at a time; another one waits.
    ///
    /// # Errors
    /// The database's; `NoKey`; `Moved`; `Damaged` names the first record that can't be opened, once all others are done.
    #[boxed]
    pub async fn rotate_step(&self, limit: i64) -> Result<Progress, VaultError> {
        let mut turn = self.0.rotation.lock().await;
        self.refuse_moved().await?;
        let keys = self.ready_keys().await?;
        let mut walk = match turn.take() {
            Some(walk) if walk.progress.version == keys.version() => walk,
            _ => self.walk(&keys).await?,
        };
        let progress = match self.next_batch(&walk, limit).await? {
            Some(batch) => self.reseal(&keys, &mut walk, batch).await?,
            None => match self.finish(&keys, &walk).await? {
                Some(progress) => return Ok(progress),
                // A record has come under an old version: the next step begins from the start.
                None => return Ok(walk.progress),
            },
        };
        *turn = Some(walk);
        Ok(progress)
    }

    async fn walk(&self, keys: &Keyring) -> Result<Walk, VaultError> {
        let version = keys.version();
        let (total, done) = records::count(&self.0.db, version).await?;
        let progress = Progress {
            version,
            done,
            total,
            finished: false,
        };
        Ok(Walk {
            progress,
            after: BTreeMap::new(),
            damaged: None,
        })
    }

    /// The next records under an old version; `None` when the walk is over.
    async fn next_batch(
        &self,
        walk: &Walk,
        limit: i64,
    ) -> Result<Option<Vec<(RecordPlace, Sealed)>>, VaultError> {
        for version in self.open_versions(walk.progress.version).await? {
            let after = walk.after.get(&version).copied();
            let batch = records::of_version(&self.0.db, version, after, limit.max(1)).await?;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    async fn reseal(
        &self,
        keys: &Keyring,
        walk: &mut Walk,
        batch: Vec<(RecordPlace, Sealed)>,
    ) -> Result<Progress, VaultError> {
        let mut statements = Vec::with_capacity(batch.len());
        let mut last = None;
        for (place, sealed) in batch {
            last = Some((sealed.version, place.blob));
            match envelope::rewrap(keys, &self.0.world, &place, &sealed) {
                Ok(renewed) => statements.push(records::rewrap(&place, &sealed, &renewed)),
                // The others need not stay under an old version because of this one.
                Err(VaultError::Damaged(blob)) => {
                    tracing::error!(vault.record = %blob, "a sealed record does not open and can't be rotated");
                    walk.damaged = walk.damaged.or(Some(blob));
                }
                Err(error) => return Err(error),
            }
        }
        let count = i64::try_from(statements.len()).unwrap_or(i64::MAX);
        // The statements touch a row only while it is as it was read, so a record that is erased meanwhile does no harm.
        self.commit("rotation", statements).await?;
        walk.after.extend(last);
        // Records that were erased meanwhile can't make it more than all.
        walk.progress.done = walk
            .progress
            .done
            .saturating_add(count)
            .min(walk.progress.total);
        Ok(walk.progress)
    }

    /// Drops the old versions. `None` when a record has come under one of them.
    async fn finish(
        &self,
        keys: &Arc<Keyring>,
        walk: &Walk,
    ) -> Result<Option<Progress>, VaultError> {
        if let Some(blob) = walk.damaged {
            return Err(VaultError::Damaged(blob));
        }
        let Some(ended) = self.retire_versions(keys).await? else {
            return Ok(None);
        };
        // From here on nothing is under an older version, so a move that begins later brings nothing that needs one.
        self.refuse_moved().await?;
        {
            let mut now = self.0.keys.lock();
            *now = Arc::new(self.0.source.retire(&now, &ended)?);
        }
        let version = keys.version();
        let (total, done) = records::count(&self.0.db, version).await?;
        Ok(Some(Progress {
            version,
            done,
            total,
            finished: true,
        }))
    }
}
