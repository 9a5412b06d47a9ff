//! Where instances of flows are found that wait for an approval.

use db::{Db, DbError, Statement};
use domain::id::{PaymentId, TeamId};
use uuid::Uuid;

/// Lets an instance be found; nothing happens when it can be already. It is kept when the instance goes on, so that a
/// second decision gets the answer that there was a first.
pub fn insert(team: TeamId, instance: Uuid, payment: PaymentId) -> Statement {
    Statement::any(
        "insert into flow_wait (team_id, instance_id, payment_id) values ($1, $2, $3) \
         on conflict (team_id, instance_id) do nothing",
        vec![
            team.key().into(),
            key(instance).into(),
            payment.key().into(),
        ],
    )
}

/// The payment of an instance.
pub async fn payment(db: &Db, team: TeamId, instance: Uuid) -> Result<Option<PaymentId>, DbError> {
    let sql = "select payment_id from flow_wait where team_id = $1 and instance_id = $2";
    let rows = db
        .read(sql, vec![team.key().into(), key(instance).into()])
        .await?;
    let corrupt = || DbError::Corrupt("flow_wait: its payment".to_owned());
    rows.first()
        .map(|row| PaymentId::parse(row.text(0)?).ok_or_else(corrupt))
        .transpose()
}

/// An instance's id as a key.
pub(crate) fn key(instance: Uuid) -> String {
    instance.simple().to_string()
}
