//! The rows of sealed numbers.

use db::{Db, DbError, Insert, Row, Select, Statement};
use domain::{
    Timestamp,
    id::{BlobId, TeamId},
};

use crate::{
    envelope::{RecordKind, RecordPlace, Sealed},
    secrets,
};

/// A new row.
static NEW: Insert = Insert::new(
    "sealed",
    &[
        "team_id",
        "blob_id",
        "kind",
        "key_version",
        "key_retired",
        "sealed_key",
        "sealed",
        "created_at",
    ],
);

/// A row by its key.
static BY_ID: Select = Select::new(
    "sealed",
    &["key_version", "sealed_key", "sealed"],
    &["team_id", "blob_id"],
);

/// A new sealed number.
pub(crate) fn insert(
    team: TeamId,
    blob: BlobId,
    kind: RecordKind,
    sealed: &Sealed,
    at: Timestamp,
) -> Statement {
    NEW.with(vec![
        team.key().into(),
        blob.key().into(),
        kind.text().into(),
        i64::from(sealed.version).into(),
        0_i64.into(),
        sealed.key.as_str().into(),
        sealed.content.as_str().into(),
        at.micros().into(),
    ])
}

/// Erases a sealed number.
pub(crate) fn delete(team: TeamId, blob: BlobId) -> Statement {
    Statement::any(
        "delete from sealed where team_id = $1 and blob_id = $2",
        vec![team.key().into(), blob.key().into()],
    )
}

/// Puts a data key that was sealed again in the place of the old one, unless that has changed.
pub(crate) fn rewrap(place: &RecordPlace, old: &Sealed, new: &Sealed) -> Statement {
    if place.kind == RecordKind::Secret {
        return secrets::rewrap(place, old, new);
    }
    Statement::any(
        "update sealed set key_version = $3, sealed_key = $4 where team_id = $1 and blob_id = $2 and key_version = $5",
        vec![
            place.team.key().into(),
            place.blob.key().into(),
            i64::from(new.version).into(),
            new.key.as_str().into(),
            i64::from(old.version).into(),
        ],
    )
}

/// A team's sealed number.
pub(crate) async fn find(db: &Db, team: TeamId, blob: BlobId) -> Result<Option<Sealed>, DbError> {
    let rows = db
        .find(&BY_ID, vec![team.key().into(), blob.key().into()])
        .await?;
    rows.first().map(|row| sealed(row, 0)).transpose()
}

/// Numbers and secrets of any team that are sealed under `version`, after the id `after`, in the order of their ids.
pub(crate) async fn of_version(
    db: &Db,
    version: u32,
    after: Option<BlobId>,
    limit: i64,
) -> Result<Vec<(RecordPlace, Sealed)>, DbError> {
    // A rotation serves every team; each row carries its team with it.
    let sql = "select blob_id, team_id, kind, key_version, sealed_key, sealed from sealed \
               where key_version = $1 and blob_id > $2 \
               union all select blob_id, team_id, 'secret', key_version, sealed_key, sealed from secret \
               where key_version = $1 and blob_id > $2 order by blob_id limit $3";
    let after = after.map(BlobId::key).unwrap_or_default();
    let rows = db
        .scan(
            sql,
            vec![i64::from(version).into(), after.into(), limit.into()],
        )
        .await?;
    rows.iter().map(placed).collect()
}

/// Numbers and secrets of any team after the id `after`, in the order of their ids.
pub(crate) async fn every(
    db: &Db,
    after: Option<BlobId>,
    limit: i64,
) -> Result<Vec<(RecordPlace, Sealed)>, DbError> {
    // Whether a copy can be opened concerns every team; each row carries its team with it.
    let sql = "select blob_id, team_id, kind, key_version, sealed_key, sealed from sealed where blob_id > $1 \
               union all select blob_id, team_id, 'secret', key_version, sealed_key, sealed from secret \
               where blob_id > $1 order by blob_id limit $2";
    let after = after.map(BlobId::key).unwrap_or_default();
    let rows = db.scan(sql, vec![after.into(), limit.into()]).await?;
    rows.iter().map(placed).collect()
}

/// Reads a row of `blob_id, team_id, kind, key_version, sealed_key, sealed`.
fn placed(row: &Row) -> Result<(RecordPlace, Sealed), DbError> {
    let kind = [RecordKind::Card, RecordKind::Secret, RecordKind::Token]
        .into_iter()
        .find(|kind| row.text(2).is_ok_and(|text| text == kind.text()));
    let kind = kind.unwrap_or(RecordKind::Account);
    let (blob, team) = keys(row)?;
    Ok((RecordPlace { team, blob, kind }, sealed(row, 3)?))
}

/// How many numbers and secrets there are, and how many are sealed under `version`.
pub(crate) async fn count(db: &Db, version: u32) -> Result<(i64, i64), DbError> {
    // A rotation serves every team.
    let all = "select count(*) from sealed union all select count(*) from secret";
    let all = db.scan(all, Vec::new()).await?;
    // So does the part of it that is done.
    let done = "select count(*) from sealed where key_version = $1 \
                union all select count(*) from secret where key_version = $1";
    let done = db.scan(done, vec![i64::from(version).into()]).await?;
    let number = |rows: &[Row]| {
        rows.iter().try_fold(0_i64, |sum, row| {
            Ok::<_, DbError>(sum.saturating_add(row.int(0)?))
        })
    };
    Ok((number(&all)?, number(&done)?))
}

/// Rows of any team that are older than `before`, after the id `after`.
pub(crate) async fn older_than(
    db: &Db,
    kind: RecordKind,
    before: Timestamp,
    after: Option<BlobId>,
    limit: i64,
) -> Result<Vec<(TeamId, BlobId)>, DbError> {
    // A sweep serves every team; each row carries its team with it. Ids are in the order of time, so that the first one of
    // the millisecond after `before` spares a walk over everything that is younger.
    let sql = match kind {
        RecordKind::Card | RecordKind::Account | RecordKind::Token => {
            "select blob_id, team_id from sealed \
             where blob_id > $1 and blob_id < $2 and created_at < $3 order by blob_id limit $4"
        }
        RecordKind::Secret => {
            "select blob_id, team_id from secret \
             where blob_id > $1 and blob_id < $2 and created_at < $3 order by blob_id limit $4"
        }
    };
    let after = after.map(BlobId::key).unwrap_or_default();
    let millis = u64::try_from(before.micros() / 1000)
        .unwrap_or(0)
        .saturating_add(1);
    let end = BlobId::new(uuid::Builder::from_unix_timestamp_millis(millis, &[0; 10]).into_uuid());
    let rows = db
        .scan(
            sql,
            vec![
                after.into(),
                end.key().into(),
                before.micros().into(),
                limit.into(),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| keys(row).map(|(blob, team)| (team, blob)))
        .collect()
}

fn keys(row: &Row) -> Result<(BlobId, TeamId), DbError> {
    let keys = BlobId::parse(row.text(0)?).zip(TeamId::parse(row.text(1)?));
    keys.ok_or_else(|| DbError::Corrupt("sealed: the keys of a row".to_owned()))
}

pub(crate) fn sealed(row: &Row, first: usize) -> Result<Sealed, DbError> {
    let version = u32::try_from(row.int(first)?)
        .map_err(|_| DbError::Corrupt("sealed: a key version".to_owned()))?;
    Ok(Sealed {
        version,
        key: row.text(first + 1)?.to_owned(),
        content: row.text(first + 2)?.to_owned(),
    })
}
