//! Secrets of a team that are no numbers: credentials at processors, keys of wallets.

use async_recursion::async_recursion as boxed;
use db::{Db, DbError, Statement};
use domain::{
    Timestamp,
    id::{BlobId, TeamId},
};
use zeroize::Zeroizing;

use crate::{
    Holder, Vault, VaultError,
    envelope::{self, RecordKind, RecordPlace, Sealed},
    records,
};

/// The longest secret that is sealed. Unit: bytes.
pub const SECRET_MAX: usize = 64 * 1024;

impl Vault {
    /// Seals a secret under a new id; it opens for the record `holder` alone. It is written once: a new one in its place gets a new id, and the old one is erased
    /// once nothing refers to it.
    ///
    /// # Errors
    /// `TooLong`; the database's.
    #[boxed]
    pub async fn seal_secret(
        &self,
        team: TeamId,
        holder: &Holder,
        secret: &[u8],
    ) -> Result<BlobId, VaultError> {
        if secret.len() > SECRET_MAX {
            return Err(VaultError::TooLong);
        }
        self.seal(team, RecordKind::Secret, holder, secret).await
    }

    /// Opens a secret. `None` when it is erased, or another team's.
    ///
    /// # Errors
    /// `Damaged`, `NoKey`, the database's.
    #[boxed]
    pub async fn open_secret(
        &self,
        team: TeamId,
        holder: &Holder,
        blob: BlobId,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        let kind = RecordKind::Secret;
        self.opened(&RecordPlace { team, blob, kind }, holder).await
    }

    /// Erases a secret. Does nothing when it is erased already.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn erase_secret(&self, team: TeamId, blob: BlobId) -> Result<(), VaultError> {
        self.commit(&blob.key(), [delete(team, blob)])
            .await
            .map(|_| ())
    }

    /// What is sealed at a place, if it is there.
    pub(crate) async fn opened(
        &self,
        place: &RecordPlace,
        holder: &Holder,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        let mut missed = None;
        loop {
            let found = match place.kind {
                RecordKind::Card | RecordKind::Account | RecordKind::Token => {
                    records::find(&self.0.db, place.team, place.blob).await?
                }
                RecordKind::Secret => find(&self.0.db, place.team, place.blob).await?,
            };
            let Some(record) = found else { return Ok(None) };
            match envelope::open(&self.keys(), place, holder, &record) {
                // Its version was retired between the two looks, and the record is under another by now; or another node has
                // begun a rotation.
                Err(VaultError::NoKey(version)) if missed != Some(version) => {
                    missed = Some(version);
                    self.reload();
                }
                opened => return opened.map(Some),
            }
        }
    }
}

/// A new secret.
pub(crate) fn insert(team: TeamId, blob: BlobId, sealed: &Sealed, at: Timestamp) -> Statement {
    Statement::one(
        "insert into secret (blob_id, team_id, key_version, key_retired, sealed_key, sealed, created_at) \
         values ($1, $2, $3, 0, $4, $5, $6)",
        vec![
            blob.key().into(),
            team.key().into(),
            i64::from(sealed.version).into(),
            sealed.key.as_str().into(),
            sealed.content.as_str().into(),
            at.micros().into(),
        ],
    )
}

/// Puts a data key that was sealed again in the place of the old one, unless that has changed.
pub(crate) fn rewrap(place: &RecordPlace, old: &Sealed, new: &Sealed) -> Statement {
    Statement::any(
        "update secret set key_version = $3, sealed_key = $4 where team_id = $1 and blob_id = $2 and key_version = $5",
        vec![
            place.team.key().into(),
            place.blob.key().into(),
            i64::from(new.version).into(),
            new.key.as_str().into(),
            i64::from(old.version).into(),
        ],
    )
}

fn delete(team: TeamId, blob: BlobId) -> Statement {
    Statement::any(
        "delete from secret where team_id = $1 and blob_id = $2",
        vec![team.key().into(), blob.key().into()],
    )
}

async fn find(db: &Db, team: TeamId, blob: BlobId) -> Result<Option<Sealed>, DbError> {
    let sql =
        "select key_version, sealed_key, sealed from secret where team_id = $1 and blob_id = $2";
    let rows = db
        .read(sql, vec![team.key().into(), blob.key().into()])
        .await?;
    rows.first().map(|row| records::sealed(row, 0)).transpose()
}
