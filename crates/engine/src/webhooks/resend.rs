//! Sending events again, and sending a test.

use crate::boxed;
use db::Statement;
use domain::{
    Fault, Timestamp,
    caller::Caller,
    event::{Event, EventKind, public_events},
    id::EndpointId,
    webhook::{DeliveryState, RetrySchedule},
};
use serde_json::{Map, json};
use store::{
    feed::{self, FeedPosition},
    webhook_delivery,
    webhook_endpoint::Endpoint,
};

use super::{
    DeliveryView,
    attempt::Letter,
    work::{PENDING_MAX, key_of},
};
use crate::{
    Engine,
    events::EventCursor,
    faults::{EngineError, database, only_fault},
};

/// Events that are sent again by one request.
const EVENTS_MAX: usize = 1_000;

/// So many changes are looked through for one request at most: an endpoint may want few of them.
const ROWS_SEARCHED: usize = 10_000;

/// Rows of the feed that are read at once.
const ROWS: u32 = 200;

/// Events to be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resend {
    /// To which endpoint.
    pub endpoint: EndpointId,
    /// Those behind this cursor.
    pub from: Option<String>,
    /// Those up to this cursor; up to now when absent.
    pub to: Option<String>,
    /// These.
    pub event_ids: Vec<String>,
}

