//! What teams have set.

use db::{Db, DbError, Statement, Value};
use domain::{Timestamp, id::TeamId, team::TeamSettings};

/// The first settings of a team, or the next version of them, guarded by the version before it.
pub fn put(team: TeamId, settings: &TeamSettings, at: Timestamp) -> Statement {
    let params = vec![
        team.key().into(),
        version(settings.version),
        crate::text(settings).into(),
        at.micros().into(),
    ];
    if settings.version == 1 {
        return Statement::one(
            "insert into team_setting (team_id, version, body, changed_at) values ($1, $2, $3, $4)",
            params,
        );
    }
    let mut params = params;
    params.push(version(settings.version.saturating_sub(1)));
    Statement::one(
        "update team_setting set version = $2, body = $3, changed_at = $4 where team_id = $1 and version = $5",
        params,
    )
}

/// A team's settings; those of a team that has set nothing otherwise.
pub async fn of_team(db: &Db, team: TeamId) -> Result<TeamSettings, DbError> {
    let sql = "select team_id, body from team_setting where team_id = $1";
    let rows = db.read(sql, vec![team.key().into()]).await?;
    rows.first().map_or_else(
        || Ok(TeamSettings::default()),
        |row| crate::document(row.text(1)?, "team_setting", row.text(0)?),
    )
}

/// The settings of every team that has set something: which origins may ask is asked before anyone says for which team.
pub async fn all(db: &Db) -> Result<Vec<TeamSettings>, DbError> {
    // Of all teams on purpose: a browser's preflight has no credential.
    let rows = db
        .scan(
            "select team_id, body from team_setting order by team_id",
            Vec::new(),
        )
        .await?;
    rows.iter()
        .map(|row| crate::document(row.text(1)?, "team_setting", row.text(0)?))
        .collect()
}

fn version(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}
