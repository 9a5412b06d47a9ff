//! Card and bank account numbers at rest, and the secrets of teams.
//!
//! # Why it is apart
//! What is worth stealing stands in one small database with its own keys and a narrow interface; everything else knows
//! a number by a random id, a mask and a fingerprint.
//!
//! # How it works
//! Each number is sealed under a data key of its own (AES-256-GCM-SIV), with team, record and kind bound as associated
//! data; the data key is sealed under a versioned key-encryption key. A row moved to another team or id does not open.
//! Numbers are padded, so that a sealed one doesn't tell its length. A rotation seals the data keys again under a new
//! version while the vault serves; when no row is left under an old version, that version leaves the key file. It is
//! retired in the database first: a reference from every row lets no row be left under it, and none be written under it
//! afterwards by a seal that began before. A version has a mark there too, by which the keys of another vault are recognised.
//!
//! Secrets that are no numbers (credentials at processors, keys of wallets) are sealed in the same way, in a table of
//! their own.
//!
//! Security codes live until their authorisation has ended or their life time is over, an hour at most. With the embedded
//! database they are sealed in memory and never written to disk. Where nodes share a database they are sealed in a table
//! that is kept out of the write-ahead log, since a customer may come back to another node.
//!
//! # What is not promised
//! Anyone who has both the database and the key file has the numbers. Keep them apart; a key management system can be put
//! behind [`KeySource`]. An erased number may stay, sealed, in copies of the database and in its write-ahead log, until
//! the version that its key is under is rotated away. Copies of the database need the key file of their own time.

mod codes;
mod envelope;
mod error;
mod examined;
mod holder;
mod kept;
mod key_file;
mod keyring;
mod marks;
mod records;
mod rotate;
mod secrets;
mod shared_codes;
mod tokens;
mod versions;

use async_recursion::async_recursion as boxed;
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use db::{Change, ChangeId, Committed, Db, DbError, Lane, Migration, Statement};
use domain::{
    Timestamp,
    card_number::{AccountNumber, CardNumber},
    id::{BlobId, TeamId},
};
use futures_util::lock::Mutex as Turn;
use parking_lot::Mutex;
use world::World;

pub use error::VaultError;
pub use examined::Examined;
pub use holder::Holder;
pub use kept::Code;
pub use keyring::{AuditKey, Given, KeyError, KeySource, Protection};
pub use marks::NumberMark;
pub use rotate::Progress;
pub use secrets::SECRET_MAX;
pub use shared_codes::UsedCode;
pub use versions::has_had_keys;

use codes::Codes;
use envelope::{RecordKind, RecordPlace};
use kept::Kept;
use keyring::Keyring;
use rotate::Walk;

/// How often a number is sealed again because the key was rotated meanwhile, before that is an error.
const TRIES: u32 = 4;

/// The vault's tables. A released migration is never edited.
pub const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "start",
    sql: include_str!("../migrations/0001_start.sql"),
}];

/// The vault. Clones share it.
#[derive(Clone)]
pub struct Vault(Arc<Inner>, Lane);

struct Inner {
    db: Db,
    world: World,
    source: KeySource,
    keys: Mutex<Arc<Keyring>>,
    /// The version that the database is known to take records under.
    known: AtomicU32,
    /// The rotation at work. Its holder alone changes the keys.
    rotation: Turn<Option<Walk>>,
    /// Where a rotation asks whether the data were moved, and the question: a row says yes.
    moved: OnceLock<(Db, &'static str)>,
    codes: Kept,
}

impl Vault {
    /// Opens the vault with the keys of `source`; a key file that is not there yet is made.
    ///
    /// # Errors
    /// Keys that can't be read or made.
    pub fn open(
        db: Db,
        source: KeySource,
        world: World,
        code_lifetime: Duration,
    ) -> Result<Self, VaultError> {
        let keys = source.load_or_create(&world)?;
        let codes = if db.is_shared() {
            Kept::Shared {
                lifetime: code_lifetime.min(shared_codes::LONGEST),
                looks: shared_codes::Looks::default(),
            }
        } else {
            Kept::InMemory(Codes::new(&world, code_lifetime))
        };
        let (keys, known) = (Mutex::new(Arc::new(keys)), AtomicU32::new(0));
        let (rotation, moved) = (Turn::new(None), OnceLock::new());
        let inner = Inner {
            db,
            world,
            source,
            keys,
            known,
            rotation,
            moved,
            codes,
        };
        Ok(Self(Arc::new(inner), Lane::Prompt))
    }

