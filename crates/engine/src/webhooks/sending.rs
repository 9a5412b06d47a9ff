//! Sending the deliveries of one stream, one after the other.

use std::mem::take;

use domain::{
    Timestamp,
    event::{Event, public_events},
    webhook::{Delivery, DeliveryState, Outcome},
};
use futures_util::{StreamExt, TryStreamExt, future, stream};
use store::{feed, webhook_endpoint::Endpoint};

use super::{Secrets, attempt::Letter, work::Work};
use crate::{Engine, faults::EngineError};

/// Streams of one endpoint that are sent at the same time, each over a connection of its own.
pub(crate) const AT_ONCE: usize = 16;

/// How many events of a stream are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Most {
    One,
    All,
}

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
    /// Sends all that is due and all that is new, each with places of its own: what fails again and again holds up nothing new.
    pub(super) async fn send_all(&self, work: &mut Work) -> Result<(), EngineError> {
        let places = if work.due.is_empty() || work.new.is_empty() {
            AT_ONCE
        } else {
            AT_ONCE / 2
        };
        let (due, new) = (take(&mut work.due), take(&mut work.new));
        (work.due, work.new) = future::try_join(
            self.send_queues(due, Most::All, places),
            self.send_queues(new, Most::All, places),
        )
        .await?;
        Ok(())
    }

    /// Sends to an endpoint that takes nothing at present the first events of some streams, due and new; when any is taken, everything.
    pub(super) async fn try_some(&self, work: &mut Work) -> Result<(), EngineError> {
        let mut probes = work.probes();
        let (due, new) = (take(&mut probes.due), take(&mut probes.new));
        (probes.due, probes.new) = future::try_join(
            self.send_queues(due, Most::One, AT_ONCE),
            self.send_queues(new, Most::One, AT_ONCE),
        )
        .await?;
        let is_taken = probes.outcome().taken > 0;
        work.put_back(probes);
        if is_taken {
            return self.send_all(work).await;
        }
        work.nothing_taken();
        Ok(())
    }

    async fn send_queues(
        &self,
        queues: Vec<Queue>,
        most: Most,
        places: usize,
    ) -> Result<Vec<Queue>, EngineError> {
        let sending = stream::iter(queues).map(|queue| self.send(queue, most));
        sending.buffer_unordered(places).try_collect().await
    }

    /// Sends what is in a queue until one is not taken, or the time is over. What is left waits.
    async fn send(&self, mut queue: Queue, most: Most) -> Result<Queue, EngineError> {
        for item in queue.items.iter_mut().filter(|item| !item.is_changed) {
            let is_over = self.engine.now() >= self.stop_at || self.engine.is_draining();
            if queue.held_until.is_some() || is_over {
                break;
            }
            self.send_one(item).await?;
            queue.held_until = match item.delivery.state {
                DeliveryState::Pending => item.delivery.next_at,
                DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Skipped => None,
            };
            if most == Most::One {
                break;
            }
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
            let delivery = &item.delivery;
            match delivery.state {
                DeliveryState::Delivered => outcome.taken += 1,
                DeliveryState::Pending | DeliveryState::Failed if delivery.tries <= 1 => {
                    outcome.failed += 1;
                }
                DeliveryState::Pending | DeliveryState::Failed => outcome.failed_again += 1,
                DeliveryState::Skipped => {}
            }
            outcome.ended += usize::from(delivery.state == DeliveryState::Failed);
        }
        outcome
    }

    /// A delivery as it is to be stored: one that was not sent waits as long as its stream.
    pub(super) fn waiting(&self, item: &Item) -> Delivery {
        let mut delivery = item.delivery.clone();
        if !item.is_changed && self.held_until.is_some() {
            delivery.next_at = self.held_until;
        }
        delivery
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
