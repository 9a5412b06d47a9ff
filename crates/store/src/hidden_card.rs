//! Sealed numbers of raw cards, which live until their payment's authorisation has ended.

use db::{Db, DbError, Insert, Statement};
use domain::{
    Timestamp,
    id::{BlobId, PaymentId, TeamId},
};

/// A new row.
static NEW: Insert = Insert::new(
    "hidden_card",
    &["team_id", "blob_id", "payment_id", "due_at"],
);

/// Notes that `payment` uses the sealed number `blob`, and when to look whether it still does.
pub fn insert(team: TeamId, blob: BlobId, payment: PaymentId, due_at: Timestamp) -> Statement {
    NEW.with(vec![
        team.key().into(),
        blob.key().into(),
        payment.key().into(),
        due_at.micros().into(),
    ])
}

/// Forgets a sealed number that is erased.
pub fn delete(team: TeamId, blob: BlobId) -> Statement {
    Statement::any(
        "delete from hidden_card where team_id = $1 and blob_id = $2",
        vec![team.key().into(), blob.key().into()],
    )
}

/// Whether a payment uses the sealed number.
pub async fn exists(db: &Db, team: TeamId, blob: BlobId) -> Result<bool, DbError> {
    let sql = "select blob_id from hidden_card where team_id = $1 and blob_id = $2";
    Ok(!db
        .read(sql, vec![team.key().into(), blob.key().into()])
        .await?
        .is_empty())
}

/// Takes sealed numbers of any team that are due to be looked at; until `again_at` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    again_at: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, BlobId, PaymentId)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update hidden_card set due_at = $2 where (team_id, blob_id) in \
               (select team_id, blob_id from hidden_card where due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, blob_id, payment_id";
    let rows = db
        .claim_for_sweep(
            sql,
            vec![
                now.micros().into(),
                again_at.micros().into(),
                limit.into(),
                after.micros().into(),
            ],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let keys = TeamId::parse(row.text(0)?)
                .zip(BlobId::parse(row.text(1)?))
                .zip(PaymentId::parse(row.text(2)?));
            let ((team, blob), payment) =
                keys.ok_or_else(|| DbError::Corrupt("hidden_card: keys of a due row".to_owned()))?;
            Ok((team, blob, payment))
        })
        .collect()
}
