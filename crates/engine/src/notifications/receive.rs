//! Taking what comes to a connection's address.

use crate::boxed;
use std::{sync::Arc, time::Duration};

use connector::{Delivery, NotGenuine, Notice, Unreadable};
use db::Change;
use domain::{Fault, notification::NotificationStatus, processor_text::processor_text};
use store::{
    connection::Connection,
    notification::{Content, Known, Notification},
};
use subtle::ConstantTimeEq;

use super::{InboundToken, RowKey, mark, read_by};
use crate::{
    Engine,
    connections::OpenConnection,
    faults::{EngineError, only_fault},
    payments::Connected,
};

/// So long a notification is left to the task that took it, before the job takes it.
const OWN_FOR: Duration = Duration::from_secs(30);

/// Longest words of a processor that are kept. Unit: characters.
const WORD_MAX: usize = 200;

/// Headers that hold credentials are not stored: a delivery is proven when it comes, and never again.
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
    /// It is not believed, and not stored.
    Refused(NotGenuine),
}

impl Engine {
    /// Takes a delivery: proves it, stores it, and has it applied.
    ///
    /// # Errors
    /// `error.unavailable` when it can't be checked or stored now: the processor sends it again.
    #[boxed]
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
    #[boxed]
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
            return Ok(NotificationAnswer::Refused(NotGenuine::NoSecret));
        };
        let delivery = Delivery {
            body: &inbound.body,
            headers: &inbound.headers,
        };
        let proof = self.proof(&connected, &connection, &delivery).await?;
        if let Err(why) = proof {
            count(&connected.connection.processor, refusal(why));
            tracing::warn!(connection = %connected.connection.id, why = %why, "a notification was refused");
            return Ok(NotificationAnswer::Refused(why));
        }
        let read = read_by(facet, &delivery);
        self.stored(connected, inbound, read).await?;
        Ok(NotificationAnswer::Accepted)
    }

    /// Proves a delivery by the connection's secret, or by the one before its last rotation while that still counts.
    async fn proof(
        &self,
        connected: &Connected,
        open: &OpenConnection,
        delivery: &Delivery<'_>,
    ) -> Result<Result<(), NotGenuine>, EngineError> {
        let Some(facet) = connected.connector.notices() else {
            return Ok(Err(NotGenuine::NoSecret));
        };
        let current = facet.prove(&self.link(connected, open), delivery);
        if !matches!(current, Err(NotGenuine::Forged | NotGenuine::NoSecret)) {
            return Ok(current);
        }
        let Some(earlier) = self.open_earlier(connected, open).await? else {
            return Ok(current);
        };
        Ok(
            match facet.prove(&self.link(connected, &earlier), delivery) {
                Err(NotGenuine::Forged | NotGenuine::NoSecret) => current,
                proven => proven,
            },
        )
    }

    /// Stores what was proven, and has it applied where it can be read.
    async fn stored(
        &self,
        connected: Connected,
        inbound: Inbound,
        read: Result<Vec<Notice>, Unreadable>,
    ) -> Result<(), EngineError> {
        let connection = &connected.connection;
        let mark = mark(
            &connection.id,
            read.as_deref().unwrap_or_default(),
            &inbound.body,
        );
        let known = store::notification::known(&self.inner.store, connection.team, &mark).await?;
        let mut new = self.new_notification(connection, inbound, &read, mark);
        // What came to nothing is tried again with what came now, where that can be read.
        let statement = match known {
            None => store::notification::insert(&new),
            Some(Known { id, status }) if came_to_nothing(status) && read.is_ok() => {
                new.id = id;
                store::notification::replace(&new, status)
            }
            Some(_) => {
                count(&connection.processor, "copy");
                return Ok(());
            }
        };
        let change = Change::new(self.change_id(), &new.mark).with(statement);
        if self.commit_plain(change).await?.is_some() {
            count(&connection.processor, "copy");
            return Ok(());
        }
        match read {
            Ok(notices) => {
                let before = known.map(|known| known.status);
                self.apply_later(new, connected, notices, before);
            }
            Err(why) => {
                count(&connection.processor, "unreadable");
                tracing::error!(
                    notification.id = %new.id,
                    connection = %connection.id,
                    team.id = %new.team,
                    why = %why,
                    "a genuine notification can't be read: a person must look"
                );
            }
        }
        Ok(())
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
        // As it is stored now: a secret that was rotated a moment ago by another node counts here too.
        let connector = self.inner.connectors.get(connection.processor.as_str());
        let connector = connector.filter(|connector| connector.notices().is_some());
        Ok(connector.map(|connector| Connected {
            connector: Arc::clone(connector),
            connection: Arc::new(connection),
        }))
    }

    fn new_notification(
        &self,
        connection: &Connection,
        inbound: Inbound,
        read: &Result<Vec<Notice>, Unreadable>,
        mark: String,
    ) -> Notification {
        let now = self.inner.world.now();
        let (status, message, due_at) = match read {
            Ok(_) => (NotificationStatus::Received, None, Some(now.after(OWN_FOR))),
            Err(why) => (NotificationStatus::Failed, Some(why.to_string()), None),
        };
        let mut headers = inbound.headers;
        headers.retain(|(name, _)| !NOT_KEPT.contains(&name.as_str()));
        let notices = read.as_deref().unwrap_or_default();
        let words: Vec<&str> = notices.iter().map(|notice| notice.word.as_str()).collect();
        Notification {
            team: connection.team,
            id: self.inner.world.uuid_v7(),
            mark,
            connection: connection.id.clone(),
            received_at: now,
            word: processor_text(&words.join(", "), WORD_MAX),
            status,
            message,
            payment: None,
            tries: 1,
            due_at,
            content: Content::of(headers, &inbound.body),
        }
    }

    /// Applies a notification in a task of its own: the processor has its answer before.
    fn apply_later(
        &self,
        one: Notification,
        connected: Connected,
        notices: Vec<Notice>,
        before: Option<NotificationStatus>,
    ) {
        let engine = self.clone();
        drop(self.own(Box::pin(async move {
            let key = RowKey {
                team: one.team,
                id: one.id,
            };
            let applied = engine.apply_notification(one, &connected, notices, before);
            if let Err(stop) = applied.await {
                let (code, why) = stop.words();
                tracing::warn!(notification.id = %key.id, team.id = %key.team, code, why, "a notification is applied later");
            }
        })));
    }
}

/// Whether nothing has come of a notification, and nothing will by itself.
fn came_to_nothing(status: NotificationStatus) -> bool {
    matches!(
        status,
        NotificationStatus::Failed | NotificationStatus::UnknownPayment
    )
}

/// As what a refused delivery is counted.
fn refusal(why: NotGenuine) -> &'static str {
    match why {
        NotGenuine::NoSecret => "no_secret",
        NotGenuine::Unsigned | NotGenuine::Forged => "forged",
        NotGenuine::Untimely => "untimely",
        NotGenuine::OtherMode => "other_mode",
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
