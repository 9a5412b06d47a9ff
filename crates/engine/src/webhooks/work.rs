//! What a round works on: what is due and what is new, as queues of streams.

use std::collections::{BTreeMap, BTreeSet};

use db::Statement;
use domain::{
    Timestamp,
    event::{Event, public_events},
    id::DeliveryId,
    webhook::{Attempts, Delivery, DeliveryState, Outcome},
};
use store::{
    feed::{self, FeedPosition},
    webhook_delivery::{self, EndpointKey},
    webhook_endpoint::Endpoint,
};

use super::sending::{Item, Queue};
use crate::{Engine, faults::EngineError};

/// Rows of the feed that are read for one round.
const ROWS: u32 = 200;

/// Pending deliveries of one round.
const DUE: u32 = 200;

/// Streams that are tried, of those that are due and of those that are new, while an endpoint takes nothing: enough to see whether it does again.
const PROBES: usize = 5;

/// An endpoint that takes nothing gets no rows for new events while it has so many pending ones: its place stays.
const PENDING_OF_FAILING: u32 = 2_000;

/// The place of an endpoint stays while it has so many pending deliveries.
pub(super) const PENDING_MAX: u32 = 20_000;

/// What a round works on.
pub(super) struct Work {
    /// Deliveries that are due.
    pub(super) due: Vec<Queue>,
    /// Those of new events.
    pub(super) new: Vec<Queue>,
    /// Up to where the feed was read.
    pub(super) place: FeedPosition,
    /// From where, where the place is to stay when nothing is taken.
    stay: Option<FeedPosition>,
}

impl Engine {
    /// What is due and what is new.
    pub(super) async fn work_of(
        &self,
        endpoint: &Endpoint,
        now: Timestamp,
    ) -> Result<Work, EngineError> {
        let store = &self.inner.store;
        let key = key_of(endpoint);
        let mut work = Work {
            due: Vec::new(),
            new: Vec::new(),
            place: endpoint.place.clone(),
            stay: None,
        };
        let has_pending = webhook_delivery::has_pending(store, key, 0).await?;
        if has_pending {
            work.due = queues_of(webhook_delivery::due(store, key, now, DUE).await?);
            if webhook_delivery::has_pending(store, key, PENDING_MAX).await? {
                return Ok(work);
            }
        }
        let rows = feed::read(store, endpoint.team, Some(&endpoint.place), ROWS).await?;
        if let Some(last) = rows.last() {
            work.place = last.place.clone();
        }
        let own = endpoint.id.key();
        let events = rows.iter().flat_map(|row| public_events(&row.commit));
        let wanted: Vec<Event> = events
            .filter(|event| endpoint.kinds.wants(event.kind))
            // What happened to an endpoint is news for others.
            .filter(|event| event.stream != own)
            .collect();
        let held = if has_pending {
            webhook_delivery::held_back(store, key, &streams_of(&wanted)).await?
        } else {
            BTreeMap::new()
        };
        for event in wanted {
            let held_until = held.get(&event.stream).copied();
            work.add(self.item_of(endpoint, &event, now), held_until);
        }
        let is_failing = endpoint.health.failures > 0;
        if is_failing && webhook_delivery::has_pending(store, key, PENDING_OF_FAILING).await? {
            work.stay = Some(endpoint.place.clone());
        }
        Ok(work)
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
}

impl Work {
    /// Whether there is nothing to send.
    pub(super) const fn is_empty(&self) -> bool {
        self.due.is_empty() && self.new.is_empty()
    }

    /// Adds a delivery at the end of its stream's queue. One whose stream waits, waits too.
    fn add(&mut self, item: Item, held_until: Option<Timestamp>) {
        let stream = item.delivery.stream.as_str();
        match self.new.iter_mut().find(|queue| queue.stream == stream) {
            Some(queue) => queue.items.push(item),
            None => self.new.push(Queue {
                stream: stream.to_owned(),
                items: vec![item],
                held_until,
            }),
        }
    }

