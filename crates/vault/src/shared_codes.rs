//! Security codes in the database, where several nodes share it: a customer may come back to another node than the one
//! that took the code.
//!
//! They are sealed under a key derived from the current version of the vault's keys, in a table that never gets into the
//! write-ahead log. None of these statements names a team: a holder's name is of one team, and unique.

use std::{collections::BTreeMap, time::Duration};

use db::{DbError, Insert, Row, Statement};
use domain::Timestamp;
use parking_lot::Mutex;
use zeroize::Zeroizing;

use crate::{
    Vault, VaultError,
    codes::{CodeName, Purpose, bound},
    envelope::{decrypt, encrypt},
    keyring::Key,
};

/// The longest life time here: the job that erases codes must have come by before an hour is over (behaviour contract,
/// section 6).
pub(crate) const LONGEST: Duration = Duration::from_mins(58);

/// What ends later than this from now was kept before a clock was set back, and could live too long. Clocks of several nodes
/// may differ a little.
const LATEST: Duration = Duration::from_mins(59);

/// How often a write whose outcome is unknown is done again. It is the same after it was done twice.
const TRIES: u32 = 3;

/// What a look has found spares the look before the erasure for this long: longer than a call takes.
const FRESH_FOR: Duration = Duration::from_mins(1);

/// More looks than this are not remembered at once.
const LOOKS: usize = 10_000;

/// So long after an authorisation opened a code it is looked whether that has ended.
const LOOK_AFTER: Duration = Duration::from_mins(1);

/// What a look has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Code,
    None,
}

/// What looks have found recently: most payments have no code, and each would be looked for once more when its authorisation
/// has ended. A code that comes to another node in between is not this authorisation's.
#[derive(Default)]
pub(crate) struct Looks(Mutex<BTreeMap<String, (Timestamp, Found)>>);

impl Looks {
    fn note(&self, holder: &str, now: Timestamp, found: Found) {
        let mut looks = self.0.lock();
        if looks.len() >= LOOKS {
            looks.clear();
        }
        looks.insert(holder.to_owned(), (now, found));
    }

    /// What a look has found recently. Counts once.
    fn take(&self, holder: &str, now: Timestamp) -> Option<Found> {
        let (then, found) = self.0.lock().remove(holder)?;
        (now >= then && now.since(then) <= FRESH_FOR).then_some(found)
    }
}

/// A code that an authorisation has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedCode {
    holder: String,
    by: String,
}

impl UsedCode {
    /// The authorisation, as named by the task that opened the code for it.
    pub fn by(&self) -> &str {
        &self.by
    }
}

/// A code as it is kept, with the key that it is sealed under.
pub(crate) struct Sealed {
    key: Key,
    text: String,
}

impl Sealed {
    pub(crate) fn open(&self, holder: &str, purpose: Purpose) -> Option<Zeroizing<Vec<u8>>> {
        decrypt(&self.key, &self.text, &bound(purpose, holder))
    }
}

/// A new row, or what a holder's row becomes.
static NEW: Insert = Insert::or(
    "security_code",
    &["holder", "key_version", "sealed", "until_at"],
    &[
        "on conflict (holder) do update set key_version = excluded.key_version, sealed = excluded.sealed, \
         until_at = excluded.until_at, used_by = null, look_at = null",
    ],
);

fn put(holder: &str, version: u32, sealed: &str, until: Timestamp) -> Statement {
    // A holder's name is of one team.
    NEW.with(vec![
        holder.into(),
        i64::from(version).into(),
        sealed.into(),
        until.micros().into(),
    ])
}

fn delete(holder: &str) -> Statement {
    // A holder's name is of one team.
    Statement::any(
        "delete from security_code where holder = $1",
        vec![holder.into()],
    )
}

/// Notes who has opened a code, unless another one has come since.
fn mark(holder: &str, sealed: &str, by: &str, look_at: Timestamp) -> Statement {
    // A holder's name is of one team.
    let sql =
        "update security_code set used_by = $3, look_at = $4 where holder = $1 and sealed = $2";
    Statement::any(
        sql,
        vec![
            holder.into(),
            sealed.into(),
            by.into(),
            look_at.micros().into(),
        ],
    )
}

impl Vault {
    pub(crate) async fn share_code(
        &self,
        name: CodeName<'_>,
        clear: &[u8],
        lifetime: Duration,
        looks: &Looks,
    ) -> Result<(), VaultError> {
        let CodeName { holder, purpose } = name;
        let world = &self.0.world;
        looks.take(holder, world.now());
        let keys = self.keys();
        let version = keys.version();
        let key = keys.code_key(version).ok_or(VaultError::NoKey(version))?;
        let Some(sealed) = encrypt(&key, world, clear, &bound(purpose, holder)) else {
            return Ok(());
        };
        self.commit_code(
            holder,
            &put(holder, version, &sealed, world.now().after(lifetime)),
        )
        .await
    }

