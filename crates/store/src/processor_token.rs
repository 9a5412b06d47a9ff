//! Processors' own tokens for stored cards.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{ConnectionId, CustomerId, TeamId, VaultToken},
    processor_token::{OwnToken, ProcessorToken},
};

/// What is read of a row.
const COLUMNS: &str =
    "token, connection_id, value, reusable, created_at, updated_at, customer_at_processor";

/// Keeps a token; one that the card had at the connection is replaced. Nothing is kept for a card that is deleted by now.
pub fn put(token: &ProcessorToken) -> Statement {
    Statement::any(
        "insert into processor_token (team_id, token, connection_id, value, reusable, created_at, updated_at, customer_at_processor) \
         select team_id, token, cast($3 as text), cast($4 as text), cast($5 as bigint), cast($6 as bigint), \
         cast($7 as bigint), cast($8 as text) from method where team_id = $1 and token = $2 and deleted_at is null \
         on conflict (team_id, token, connection_id) do update set value = excluded.value, reusable = excluded.reusable, \
         updated_at = excluded.updated_at, customer_at_processor = excluded.customer_at_processor",
        vec![
            token.team.key().into(),
            token.token.as_str().into(),
            token.connection.as_str().into(),
            token.own.value.as_str().into(),
            i64::from(token.own.reusable).into(),
            token.created_at.micros().into(),
            token.updated_at.micros().into(),
            token.own.customer.as_deref().into(),
        ],
    )
}

/// Forgets a token that its processor doesn't know any more, unless another has taken its place.
pub fn delete_gone(token: &ProcessorToken) -> Statement {
    Statement::any(
        "delete from processor_token where team_id = $1 and token = $2 and connection_id = $3 and value = $4",
        vec![
            token.team.key().into(),
            token.token.as_str().into(),
            token.connection.as_str().into(),
            token.own.value.as_str().into(),
        ],
    )
}

/// Forgets a card's tokens.
pub fn delete(team: TeamId, token: &VaultToken) -> Statement {
    Statement::any(
        "delete from processor_token where team_id = $1 and token = $2",
        vec![team.key().into(), token.as_str().into()],
    )
}

/// Forgets the tokens of a customer's cards, also of those that are deleted.
pub fn delete_of_customer(team: TeamId, customer: CustomerId) -> Statement {
    Statement::any(
        "delete from processor_token where team_id = $1 and token in \
         (select token from method where team_id = $1 and customer_id = $2)",
        vec![team.key().into(), customer.key().into()],
    )
}

/// A card's token at a connection.
pub async fn find(
    db: &Db,
    team: TeamId,
    token: &VaultToken,
    connection: &ConnectionId,
) -> Result<Option<ProcessorToken>, DbError> {
    let sql = format!(
        "select {COLUMNS} from processor_token where team_id = $1 and token = $2 and connection_id = $3"
    );
    let params = vec![
        team.key().into(),
        token.as_str().into(),
        connection.as_str().into(),
    ];
    db.read(sql, params)
        .await?
        .first()
        .map(|row| read(team, row))
        .transpose()
}

/// A card's tokens, in order of their connections.
pub async fn of_method(
    db: &Db,
    team: TeamId,
    token: &VaultToken,
) -> Result<Vec<ProcessorToken>, DbError> {
    let sql = format!(
        "select {COLUMNS} from processor_token where team_id = $1 and token = $2 order by connection_id"
    );
    let rows = db
        .read(sql, vec![team.key().into(), token.as_str().into()])
        .await?;
    rows.iter().map(|row| read(team, row)).collect()
}

/// The tokens of a customer's cards, in order of their connections.
pub async fn of_customer(
    db: &Db,
    team: TeamId,
    customer: CustomerId,
) -> Result<Vec<ProcessorToken>, DbError> {
    let sql = format!(
        "select {COLUMNS} from processor_token \
         where team_id = $1 and token in (select token from method where team_id = $1 and customer_id = $2) \
         order by connection_id, token"
    );
    let rows = db
        .read(sql, vec![team.key().into(), customer.key().into()])
        .await?;
    rows.iter().map(|row| read(team, row)).collect()
}

fn read(team: TeamId, row: &Row) -> Result<ProcessorToken, DbError> {
    let corrupt = || DbError::Corrupt("processor_token: its keys".to_owned());
    Ok(ProcessorToken {
        team,
        token: VaultToken::parse(row.text(0)?).ok_or_else(corrupt)?,
        connection: ConnectionId::parse(row.text(1)?).ok_or_else(corrupt)?,
        own: OwnToken {
            value: row.text(2)?.to_owned(),
            customer: row.opt_text(6)?.map(str::to_owned),
            reusable: row.flag(3)?,
        },
        created_at: Timestamp::from_micros(row.int(4)?),
        updated_at: Timestamp::from_micros(row.int(5)?),
    })
}
