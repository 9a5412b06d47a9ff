//! Events: one row for each commit of an aggregate.

use db::{ChangeId, Db, DbError, Statement, Value};
use domain::{
    Timestamp,
    id::TeamId,
    payment::{Line, Payment},
};
use serde::{Deserialize, Serialize};

/// What an event's row holds besides its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// The status after the commit.
    pub status: String,
    /// What the timeline says of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

/// The event of a payment's commit, which bears the payment's version as its number.
pub fn insert(payment: &Payment, change: ChangeId, lines: &[Line], at: Timestamp) -> Statement {
    let data = Data { status: payment.status.text().to_owned(), lines: lines.to_vec() };
    Statement::one(
        "insert into event (team_id, stream, seq, change_id, at, kind, data) values ($1, $2, $3, $4, $5, $6, $7)",
        vec![
            payment.team.key().into(),
            payment.id.key().into(),
            Value::Int(i64::try_from(payment.version).unwrap_or(i64::MAX)),
            format!("{:032x}", change.0).into(),
            at.micros().into(),
            format!("payment.{}", payment.status.text().to_ascii_lowercase()).into(),
            crate::text(&data).into(),
        ],
    )
}

/// The timeline of a stream: the lines of its first `up_to` events.
pub async fn lines(db: &Db, team: TeamId, stream: &str, up_to: u64) -> Result<Vec<Line>, DbError> {
    let sql = "select data from event where team_id = $1 and stream = $2 and seq <= $3 order by seq";
    let up_to = i64::try_from(up_to).unwrap_or(i64::MAX);
    let rows = db.read(sql, vec![team.key().into(), stream.into(), up_to.into()]).await?;
    let mut lines = Vec::new();
    for row in &rows {
        let data: Data = crate::document(row.text(0)?, "event", stream)?;
        lines.extend(data.lines);
    }
    Ok(lines)
}

/// Whether the event `seq` of a stream was written by `change`: tells what became of a commit without an answer.
pub async fn was_written_by(db: &Db, team: TeamId, stream: &str, seq: u64, change: ChangeId) -> Result<bool, DbError> {
    let sql = "select change_id from event where team_id = $1 and stream = $2 and seq = $3";
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    let rows = db.read(sql, vec![team.key().into(), stream.into(), seq.into()]).await?;
    let Some(row) = rows.first() else { return Ok(false) };
    Ok(row.text(0)? == format!("{:032x}", change.0))
}
