//! Where a team's own settings at the wallets stand sealed.

use db::{Db, DbError, Statement};
use domain::{
    Timestamp,
    id::{BlobId, TeamId},
};

/// Puts settings in the place of those that there were.
pub fn put(team: TeamId, wallet: &str, secret: BlobId, at: Timestamp) -> Statement {
    Statement::one(
        "insert into wallet_setting (team_id, wallet, secret_id, saved_at) values ($1, $2, $3, $4) \
         on conflict (team_id, wallet) do update set secret_id = excluded.secret_id, saved_at = excluded.saved_at",
        vec![
            team.key().into(),
            wallet.into(),
            secret.key().into(),
            at.micros().into(),
        ],
    )
}

/// Whether a team's settings stand in `secret`.
pub async fn uses_secret(db: &Db, team: TeamId, secret: BlobId) -> Result<bool, DbError> {
    let sql = "select wallet from wallet_setting where team_id = $1 and secret_id = $2";
    let rows = db
        .read(sql, vec![team.key().into(), secret.key().into()])
        .await?;
    Ok(!rows.is_empty())
}

/// A team's settings: the wallet's name, and where they stand.
pub async fn of_team(db: &Db, team: TeamId) -> Result<Vec<(String, BlobId)>, DbError> {
    let sql = "select wallet, secret_id from wallet_setting where team_id = $1 order by wallet";
    let mut rows = db.read(sql, vec![team.key().into()]).await?;
    rows.iter_mut()
        .map(|row| {
            let secret = BlobId::parse(row.text(1)?);
            let secret =
                secret.ok_or_else(|| DbError::Corrupt("wallet_setting: its secret".to_owned()))?;
            Ok((row.take_text(0)?, secret))
        })
        .collect()
}
