//! Events: one row for each commit of an aggregate.

use db::{ChangeId, Db, DbError, Insert, Select, Statement, Value};
use domain::{
    Timestamp,
    audit::By,
    dispute::{Dispute, DisputeEvent, DisputeOccurrence},
    event::{EndpointEvent, PageEvent},
    id::{IntentId, TeamId},
    intent::{Intent, IntentEvent},
    payment::{Occurrence, Payment, PaymentEvent, TimelineEntry},
};
use serde::{Deserialize, Serialize};

use crate::{guarded_page::StoredPage, webhook_endpoint::Endpoint};

/// The version of [`Data`] that this build writes.
pub const VERSION: u32 = 1;

/// What the row of an aggregate's commit holds besides its keys. Readers ignore fields that they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Data<E> {
    /// The version of this shape.
    pub v: u32,
    /// The status after the commit.
    pub status: String,
    /// How many events merchants get of the stream's earlier commits.
    #[serde(default)]
    pub before: u64,
    /// What happened, in order. None where only times and counters have changed.
    #[serde(default = "Vec::new")]
    pub events: Vec<E>,
    /// What the timeline says of it.
    #[serde(default)]
    pub entries: Vec<TimelineEntry>,
    /// Who made the commit; `None` for the service itself.
    #[serde(default)]
    pub by: Option<By>,
}

/// A commit that writes an event.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The change.
    pub change: ChangeId,
    /// Who makes it; `None` for the service itself.
    pub by: Option<By>,
}

impl From<ChangeId> for Commit {
    /// A commit of the service itself.
    fn from(change: ChangeId) -> Self {
        Self { change, by: None }
    }
}

/// The same as it is written.
#[derive(Serialize)]
struct NewData<'a, E> {
    v: u32,
    status: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    before: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<&'a E>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<&'a TimelineEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a By>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What the data of a row tells of its timeline.