    pub(crate) async fn shared_code(
        &self,
        looks: &Looks,
        holder: &str,
        by: Option<&str>,
    ) -> Result<Option<Sealed>, VaultError> {
        let now = self.0.world.now();
        // A holder's name is of one team.
        let sql = "select key_version, sealed, used_by from security_code where holder = $1 and until_at > $2 and until_at <= $3";
        let times = [now, now.after(LATEST)].map(|at| at.micros().into());
        let found = self
            .0
            .db
            .read(sql, [vec![holder.into()], times.to_vec()].concat())
            .await?;
        let Some(mut row) = found.into_iter().next() else {
            looks.note(holder, now, Found::None);
            return Ok(None);
        };
        looks.note(holder, now, Found::Code);
        if let Some(by) = by.filter(|by| row.opt_text(2).ok().flatten() != Some(*by)) {
            // Before it is used: a process that dies afterwards has left the note.
            self.commit_code(
                holder,
                &mark(holder, row.text(1)?, by, now.after(LOOK_AFTER)),
            )
            .await?;
        }
        let version = u32::try_from(row.int(0)?)
            .map_err(|_| DbError::Corrupt("security_code: the version of a key".to_owned()))?;
        if self.keys().key(version).is_none() {
            self.reload();
        }
        // One whose key has been rotated away is lost, as by a crash.
        let Some(key) = self.keys().code_key(version) else {
            return Ok(None);
        };
        Ok(Some(Sealed {
            key,
            text: row.take_text(1)?,
        }))
    }

    /// Most authorisations have none, and have noted so.
    pub(crate) async fn forget_shared_code(
        &self,
        looks: &Looks,
        holder: &str,
    ) -> Result<(), VaultError> {
        match looks.take(holder, self.0.world.now()) {
            Some(Found::None) => Ok(()),
            Some(Found::Code) => self.commit_code(holder, &delete(holder)).await,
            None => self.erase_shared_code(holder).await,
        }
    }

    pub(crate) async fn used_shared_codes(&self, limit: i64) -> Result<Vec<UsedCode>, VaultError> {
        let now = self.0.world.now();
        // A sweep serves every team.
        let sql = "update security_code set look_at = $2 where holder in \
                   (select holder from security_code where look_at <= $1 order by look_at limit $3) and look_at <= $1 \
                   returning holder, used_by";
        let params = vec![
            now.micros().into(),
            now.after(LOOK_AFTER).micros().into(),
            limit.into(),
        ];
        let mut rows = self.0.db.claim_for_sweep(sql, params).await?;
        let read = |row: &mut Row| {
            Ok(UsedCode {
                holder: row.take_text(0)?,
                by: row.take_text(1)?,
            })
        };
        rows.iter_mut().map(read).collect()
    }

    pub(crate) async fn erase_used_shared_code(&self, code: &UsedCode) -> Result<(), VaultError> {
        // A holder's name is of one team.
        let sql = "delete from security_code where holder = $1 and used_by = $2";
        let delete = Statement::any(
            sql,
            vec![code.holder.as_str().into(), code.by.as_str().into()],
        );
        self.commit_code(&code.holder, &delete).await
    }

    /// Most payments have none: a look costs less than a commit.
    pub(crate) async fn erase_shared_code(&self, holder: &str) -> Result<(), VaultError> {
        // A holder's name is of one team.
        let sql = "select 1 from security_code where holder = $1";
        if self.0.db.read(sql, vec![holder.into()]).await?.is_empty() {
            return Ok(());
        }
        self.commit_code(holder, &delete(holder)).await
    }

    pub(crate) async fn sweep_shared_codes(&self) -> Result<usize, VaultError> {
        let now = self.0.world.now();
        // A sweep serves every team.
        let sql =
            "delete from security_code where until_at <= $1 or until_at > $2 returning holder";
        let times = [now, now.after(LATEST)].map(|at| at.micros().into());
        Ok(self.0.db.claim_for_sweep(sql, times.to_vec()).await?.len())
    }

    async fn commit_code(&self, holder: &str, statement: &Statement) -> Result<(), VaultError> {
        let mut tries = TRIES;
        loop {
            tries = tries.saturating_sub(1);
            match self.commit(holder, [statement.clone()]).await {
                Err(VaultError::Unclear) if tries > 0 => {}
                done => return done.map(|_| ()),
            }
        }
    }
}
