//! What processors sent, and what became of it.

use domain::{Fault, caller::Caller, id::ConnectionId, page::Page};
use store::{Listed, Part, notification::Notification};

use crate::{Engine, faults::database};

/// A request for a list of notifications.
#[derive(Debug, Clone)]
pub struct ListNotifications {
    /// Which part of the list.
    pub page: Page,
    /// Only those of this connection.
    pub connection: Option<ConnectionId>,
}

/// A notification as it is shown.
pub type NotificationView = Notification;

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
    /// `error.validation` for a cursor that is none of this list; `error.unavailable`, `error.unknown`.
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
        let rows = rows
            .into_iter()
            .map(|(cursor, one)| (cursor.encode(&shape), one));
        Ok(NotificationPage {
            rows: rows.collect(),
            has_next,
            has_previous,
        })
    }
}
