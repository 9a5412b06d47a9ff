//! The feed: a team's events in the order in which their commits became visible.
//!
//! Each row comes once and none is passed over, whatever nodes and clocks do (`db`'s commit stamps); those of one payment, intent or
//! dispute come in the order of their numbers. A reader keeps the [`FeedPosition`] of the last row that it has dealt with.

use std::{fmt, str::FromStr};

use db::{Db, DbError};
use domain::{
    dispute::DisputeEvent,
    event::{EndpointEvent, Happened, PageEvent, StreamCommit},
    id::TeamId,
    intent::IntentEvent,
    payment::PaymentEvent,
};

use crate::event::Data;

/// A place in the feed of a team: that of a row. Its text is a cursor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FeedPosition {
    stamp: i64,
    stream: String,
    seq: i64,
}

/// One commit of a stream, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Where it stands.
    pub place: FeedPosition,
    /// What was committed.
    pub commit: StreamCommit,
}

/// A text that is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a place in the feed")]
pub struct NotAPlace;

impl FeedPosition {
    /// The place of the row with these keys.
    pub fn of(stamp: i64, stream: &str, seq: i64) -> Self {
        Self {
            stamp,
            stream: stream.to_owned(),
            seq,
        }
    }

    /// The place before every row.
    pub fn beginning() -> Self {
        Self::of(i64::MIN, "", 0)
    }

    /// The stamp of the row's commit.
    pub const fn stamp(&self) -> i64 {
        self.stamp
    }

    /// The row's stream.
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The row's number in its stream.
    pub const fn seq(&self) -> i64 {
        self.seq
    }

    /// The place right before this one: a reader that goes on from there gets this row once more.
    #[must_use]
    pub fn right_before(&self) -> Self {
        Self {
            seq: self.seq.saturating_sub(1),
            ..self.clone()
        }
    }
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.stamp, self.stream, self.seq)
    }
}

impl FromStr for FeedPosition {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        let mut parts = text.split(':');
        let (stamp, stream, seq) = (parts.next(), parts.next(), parts.next());
        let (Some(stamp), Some(stream), Some(seq), None) = (stamp, stream, seq, parts.next())
        else {
            return Err(NotAPlace);
        };
        Ok(Self {
            stamp: stamp.parse().map_err(|_| NotAPlace)?,
            stream: stream.to_owned(),
            seq: seq.parse().map_err(|_| NotAPlace)?,
        })
    }
}

/// The commits of a team behind `after`, from the first one on when that is absent: at most `limit`, none that an older
/// one may still come before. An empty answer says that there is nothing new, or that an older commit is still open.
///
/// # Errors
/// The database's; a row that can't be read.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(FeedByStampAlone = crate::bugs::read_by_stamp_alone)
)]
pub async fn read(
    db: &Db,
    team: TeamId,
    after: Option<&FeedPosition>,
    limit: u32,
) -> Result<Vec<Committed>, DbError> {
    let sql = "select stamp, stream, seq, at, kind, data from event \
        where team_id = $1 and stamp >= $2 and stamp < settled_stamp() \
        and (stamp > $2 or stream > $3 or (stream = $3 and seq > $4)) \
        order by stamp, stream, seq limit $5";
    let start = FeedPosition::beginning();
    let after = after.unwrap_or(&start);
    let params = vec![
        team.key().into(),
        after.stamp.into(),
        (&after.stream).into(),
        after.seq.into(),
        limit.into(),
    ];
    db.read(sql, params).await?.iter().map(committed).collect()
}

/// One row of a team, by the id of its stream and its number in it. `None`: it was erased.
///
/// # Errors
/// The database's; a row that can't be read.
pub async fn find(
    db: &Db,
    team: TeamId,
    stream: &str,
    seq: i64,
) -> Result<Option<Committed>, DbError> {
    let sql = "select stamp, stream, seq, at, kind, data from event \
        where team_id = $1 and stream = $2 and seq = $3";
    let params = vec![team.key().into(), stream.into(), seq.into()];
    db.read(sql, params)
        .await?
        .first()
        .map(committed)
        .transpose()
}

/// The place of a team's last row that is visible to readers; `None` where there is none.
///
/// # Errors
/// The database's.
pub async fn end(db: &Db, team: TeamId) -> Result<Option<FeedPosition>, DbError> {
    let sql = "select stamp, stream, seq from event where team_id = $1 and stamp < settled_stamp() \
        order by stamp desc, stream desc, seq desc limit 1";
    let rows = db.read(sql, vec![team.key().into()]).await?;
    let row = rows.first();
    row.map(|row| {
        Ok(FeedPosition {
            stamp: row.int(0)?,
            stream: row.text(1)?.to_owned(),
            seq: row.int(2)?,
        })
    })
    .transpose()
}

fn committed(row: &db::Row) -> Result<Committed, DbError> {
    let (stream, version) = (row.text(1)?, row.int(2)?);
    let (happened, before, status) = match row.text(4)? {
        "payment" => {
            let data: Data<PaymentEvent> = crate::document(row.text(5)?, "event", stream)?;
            (Happened::Payment(data.events), data.before, data.status)
        }
        "intent" => {
            let data: Data<IntentEvent> = crate::document(row.text(5)?, "event", stream)?;
            (Happened::Intent(data.events), data.before, data.status)
        }
        "dispute" => {
            let data: Data<DisputeEvent> = crate::document(row.text(5)?, "event", stream)?;
            (Happened::Dispute(data.events), data.before, data.status)
        }
        "endpoint" => {
            let data: Data<EndpointEvent> = crate::document(row.text(5)?, "event", stream)?;
            (Happened::Endpoint(data.events), data.before, data.status)
        }
        "page" => {
            let data: Data<PageEvent> = crate::document(row.text(5)?, "event", stream)?;
            (Happened::Page(data.events), data.before, data.status)
        }
        other => {
            let what = format!("event {stream} {version} is of the kind `{other}`");
            return Err(DbError::Corrupt(what));
        }
    };
    Ok(Committed {
        place: FeedPosition {
            stamp: row.int(0)?,
            stream: stream.to_owned(),
            seq: version,
        },
        commit: StreamCommit {
            stream: stream.to_owned(),
            version,
            events_before: before,
            at: row.time(3)?,
            status,
            happened,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        let place = FeedPosition {
            stamp: 1_790_000_000_000_000,
            stream: "0190".to_owned(),
            seq: 3,
        };
        assert_eq!(place.to_string().parse(), Ok(place));
        for wrong in ["", "1", "1:a", "1:a:b", "x:a:1", "1:a:1:2"] {
            assert_eq!(wrong.parse::<FeedPosition>(), Err(NotAPlace), "{wrong}");
        }
    }
}
