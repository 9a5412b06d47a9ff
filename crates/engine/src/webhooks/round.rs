//! One round of deliveries to an endpoint: what is due, what is new, and one commit.

use std::{collections::BTreeMap, time::Duration};

use db::{Change, Statement};
use domain::{
    Timestamp,
    event::{EndpointEvent, Event, public_events},
    id::{BlobId, DeliveryId},
    webhook::{Attempts, Delivery, DeliveryState, Outcome, Verdict},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use store::{
    feed::{self, FeedPosition},
    webhook_delivery::{self, EndpointKey},
    webhook_endpoint::{self as table, Endpoint, Lease, Progress},
};

use super::{
    Secrets,
    claim::LEASE,
    sending::{Item, Queue, Sender},
};
use crate::{Engine, faults::EngineError};

/// Rows of the feed that are read for one round.
const ROWS: u32 = 200;

/// The same for an endpoint that takes nothing at present: enough to see whether it does again.
const PROBES: u32 = 5;

/// Pending deliveries of one round.
const DUE: u32 = 200;

/// Streams of one endpoint that are sent at the same time.
const AT_ONCE: usize = 16;

/// Nothing is begun later in a round: what is under way then must end within the lease.
const SEND_FOR: Duration = Duration::from_secs(5);

/// Secrets that were opened, by the record that they are in.
pub(super) type Known = Option<(BlobId, Secrets)>;

/// What a round works on.
struct Work {
    queues: Vec<Queue>,
    /// Up to where the feed was read.
    place: FeedPosition,
    /// Whether there may be more at once.
    is_full: bool,
}

impl Engine {
    /// One round. Says whether another may follow at once.
    pub(super) async fn deliver_round(
        &self,
        lease: &Lease,
        known: &mut Known,
    ) -> Result<bool, EngineError> {
        let Some(endpoint) = table::leased(&self.inner.store, lease).await? else {
            return Ok(false);
        };
        let began = self.inner.world.now();
        let mut work = self.work_of(&endpoint, began).await?;
        let moved = work.place != endpoint.place;
        if work.queues.is_empty() && !moved {
            self.give_back(lease).await?;
            return Ok(false);
        }
        if !work.queues.is_empty() {
            let Some(secrets) = self.opened_secrets(&endpoint, known).await? else {
                self.give_back(lease).await?;
                return Ok(false);
            };
            let sender = Sender {
                engine: self,
                endpoint: &endpoint,
                secrets,
                stop_at: began.after(SEND_FOR),
            };
            let queues = stream::iter(std::mem::take(&mut work.queues))
                .map(|queue| sender.send(queue))
                .buffer_unordered(AT_ONCE);
            work.queues = queues.try_collect().await?;
        }
        self.note_round(lease, &endpoint, work).await
    }

    /// What is due and what is new.
    async fn work_of(&self, endpoint: &Endpoint, now: Timestamp) -> Result<Work, EngineError> {
        let store = &self.inner.store;
        let key = key_of(endpoint);
        let is_failing = endpoint.health.failures > 0;
        let limit = if is_failing { PROBES } else { DUE };
        let due = webhook_delivery::due(store, key, now, limit).await?;
        let mut work = Work {
            is_full: due.len() >= size(limit),
            queues: queues_of(due),
            place: endpoint.place.clone(),
        };
        if is_failing && !work.queues.is_empty() {
            return Ok(work);
        }
        let limit = if is_failing { PROBES } else { ROWS };
        let rows = feed::read(store, endpoint.team, Some(&endpoint.place), limit).await?;
        work.is_full |= rows.len() >= size(limit);
        if let Some(last) = rows.last() {
            work.place = last.place.clone();
        }
        let events = rows.iter().flat_map(|row| public_events(&row.commit));
        let wanted: Vec<Event> = events
            .filter(|event| endpoint.kinds.wants(event.kind))
            .collect();
        let held = self.held_back(key, &wanted).await?;
        for event in wanted {
            let held_until = held.get(&event.stream).copied();
            work.add(self.item_of(endpoint, &event, now), held_until);
        }
        Ok(work)
    }

    async fn held_back(
        &self,
        key: EndpointKey,
        events: &[Event],
    ) -> Result<BTreeMap<String, Timestamp>, EngineError> {
        let store = &self.inner.store;
        if events.is_empty() || !webhook_delivery::any_pending(store, key).await? {
            return Ok(BTreeMap::new());
        }
        let mut streams: Vec<&str> = events.iter().map(|event| event.stream.as_str()).collect();
        streams.sort_unstable();
        streams.dedup();
        Ok(webhook_delivery::held_back(store, key, &streams).await?)
    }

    /// The delivery of an event that has no row yet.
    fn item_of(&self, endpoint: &Endpoint, event: &Event, now: Timestamp) -> Item {
        Item {
            delivery: self.delivery_of(endpoint, event, now),
            body: Some(event.payload()),
            is_new: true,
            is_changed: false,
        }
    }

    pub(super) fn delivery_of(
        &self,
        endpoint: &Endpoint,
        event: &Event,
        now: Timestamp,
    ) -> Delivery {
        Delivery {
            id: DeliveryId::new(self.inner.world.uuid_at(now)),
            team: endpoint.team,
            endpoint: endpoint.id,
            event_id: event.id.clone(),
            kind: event.kind.code().to_owned(),
            stream: event.stream.clone(),
            sequence: event.sequence,
            state: DeliveryState::Pending,
            tries: 0,
            next_at: Some(now),
            created_at: now,
            log: Attempts::default(),
        }
    }

    /// The secrets, opened once as long as they stay the same. `None`: they were replaced at this moment.
    async fn opened_secrets<'a>(
        &self,
        endpoint: &Endpoint,
        known: &'a mut Known,
    ) -> Result<Option<&'a Secrets>, EngineError> {
        if known
            .as_ref()
            .is_none_or(|(blob, _)| *blob != endpoint.secret)
        {
            let opened = self.secrets_of(endpoint).await?;
            *known = opened.map(|secrets| (endpoint.secret, secrets));
        }
        Ok(known.as_ref().map(|(_, secrets)| secrets))
    }

    /// Commits what became of a round, with the new place. Says whether another round may follow at once.
    async fn note_round(
        &self,
        lease: &Lease,
        endpoint: &Endpoint,
        mut work: Work,
    ) -> Result<bool, EngineError> {
        let now = self.inner.world.now();
        let settings = &self.inner.settings.webhooks;
        let (health, random) = (endpoint.health, self.inner.world.random());
        let verdict = health.after(work.outcome(), now, &settings.schedule, random);
        let goes_on = match verdict {
            Verdict::Goes(health) => health.failures == 0,
            Verdict::GivenUp { .. } => false,
        };
        let health = match verdict {
            Verdict::Goes(health) => health,
            Verdict::GivenUp { failing_since } => domain::webhook::Health {
                failing_since: Some(failing_since),
                ..endpoint.health
            },
        };
        if let Verdict::GivenUp { .. } = verdict {
            work.keep_pending(now);
        }
        let progress = Progress {
            lease,
            place: &work.place,
            health,
            lease_until: goes_on.then(|| now.after(LEASE)),
        };
        let id = self.change_id();
        let mut change = Change::new(id, &endpoint.id.key()).with(table::advance(&progress));
        work.statements(key_of(endpoint))
            .into_iter()
            .for_each(|statement| change.push(statement));
        if let Verdict::GivenUp { failing_since } = verdict {
            let event = EndpointEvent::Disabled {
                url: endpoint.url.clone(),
                failing_since,
            };
            change.push(table::give_up(lease));
            change.push(store::event::insert_of_endpoint(
                endpoint,
                &id.into(),
                &event,
                now,
            ));
        }
        if self.commit_plain(change).await?.is_some() {
            // Somebody else has it, or it was disabled or removed: what was sent now may be sent again, under the same ids.
            return Ok(false);
        }
        if let Verdict::GivenUp { .. } = verdict {
            tracing::warn!(team.id = %endpoint.team, webhook.endpoint = %endpoint.id, "a webhook endpoint took nothing for days and is disabled");
        }
        Ok(goes_on)
    }

    /// Nothing is left: the next look comes with the next poll.
    async fn give_back(&self, lease: &Lease) -> Result<(), EngineError> {
        let until = self
            .inner
            .world
            .now()
            .after(self.inner.settings.poll_interval);
        let change = Change::new(self.change_id(), &lease.endpoint.key());
        self.commit_plain(change.with(table::release(lease, until)))
            .await?;
        Ok(())
    }
}

