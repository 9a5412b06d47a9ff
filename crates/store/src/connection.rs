//! Connections: a team's configured accounts at processors.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{BlobId, ConnectionId, TeamId},
    payment::ImportMode,
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
    /// The vault's record with its credentials.
    pub credentials: Option<BlobId>,
    /// The token in the address to which its processor sends notifications.
    pub inbound_token: Option<String>,
    /// What becomes of payments that its processor reports and that were not made here.
    pub imports: ImportMode,
}

/// A new connection.
pub fn insert(connection: &Connection, at: Timestamp) -> Statement {
    Statement::one(
        "insert into connection (team_id, connection_id, processor, name, enabled, settings, created_at, \
         credentials_id, inbound_token, imports) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection.processor.as_str().into(),
            connection.name.as_str().into(),
            i64::from(connection.enabled).into(),
            crate::text(&connection.settings).into(),
            at.micros().into(),
            connection.credentials.map(BlobId::key).into(),
            connection.inbound_token.as_deref().into(),
            connection.imports.code().into(),
        ],
    )
}

/// Changes a connection and switches it on or off, unless its credentials have changed since they were read: the record
/// with the old ones could be lost otherwise. Its processor stays, since payments were made there.
pub fn update(connection: &Connection, credentials_before: Option<BlobId>) -> Statement {
    Statement::one(
        "update connection set name = $3, enabled = $4, settings = $5, credentials_id = $6, inbound_token = $8, imports = $9 \
         where team_id = $1 and connection_id = $2 and coalesce(credentials_id, '') = $7",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection.name.as_str().into(),
            i64::from(connection.enabled).into(),
            crate::text(&connection.settings).into(),
            connection.credentials.map(BlobId::key).into(),
            credentials_before
                .map(BlobId::key)
                .unwrap_or_default()
                .into(),
            connection.inbound_token.as_deref().into(),
            connection.imports.code().into(),
        ],
    )
}

/// Says whether new payments may be sent to a connection. Refused when that is so already.
pub fn switch(team: TeamId, id: &ConnectionId, is_on: bool) -> Statement {
    Statement::one(
        "update connection set enabled = $3 where team_id = $1 and connection_id = $2 and enabled <> $3",
        vec![
            team.key().into(),
            id.as_str().into(),
            i64::from(is_on).into(),
        ],
    )
}

/// Removes a connection as it was read, unless a payment was sent there meanwhile that may need it.
pub fn delete(connection: &Connection) -> Statement {
    Statement::one(
        "delete from connection where team_id = $1 and connection_id = $2 and coalesce(credentials_id, '') = $3 \
         and not exists (select 1 from payment where payment.team_id = $1 and payment.connection_id = $2 \
         and payment.status not in ('DECLINED', 'FAILED', 'CANCELLED'))",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection
                .credentials
                .map(BlobId::key)
                .unwrap_or_default()
                .into(),
        ],
    )
}

/// A team's connections, in order of their ids.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Connection>, DbError> {
    let sql = "select team_id, connection_id, processor, name, enabled, settings, credentials_id, inbound_token, imports from connection \
               where team_id = $1 order by connection_id";
    db.read(sql, vec![team.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Whether a connection of the team has its credentials in `secret`.
pub async fn uses_secret(db: &Db, team: TeamId, secret: BlobId) -> Result<bool, DbError> {
    let sql =
        "select connection_id from connection where team_id = $1 and credentials_id = $2 limit 1";
    let rows = db
        .read(sql, vec![team.key().into(), secret.key().into()])
        .await?;
    Ok(!rows.is_empty())
}

/// The processors that connections of any team speak to. For the check at the start of a live deployment.
pub async fn processors(db: &Db) -> Result<Vec<String>, DbError> {
    let mut rows = db
        .read(
            // Of every team: the check is of the deployment.
            "select distinct processor from connection order by processor",
            Vec::new(),
        )
        .await?;
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
        credentials: row
            .opt_text(6)?
            .map(|id| BlobId::parse(id).ok_or_else(corrupt))
            .transpose()?,
        inbound_token: row.opt_text(7)?.map(str::to_owned),
        imports: ImportMode::parse(row.text(8)?).ok_or_else(corrupt)?,
    })
}
