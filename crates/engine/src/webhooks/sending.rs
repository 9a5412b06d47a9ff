//! Sending the deliveries of one stream, one after the other.

use domain::{
    Timestamp,
    event::{Event, public_events},
    webhook::{Delivery, DeliveryState, Outcome},
};
use store::{feed, webhook_endpoint::Endpoint};

use super::{Secrets, attempt::Letter};
use crate::{Engine, faults::EngineError};

/// A delivery to be sent.
pub(super) struct Item {
    pub(super) delivery: Delivery,
    /// The body; `None` where the event is still to be read.
    pub(super) body: Option<String>,
    /// Whether it has no row yet.
    pub(super) is_new: bool,
    /// Whether anything has become of it.
    pub(super) is_changed: bool,
}

/// The deliveries of a stream, in their order.
pub(super) struct Queue {
    pub(super) stream: String,
    pub(super) items: Vec<Item>,
    /// Until when the stream is held back by one that failed.
    pub(super) held_until: Option<Timestamp>,
}

/// What sends to an endpoint.
pub(super) struct Sender<'a> {
    pub(super) engine: &'a Engine,
    pub(super) endpoint: &'a Endpoint,
    pub(super) secrets: &'a Secrets,
    /// Nothing is begun after this time.
    pub(super) stop_at: Timestamp,
}

impl Sender<'_> {
    /// Sends what is in a queue until one is not taken, or the time is over. What is left waits.
    pub(super) async fn send(&self, mut queue: Queue) -> Result<Queue, EngineError> {
        for item in &mut queue.items {
            if let Some(until) = queue.held_until {
                item.delivery.next_at = Some(until);
                continue;
            }
            if self.engine.now() >= self.stop_at || self.engine.is_draining() {
                queue.held_until = Some(self.engine.now());
                item.delivery.next_at = queue.held_until;
                continue;
            }
            self.send_one(item).await?;
            queue.held_until = match item.delivery.state {
                DeliveryState::Pending => item.delivery.next_at,
                DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Skipped => None,
            };
        }
        Ok(queue)
    }

    async fn send_one(&self, item: &mut Item) -> Result<(), EngineError> {
        item.is_changed = true;
        let delivery = &mut item.delivery;
        if item.body.is_none() {
            let event = self.engine.event_of(delivery).await?;
            item.body = event.map(|event| event.payload());
        }
        let Some(body) = &item.body else {
            // It was erased.
            delivery.state = DeliveryState::Skipped;
            delivery.next_at = None;
            return Ok(());
        };
        let letter = Letter {
            url: &self.endpoint.url,
            id: &delivery.event_id,
            body,
            secrets: self.secrets,
            key: None,
        };
        let attempt = self.engine.post(&letter).await;
        let schedule = &self.engine.inner.settings.webhooks.schedule;
        delivery.note(attempt, schedule, self.engine.inner.world.random());
        Ok(())
    }
}

impl Queue {
    /// What became of its attempts.
    pub(super) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::default();
        for item in self.items.iter().filter(|item| item.is_changed) {
            match item.delivery.state {
                DeliveryState::Delivered => outcome.taken += 1,
                DeliveryState::Pending | DeliveryState::Failed => outcome.failed += 1,
                DeliveryState::Skipped => {}
            }
        }
        outcome
    }
}

impl Engine {
    /// The event of a delivery; `None` where it was erased.
    pub(super) async fn event_of(&self, delivery: &Delivery) -> Result<Option<Event>, EngineError> {
        self.event_by_id(delivery.team, &delivery.event_id).await
    }

    /// A team's event by its id.
    pub(super) async fn event_by_id(
        &self,
        team: domain::id::TeamId,
        id: &str,
    ) -> Result<Option<Event>, EngineError> {
        let mut parts = id.split(':');
        let (Some(stream), Some(version)) = (parts.next(), parts.next()) else {
            return Ok(None);
        };
        let Ok(version) = version.parse() else {
            return Ok(None);
        };
        if !stream.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(None);
        }
        let row = feed::find(&self.inner.store, team, stream, version).await?;
        let events = row
            .map(|row| public_events(&row.commit))
            .unwrap_or_default();
        Ok(events.into_iter().find(|event| event.id == id))
    }
}
