//! The versions of the key as the database knows them: which may have records, and the marks of their keys.
//!
//! None of these statements names a team: the keys serve every team.

use async_recursion::async_recursion as boxed;
use std::sync::{Arc, atomic::Ordering};

use db::{Db, DbError, Row, Statement};

use crate::{Vault, VaultError, keyring::Keyring};

/// Changes of versions are applied in the order in which they are made.
pub(crate) const AGGREGATE: &str = "sealing_key";

/// Whether records can be written under a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Open,
    Retired,
}

/// A version and its mark.
struct Version {
    number: u32,
    state: Use,
    mark: String,
}

/// Lets records be written under a version, unless it was retired.
fn register(version: u32, mark: &str) -> Statement {
    Statement::any(
        "insert into sealing_key (version, retired, mark) values ($1, 0, $2) on conflict (version) do nothing",
        vec![i64::from(version).into(), mark.into()],
    )
}

/// Ends the use of a version. The database refuses it while a record is under the version.
fn retire(version: u32, mark: &str) -> Statement {
    Statement::one(
        "insert into sealing_key (version, retired, mark) values ($1, 1, $2) \
         on conflict (version) do update set retired = 1",
        vec![i64::from(version).into(), mark.into()],
    )
}

/// Whether keys were ever in use with this database, so that others must not be made.
///
/// # Errors
/// The database's.
#[boxed]
pub async fn has_had_keys(db: &Db) -> Result<bool, DbError> {
    Ok(!db
        .read("select version from sealing_key limit 1", Vec::new())
        .await?
        .is_empty())
}

impl Vault {
    /// Takes the keys into use: the first ones of a vault are known to its database from now on, and nobody comes with
    /// others. Every node does so before it serves.
    ///
    /// # Errors
    /// `WrongKey` for the keys of another vault, `NoKey`, the database's.
    #[boxed]
    pub async fn take_up(&self) -> Result<(), VaultError> {
        self.fits().await?;
        self.ready_keys().await?;
        self.check_keys().await
    }

    /// Whether the keys are those of this vault, or may become its first ones. Writes nothing.
    ///
    /// # Errors
    /// As [`Vault::take_up`].
    #[boxed]
    pub async fn fits(&self) -> Result<(), VaultError> {
        let versions = self.versions().await?;
        let keys = self.keys();
        let is_known =
            |version: &Version| keys.mark(version.number).as_ref() == Some(&version.mark);
        if !versions.is_empty() && !versions.iter().any(is_known) {
            return Err(VaultError::WrongKey(keys.version()));
        }
        self.check_keys().await
    }

    /// Reads the keys again, since another node or a person may have changed them.
    pub(crate) fn reload(&self) {
        let mut keys = self.0.keys.lock();
        if let Some(renewed) = self.0.source.renewed(&keys) {
            tracing::info!(
                version = renewed.version(),
                "the vault's keys were changed elsewhere and are read again"
            );
            *keys = Arc::new(renewed);
        }
    }

    /// The keys, once the database takes records under their current version.
    ///
    /// # Errors
    /// `WrongKey` when the version there is another one or has ended.
    pub(crate) async fn ready_keys(&self) -> Result<Arc<Keyring>, VaultError> {
        loop {
            let keys = self.keys();
            let version = keys.version();
            if self.0.known.load(Ordering::Acquire) == version {
                return Ok(keys);
            }
            let mark = keys.mark(version).ok_or(VaultError::NoKey(version))?;
            self.commit(AGGREGATE, [register(version, &mark)]).await?;
            let found = self
                .versions()
                .await?
                .into_iter()
                .find(|found| found.number == version);
            let found = found.ok_or(VaultError::NoKey(version))?;
            if found.mark != mark {
                return Err(VaultError::WrongKey(version));
            }
            match found.state {
                Use::Open => {
                    self.0.known.store(version, Ordering::Release);
                    return Ok(keys);
                }
                Use::Retired => self.leave(&keys)?,
            }
        }
    }

    /// Moves on from a current version that has ended. Given keys still name it when they were left as they are after a
    /// rotation.
    fn leave(&self, ended: &Arc<Keyring>) -> Result<(), VaultError> {
        let mut keys = self.0.keys.lock();
        if keys.version() == ended.version() {
            *keys = Arc::new(
                ended
                    .advanced()
                    .ok_or(VaultError::WrongKey(ended.version()))?,
            );
        }
        Ok(())
    }

    /// Whether every version that may have records is at hand and the right one.
    pub(crate) async fn check_keys(&self) -> Result<(), VaultError> {
        // Taken after the look: a version that is retired meanwhile must not seem lost.
        let versions = self.versions().await?;
        let keys = self.keys();
        let mut ended = None;
        for version in versions {
            let mark = keys.mark(version.number);
            if mark.as_ref().is_some_and(|mark| *mark != version.mark) {
                return Err(VaultError::WrongKey(version.number));
            }
            if version.number == keys.version()
                && version.state == Use::Retired
                && keys.advanced().is_none()
            {
                // A version that is missing says more.
                ended = Some(version.number);
            }
            if mark.is_none()
                && version.state == Use::Open
                && self.has_records(version.number).await?
            {
                return Err(VaultError::NoKey(version.number));
            }
        }
        ended.map_or(Ok(()), |version| Err(VaultError::WrongKey(version)))
    }

    /// The versions besides `current` that may have records, the lowest first.
    pub(crate) async fn open_versions(&self, current: u32) -> Result<Vec<u32>, VaultError> {
        let versions = self.versions().await?;
        let open = versions
            .iter()
            .filter(|version| version.state == Use::Open && version.number != current);
        Ok(open.map(|version| version.number).collect())
    }

    /// Retires every version of the keys but the current one, in the database. Returns them; `None` when a record has come
    /// under one of them meanwhile.
    pub(crate) async fn retire_versions(
        &self,
        keys: &Keyring,
    ) -> Result<Option<Vec<u32>>, VaultError> {
        let ended: Vec<u32> = keys.other_versions().collect();
        let statements = ended
            .iter()
            .filter_map(|version| Some(retire(*version, &keys.mark(*version)?)));
        match self.commit(AGGREGATE, statements).await {
            Ok(true) => return Ok(Some(ended)),
            Ok(false) | Err(VaultError::Db(DbError::Sql { .. })) => {}
            Err(error) => return Err(error),
        }
        for version in ended {
            if self.has_records(version).await? {
                return Ok(None);
            }
        }
        Err(VaultError::Refused)
    }

    async fn has_records(&self, version: u32) -> Result<bool, VaultError> {
        // A look at the use of a key, for every team.
        let numbers = "select blob_id from sealed where key_version = $1 limit 1";
        // And of their secrets.
        let secrets = "select blob_id from secret where key_version = $1 limit 1";
        for sql in [numbers, secrets] {
            if !self
                .0
                .db
                .read(sql, vec![i64::from(version).into()])
                .await?
                .is_empty()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn versions(&self) -> Result<Vec<Version>, VaultError> {
        let sql = "select version, retired, mark from sealing_key order by version";
        let rows = self.0.db.read(sql, Vec::new()).await?;
        Ok(rows.iter().map(version).collect::<Result<_, _>>()?)
    }
}

fn version(row: &Row) -> Result<Version, DbError> {
    let number = u32::try_from(row.int(0)?)
        .map_err(|_| DbError::Corrupt("sealing_key: a version".to_owned()))?;
    let state = if row.flag(1)? {
        Use::Retired
    } else {
        Use::Open
    };
    Ok(Version {
        number,
        state,
        mark: row.text(2)?.to_owned(),
    })
}
