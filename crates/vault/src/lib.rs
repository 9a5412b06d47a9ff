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
//! afterwards by a seal that began before. A version has a mark there too, by which the keys of another vault are told.
//!
//! Secrets that are no numbers (credentials at processors, keys of wallets) are sealed in the same way, in a table of
//! their own.
//!
//! Security codes are never written to disk: they live sealed in memory, until their authorisation has ended or their
//! life time is over.
//!
//! # What is not promised
//! Whoever has both the database and the key file has the numbers. Keep them apart; a key management system can be put
//! behind [`KeySource`]. An erased number may stay, sealed, in copies of the database and in its write-ahead log, until
//! the version that its key is under is rotated away. Copies of the database need the key file of their own time.

mod codes;
mod envelope;
mod key_file;
mod keyring;
mod records;
mod rotate;
mod secrets;
mod versions;

use std::{
    sync::{Arc, atomic::AtomicU32},
    time::Duration,
};

use db::{Change, ChangeId, Committed, Db, DbError, Migration, Statement};
use domain::{
    Timestamp,
    card_number::{AccountNumber, CardNumber, SecurityCode},
    id::{BlobId, TeamId},
};
use futures_util::lock::Mutex as Turn;
use parking_lot::Mutex;
use world::World;
use zeroize::Zeroizing;

pub use keyring::{Given, KeyError, KeySource, Protection};
pub use rotate::Progress;
pub use secrets::SECRET_MAX;

use envelope::{Kind, Place};
use keyring::Keyring;
use rotate::Walk;

/// How often a number is sealed anew because the key was rotated meanwhile, before that is an error.
const TRIES: u32 = 4;

/// The vault's tables. A released migration is never edited.
pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "start", sql: include_str!("../migrations/0001_start.sql") },
    Migration { number: 2, name: "secrets", sql: include_str!("../migrations/0002_secrets.sql") },
];

/// What can go wrong in the vault. None of it tells a number.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
    /// A record does not open: its bytes, its team or its id were changed.
    #[error("the sealed record {0} is damaged")]
    Damaged(BlobId),
    /// A record is sealed under a version that the key file does not have.
    #[error("key version {0} is missing")]
    NoKey(u32),
    /// The keys are those of another vault, or of another time.
    #[error("version {0} of the keys is not what this vault was sealed with: bring back the right key file")]
    WrongKey(u32),
    /// The keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// A rotation's step is at work.
    #[error("another rotation is at work")]
    Rotating,
    /// A secret is longer than [`SECRET_MAX`].
    #[error("the secret is too long to be sealed")]
    TooLong,
    /// The number was not sealed, several times over.
    #[error("the number could not be sealed under the current key")]
    Refused,
    /// The database did not say what became of a commit.
    #[error("the outcome of a commit is unknown")]
    Unclear,
}

/// The vault. Clones share it.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    db: Db,
    world: World,
    source: KeySource,
    keys: Mutex<Arc<Keyring>>,
    /// The version that the database is known to take records under.
    known: AtomicU32,
    /// The rotation at work. Whoever has it is the only one that changes the keys.
    rotation: Turn<Option<Walk>>,
    codes: codes::Codes,
}

impl Vault {
    /// Opens the vault with the keys of `source`; a key file that is not there yet is made.
    ///
    /// # Errors
    /// Keys that can't be read or made.
    pub fn open(db: Db, source: KeySource, world: World, code_lifetime: Duration) -> Result<Self, VaultError> {
        let keys = source.load_or_create(&world)?;
        let codes = codes::Codes::new(&world, code_lifetime);
        let (keys, known) = (Mutex::new(Arc::new(keys)), AtomicU32::new(0));
        Ok(Self(Arc::new(Inner { db, world, source, keys, known, rotation: Turn::new(None), codes })))
    }

    /// Seals a card's number under a new id.
    ///
    /// # Errors
    /// The database's.
    pub async fn seal_card(&self, team: TeamId, number: &CardNumber) -> Result<BlobId, VaultError> {
        self.seal(team, Kind::Card, number.expose().as_bytes()).await
    }

    /// Seals a bank account's number under a new id.
    ///
    /// # Errors
    /// The database's.
    pub async fn seal_account(&self, team: TeamId, number: &AccountNumber) -> Result<BlobId, VaultError> {
        self.seal(team, Kind::Account, number.expose().as_bytes()).await
    }

    /// Opens a card's number, for one call to a processor. `None` when it is erased.
    ///
    /// # Errors
    /// `Damaged`, `NoKey`, the database's.
    pub async fn open_card(&self, team: TeamId, blob: BlobId) -> Result<Option<CardNumber>, VaultError> {
        let Some(number) = self.opened(&Place { team, blob, kind: Kind::Card }).await? else { return Ok(None) };
        let damaged = |_| VaultError::Damaged(blob);
        let text = String::from_utf8(number.to_vec()).map_err(damaged)?;
        CardNumber::parse(text).map(Some).map_err(|_| VaultError::Damaged(blob))
    }

