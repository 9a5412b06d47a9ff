//! Events: one row for each commit of an aggregate.

use std::borrow::Cow;

use db::{ChangeId, Db, DbError, Insert, Select, Statement, Value};
use domain::{
    Timestamp,
    id::{IntentId, TeamId},
    intent::{Intent, Moment},
    payment::{Line, Payment},
};
use serde::{Deserialize, Serialize};

/// What an event's row holds besides its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data<'a> {
    /// The status after the commit.
    pub status: Cow<'a, str>,
    /// What the timeline says of it.
    #[serde(default, skip_serializing_if = "<[Line]>::is_empty")]
    pub lines: Cow<'a, [Line]>,
}

/// Removes the events of an intent that is gone.
pub fn delete_of_intent(team: TeamId, intent: IntentId) -> Statement {
    Statement::any(
        "delete from event where team_id = $1 and stream = $2",
        vec![team.key().into(), intent.key().into()],
    )
}

/// The event of a payment's commit, which bears the payment's version as its number.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        EventLost = crate::bugs::lose_third_event,
        VersionUnchecked = crate::bugs::write_event_over,
    )
)]
pub fn insert(payment: &Payment, change: ChangeId, lines: &[Line], at: Timestamp) -> Statement {
    let data = Data {
        status: payment.status.text().into(),
        lines: lines.into(),
    };
    let kind = format!("payment.{}", payment.status.text().to_ascii_lowercase());
    row(
        (payment.team, &payment.id.key(), payment.version),
        change,
        (kind, &data),
        at.max(payment.latest_moment()),
    )
}

/// The event of an intent's commit, which bears the intent's version as its number.
pub fn insert_of_intent(
    intent: &Intent,
    change: ChangeId,
    moment: Moment,
    at: Timestamp,
) -> Statement {
    let data = Data {
        status: intent.status.code().into(),
        lines: Cow::default(),
    };
    row(
        (intent.team, &intent.id.key(), intent.version),
        change,
        (moment.kind().to_owned(), &data),
        at,
    )
}

/// A new row.
static NEW: Insert = Insert::new(
    "event",
    &[
        "team_id",
        "stream",
        "seq",
        "change_id",
        "at",
        "kind",
        "data",
    ],
);

/// The change that wrote a row.
static CHANGE: Select = Select::new("event", &["change_id"], &["team_id", "stream", "seq"]);

fn row(
    of: (TeamId, &str, u64),
    change: ChangeId,
    told: (String, &Data<'_>),
    at: Timestamp,
) -> Statement {
    let ((team, stream, version), (kind, data)) = (of, told);
    NEW.with(vec![
        team.key().into(),
        stream.into(),
        Value::Int(i64::try_from(version).unwrap_or(i64::MAX)),
        format!("{:032x}", change.0).into(),
        at.micros().into(),
        kind.into(),
        crate::text(data).into(),
    ])
}

/// The timeline of a stream: the lines of its first `up_to` events.
pub async fn lines(db: &Db, team: TeamId, stream: &str, up_to: u64) -> Result<Vec<Line>, DbError> {
    let sql =
        "select data from event where team_id = $1 and stream = $2 and seq <= $3 order by seq";
    let up_to = i64::try_from(up_to).unwrap_or(i64::MAX);
    let rows = db
        .read(sql, vec![team.key().into(), stream.into(), up_to.into()])
        .await?;
    let mut lines = Vec::new();
    for row in &rows {
        let data: Data<'_> = crate::document(row.text(0)?, "event", stream)?;
        lines.extend(data.lines.into_owned());
    }
    never_back(&mut lines);
    Ok(lines)
}

/// When a stream's commits were, and in which status each left it.
pub async fn statuses(
    db: &Db,
    team: TeamId,
    stream: &str,
) -> Result<Vec<(Timestamp, String)>, DbError> {
    let sql = "select at, data from event where team_id = $1 and stream = $2 order by seq";
    let rows = db.read(sql, vec![team.key().into(), stream.into()]).await?;
    rows.iter()
        .map(|row| {
            let data: Data<'_> = crate::document(row.text(1)?, "event", stream)?;
            Ok((row.time(0)?, data.status.into_owned()))
        })
        .collect()
}

/// Lines in their order have times in that order, whatever clocks did.
fn never_back(lines: &mut [Line]) {
    let mut latest: Option<Timestamp> = None;
    for line in lines {
        line.at = latest.map_or(line.at, |latest| latest.max(line.at));
        latest = Some(line.at);
    }
}

/// Whether the event `seq` of a stream was written by `change`: tells what became of a commit without an answer.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(OwnCommitNotRecognised = crate::bugs::never_ours)
)]
pub async fn was_written_by(
    db: &Db,
    team: TeamId,
    stream: &str,
    seq: u64,
    change: ChangeId,
) -> Result<bool, DbError> {
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    let rows = db
        .find(&CHANGE, vec![team.key().into(), stream.into(), seq.into()])
        .await?;
    let Some(row) = rows.first() else {
        return Ok(false);
    };
    Ok(row.text(0)? == format!("{:032x}", change.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_does_not_turn_a_timeline_back() {
        let line = |micros| Line::new(Timestamp::from_micros(micros), "line");
        let mut lines = vec![line(5), line(3), line(9), line(1)];
        never_back(&mut lines);
        let times: Vec<i64> = lines.iter().map(|line| line.at.micros()).collect();
        assert_eq!(times, [5, 5, 9, 9]);
    }
}
