//! What the people who run the service watch: counts and ages, never contents.

use db::{Db, DbError};
use domain::{Timestamp, id::TeamId, payment::Status};

/// Payments of one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// How many, up to the bound that was given.
    pub count: u32,
    /// When the oldest of them was made.
    pub oldest: Option<Timestamp>,
}

/// A team's payments of this status, oldest first, at most `most`.
pub async fn with_status(
    db: &Db,
    team: TeamId,
    status: Status,
    most: i64,
) -> Result<Waiting, DbError> {
    let sql = "select count(*), min(created_at) from (select created_at from payment \
               where team_id = $1 and status = $2 order by payment_id limit $3) waiting";
    let params = vec![team.key().into(), status.text().into(), most.into()];
    let rows = db.scan(sql, params).await?;
    let Some(row) = rows.first() else {
        return Ok(Waiting {
            count: 0,
            oldest: None,
        });
    };
    Ok(Waiting {
        count: u32::try_from(row.int(0)?).unwrap_or(u32::MAX),
        oldest: row.opt_int(1)?.map(Timestamp::from_micros),
    })
}

/// The due time that comes first of all payments that are due later than `after`, see [`crate::overdue`]; `None` when none
/// is at any time.
pub async fn first_due(db: &Db, after: Timestamp) -> Result<Option<Timestamp>, DbError> {
    // Jobs serve every team, and so do those who watch them.
    let sql = "select due_at from payment where due_at is not null and due_at > $1 order by due_at limit 1";
    let rows = db.scan(sql, vec![after.micros().into()]).await?;
    rows.first()
        .map(|row| row.int(0).map(Timestamp::from_micros))
        .transpose()
}
