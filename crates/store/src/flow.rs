//! Flows: a team's automation documents. What they say is in their versions.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{FlowId, TeamId},
};

/// A flow as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: FlowId,
    /// What people call it.
    pub name: String,
    /// Whether payments without a flow run under it. One of a team's flows at most.
    pub is_default: bool,
    /// The last version.
    pub latest: u32,
    /// The version that new payments run under.
    pub published: Option<u32>,
}

/// A new flow.
pub fn insert(flow: &Flow, at: Timestamp) -> Statement {
    Statement::one(
        "insert into flow (team_id, flow_id, name, is_default, created_at, latest_version, \
         published_version) values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            flow.team.key().into(),
            flow.id.as_str().into(),
            flow.name.as_str().into(),
            i64::from(flow.is_default).into(),
            at.micros().into(),
            i64::from(flow.latest).into(),
            flow.published.map(i64::from).into(),
        ],
    )
}

/// Gives a flow its next version, unless somebody else has meanwhile. `from` is its last one.
pub fn advance(team: TeamId, id: &FlowId, from: u32, to: u32) -> Statement {
    Statement::one(
        "update flow set latest_version = $4, deleted_at = null \
         where team_id = $1 and flow_id = $2 and latest_version = $3",
        vec![
            team.key().into(),
            id.as_str().into(),
            i64::from(from).into(),
            i64::from(to).into(),
        ],
    )
}

/// Removes a flow that is not the default. Its row stays for the numbers of its versions.
pub fn delete(team: TeamId, id: &FlowId, at: Timestamp) -> Statement {
    Statement::one(
        "update flow set deleted_at = $3, published_version = null \
         where team_id = $1 and flow_id = $2 and is_default = 0 and deleted_at is null",
        vec![team.key().into(), id.as_str().into(), at.micros().into()],
    )
}

/// Lets new payments run under the flow's published version, under its name of then.
pub fn publish(flow: &Flow) -> Statement {
    Statement::one(
        "update flow set published_version = $3, name = $4 where team_id = $1 and flow_id = $2",
        vec![
            flow.team.key().into(),
            flow.id.as_str().into(),
            flow.published.map(i64::from).into(),
            flow.name.as_str().into(),
        ],
    )
}

/// Takes the default away from whichever of a team's flows has it.
pub fn unset_default(team: TeamId) -> Statement {
    Statement::any(
        "update flow set is_default = 0 where team_id = $1 and is_default = 1",
        vec![team.key().into()],
    )
}

/// Makes a published flow the default. The one before must have lost that in the same change.
pub fn set_default(team: TeamId, id: &FlowId) -> Statement {
    Statement::one(
        "update flow set is_default = 1 where team_id = $1 and flow_id = $2 and published_version is not null",
        vec![team.key().into(), id.as_str().into()],
    )
}

/// A team's flows, in order of their ids.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Flow>, DbError> {
    let sql = "select team_id, flow_id, name, is_default, latest_version, published_version from flow \
               where team_id = $1 and deleted_at is null order by flow_id";
    db.read(sql, vec![team.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// A flow that was removed.
pub async fn deleted(db: &Db, team: TeamId, id: &FlowId) -> Result<Option<Flow>, DbError> {
    let sql = "select team_id, flow_id, name, is_default, latest_version, published_version from flow \
               where team_id = $1 and flow_id = $2 and deleted_at is not null";
    let params = vec![team.key().into(), id.as_str().into()];
    db.read(sql, params).await?.first().map(read).transpose()
}

fn read(row: &Row) -> Result<Flow, DbError> {
    let corrupt = || DbError::Corrupt("flow: its keys".to_owned());
    let version = |number: i64| u32::try_from(number).map_err(|_| corrupt());
    Ok(Flow {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        id: FlowId::parse(row.text(1)?).ok_or_else(corrupt)?,
        name: row.text(2)?.to_owned(),
        is_default: row.flag(3)?,
        latest: version(row.int(4)?)?,
        published: row.opt_int(5)?.map(version).transpose()?,
    })
}
