//! Flows: a team's automation documents.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{ConnectionId, FlowId, TeamId},
    payment::CaptureRule,
};
use serde::{Deserialize, Serialize};

/// What a flow does: authorise at one connection, and capture by its rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Where payments are authorised.
    pub connection: ConnectionId,
    /// When they are captured.
    pub capture: CaptureRule,
}

/// A flow as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: FlowId,
    /// What people call it.
    pub name: String,
    /// Whether payments without a flow run under it.
    pub is_default: bool,
    /// What it does.
    pub document: Document,
}

/// A new flow.
pub fn insert(flow: &Flow, at: Timestamp) -> Statement {
    Statement::one(
        "insert into flow (team_id, flow_id, name, is_default, document, created_at) values ($1, $2, $3, $4, $5, $6)",
        vec![
            flow.team.key().into(),
            flow.id.as_str().into(),
            flow.name.as_str().into(),
            i64::from(flow.is_default).into(),
            crate::text(&flow.document).into(),
            at.micros().into(),
        ],
    )
}

/// A team's flows, in order of their ids.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Flow>, DbError> {
    let sql = "select team_id, flow_id, name, is_default, document from flow where team_id = $1 order by flow_id";
    db.read(sql, vec![team.key().into()]).await?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Flow, DbError> {
    let corrupt = || DbError::Corrupt("flow: its keys".to_owned());
    Ok(Flow {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        id: FlowId::parse(row.text(1)?).ok_or_else(corrupt)?,
        name: row.text(2)?.to_owned(),
        is_default: row.flag(3)?,
        document: crate::document(row.text(4)?, "flow", row.text(1)?)?,
    })
}
