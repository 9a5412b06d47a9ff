//! What processors sent, and what became of it.

use crate::boxed;
use domain::{
    Fault, Timestamp,
    caller::Caller,
    id::{ConnectionId, PaymentId, TeamId},
    notification::NotificationStatus,
    page::Page,
};
use store::{Listed, Part, notification::NotificationLine};
use uuid::Uuid;

use crate::{
    Engine,
    faults::{connection_not_found, database},
};

/// A request for a list of notifications.
#[derive(Debug, Clone)]
pub struct ListNotifications {
    /// Which part of the list.
    pub page: Page,
    /// Only those of this connection.
    pub connection: Option<ConnectionId>,
}

/// A notification as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationView {
    /// Its id.
    pub id: Uuid,
    /// The connection to whose address it was sent.
    pub connection: ConnectionId,
    /// When it came.
    pub received_at: Timestamp,
    /// The processor's words for what it is.
    pub word: String,
    /// What became of it.
    pub status: NotificationStatus,
    /// Why, for people.
    pub message: Option<String>,
    /// The payment that it is about, where that is known.
    pub payment: Option<PaymentId>,
}

impl From<NotificationLine> for NotificationView {
    fn from(one: NotificationLine) -> Self {
        Self {
            id: one.id,
            connection: one.connection,
            received_at: one.received_at,
            word: one.word,
            status: one.status,
            message: one.message,
            payment: one.payment,
        }
    }
}

/// A part of a list of notifications.
#[derive(Debug, Clone, PartialEq)]
pub struct NotificationPage {
    /// Each with its cursor.
    pub rows: Vec<(String, NotificationView)>,
    /// Whether more follow.
    pub has_next: bool,
    /// Whether there are any before.
    pub has_previous: bool,
}

impl Engine {
    /// A team's notifications of the last 30 days, the newest first.
    ///
    /// # Errors
    /// `error.connection.not-found`: the team has no such connection, and nothing was ever sent to it; `error.validation` for a cursor
    /// that is none of this list; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn notifications(
        &self,
        caller: &Caller,
        wanted: ListNotifications,
    ) -> Result<NotificationPage, Fault> {
        let shape = store::notification::shape();
        let part = Part::of(&wanted.page, &shape)?;
        let connection = wanted.connection.as_ref();
        let found =
            store::notification::page(&self.inner.store, caller.team, connection, &part).await;
        let Listed {
            rows,
            has_next,
            has_previous,
        } = found.map_err(|error| database(&error))?;
        if let Some(id) = connection.filter(|_| rows.is_empty()) {
            self.find_connection(caller.team, id).await?;
        }
        let rows = rows
            .into_iter()
            .map(|(cursor, one)| (cursor.encode(&shape), one.into()));
        Ok(NotificationPage {
            rows: rows.collect(),
            has_next,
            has_previous,
        })
    }

    async fn find_connection(&self, team: TeamId, id: &ConnectionId) -> Result<(), Fault> {
        let all = store::connection::of_team(&self.inner.store, team).await;
        let all = all.map_err(|error| database(&error))?;
        let is_there = all.iter().any(|connection| connection.id == *id);
        is_there.then_some(()).ok_or_else(connection_not_found)
    }
}
