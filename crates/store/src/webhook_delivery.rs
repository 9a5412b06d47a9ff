//! Deliveries of events to webhook endpoints: those that were tried, and those that wait behind one.

use std::{collections::BTreeMap, fmt::Write as _};

use db::{Db, DbError, Insert, Row, Statement, Update};
use domain::{
    Timestamp,
    id::{DeliveryId, EndpointId, TeamId},
    webhook::{Delivery, DeliveryState},
};

use crate::webhook_endpoint::Turn;

/// A new row.
static NEW: Insert = Insert::new(
    "webhook_delivery",
    &[
        "team_id",
        "endpoint_id",
        "delivery_id",
        "event_id",
        "kind",
        "stream",
        "sequence",
        "state",
        "tries",
        "next_at",
        "created_at",
        "body",
    ],
);

/// What an attempt changes.
static TRIED: Update = Update::new(
    "webhook_delivery",
    &["team_id", "endpoint_id", "delivery_id"],
    &["state", "tries", "next_at", "body"],
);

const COLUMNS: &str =
    "delivery_id, event_id, kind, stream, sequence, state, tries, next_at, created_at, body";

/// Which endpoint of which team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointKey {
    /// The team.
    pub team: TeamId,
    /// The endpoint.
    pub endpoint: EndpointId,
}

/// A delivery with what was tried, or that waits.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(EventNotTakenForgotten = crate::bugs::keep_taken_alone)
)]
pub fn insert(delivery: &Delivery) -> Statement {
    NEW.with(vec![
        delivery.team.key().into(),
        delivery.endpoint.key().into(),
        delivery.id.key().into(),
        delivery.event_id.as_str().into(),
        delivery.kind.as_str().into(),
        delivery.stream.as_str().into(),
        i64::try_from(delivery.sequence).unwrap_or(i64::MAX).into(),
        delivery.state.code().into(),
        i64::from(delivery.tries).into(),
        delivery.next_at.map(Timestamp::micros).into(),
        delivery.created_at.micros().into(),
        crate::text(&delivery.log).into(),
    ])
}

/// What has become of a delivery that was stored. Touches no row when it was removed meanwhile.
pub fn update(delivery: &Delivery) -> Statement {
    TRIED
        .with(vec![
            delivery.team.key().into(),
            delivery.endpoint.key().into(),
            delivery.id.key().into(),
            delivery.state.code().into(),
            i64::from(delivery.tries).into(),
            delivery.next_at.map(Timestamp::micros).into(),
            crate::text(&delivery.log).into(),
        ])
        .or_none()
}

/// Lets all pending deliveries of a stream wait until the same time: none goes before the one that failed.
pub fn hold_back(key: EndpointKey, stream: &str, until: Timestamp) -> Statement {
    Statement::any(
        "update webhook_delivery set next_at = $4 \
         where team_id = $1 and endpoint_id = $2 and stream = $3 and state = 'PENDING'",
        vec![
            key.team.key().into(),
            key.endpoint.key().into(),
            stream.into(),
            until.micros().into(),
        ],
    )
}

/// Does a part of what is to become of an endpoint's pending deliveries. Returns how many were changed. All that is revived is due at the same
/// time: else a stream's later events could come before the first one, which was tried.
pub async fn turn(db: &Db, key: EndpointKey, turn: Turn, limit: i64) -> Result<usize, DbError> {
    let (sql, at) = match turn {
        Turn::Revive(at) => (
            "update webhook_delivery set next_at = $3, tries = 0 where team_id = $1 and endpoint_id = $2 and delivery_id in \
             (select d.delivery_id from webhook_delivery d where d.team_id = $1 and d.endpoint_id = $2 \
             and d.state = 'PENDING' and d.created_at <= $3 and (d.next_at <> $3 or d.tries > 0) limit $4) returning delivery_id",
            at,
        ),
        Turn::Skip(at) => (
            "update webhook_delivery set state = 'SKIPPED', next_at = null where team_id = $1 and endpoint_id = $2 and delivery_id in \
             (select d.delivery_id from webhook_delivery d where d.team_id = $1 and d.endpoint_id = $2 \
             and d.state = 'PENDING' and d.created_at <= $3 limit $4) returning delivery_id",
            at,
        ),
    };
    let params = vec![
        key.team.key().into(),
        key.endpoint.key().into(),
        at.micros().into(),
        limit.into(),
    ];
    Ok(db.claim_for_sweep(sql, params).await?.len())
}

