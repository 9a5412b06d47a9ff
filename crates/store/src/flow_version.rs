//! The versions of flows: what each said at each save.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{FlowId, TeamId},
};

/// A version of a flow as it is stored. It never changes, but that it may be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowVersion {
    /// Whose it is.
    pub team: TeamId,
    /// Of which flow.
    pub flow: FlowId,
    /// Its number: 1, 2, 3, ….
    pub version: u32,
    /// What it says.
    pub document: serde_json::Value,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// When it was published first.
    pub published_at: Option<Timestamp>,
}

/// A new version.
pub fn insert(version: &FlowVersion) -> Statement {
    Statement::one(
        "insert into flow_version (team_id, flow_id, version, document, saved_at, published_at) \
         values ($1, $2, $3, $4, $5, $6)",
        vec![
            version.team.key().into(),
            version.flow.as_str().into(),
            i64::from(version.version).into(),
            crate::text(&version.document).into(),
            version.saved_at.micros().into(),
            version.published_at.map(Timestamp::micros).into(),
        ],
    )
}

/// Marks a version as published; the time of the first time stays.
pub fn publish(team: TeamId, flow: &FlowId, version: u32, at: Timestamp) -> Statement {
    Statement::one(
        "update flow_version set published_at = coalesce(published_at, $4) \
         where team_id = $1 and flow_id = $2 and version = $3",
        vec![
            team.key().into(),
            flow.as_str().into(),
            i64::from(version).into(),
            at.micros().into(),
        ],
    )
}

/// A version of a team's flow.
pub async fn find(
    db: &Db,
    team: TeamId,
    flow: &FlowId,
    version: u32,
) -> Result<Option<FlowVersion>, DbError> {
    let sql = "select team_id, flow_id, version, document, saved_at, published_at from flow_version \
               where team_id = $1 and flow_id = $2 and version = $3";
    let params = vec![
        team.key().into(),
        flow.as_str().into(),
        i64::from(version).into(),
    ];
    db.read(sql, params).await?.first().map(read).transpose()
}

/// The last version of each of a team's flows, in order of their ids.
pub async fn latest_of_team(db: &Db, team: TeamId) -> Result<Vec<FlowVersion>, DbError> {
    let sql = "select v.team_id, v.flow_id, v.version, v.document, v.saved_at, v.published_at \
               from flow f join flow_version v \
               on v.team_id = f.team_id and v.flow_id = f.flow_id and v.version = f.latest_version \
               where f.team_id = $1 order by f.flow_id";
    db.scan(sql, vec![team.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

fn read(row: &Row) -> Result<FlowVersion, DbError> {
    let corrupt = || DbError::Corrupt("flow_version: its keys".to_owned());
    Ok(FlowVersion {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        flow: FlowId::parse(row.text(1)?).ok_or_else(corrupt)?,
        version: u32::try_from(row.int(2)?).map_err(|_| corrupt())?,
        document: crate::document(row.text(3)?, "flow_version", row.text(1)?)?,
        saved_at: row.time(4)?,
        published_at: row.opt_time(5)?,
    })
}