    /// The same vault, whose changes are made in this lane.
    #[must_use]
    pub fn in_lane(&self, lane: Lane) -> Self {
        Self(Arc::clone(&self.0), lane)
    }

    /// From now on every rotation asks this database first whether the data were moved away: a row says so. A node that slept
    /// meanwhile would otherwise take keys out of the file that the data at their new place need. Counts once.
    pub fn refuse_when_found(&self, db: Db, look: &'static str) {
        // The first one stays.
        let _ = self.0.moved.set((db, look));
    }

    /// Seals a card's number under a new id. It opens for the record `holder` alone.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn seal_card(
        &self,
        team: TeamId,
        holder: &Holder,
        number: &CardNumber,
    ) -> Result<BlobId, VaultError> {
        self.seal(team, RecordKind::Card, holder, number.expose().as_bytes())
            .await
    }

    /// Seals a bank account's number under a new id. It opens for the record `holder` alone.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn seal_account(
        &self,
        team: TeamId,
        holder: &Holder,
        number: &AccountNumber,
    ) -> Result<BlobId, VaultError> {
        self.seal(
            team,
            RecordKind::Account,
            holder,
            number.expose().as_bytes(),
        )
        .await
    }

    /// Opens a card's number, for one call to a processor. `None` when it is erased.
    ///
    /// # Errors
    /// `Damaged`, also for another record than it was sealed for; `NoKey`, the database's.
    #[boxed]
    pub async fn open_card(
        &self,
        team: TeamId,
        holder: &Holder,
        blob: BlobId,
    ) -> Result<Option<CardNumber>, VaultError> {
        let kind = RecordKind::Card;
        let place = RecordPlace { team, blob, kind };
        let Some(number) = self.opened_text(&place, holder).await? else {
            return Ok(None);
        };
        let number = CardNumber::parse(number).map_err(|_| VaultError::Damaged(blob))?;
        Ok(Some(number))
    }

    /// Opens a bank account's number, for one call to a processor. `None` when it is erased.
    ///
    /// # Errors
    /// `Damaged`, also for another record than it was sealed for; `NoKey`, the database's.
    #[boxed]
    pub async fn open_account(
        &self,
        team: TeamId,
        holder: &Holder,
        blob: BlobId,
    ) -> Result<Option<AccountNumber>, VaultError> {
        let kind = RecordKind::Account;
        let place = RecordPlace { team, blob, kind };
        let Some(number) = self.opened_text(&place, holder).await? else {
            return Ok(None);
        };
        let number = AccountNumber::parse(number).map_err(|_| VaultError::Damaged(blob))?;
        Ok(Some(number))
    }

    /// The digits at a place. The caller wipes them: both kinds of numbers do.
    async fn opened_text(
        &self,
        place: &RecordPlace,
        holder: &Holder,
    ) -> Result<Option<String>, VaultError> {
        let Some(clear) = self.opened(place, holder).await? else {
            return Ok(None);
        };
        String::from_utf8(clear.to_vec())
            .map(Some)
            .map_err(|_| VaultError::Damaged(place.blob))
    }

    /// A keyed hash of a request, for idempotency: it may hold a card, so it is never kept itself.
    pub fn request_hash(&self, request: &[u8]) -> String {
        self.keys().request_hash(request)
    }

    /// The key by which entries of the audit trail are sealed.
    pub fn audit_key(&self) -> AuditKey {
        self.keys().audit_key()
    }

    /// A keyed hash of what stands in an address that is handed out, so that it can be recognised as ours. `purpose` keeps addresses of
    /// different kinds apart.
    pub fn address_mark(&self, purpose: &str, content: &[u8]) -> String {
        self.keys().address_mark(purpose, content)
    }

    /// A keyed hash of a credential.
    pub fn credential_hash(&self, credential: &str) -> String {
        self.keys().credential_hash(credential)
    }

    /// Erases a sealed number. Does nothing when it is erased already.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn erase(&self, team: TeamId, blob: BlobId) -> Result<(), VaultError> {
        self.commit(&blob.key(), [records::delete(team, blob)])
            .await
            .map(|_| ())
    }

    /// Sealed numbers that are older than `before`, after the id `after`, in the order of their ids. For the search for
    /// those that nothing refers to.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn older_than(
        &self,
        before: Timestamp,
        after: Option<BlobId>,
        limit: i64,
    ) -> Result<Vec<(TeamId, BlobId)>, VaultError> {
        Ok(records::older_than(&self.0.db, RecordKind::Card, before, after, limit).await?)
    }

    /// The same for sealed secrets.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn secrets_older_than(
        &self,
        before: Timestamp,
        after: Option<BlobId>,
        limit: i64,
    ) -> Result<Vec<(TeamId, BlobId)>, VaultError> {
        Ok(records::older_than(&self.0.db, RecordKind::Secret, before, after, limit).await?)
    }

    /// How the keys are protected.
    ///
    /// # Errors
    /// The file can't be looked at.
    pub fn protection(&self) -> Result<Protection, VaultError> {
        Ok(self.0.source.protection()?)
    }

    /// Whether the database answers and the keys are those that it was sealed with.
    ///
    /// # Errors
    /// What the database says; `NoKey`, `WrongKey`.
    #[boxed]
    pub async fn check(&self) -> Result<(), VaultError> {
        self.0.db.check().await?;
        match self.check_keys().await {
            // The right ones may have been put there meanwhile.
            Err(VaultError::NoKey(_) | VaultError::WrongKey(_)) => {
                self.reload();
                self.check_keys().await
            }
            checked => checked,
        }
    }

    /// Whether its database writes nothing any more.
    pub fn is_broken(&self) -> bool {
        self.0.db.is_broken()
    }

    /// Stops the database.
    #[boxed]
    pub async fn close(&self) {
        self.0.db.close().await;
    }

    async fn seal(
        &self,
        team: TeamId,
        kind: RecordKind,
        holder: &Holder,
        clear: &[u8],
    ) -> Result<BlobId, VaultError> {
        let world = &self.0.world;
        let mut ended = VaultError::Refused;
        for _ in 0..TRIES {
            let keys = self.ready_keys().await?;
            let blob = BlobId::new(world.uuid_v7());
            let place = RecordPlace { team, blob, kind };
            let sealed = envelope::seal(&keys, world, &place, holder, clear)?;
            let statement = match kind {
                RecordKind::Card | RecordKind::Account | RecordKind::Token => {
                    records::insert(team, blob, kind, &sealed, world.now())
                }
                RecordKind::Secret => secrets::insert(team, blob, &sealed, world.now()),
            };
            match self.commit(&blob.key(), [statement]).await {
                Ok(true) => return Ok(blob),
                // The id is taken.
                Ok(false) => {}
                // The database refuses a version that a rotation has retired meanwhile, here or on another node.
                Err(VaultError::Db(error @ DbError::Sql { .. })) => {
                    self.0.known.store(0, Ordering::Release);
                    self.reload();
                    if self.ready_keys().await?.version() == keys.version() {
                        return Err(error.into());
                    }
                }
                // It may be there, or still come: nothing will ever refer to it, so it is swept. Another id is certain.
                Err(VaultError::Unclear) => ended = VaultError::Unclear,
                Err(error) => return Err(error),
            }
        }
        Err(ended)
    }

    /// The keys as they are now.
    fn keys(&self) -> Arc<Keyring> {
        Arc::clone(&self.0.keys.lock())
    }

    /// Commits statements. Returns whether they met their counts.
    async fn commit(
        &self,
        key: &str,
        statements: impl IntoIterator<Item = Statement>,
    ) -> Result<bool, VaultError> {
        let mut id = [0; 16];
        self.0.world.fill(&mut id);
        let mut change = Change::new(ChangeId(u128::from_le_bytes(id)), key);
        statements
            .into_iter()
            .for_each(|statement| change.push(statement));
        match self.0.db.commit(change.in_lane(self.1)).await? {
            Committed::Done => Ok(true),
            Committed::Conflict { .. } => Ok(false),
            Committed::Unknown => Err(VaultError::Unclear),
        }
    }
}

#[cfg(test)]
mod tests;
