//! How many numbers of one kind a team has brought recently.

use db::{Db, DbError, Statement};
use domain::{Timestamp, id::TeamId, number_quota::NumberQuota};

/// A new count.
pub fn insert(team: TeamId, bucket: &str, quota: &NumberQuota, until: Timestamp) -> Statement {
    Statement::one(
        "insert into number_quota (team_id, bucket, version, body, until_at) values ($1, $2, 1, $3, $4) \
         on conflict (team_id, bucket) do nothing",
        vec![
            team.key().into(),
            bucket.into(),
            crate::text(quota).into(),
            until.micros().into(),
        ],
    )
}

/// The count after version `version`; touches no row when somebody else has counted since.
pub fn update(
    team: TeamId,
    bucket: &str,
    quota: &NumberQuota,
    version: i64,
    until: Timestamp,
) -> Statement {
    Statement::one(
        "update number_quota set version = version + 1, body = $3, until_at = $4 \
         where team_id = $1 and bucket = $2 and version = $5",
        vec![
            team.key().into(),
            bucket.into(),
            crate::text(quota).into(),
            until.micros().into(),
            version.into(),
        ],
    )
}

/// A count with its version.
pub async fn find(
    db: &Db,
    team: TeamId,
    bucket: &str,
) -> Result<Option<(NumberQuota, i64)>, DbError> {
    let sql = "select body, version from number_quota where team_id = $1 and bucket = $2";
    let rows = db.read(sql, vec![team.key().into(), bucket.into()]).await?;
    rows.first()
        .map(|row| {
            let quota = crate::document(row.text(0)?, "number_quota", bucket)?;
            Ok((quota, row.int(1)?))
        })
        .transpose()
}

/// Removes counts of any team of which nothing counts any more. Returns how many.
pub async fn sweep(db: &Db, now: Timestamp, limit: i64) -> Result<usize, DbError> {
    // The window is the same for every team; the rows removed carry no data out.
    let sql = "delete from number_quota where (team_id, bucket) in \
               (select team_id, bucket from number_quota where until_at <= $1 order by until_at limit $2) \
               and until_at <= $1 returning until_at";
    Ok(db
        .claim_for_sweep(sql, vec![now.micros().into(), limit.into()])
        .await?
        .len())
}
