//! The jobs: what could not be applied at once, and what is old.

use std::time::Duration;

use connector::{Delivery, Link, Notice};
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
            one.status = NotificationStatus::Failed;
            one.message = Some("its connection is gone".to_owned());
            one.due_at = None;
            return self.store_outcome(&one).await;
        };
        // Tried again later, unless this ends it.
        one.due_at = Some(self.next_try(&one));
        one.tries = one.tries.saturating_add(1);
        self.store_outcome(&one).await?;
        match self.open_again(&one, &connected).await? {
            Some(Ok(notices)) => self.apply_notification(one, &connected, notices).await,
            Some(Err(why)) => {
                one.status = NotificationStatus::Failed;
                one.message = Some(why);
                one.due_at = None;
                self.store_outcome(&one).await
            }
            None => Ok(()),
        }
    }

    /// Reads a stored notification as of the time at which it came. `None`: the connection can't be opened now.
    async fn open_again(
        &self,
        one: &Notification,
        connected: &Connected,
    ) -> Result<Option<Result<Vec<Notice>, String>>, EngineError> {
        let connection = match self.open_connection(connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(notification.id = %one.id, why, "a notification can't be read now");
                return Ok(None);
            }
        };
        let (Some(facet), Some(body)) = (connected.connector.notices(), one.content.bytes()) else {
            return Ok(Some(Err("it can't be read".to_owned())));
        };
        let link = Link {
            now: one.received_at,
            ..self.link(connected, &connection)
        };
        let delivery = Delivery {
            body: &body,
            headers: &one.content.headers,
        };
        Ok(Some(
            facet.open(&link, &delivery).map_err(|why| why.to_string()),
        ))
    }
}