impl Work {
    /// Adds a delivery at the end of its stream's queue. One whose stream waits, waits too.
    fn add(&mut self, mut item: Item, held_until: Option<Timestamp>) {
        let stream = item.delivery.stream.as_str();
        if held_until.is_some() {
            item.delivery.next_at = held_until;
        }
        match self.queues.iter_mut().find(|queue| {
            queue.stream == stream && queue.held_until.is_some() == held_until.is_some()
        }) {
            Some(queue) => queue.items.push(item),
            None => self.queues.push(Queue {
                stream: stream.to_owned(),
                items: vec![item],
                held_until,
            }),
        }
    }

    fn outcome(&self) -> Outcome {
        let outcomes = self.queues.iter().map(Queue::outcome);
        outcomes.fold(Outcome::default(), |sum, one| Outcome {
            taken: sum.taken + one.taken,
            failed: sum.failed + one.failed,
        })
    }

    /// What was given up together with its endpoint is sent when that is enabled again.
    fn keep_pending(&mut self, now: Timestamp) {
        let items = self.queues.iter_mut().flat_map(|queue| &mut queue.items);
        for item in items.filter(|item| item.delivery.state == DeliveryState::Failed) {
            item.delivery.state = DeliveryState::Pending;
            item.delivery.next_at = Some(now);
        }
    }

    fn statements(&self, key: EndpointKey) -> Vec<Statement> {
        let mut statements = Vec::new();
        for queue in &self.queues {
            for item in &queue.items {
                if item.is_new {
                    statements.push(webhook_delivery::insert(&item.delivery));
                } else if item.is_changed {
                    statements.push(webhook_delivery::update(&item.delivery));
                }
            }
        }
        // Last, so that they hold for rows that were inserted here too, and for those that this round has not read.
        for queue in &self.queues {
            if let Some(until) = queue.held_until
                && queue.items.iter().any(|item| !item.is_new)
            {
                statements.push(webhook_delivery::hold_back(key, &queue.stream, until));
            }
        }
        statements
    }
}

/// Deliveries that are due, by their streams.
fn queues_of(due: Vec<Delivery>) -> Vec<Queue> {
    let mut queues: Vec<Queue> = Vec::new();
    for delivery in due {
        let item = Item {
            delivery,
            body: None,
            is_new: false,
            is_changed: false,
        };
        match queues.last_mut() {
            Some(queue) if queue.stream == item.delivery.stream => queue.items.push(item),
            _ => queues.push(Queue {
                stream: item.delivery.stream.clone(),
                items: vec![item],
                held_until: None,
            }),
        }
    }
    queues
}

const fn key_of(endpoint: &Endpoint) -> EndpointKey {
    EndpointKey {
        team: endpoint.team,
        endpoint: endpoint.id,
    }
}

fn size(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