impl Engine {
    /// Sends events to an endpoint again: those with these ids, or all that it wants between two cursors. Says how many.
    ///
    /// # Errors
    /// `error.validation` for an endpoint that is none of the team's or is disabled, for a cursor or an id that is none, and for more
    /// than a thousand events; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn resend_events(&self, caller: &Caller, resend: Resend) -> Result<usize, Fault> {
        let endpoint = self
            .endpoint(caller.team, resend.endpoint, "endpointId")
            .await;
        let endpoint = endpoint.map_err(only_fault)?;
        if !endpoint.enabled {
            let rule = "names an endpoint that is disabled: enable it first";
            return Err(Fault::invalid("endpointId", rule));
        }
        let key = key_of(&endpoint);
        let is_full = webhook_delivery::has_pending(&self.inner.store, key, PENDING_MAX).await;
        if is_full.map_err(|error| database(&error))? {
            let rule = format!(
                "names an endpoint for which more than {PENDING_MAX} deliveries wait: try again when they are over"
            );
            return Err(Fault::invalid("endpointId", rule));
        }
        let events = if resend.event_ids.is_empty() {
            self.events_between(&endpoint, &resend).await
        } else {
            self.events_of_ids(&endpoint, &resend).await
        };
        let events = events.map_err(only_fault)?;
        let now = self.inner.world.now();
        let inserts = events
            .iter()
            .map(|event| webhook_delivery::insert(&self.delivery_of(&endpoint, event, now)));
        let inserts: Vec<Statement> = inserts.collect();
        if inserts.is_empty() {
            return Ok(0);
        }
        let refused = self.commit_all(endpoint.id, inserts).await;
        match refused.map_err(only_fault)? {
            None => Ok(events.len()),
            Some(_) => Err(Fault::unknown()),
        }
    }

    async fn events_of_ids(
        &self,
        endpoint: &Endpoint,
        resend: &Resend,
    ) -> Result<Vec<Event>, EngineError> {
        if resend.from.is_some() || resend.to.is_some() {
            return Err(Fault::invalid("eventIds", "must not be mixed with from or to").into());
        }
        if resend.event_ids.len() > EVENTS_MAX {
            return Err(too_many("eventIds").into());
        }
        let mut events = Vec::new();
        for (n, id) in resend.event_ids.iter().enumerate() {
            let event = self.event_by_id(endpoint.team, id).await?;
            events.push(event.ok_or_else(|| {
                Fault::invalid(
                    format!("eventIds.{n}"),
                    "must be the id of an event that listEvents shows",
                )
            })?);
        }
        Ok(events)
    }

    async fn events_between(
        &self,
        endpoint: &Endpoint,
        resend: &Resend,
    ) -> Result<Vec<Event>, EngineError> {
        let Some(from) = &resend.from else {
            let rule = "is required without eventIds: a cursor that listEvents gave out";
            return Err(Fault::invalid("from", rule).into());
        };
        let from = EventCursor::decode(from, "from")?;
        let to = resend.to.as_deref().map(|to| EventCursor::decode(to, "to"));
        let to = to.transpose()?;
        if to.as_ref().is_some_and(|to| to.place < from.place) {
            return Err(Fault::invalid("to", "must not stand before from").into());
        }
        let (mut events, mut place, mut searched) = (Vec::new(), from.start(), 0);
        loop {
            let rows = feed::read(&self.inner.store, endpoint.team, Some(&place), ROWS).await?;
            let is_last = rows.len() < usize::try_from(ROWS).unwrap_or(usize::MAX);
            for row in &rows {
                if to.as_ref().is_some_and(|to| row.place > to.place) {
                    return Ok(events);
                }
                let is_wanted = |event: &Event| {
                    endpoint.kinds.wants(event.kind)
                        && !from.has_read(&row.place, event.index)
                        && to
                            .as_ref()
                            .is_none_or(|to| is_up_to(to, &row.place, event.index))
                };
                events.extend(public_events(&row.commit).into_iter().filter(is_wanted));
                place = row.place.clone();
            }
            searched += rows.len();
            if events.len() > EVENTS_MAX || searched > ROWS_SEARCHED {
                return Err(too_many("from").into());
            }
            if is_last {
                return Ok(events);
            }
        }
    }

    /// Sends a test to an endpoint at once, also to one that is disabled, and says what came of it. It is not sent again.
    ///
    /// # Errors
    /// `error.validation` for an endpoint that is none of the team's; `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn send_test_event(
        &self,
        caller: &Caller,
        id: EndpointId,
    ) -> Result<DeliveryView, Fault> {
        self.tested(caller, id).await.map_err(only_fault)
    }

    async fn tested(&self, caller: &Caller, id: EndpointId) -> Result<DeliveryView, EngineError> {
        let endpoint = self.endpoint(caller.team, id, "endpointId").await?;
        let Some(secrets) = self.secrets_of(&endpoint).await? else {
            return Err(Fault::unavailable().into());
        };
        let now = self.inner.world.now();
        let event = self.test_event(&endpoint, now);
        let mut delivery = self.delivery_of(&endpoint, &event, now);
        let letter = Letter {
            url: &endpoint.url,
            id: &event.id,
            body: &event.payload(),
            secrets: &secrets,
            key: None,
        };
        let attempt = self.post(&letter).await;
        // Nobody waits for a second attempt.
        delivery.note(attempt, &RetrySchedule(Vec::new()), 0);
        debug_assert!(delivery.state != DeliveryState::Pending);
        let stored = vec![webhook_delivery::insert(&delivery)];
        match self.commit_all(id, stored).await? {
            None => Ok(delivery),
            Some(_) => Err(Fault::unknown().into()),
        }
    }

    /// An event that happened to nothing.
    fn test_event(&self, endpoint: &Endpoint, now: Timestamp) -> Event {
        let stream = format!("test-{}", self.inner.world.uuid_v7());
        let mut data = Map::new();
        data.insert("endpointId".to_owned(), json!(endpoint.id.to_string()));
        Event {
            id: format!("{stream}:1:0"),
            kind: EventKind::EndpointTest,
            at: now,
            stream,
            sequence: 1,
            data,
            index: 0,
        }
    }
}

/// Whether an event stands at or before a cursor, in the cursor's row.
fn is_up_to(to: &EventCursor, place: &FeedPosition, index: usize) -> bool {
    *place < to.place || to.index.is_none_or(|last| index <= last)
}

fn too_many(field: &str) -> Fault {
    let rule = format!(
        "names more than {EVENTS_MAX} events, or more than {ROWS_SEARCHED} changes to look through: send them again in several parts"
    );
    Fault::invalid(field, rule)
}
