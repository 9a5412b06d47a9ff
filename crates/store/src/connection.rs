//! Connections: a team's configured accounts at processors.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{ConnectionId, TeamId},
};

/// A connection as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Whose it is.
    pub team: TeamId,
    /// Its id.
    pub id: ConnectionId,
    /// The processor's identifier.
    pub processor: String,
    /// What people call it.
    pub name: String,
    /// Whether payments may be sent to it.
    pub enabled: bool,
    /// Its settings.
    pub settings: serde_json::Value,
}

/// A new connection.
pub fn insert(connection: &Connection, at: Timestamp) -> Statement {
    Statement::one(
        "insert into connection (team_id, connection_id, processor, name, enabled, settings, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection.processor.as_str().into(),
            connection.name.as_str().into(),
            i64::from(connection.enabled).into(),
            crate::text(&connection.settings).into(),
            at.micros().into(),
        ],
    )
}

/// A team's connections, in order of their ids.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Connection>, DbError> {
    let sql = "select team_id, connection_id, processor, name, enabled, settings from connection \
               where team_id = $1 order by connection_id";
    db.read(sql, vec![team.key().into()]).await?.iter().map(read).collect()
}

/// The processors that connections of any team speak to. For the check at the start of a live deployment.
pub async fn processors(db: &Db) -> Result<Vec<String>, DbError> {
    let mut rows = db.read("select distinct processor from connection order by processor", Vec::new()).await?;
    rows.iter_mut().map(|row| row.take_text(0)).collect()
}

fn read(row: &Row) -> Result<Connection, DbError> {
    let corrupt = || DbError::Corrupt("connection: its keys".to_owned());
    Ok(Connection {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        id: ConnectionId::parse(row.text(1)?).ok_or_else(corrupt)?,
        processor: row.text(2)?.to_owned(),
        name: row.text(3)?.to_owned(),
        enabled: row.flag(4)?,
        settings: crate::document(row.text(5)?, "connection", row.text(1)?)?,
    })
}
