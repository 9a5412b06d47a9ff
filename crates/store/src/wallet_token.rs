//! Wallets' tokens that were used: each pays once.

use db::{Db, DbError, Statement};
use domain::{
    Timestamp,
    id::{PaymentId, TeamId},
};

/// Notes that `payment` uses the token with this keyed hash. Touches no row when the token was used before.
pub fn insert(
    team: TeamId,
    hash: &str,
    payment: PaymentId,
    forget_at: Option<Timestamp>,
) -> Statement {
    Statement::one(
        "insert into wallet_token (team_id, token_hash, payment_id, forget_at) values ($1, $2, $3, $4) \
         on conflict (team_id, token_hash) do nothing",
        vec![
            team.key().into(),
            hash.into(),
            payment.key().into(),
            forget_at.map(Timestamp::micros).into(),
        ],
    )
}

/// Forgets tokens of any team that can't be opened any more. Only those later than `after` are
/// looked at, see [`crate::overdue`]. Returns their times.
pub async fn sweep(
    db: &Db,
    now: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<Timestamp>, DbError> {
    // Life times are the same for every team; the rows removed carry no data out.
    let sql = "delete from wallet_token where (team_id, token_hash) in \
               (select team_id, token_hash from wallet_token where forget_at is not null and forget_at > $3 and forget_at <= $1 \
               order by forget_at limit $2) returning forget_at";
    db.claim_for_sweep(
        sql,
        vec![now.micros().into(), limit.into(), after.micros().into()],
    )
    .await?
    .iter()
    .map(|row| row.int(0).map(Timestamp::from_micros))
    .collect()
}