    /// The same for the same card within a team, and nothing else: a keyed hash.
    pub fn fingerprint(&self, team: TeamId, number: &CardNumber) -> String {
        self.keys().fingerprint(team, Kind::Card, number.expose())
    }

    /// The same for the same bank account within a team.
    pub fn account_fingerprint(&self, team: TeamId, number: &AccountNumber) -> String {
        self.keys().fingerprint(team, Kind::Account, number.expose())
    }

    /// A keyed hash of a request, for idempotency: it may hold a card, so it is never kept itself.
    pub fn request_hash(&self, request: &[u8]) -> String {
        self.keys().request_hash(request)
    }

    /// A keyed hash of a credential.
    pub fn credential_hash(&self, credential: &str) -> String {
        self.keys().credential_hash(credential)
    }

    /// Keeps a security code in memory under `holder`, until it is erased or its life time is over.
    pub fn keep_cvc(&self, holder: &str, code: &SecurityCode) {
        self.0.codes.keep(&self.0.world, holder, code);
    }

    /// The security code of `holder`, if it is still kept.
    pub fn open_cvc(&self, holder: &str) -> Option<SecurityCode> {
        self.0.codes.open(&self.0.world, holder)
    }

    /// Keeps a wallet's cryptogram with its indicator like a security code, in its place.
    pub fn keep_cryptogram(&self, holder: &str, cryptogram: &str, eci: Option<&str>) {
        self.0.codes.keep_cryptogram(&self.0.world, holder, cryptogram, eci);
    }

    /// The cryptogram of `holder` with its indicator, if it is still kept.
    pub fn open_cryptogram(&self, holder: &str) -> Option<(Zeroizing<String>, Option<String>)> {
        self.0.codes.open_cryptogram(&self.0.world, holder)
    }

    /// Erases the security code of `holder`, or its cryptogram.
    pub fn erase_cvc(&self, holder: &str) {
        self.0.codes.erase(holder);
    }

    /// Erases security codes whose life time is over, as a task of the vault's own does in time. Returns how many.
    pub fn sweep_codes(&self) -> usize {
        self.0.codes.sweep(self.0.world.now())
    }

    /// Erases a sealed number. Does nothing when it is erased already.
    ///
    /// # Errors
    /// The database's.
    pub async fn erase(&self, team: TeamId, blob: BlobId) -> Result<(), VaultError> {
        self.commit(&blob.key(), [records::delete(team, blob)]).await.map(|_| ())
    }

    /// Sealed numbers that are older than `before`, after the id `after`, in the order of their ids. For the search for
    /// those that nothing refers to.
    ///
    /// # Errors
    /// The database's.
    pub async fn older_than(
        &self,
        before: Timestamp,
        after: Option<BlobId>,
        limit: i64,
    ) -> Result<Vec<(TeamId, BlobId)>, VaultError> {
        Ok(records::older_than(&self.0.db, before, after, limit).await?)
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
    pub async fn check(&self) -> Result<(), VaultError> {
        self.0.db.check().await?;
        self.check_keys().await
    }

    /// Stops the database.
    pub async fn close(&self) {
        self.0.db.close().await;
    }

    async fn seal(&self, team: TeamId, kind: Kind, clear: &[u8]) -> Result<BlobId, VaultError> {
        let world = &self.0.world;
        for _ in 0..TRIES {
            let keys = self.ready_keys().await?;
            let blob = BlobId::new(world.uuid_v7());
            let sealed = envelope::seal(&keys, world, &Place { team, blob, kind }, clear)?;
            let statement = match kind {
                Kind::Card | Kind::Account => records::insert(team, blob, kind, &sealed, world.now()),
                Kind::Secret => secrets::insert(team, blob, &sealed, world.now()),
            };
            match self.commit(&blob.key(), [statement]).await {
                Ok(true) => return Ok(blob),
                // The id is taken.
                Ok(false) => {}
                // The database refuses the version, which a rotation has retired meanwhile.
                Err(VaultError::Db(_)) if self.keys().version() != keys.version() => {}
                Err(error) => return Err(error),
            }
        }
        Err(VaultError::Refused)
    }

    /// The keys as they are now.
    fn keys(&self) -> Arc<Keyring> {
        Arc::clone(&self.0.keys.lock())
    }

    /// Commits statements. Returns whether they met their counts.
    async fn commit(&self, key: &str, statements: impl IntoIterator<Item = Statement>) -> Result<bool, VaultError> {
        let mut id = [0; 16];
        self.0.world.fill(&mut id);
        let mut change = Change::new(ChangeId(u128::from_le_bytes(id)), key);
        statements.into_iter().for_each(|statement| change.push(statement));
        match self.0.db.commit(change).await? {
            Committed::Done => Ok(true),
            Committed::Conflict { .. } => Ok(false),
            Committed::Unknown => Err(VaultError::Unclear),
        }
    }
}

#[cfg(test)]
mod tests;