#[derive(Deserialize)]
struct Entries {
    status: String,
    #[serde(default)]
    entries: Vec<TimelineEntry>,
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
pub fn insert(
    payment: &Payment,
    commit: &Commit,
    occurred: &[Occurrence],
    at: Timestamp,
) -> Statement {
    NEW.with(vec![
        payment.team().key().into(),
        payment.id().key().into(),
        number(payment.version()),
        format!("{:032x}", commit.change.0).into(),
        at.max(payment.latest_moment()).micros().into(),
        "payment".into(),
        data_of(payment, occurred, commit).into(),
    ])
}

/// What the row of a payment's commit holds.
pub(crate) fn data_of(payment: &Payment, occurred: &[Occurrence], commit: &Commit) -> String {
    crate::text(&NewData::<PaymentEvent> {
        v: VERSION,
        status: payment.status().text(),
        before: payment.public_events_before(occurred),
        events: occurred.iter().flat_map(|one| &one.events).collect(),
        entries: occurred.iter().map(|one| &one.entry).collect(),
        by: commit.by.as_ref(),
    })
}

/// The event of an intent's commit, which bears the intent's version as its number.
pub fn insert_of_intent(
    intent: &Intent,
    commit: &Commit,
    event: IntentEvent,
    at: Timestamp,
) -> Statement {
    NEW.with(vec![
        intent.team.key().into(),
        intent.id.key().into(),
        number(intent.version),
        format!("{:032x}", commit.change.0).into(),
        at.micros().into(),
        "intent".into(),
        data_of_intent(intent, event, commit).into(),
    ])
}

/// The event of an endpoint that was given up.
pub fn insert_of_endpoint(
    endpoint: &Endpoint,
    commit: &Commit,
    event: &EndpointEvent,
    at: Timestamp,
) -> Statement {
    let data = crate::text(&NewData {
        v: VERSION,
        status: "DISABLED",
        before: endpoint.events,
        events: vec![event],
        entries: Vec::new(),
        by: commit.by.as_ref(),
    });
    NEW.with(vec![
        endpoint.team.key().into(),
        endpoint.id.key().into(),
        number(endpoint.events.saturating_add(1)),
        format!("{:032x}", commit.change.0).into(),
        at.micros().into(),
        "endpoint".into(),
        data.into(),
    ])
}

/// The event of a guarded page on which something was found.
pub fn insert_of_page(
    page: &StoredPage,
    commit: &Commit,
    events: &[PageEvent],
    at: Timestamp,
) -> Statement {
    let data = crate::text(&NewData {
        v: VERSION,
        status: "GUARDED",
        before: page.events,
        events: events.iter().collect(),
        entries: Vec::new(),
        by: commit.by.as_ref(),
    });
    NEW.with(vec![
        page.team.key().into(),
        page.id.key().into(),
        number(page.events.saturating_add(1)),
        format!("{:032x}", commit.change.0).into(),
        at.micros().into(),
        "page".into(),
        data.into(),
    ])
}

/// What the row of an intent's commit holds.
pub(crate) fn data_of_intent(intent: &Intent, event: IntentEvent, commit: &Commit) -> String {
    crate::text(&NewData {
        v: VERSION,
        status: intent.status.code(),
        before: intent.public_events.saturating_sub(event.public_events()),
        events: vec![&event],
        entries: Vec::new(),
        by: commit.by.as_ref(),
    })
}

/// The event of a dispute's commit, which bears the dispute's version as its number.
pub fn insert_of_dispute(
    dispute: &Dispute,
    commit: &Commit,
    occurred: &[DisputeOccurrence],
    at: Timestamp,
) -> Statement {
    NEW.with(vec![
        dispute.team().key().into(),
        dispute.id().key().into(),
        number(dispute.version()),
        format!("{:032x}", commit.change.0).into(),
        at.micros().into(),
        "dispute".into(),
        data_of_dispute(dispute, occurred, commit).into(),
    ])
}

/// What the row of a dispute's commit holds.
pub(crate) fn data_of_dispute(
    dispute: &Dispute,
    occurred: &[DisputeOccurrence],
    commit: &Commit,
) -> String {
    crate::text(&NewData::<DisputeEvent> {
        v: VERSION,
        status: dispute.status().code(),
        before: dispute.public_events_before(occurred),
        events: occurred.iter().flat_map(|one| &one.events).collect(),
        entries: occurred.iter().map(|one| &one.entry).collect(),
        by: commit.by.as_ref(),
    })
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
)
.stamped("stamp");

/// The change that wrote a row.
static CHANGE: Select = Select::new("event", &["change_id"], &["team_id", "stream", "seq"]);

fn number(version: u64) -> Value {
    Value::Int(i64::try_from(version).unwrap_or(i64::MAX))
}

/// The timeline of a stream: the entries of its first `up_to` events.
pub async fn timeline(
    db: &Db,
    team: TeamId,
    stream: &str,
    up_to: u64,
) -> Result<Vec<TimelineEntry>, DbError> {
    let sql =
        "select data from event where team_id = $1 and stream = $2 and seq <= $3 order by seq";
    let rows = db
        .read(sql, vec![team.key().into(), stream.into(), number(up_to)])
        .await?;
    let mut entries = Vec::new();
    for row in &rows {
        let data: Entries = crate::document(row.text(0)?, "event", stream)?;
        entries.extend(data.entries);
    }
    never_back(&mut entries);
    Ok(entries)
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
            let data: Entries = crate::document(row.text(1)?, "event", stream)?;
            Ok((row.time(0)?, data.status))
        })
        .collect()
}

/// Entries in their order have times in that order, whatever clocks did.
fn never_back(entries: &mut [TimelineEntry]) {
    let mut latest: Option<Timestamp> = None;
    for entry in entries {
        entry.at = latest.map_or(entry.at, |latest| latest.max(entry.at));
        latest = Some(entry.at);
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
        let entry = |micros| TimelineEntry::new(Timestamp::from_micros(micros), "entry");
        let mut entries = vec![entry(5), entry(3), entry(9), entry(1)];
        never_back(&mut entries);
        let times: Vec<i64> = entries.iter().map(|entry| entry.at.micros()).collect();
        assert_eq!(times, [5, 5, 9, 9]);
    }
}
