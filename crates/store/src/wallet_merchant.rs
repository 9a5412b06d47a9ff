//! The merchants of wallet A's console that a team has registered.

use db::{Db, DbError, Statement};
use domain::{Timestamp, id::TeamId};

/// Registers a merchant; does nothing when it is registered already.
pub fn insert(team: TeamId, merchant: &str, at: Timestamp) -> Statement {
    Statement::any(
        "insert into wallet_merchant (team_id, merchant_id, created_at) values ($1, $2, $3) \
         on conflict (team_id, merchant_id) do nothing",
        vec![team.key().into(), merchant.into(), at.micros().into()],
    )
}

/// A team's merchants.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<String>, DbError> {
    let sql = "select merchant_id from wallet_merchant where team_id = $1 order by merchant_id";
    db.read(sql, vec![team.key().into()])
        .await?
        .iter_mut()
        .map(|row| row.take_text(0))
        .collect()
}
