//! Token records: stored payment methods without their numbers.

use db::{Db, DbError, Insert, Row, Select, Statement};
use domain::{
    Timestamp,
    customer::StoredMethod,
    id::{BlobId, CustomerId, TeamId, VaultToken},
    payment::{ConsentWeight, NetworkReference},
};

/// A new row.
static NEW: Insert = Insert::new(
    "method",
    &[
        "team_id",
        "token",
        "customer_id",
        "blob_id",
        "body",
        "created_at",
    ],
);

/// A row by its key, unless it is deleted.
static BY_TOKEN: Select = Select::new(
    "method",
    &["token", "body", "team_id", "network_reference"],
    &["team_id", "token"],
)
.only_if("deleted_at is null");

/// A new token record.
pub fn insert(method: &StoredMethod) -> Statement {
    NEW.with(vec![
        method.team.key().into(),
        method.token.as_str().into(),
        method.customer.map(CustomerId::key).into(),
        method.blob.key().into(),
        crate::text(method).into(),
        method.created_at.micros().into(),
    ])
}

/// Gives a token record that is nobody's to a customer.
pub fn attach(method: &StoredMethod) -> Statement {
    Statement::one(
        "update method set customer_id = $3, body = $4 \
         where team_id = $1 and token = $2 and customer_id is null and deleted_at is null",
        vec![
            method.team.key().into(),
            method.token.as_str().into(),
            method.customer.map(CustomerId::key).into(),
            crate::text(method).into(),
        ],
    )
}

/// Goes with a change that makes something of a token record: refused once the record is deleted, and a deletion that
/// comes at the same time waits for the change and finds what it made.
pub fn hold(team: TeamId, token: &VaultToken) -> Statement {
    Statement::one(
        "update method set created_at = created_at where team_id = $1 and token = $2 and deleted_at is null",
        vec![team.key().into(), token.as_str().into()],
    )
}

/// Keeps the transaction by which a card may be charged later, unless the one that is kept says as much of the customer's consent: it is
/// replaced by one of more weight, and one that stores a consent also by that of a later payment which does. Never of a record that is
/// deleted. The order in which payments are settled doesn't matter.
pub fn keep_network_reference(
    team: TeamId,
    token: &VaultToken,
    reference: &NetworkReference,
) -> Statement {
    Statement::any(
        "update method set network_reference = $3, network_rank = $4, network_payment_id = $5 \
         where team_id = $1 and token = $2 and deleted_at is null and (network_rank is null or network_rank < $4 \
         or (network_rank = $4 and network_rank = $6 and network_payment_id < $5))",
        vec![
            team.key().into(),
            token.as_str().into(),
            crate::text(reference).into(),
            reference.weight.rank().into(),
            reference.payment.key().into(),
            ConsentWeight::Consent.rank().into(),
        ],
    )
}

/// Ends a token record: it can't be used any more. Guarded by whose it is, since its owner's default depends on it.
pub fn delete(method: &StoredMethod, at: Timestamp) -> Statement {
    Statement::one(
        "update method set deleted_at = $3 \
         where team_id = $1 and token = $2 and deleted_at is null and coalesce(customer_id, '') = $4",
        vec![
            method.team.key().into(),
            method.token.as_str().into(),
            at.micros().into(),
            method
                .customer
                .map(CustomerId::key)
                .unwrap_or_default()
                .into(),
        ],
    )
}

/// Ends every token record of a customer.
pub fn delete_of_customer(team: TeamId, customer: CustomerId, at: Timestamp) -> Statement {
    Statement::any(
        "update method set deleted_at = $3 where team_id = $1 and customer_id = $2 and deleted_at is null",
        vec![team.key().into(), customer.key().into(), at.micros().into()],
    )
}

/// Removes the record of a token that is deleted and whose number is erased.
pub fn forget(team: TeamId, token: &VaultToken) -> Statement {
    Statement::any(
        "delete from method where team_id = $1 and token = $2 and deleted_at is not null",
        vec![team.key().into(), token.as_str().into()],
    )
}

/// A team's token record.
pub async fn of_team(
    db: &Db,
    team: TeamId,
    token: &VaultToken,
) -> Result<Option<StoredMethod>, DbError> {
    let rows = db
        .find(&BY_TOKEN, vec![team.key().into(), token.as_str().into()])
        .await?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let mut method = read(row)?;
    let beginning = token.as_str().get(..4).unwrap_or_default();
    method.network = row
        .opt_text(3)?
        .map(|text| crate::document(text, "network reference of a token that begins", beginning))
        .transpose()?;
    Ok(Some(method))
}

/// A customer's token records, oldest first.
pub async fn of_customer(
    db: &Db,
    team: TeamId,
    customer: CustomerId,
) -> Result<Vec<StoredMethod>, DbError> {
    let sql = "select token, body, team_id from method where team_id = $1 and customer_id = $2 and deleted_at is null \
               order by created_at, token";
    db.read(sql, vec![team.key().into(), customer.key().into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

/// Whether a token record has its number in `blob`.
pub async fn uses_blob(db: &Db, team: TeamId, blob: BlobId) -> Result<bool, DbError> {
    let sql = "select token from method where team_id = $1 and blob_id = $2";
    Ok(!db
        .read(sql, vec![team.key().into(), blob.key().into()])
        .await?
        .is_empty())
}

/// The token record that has its number in `blob`.
pub async fn with_blob(
    db: &Db,
    team: TeamId,
    blob: BlobId,
) -> Result<Option<StoredMethod>, DbError> {
    let sql = "select token, body, team_id from method where team_id = $1 and blob_id = $2";
    db.read(sql, vec![team.key().into(), blob.key().into()])
        .await?
        .first()
        .map(read)
        .transpose()
}

/// Token records of any team that were deleted before `before`, oldest first, with the time of that; one that can't be read is
/// an error in its own place. Only those deleted later than `after` are looked at, see [`crate::overdue`].
pub async fn deleted(
    db: &Db,
    before: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(Result<StoredMethod, DbError>, Timestamp)>, DbError> {
    // Jobs serve every team; the records carry their team with them.
    let sql = "select token, body, team_id, deleted_at from method \
               where deleted_at is not null and deleted_at > $3 and deleted_at <= $1 order by deleted_at limit $2";
    let params = vec![before.micros().into(), limit.into(), after.micros().into()];
    let rows = db.scan(sql, params).await?;
    rows.iter()
        .map(|row| Ok((read(row), Timestamp::from_micros(row.int(3)?))))
        .collect()
}

/// Reads a record, which must be the one of its row: the number of a record opens for the token that its document names.
fn read(row: &Row) -> Result<StoredMethod, DbError> {
    let (token, team) = (row.text(0)?, row.text(2)?);
    let beginning = token.get(..4).unwrap_or_default();
    let what = "payment method with a token that begins";
    let method: StoredMethod = crate::document(row.text(1)?, what, beginning)?;
    if method.token.as_str() != token || method.team.key() != team {
        let why = "its document is another one's";
        return Err(DbError::Corrupt(format!("{what} {beginning}: {why}")));
    }
    Ok(method)
}
