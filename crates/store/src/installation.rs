//! What holds for the whole installation, whichever node serves it. Each is written once and stays, except for a time.

use db::{Change, Db, DbError, Statement};

/// Whether money is real: `test` or `live`.
pub const MODE: &str = "mode";

/// The team that a sandbox's first start made. Of nodes that start at the same time only one can write it.
pub const FIRST_TEAM: &str = "first_team";

/// The mark of this installation. A copy that was restored gets another one.
pub const GENERATION: &str = "generation";

/// Which database on which server holds it; a copy that was restored is another one. None where it is embedded.
pub const PLACE: &str = "place";

/// When the backup was taken that this installation was restored from, in microseconds.
pub const RESTORED_AT: &str = "restored_at";

/// Until when the installation was served, as far as any node has noted, in microseconds with zeros in front.
pub const SEEN: &str = "seen";

/// How far a move of the whole installation to another database is.
pub const MIGRATION: &str = "migration";

/// What stands under a name. It is of no team.
pub async fn get(db: &Db, name: &str) -> Result<Option<String>, DbError> {
    // It belongs to the installation, not to a team.
    let sql = "select value from installation where name = $1";
    let rows = db.read(sql, vec![name.into()]).await?;
    rows.into_iter()
        .next()
        .map(|mut row| row.take_text(0))
        .transpose()
}

/// Writes what does not stand there yet; the change is refused when it does.
pub fn insert(name: &str, value: &str) -> Statement {
    // It belongs to the installation, not to a team.
    Statement::one(
        "insert into installation (name, value) values ($1, $2)",
        vec![name.into(), value.into()],
    )
}

/// Every name with what stands under it.
pub async fn all(db: &Db) -> Result<Vec<(String, String)>, DbError> {
    // It belongs to the installation, not to a team.
    let sql = "select name, value from installation order by name";
    let rows = db.read(sql, Vec::new()).await?;
    rows.into_iter()
        .map(|mut row| Ok((row.take_text(0)?, row.take_text(1)?)))
        .collect()
}

/// Writes in the place of exactly what stands there, nothing included; the change is refused when it is something else.
pub fn swap(name: &str, there: Option<&str>, value: &str) -> Statement {
    let Some(there) = there else {
        return insert(name, value);
    };
    // It belongs to the installation, not to a team.
    let sql = "update installation set value = $3 where name = $1 and value = $2";
    Statement::one(sql, vec![name.into(), there.into(), value.into()])
}

/// Writes a time in microseconds, unless a later one stands there.
pub fn raise(name: &str, micros: i64) -> Statement {
    // It belongs to the installation, not to a team. Digits of one length are in the order of their numbers.
    let sql = "insert into installation (name, value) values ($1, $2) \
               on conflict (name) do update set value = excluded.value where installation.value < excluded.value";
    Statement::any(sql, vec![name.into(), format!("{micros:020}").into()])
}

/// Removes exactly what stands there; the change is refused when it is something else.
pub fn remove(name: &str, there: &str) -> Statement {
    // It belongs to the installation, not to a team.
    Statement::one(
        "delete from installation where name = $1 and value = $2",
        vec![name.into(), there.into()],
    )
}

/// What stands under a name after `value` was put there, unless something did already.
///
/// # Errors
/// The database's. An outcome that is unknown is one of them: what stands there is read again by the next try.
pub async fn claim(db: &Db, change: Change, name: &str, value: &str) -> Result<String, DbError> {
    if let Some(there) = get(db, name).await? {
        return Ok(there);
    }
    db.commit(change.with(insert(name, value))).await?;
    get(db, name)
        .await?
        .ok_or_else(|| DbError::Corrupt(format!("installation: {name} is not there")))
}