    /// Takes out some streams that show whether the endpoint takes anything: of as many kinds as there are, due and new.
    pub(super) fn probes(&mut self) -> Work {
        Work {
            due: chosen(&mut self.due),
            new: chosen(&mut self.new),
            place: self.place.clone(),
            stay: None,
        }
    }

    /// Puts back what was taken out.
    pub(super) fn put_back(&mut self, probes: Work) {
        self.due.extend(probes.due);
        self.new.extend(probes.new);
    }

    /// Nothing was taken: no rows are made where there are many already.
    pub(super) fn nothing_taken(&mut self) {
        if let Some(place) = self.stay.take()
            && self.new.iter().any(|queue| queue.outcome().failed > 0)
        {
            self.place = place;
            self.new.clear();
        }
    }

    /// What became of all attempts.
    pub(super) fn outcome(&self) -> Outcome {
        let outcomes = self.queues().map(Queue::outcome);
        outcomes.fold(Outcome::default(), Outcome::plus)
    }

    /// What was given up together with its endpoint is sent when that is enabled again.
    pub(super) fn keep_pending(&mut self, now: Timestamp) {
        let queues = self.due.iter_mut().chain(&mut self.new);
        let items = queues.flat_map(|queue| &mut queue.items);
        for item in items.filter(|item| item.delivery.state == DeliveryState::Failed) {
            item.delivery.state = DeliveryState::Pending;
            item.delivery.next_at = Some(now);
        }
    }

    /// What notes the round.
    pub(super) fn statements(&self, key: EndpointKey) -> Vec<Statement> {
        let mut statements = Vec::new();
        for queue in self.queues() {
            for item in &queue.items {
                if item.is_new {
                    statements.push(webhook_delivery::insert(&queue.waiting(item)));
                } else if item.is_changed {
                    statements.push(webhook_delivery::update(&item.delivery));
                }
            }
        }
        // Last, so that they hold for rows that were inserted here too, and for those that this round has not read.
        for queue in &self.due {
            if let Some(until) = queue.held_until {
                statements.push(webhook_delivery::hold_back(key, &queue.stream, until));
            }
        }
        statements
    }

    fn queues(&self) -> impl Iterator<Item = &Queue> {
        self.due.iter().chain(&self.new)
    }
}

/// Deliveries that are due, by their streams, each in its sequence.
fn queues_of(due: Vec<Delivery>) -> Vec<Queue> {
    let mut queues: Vec<Queue> = Vec::new();
    for delivery in due {
        let item = Item {
            delivery,
            body: None,
            is_new: false,
            is_changed: false,
        };
        let stream = item.delivery.stream.as_str();
        match queues.iter_mut().find(|queue| queue.stream == stream) {
            Some(queue) => queue.items.push(item),
            None => queues.push(Queue {
                stream: stream.to_owned(),
                items: vec![item],
                held_until: None,
            }),
        }
    }
    for queue in &mut queues {
        queue.items.sort_by_key(|item| item.delivery.sequence);
    }
    queues
}

/// Takes out some queues that may be sent: at first one of each kind of event, then others in their order.
fn chosen(queues: &mut Vec<Queue>) -> Vec<Queue> {
    let mut kinds = BTreeSet::new();
    let may_go = |queue: &&Queue| queue.held_until.is_none();
    let (first, others): (Vec<&Queue>, Vec<&Queue>) =
        queues.iter().filter(may_go).partition(|queue| {
            let kind = queue.items.first().map(|item| &item.delivery.kind);
            kinds.insert(kind)
        });
    let picked: BTreeSet<String> = first
        .into_iter()
        .chain(others)
        .take(PROBES)
        .map(|queue| queue.stream.clone())
        .collect();
    let is_picked =
        |queue: &mut Queue| queue.held_until.is_none() && picked.contains(&queue.stream);
    queues.extract_if(.., is_picked).collect()
}

fn streams_of(events: &[Event]) -> Vec<&str> {
    let streams: BTreeSet<&str> = events.iter().map(|event| event.stream.as_str()).collect();
    streams.into_iter().collect()
}

pub(super) const fn key_of(endpoint: &Endpoint) -> EndpointKey {
    EndpointKey {
        team: endpoint.team,
        endpoint: endpoint.id,
    }
}
