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
    /// The credentials before the last rotation, as long as their secret proves notifications.
    pub earlier: Option<EarlierCredentials>,
    /// The token in the address to which its processor sends notifications.
    pub inbound_token: Option<String>,
    /// What becomes of payments that its processor reports and that were not made here.
    pub imports: ImportMode,
}

/// Credentials that were rotated, whose secret still proves notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierCredentials {
    /// The vault's record with them.
    pub record: BlobId,
    /// Until when they count.
    pub until: Timestamp,
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

/// Changes a connection and switches it on or off, unless its credentials have changed since it was read as `before`: a record
/// with the old ones could be lost otherwise. Its processor stays, since payments were made there.
pub fn update(connection: &Connection, before: &Connection) -> Statement {
    Statement::one(
        "update connection set name = $3, enabled = $4, settings = $5, credentials_id = $6, inbound_token = $9, imports = $10, \
         earlier_credentials_id = $11, earlier_until = $12 \
         where team_id = $1 and connection_id = $2 and coalesce(credentials_id, '') = $7 and coalesce(earlier_credentials_id, '') = $8",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection.name.as_str().into(),
            i64::from(connection.enabled).into(),
            crate::text(&connection.settings).into(),
            connection.credentials.map(BlobId::key).into(),
            key_or_empty(before.credentials).into(),
            key_or_empty(before.earlier_record()).into(),
            connection.inbound_token.as_deref().into(),
            connection.imports.code().into(),
            connection.earlier_record().map(BlobId::key).into(),
            connection.earlier_until().into(),
        ],
    )
}

/// Changes the credentials of a connection alone, unless they have changed since it was read as `before`.
pub fn rotate(connection: &Connection, before: &Connection) -> Statement {
    Statement::one(
        "update connection set credentials_id = $3, earlier_credentials_id = $4, earlier_until = $5 \
         where team_id = $1 and connection_id = $2 and coalesce(credentials_id, '') = $6 and coalesce(earlier_credentials_id, '') = $7",
        vec![
            connection.team.key().into(),
            connection.id.as_str().into(),
            connection.credentials.map(BlobId::key).into(),
            connection.earlier_record().map(BlobId::key).into(),
            connection.earlier_until().into(),
            key_or_empty(before.credentials).into(),
            key_or_empty(before.earlier_record()).into(),
        ],
    )
}

impl Connection {
    fn earlier_record(&self) -> Option<BlobId> {
        self.earlier.map(|earlier| earlier.record)
    }

    fn earlier_until(&self) -> Option<i64> {
        self.earlier.map(|earlier| earlier.until.micros())
    }
}

/// A record's key; empty for none, as the guards of the statements compare it.
fn key_or_empty(record: Option<BlobId>) -> String {
    record.map(BlobId::key).unwrap_or_default()
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
            key_or_empty(connection.credentials).into(),
        ],
    )
}

/// A team's connections, in order of their ids.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<Connection>, DbError> {
    let sql = "select team_id, connection_id, processor, name, enabled, settings, credentials_id, inbound_token, imports, \
               earlier_credentials_id, earlier_until from connection where team_id = $1 order by connection_id";
    db.read(sql, vec![team.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Connections of any team with credentials from before a rotation that count no more. For the job that erases them.
pub async fn with_ended_credentials(
    db: &Db,
    now: Timestamp,
    most: i64,
) -> Result<Vec<Connection>, DbError> {
    // Of every team: the job is of the deployment.
    let sql = "select team_id, connection_id, processor, name, enabled, settings, credentials_id, inbound_token, imports, \
               earlier_credentials_id, earlier_until from connection where earlier_until <= $1 order by team_id, connection_id limit $2";
    db.read(sql, vec![now.micros().into(), most.into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Whether a connection of the team has its credentials in `secret`, or those from before a rotation that still count.
pub async fn uses_secret(
    db: &Db,
    team: TeamId,
    secret: BlobId,
    now: Timestamp,
) -> Result<bool, DbError> {
    let sql = "select connection_id from connection where team_id = $1 \
               and (credentials_id = $2 or (earlier_credentials_id = $2 and earlier_until > $3)) limit 1";
    let rows = db
        .read(
            sql,
            vec![team.key().into(), secret.key().into(), now.micros().into()],
        )
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
    let record = |column| {
        let id = row.opt_text(column)?;
        id.map(|id| BlobId::parse(id).ok_or_else(corrupt))
            .transpose()
    };
    let earlier = match (record(9)?, row.opt_int(10)?) {
        (Some(record), Some(until)) => Some(EarlierCredentials {
            record,
            until: Timestamp::from_micros(until),
        }),
        _ => None,
    };
    Ok(Connection {
        team: TeamId::parse(row.text(0)?).ok_or_else(corrupt)?,
        id: ConnectionId::parse(row.text(1)?).ok_or_else(corrupt)?,
        processor: row.text(2)?.to_owned(),
        name: row.text(3)?.to_owned(),
        enabled: row.flag(4)?,
        settings: crate::document(row.text(5)?, "connection", row.text(1)?)?,
        credentials: record(6)?,
        earlier,
        inbound_token: row.opt_text(7)?.map(str::to_owned),
        imports: ImportMode::parse(row.text(8)?).ok_or_else(corrupt)?,
    })
}