/// Pending deliveries that are due, those that have been so for the longest time first; those of a stream are together, in the order of the
/// events' sequence. A stream may go on behind the last row.
pub async fn due(
    db: &Db,
    key: EndpointKey,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Delivery>, DbError> {
    let sql = format!(
        "select {COLUMNS} from webhook_delivery where team_id = $1 and endpoint_id = $2 and state = 'PENDING' \
         and next_at <= $3 order by next_at, stream, sequence, delivery_id limit $4"
    );
    let params = vec![
        key.team.key().into(),
        key.endpoint.key().into(),
        now.micros().into(),
        limit.into(),
    ];
    let rows = db.read(sql, params).await?;
    rows.iter().map(|row| read(key, row)).collect()
}

/// Which of these streams have a pending delivery, and until when those wait.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(DeliveriesUnordered = crate::bugs::hold_nothing_back)
)]
pub async fn held_back(
    db: &Db,
    key: EndpointKey,
    streams: &[&str],
) -> Result<BTreeMap<String, Timestamp>, DbError> {
    if streams.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut sql = "select stream, max(next_at) from webhook_delivery \
        where team_id = $1 and endpoint_id = $2 and state = 'PENDING' and stream in ("
        .to_owned();
    let mut params = vec![key.team.key().into(), key.endpoint.key().into()];
    for (n, stream) in streams.iter().enumerate() {
        let comma = if n == 0 { "" } else { ", " };
        // Writing to a text can't fail.
        let _ = write!(sql, "{comma}${}", n + 3);
        params.push((*stream).into());
    }
    sql.push_str(") group by stream");
    let rows = db.read(sql, params).await?;
    rows.iter()
        .map(|row| Ok((row.text(0)?.to_owned(), row.time(1)?)))
        .collect()
}

/// Whether an endpoint has more than so many pending deliveries.
pub async fn has_pending(db: &Db, key: EndpointKey, more_than: u32) -> Result<bool, DbError> {
    let sql = "select 1 from webhook_delivery \
        where team_id = $1 and endpoint_id = $2 and state = 'PENDING' limit 1 offset $3";
    let params = vec![
        key.team.key().into(),
        key.endpoint.key().into(),
        more_than.into(),
    ];
    Ok(!db.read(sql, params).await?.is_empty())
}

/// A part of the list of an endpoint's deliveries.
pub struct Wanted {
    /// Only in this state.
    pub state: Option<DeliveryState>,
    /// Only those older than this one.
    pub after: Option<DeliveryId>,
    /// At most so many.
    pub limit: u32,
}

/// An endpoint's deliveries, the newest first.
pub async fn list(db: &Db, key: EndpointKey, wanted: &Wanted) -> Result<Vec<Delivery>, DbError> {
    let mut sql =
        format!("select {COLUMNS} from webhook_delivery where team_id = $1 and endpoint_id = $2");
    let mut params = vec![key.team.key().into(), key.endpoint.key().into()];
    if let Some(state) = wanted.state {
        params.push(state.code().into());
        let _ = write!(sql, " and state = ${}", params.len());
    }
    if let Some(after) = wanted.after {
        params.push(after.key().into());
        let _ = write!(sql, " and delivery_id < ${}", params.len());
    }
    params.push(wanted.limit.into());
    let _ = write!(sql, " order by delivery_id desc limit ${}", params.len());
    let rows = db.scan(sql, params).await?;
    rows.iter().map(|row| read(key, row)).collect()
}

/// Removes deliveries of any team that are over, or whose endpoint was removed, and are older than `before`. Returns how many.
pub async fn sweep(db: &Db, before: Timestamp, limit: i64) -> Result<usize, DbError> {
    // Retention is the same for every team; the rows removed carry no data out.
    let sql = "delete from webhook_delivery where (team_id, endpoint_id, delivery_id) in \
        (select d.team_id, d.endpoint_id, d.delivery_id from webhook_delivery d where d.created_at < $1 and (d.state <> 'PENDING' \
        or not exists (select 1 from webhook_endpoint e where e.team_id = d.team_id and e.endpoint_id = d.endpoint_id)) \
        order by d.created_at limit $2) returning created_at";
    let params = vec![before.micros().into(), limit.into()];
    Ok(db.claim_for_sweep(sql, params).await?.len())
}

fn read(key: EndpointKey, row: &Row) -> Result<Delivery, DbError> {
    let corrupt = || DbError::Corrupt("webhook_delivery: a row".to_owned());
    let id = row.text(0)?;
    Ok(Delivery {
        id: DeliveryId::parse(id).ok_or_else(corrupt)?,
        team: key.team,
        endpoint: key.endpoint,
        event_id: row.text(1)?.to_owned(),
        kind: row.text(2)?.to_owned(),
        stream: row.text(3)?.to_owned(),
        sequence: u64::try_from(row.int(4)?).map_err(|_| corrupt())?,
        state: DeliveryState::parse(row.text(5)?).ok_or_else(corrupt)?,
        tries: u32::try_from(row.int(6)?).map_err(|_| corrupt())?,
        next_at: row.opt_time(7)?,
        created_at: row.time(8)?,
        log: crate::document(row.text(9)?, "webhook delivery", id)?,
    })
}
