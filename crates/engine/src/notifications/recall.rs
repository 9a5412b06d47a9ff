//! The jobs: what could not be applied at once, and what is old.

use std::time::Duration;

use connector::{Delivery, Notice, Unreadable};
use domain::{Timestamp, id::TeamId, notification::NotificationStatus};
use futures_util::{StreamExt, stream};
use store::{notification::Notification, overdue::Queue};
use uuid::Uuid;

use crate::{
    Engine,
    faults::EngineError,
    jobs::{Round, TOGETHER},
    payments::Connected,
};

use super::{read_by, receive::count};

/// How long notifications are kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

impl Engine {
    /// Notifications that came before this are forgotten.
    pub(crate) fn notifications_end(now: Timestamp) -> Timestamp {
        now.before(KEPT)
    }

    /// Takes notifications that are due and applies them. Returns how many were taken.
    pub(crate) async fn apply_due_notifications(
        &self,
        round: &Round,
    ) -> Result<usize, EngineError> {
        let Round {
            now,
            lease_until,
            rows,
            ..
        } = *round;
        let (floor, store) = (&self.inner.floors.notifications, &self.inner.store);
        let look = floor.look(now);
        let due = store::notification::claim_due(store, now, lease_until, look.after, rows).await?;
        let taken = due.len();
        let full = i64::try_from(taken).is_ok_and(|taken| taken >= rows);
        self.batch_taken(Queue::Notifications, look, full);
        let work = async |(team, id)| {
            if let Err(stop) = self.apply_again(team, id).await {
                round.item_failed(&id, stop);
            }
        };
        stream::iter(due).for_each_concurrent(TOGETHER, work).await;
        Ok(taken)
    }

    async fn apply_again(&self, team: TeamId, id: Uuid) -> Result<(), EngineError> {
        let found = store::notification::of_team(&self.inner.store, team, id).await?;
        let Some(mut one) = found else { return Ok(()) };
        let Some(connected) = self.line(team, &one.connection).await? else {
            return self.end_failed(one, "none", "its connection is gone").await;
        };
        // Tried again later, unless this ends it.
        one.due_at = Some(self.next_try(&one));
        one.tries = one.tries.saturating_add(1);
        self.store_outcome(&one).await?;
        match read_again(&one, &connected) {
            Ok(notices) => {
                self.apply_notification(one, &connected, notices, None)
                    .await
            }
            Err(why) => {
                let processor = &connected.connection.processor;
                self.end_failed(one, processor, &why.to_string()).await
            }
        }
    }

    /// Nothing can be made of a notification that was taken: a person must look.
    pub(super) async fn end_failed(
        &self,
        mut one: Notification,
        processor: &str,
        why: &str,
    ) -> Result<(), EngineError> {
        one.status = NotificationStatus::Failed;
        one.message = Some(why.to_owned());
        one.due_at = None;
        self.store_outcome(&one).await?;
        count(processor, "failed");
        tracing::error!(
            notification.id = %one.id,
            connection = %one.connection,
            team.id = %one.team,
            why,
            "a notification could not be applied: a person must look"
        );
        Ok(())
    }
}

/// Reads a stored notification. That it is stored proves it: its connection's secrets may be others by now.
fn read_again(one: &Notification, connected: &Connected) -> Result<Vec<Notice>, Unreadable> {
    let facet = connected.connector.notices();
    let facet = facet.ok_or(Unreadable("its processor sends none any more"))?;
    let body = one.content.bytes();
    let body = body.ok_or(Unreadable("its body is not stored as it came"))?;
    let delivery = Delivery {
        body: &body,
        headers: &one.content.headers,
    };
    read_by(facet, &delivery)
}
