//! Erasures under way: customers that are gone, whose data are yet to be erased from what stays.

use db::{Db, DbError, Statement};
use domain::{
    Timestamp,
    id::{CustomerId, TeamId},
};

/// Notes that a customer's data must be erased, and when the job does it at the latest.
pub fn insert(team: TeamId, customer: CustomerId, due_at: Timestamp) -> Statement {
    Statement::one(
        "insert into erasure (team_id, customer_id, due_at) values ($1, $2, $3)",
        vec![
            team.key().into(),
            customer.key().into(),
            due_at.micros().into(),
        ],
    )
}

/// Forgets an erasure that is complete.
pub fn delete(team: TeamId, customer: CustomerId) -> Statement {
    Statement::any(
        "delete from erasure where team_id = $1 and customer_id = $2",
        vec![team.key().into(), customer.key().into()],
    )
}

/// Takes erasures of any team that are due; until `again_at` nobody else takes them. Only those due later
/// than `after` are looked at, see [`crate::overdue`].
pub async fn claim_due(
    db: &Db,
    now: Timestamp,
    again_at: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, CustomerId)>, DbError> {
    // Jobs serve every team; the rows taken carry their team with them.
    let sql = "update erasure set due_at = $2 where (team_id, customer_id) in \
               (select team_id, customer_id from erasure where due_at > $4 and due_at <= $1 order by due_at limit $3) \
               and due_at <= $1 returning team_id, customer_id";
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
            let keys = TeamId::parse(row.text(0)?).zip(CustomerId::parse(row.text(1)?));
            keys.ok_or_else(|| DbError::Corrupt("erasure: keys of a due row".to_owned()))
        })
        .collect()
}
