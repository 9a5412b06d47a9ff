//! Taking what comes to a connection's address.

use std::time::Duration;

use connector::{Delivery, Notice};
use db::Change;
use domain::{Fault, notification::NotificationStatus};
use store::{
    connection::Connection,
    notification::{Content, Notification},
};
use subtle::ConstantTimeEq;

use super::{InboundToken, RowKey, mark};
use crate::{Engine, faults::EngineError, faults::only_fault, payments::Connected};

/// So long a notification is left to the task that took it, before the job takes it.
const OWN_FOR: Duration = Duration::from_secs(30);

/// Longest words of a processor that are kept. Unit: characters.
const WORD_MAX: usize = 200;

/// Headers that hold credentials are not stored.
const NOT_KEPT: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// The address of a connection, to which notifications are sent.
pub struct NotificationAddress(Connected);

/// What came.
#[derive(Debug, Clone)]
pub struct Inbound {
    /// The headers, their names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// How a delivery is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationAnswer {
    /// It is stored, or was before.
    Accepted,
    /// Nothing proves who sent it.
    NotGenuine,
}

impl Engine {
    /// Takes a delivery: proves it, stores it, and has it applied.
    ///
    /// # Errors
    /// `error.unavailable` when it can't be checked or stored now: the processor sends it again.
    pub async fn receive_notification(
        &self,
        address: NotificationAddress,
        inbound: Inbound,
    ) -> Result<NotificationAnswer, Fault> {
        self.received(address.0, inbound).await.map_err(only_fault)
    }

    /// The address with this token; `None`: no connection has it.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    pub async fn notification_address(
        &self,
        token: &str,
    ) -> Result<Option<NotificationAddress>, Fault> {
        let found = self.addressed(token).await.map_err(only_fault)?;
        Ok(found.map(NotificationAddress))
    }

    async fn received(
        &self,
        connected: Connected,
        inbound: Inbound,
    ) -> Result<NotificationAnswer, EngineError> {
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(connection = %connected.connection.id, why, "a notification can't be checked");
                return Err(Fault::unavailable().into());
            }
        };
        let Some(facet) = connected.connector.notices() else {
            return Ok(NotificationAnswer::NotGenuine);
        };
        let delivery = Delivery {
            body: &inbound.body,
            headers: &inbound.headers,
        };
        let link = self.link(&connected, &connection);
        let notices = match facet.open(&link, &delivery) {
            Ok(notices) => notices,
            Err(why) => {
                count(&connected.connection.processor, "forged");
                tracing::warn!(connection = %connected.connection.id, why = %why, "a notification was refused");
                return Ok(NotificationAnswer::NotGenuine);
            }
        };
        let mark = mark(&connected.connection.id, &notices);
        let team = connected.connection.team;
        if store::notification::is_there(&self.inner.store, team, &mark).await? {
            count(&connected.connection.processor, "copy");
            return Ok(NotificationAnswer::Accepted);
        }
        let new = self.new_notification(&connected.connection, inbound, &notices, mark);
        let change =
            Change::new(self.change_id(), &new.mark).with(store::notification::insert(&new));
        if self.commit_plain(change).await?.is_some() {
            count(&connected.connection.processor, "copy");
            return Ok(NotificationAnswer::Accepted);
        }
        self.apply_later(new, connected, notices);
        Ok(NotificationAnswer::Accepted)
    }

    /// The connection that has this address.
    async fn addressed(&self, token: &str) -> Result<Option<Connected>, EngineError> {
        let Some(team) = InboundToken::team(token) else {
            return Ok(None);
        };
        // Not by the registry: made-up addresses must not push teams out of it.
        let all = store::connection::of_team(&self.inner.store, team).await?;
        let has_it = |connection: &Connection| {
            connection
                .inbound_token
                .as_ref()
                .is_some_and(|known| bool::from(known.as_bytes().ct_eq(token.as_bytes())))
        };
        let Some(connection) = all.into_iter().find(has_it) else {
            return Ok(None);
        };
        let connected = self.line(team, &connection.id).await?;
        Ok(connected.filter(|connected| connected.connector.notices().is_some()))
    }

    fn new_notification(
        &self,
        connection: &Connection,
        inbound: Inbound,
        notices: &[Notice],
        mark: String,
    ) -> Notification {
        let now = self.inner.world.now();
        let mut headers = inbound.headers;
        headers.retain(|(name, _)| !NOT_KEPT.contains(&name.as_str()));
        let words: Vec<&str> = notices.iter().map(|notice| notice.word.as_str()).collect();
        Notification {
            team: connection.team,
            id: self.inner.world.uuid_v7(),
            mark,
            connection: connection.id.clone(),
            received_at: now,
            word: words.join(", ").chars().take(WORD_MAX).collect(),
            status: NotificationStatus::Received,
            message: None,
            payment: None,
            tries: 0,
            due_at: Some(now.after(OWN_FOR)),
            content: Content::of(headers, &inbound.body),
        }
    }

    /// Applies a notification in a task of its own: the processor has its answer before.
    fn apply_later(&self, one: Notification, connected: Connected, notices: Vec<Notice>) {
        let engine = self.clone();
        drop(self.own(Box::pin(async move {
            let key = RowKey {
                team: one.team,
                id: one.id,
            };
            if let Err(stop) = engine.apply_notification(one, &connected, notices).await {
                let (code, why) = stop.words();
                tracing::warn!(notification.id = %key.id, team.id = %key.team, code, why, "a notification is applied later");
            }
        })));
    }
}

/// Counts what became of a delivery.
pub(super) fn count(processor: &str, outcome: &'static str) {
    metrics::counter!(
        "pointsman_notifications_total",
        "processor" => processor.to_owned(),
        "outcome" => outcome
    )
    .increment(1);
}
