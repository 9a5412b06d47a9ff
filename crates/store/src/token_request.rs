//! Requests for processors' tokens.

use db::{Db, DbError, Row, Statement};
use domain::{
    Timestamp,
    id::{ConnectionId, CustomerId, TeamId, TokenRequestId, VaultToken},
    processor_token::TokenRequest,
};

/// A new request. Refused while the card has an open one at the connection.
pub fn insert(request: &TokenRequest) -> Statement {
    Statement::one(
        "insert into token_request (team_id, request_id, version, token, connection_id, is_open, body, created_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        vec![
            request.team.key().into(),
            request.id.key().into(),
            version(request.version).into(),
            request.token.as_str().into(),
            request.connection.as_str().into(),
            i64::from(request.state.is_open()).into(),
            crate::text(request).into(),
            request.created_at.micros().into(),
        ],
    )
}

/// The next version of a request, guarded by the one before it.
pub fn update(request: &TokenRequest) -> Statement {
    Statement::one(
        "update token_request set version = $3, is_open = $4, body = $5 \
         where team_id = $1 and request_id = $2 and version = $6",
        vec![
            request.team.key().into(),
            request.id.key().into(),
            version(request.version).into(),
            i64::from(request.state.is_open()).into(),
            crate::text(request).into(),
            version(request.version.saturating_sub(1)).into(),
        ],
    )
}

/// Forgets a card's requests.
pub fn delete(team: TeamId, token: &VaultToken) -> Statement {
    Statement::any(
        "delete from token_request where team_id = $1 and token = $2",
        vec![team.key().into(), token.as_str().into()],
    )
}

/// Forgets the requests for a customer's cards, also for those that are deleted.
pub fn delete_of_customer(team: TeamId, customer: CustomerId) -> Statement {
    Statement::any(
        "delete from token_request where team_id = $1 and token in \
         (select token from method where team_id = $1 and customer_id = $2)",
        vec![team.key().into(), customer.key().into()],
    )
}

/// A team's request.
pub async fn of_team(
    db: &Db,
    team: TeamId,
    id: TokenRequestId,
) -> Result<Option<TokenRequest>, DbError> {
    let sql = "select request_id, body from token_request where team_id = $1 and request_id = $2";
    db.read(sql, vec![team.key().into(), id.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// A card's open request at a connection.
pub async fn open(
    db: &Db,
    team: TeamId,
    token: &VaultToken,
    connection: &ConnectionId,
) -> Result<Option<TokenRequest>, DbError> {
    let sql = "select request_id, body from token_request \
               where team_id = $1 and token = $2 and connection_id = $3 and is_open = 1";
    let params = vec![
        team.key().into(),
        token.as_str().into(),
        connection.as_str().into(),
    ];
    db.read(sql, params).await?.first().map(read).transpose()
}

/// Removes requests of any team that were made before `before`. Only those later than `after` are
/// looked at, see [`crate::overdue`]. Returns their times.
pub async fn sweep(
    db: &Db,
    before: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Timestamp>, DbError> {
    // How long they are kept is the same for every team; the rows removed carry no data out.
    let sql = "delete from token_request where (team_id, request_id) in \
               (select team_id, request_id from token_request where created_at > $3 and created_at <= $1 order by created_at limit $2) \
               returning created_at";
    db.claim_for_sweep(
        sql,
        vec![before.micros().into(), limit.into(), after.micros().into()],
    )
    .await?
    .iter()
    .map(|row| row.int(0).map(Timestamp::from_micros))
    .collect()
}

fn read(row: &Row) -> Result<TokenRequest, DbError> {
    crate::document(row.text(1)?, "token request", row.text(0)?)
}

fn version(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
