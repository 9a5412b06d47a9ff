//! Planted bugs: each stands in for the function whose attribute names it, on a thread that was given it. The function as it is bears the
//! prefix `unplanted_`.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    reason = "each has the shape of what it stands in for"
)]

use std::collections::BTreeMap;

use db::{ChangeId, Db, DbError, Statement};
use domain::{
    Timestamp,
    id::{PaymentId, TeamId},
    payment::{Occurrence, Payment},
    webhook::{Delivery, DeliveryState},
};

use crate::{
    event,
    feed::{self, Committed, FeedPosition},
    imported_payment::{self, Reported},
    payment,
    webhook_delivery::{self, EndpointKey},
};

/// For `event::insert`: of the third version nothing is written.
pub(crate) fn lose_third_event(
    payment: &Payment,
    commit: &event::Commit,
    occurred: &[Occurrence],
    at: Timestamp,
) -> Statement {
    if payment.version() == 3 {
        let sql = "delete from event where team_id = $1 and seq < 0";
        return Statement::any(sql, vec![payment.team().key().into()]);
    }
    event::unplanted_insert(payment, commit, occurred, at)
}

/// For `event::insert`: one that is there is no conflict.
pub(crate) fn write_event_over(
    payment: &Payment,
    commit: &event::Commit,
    occurred: &[Occurrence],
    at: Timestamp,
) -> Statement {
    event::unplanted_insert(payment, commit, occurred, at).reworded(
        "insert into event (team_id, stream, seq, change_id, at, kind, data, stamp) \
        values ($1, $2, $3, $4, $5, $6, $7, commit_stamp()) on conflict (team_id, stream, seq) do update set at = event.at",
    )
}

/// For `feed::read`: behind a row are those of later transactions alone.
pub(crate) async fn read_by_stamp_alone(
    db: &Db,
    team: TeamId,
    after: Option<&FeedPosition>,
    limit: u32,
) -> Result<Vec<Committed>, DbError> {
    let rows = feed::unplanted_read(db, team, after, limit).await?;
    let is_later = |row: &Committed| after.is_none_or(|after| row.place.stamp() > after.stamp());
    Ok(rows.into_iter().filter(is_later).collect())
}

/// For `event::was_written_by`.
pub(crate) async fn never_ours(
    _: &Db,
    _: TeamId,
    _: &str,
    _: u64,
    _: ChangeId,
) -> Result<bool, DbError> {
    Ok(false)
}

/// For `payment::update`.
pub(crate) fn update_any_version(payment: &Payment, at: Timestamp) -> Statement {
    payment::unplanted_update(payment, at).reworded(
        "update payment set version = $3, status = $4, due_at = $5, gateway = $6, country = $7, connection_id = $8, \
         body = $9 where team_id = $1 and payment_id = $2 and $10 is not null",
    )
}

/// For `payment::claim_due`.
pub(crate) async fn claim_without_lease(
    db: &Db,
    now: Timestamp,
    _: Timestamp,
    after: Timestamp,
    limit: i64,
) -> Result<Vec<(TeamId, PaymentId)>, DbError> {
    payment::unplanted_claim_due(db, now, now, after, limit).await
}

/// For `payment::set_due`.
pub(crate) fn hand_back_any_version(
    payment: &Payment,
    not_before: Timestamp,
    lease_until: Timestamp,
) -> Statement {
    payment::unplanted_set_due(payment, not_before, lease_until).reworded(
        "update payment set due_at = $3 \
         where team_id = $1 and payment_id = $2 and $4 is not null and $5 is not null",
    )
}

/// For `webhook_delivery::insert`: what was not taken is not kept.
pub(crate) fn keep_taken_alone(delivery: &Delivery) -> Statement {
    if delivery.state == DeliveryState::Pending {
        let sql = "delete from webhook_delivery where team_id = $1 and tries < 0";
        return Statement::any(sql, vec![delivery.team.key().into()]);
    }
    webhook_delivery::unplanted_insert(delivery)
}

/// For `webhook_delivery::held_back`.
pub(crate) async fn hold_nothing_back(
    _: &Db,
    _: EndpointKey,
    _: &[&str],
) -> Result<BTreeMap<String, Timestamp>, DbError> {
    Ok(BTreeMap::new())
}

/// For `imported_payment::note`: every payment that is made of a report has a name of its own.
pub(crate) fn note_import_of_its_own(reported: Reported<'_>, payment: PaymentId) -> Statement {
    let processor_id = format!("{} {}", reported.processor_id, payment.key());
    let named = Reported {
        processor_id: &processor_id,
        ..reported
    };
    imported_payment::unplanted_note(named, payment)
}
