//! What is sent to endpoints, and sent again.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use super::{
    books::{Books, Row},
    endpoints::{Endpoint, sign},
};
use crate::{Fault, Post, draw::Draw, faults::Faults};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
/// The pauses before the second, third … try; the last one is repeated. Stripe publishes only that they grow.
const PAUSES: &[Duration] = &[
    MINUTE.saturating_mul(5),
    MINUTE.saturating_mul(30),
    HOUR.saturating_mul(2),
    HOUR.saturating_mul(5),
    HOUR.saturating_mul(10),
    HOUR.saturating_mul(12),
];
/// No try begins later than so long after the event. Source: docs/processors/stripe.md, "Events and signatures".
const GIVEN_UP_AFTER: Duration = Duration::from_hours(72);
/// How far a webhook falls behind later ones.
const REORDERED_BY: Duration = Duration::from_secs(3);

/// An event on its way to an endpoint.
#[derive(Debug, Clone)]
struct Delivery {
    id: u64,
    endpoint: String,
    event: String,
    since: Duration,
    due_at: Duration,
    tries: usize,
    is_sent: bool,
    /// Whether a fault was drawn for it.
    is_judged: bool,
}

/// All that isn't delivered yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Outbox {
    deliveries: Vec<Delivery>,
    queued: u64,
}

impl Outbox {
    pub(super) fn queue(&mut self, endpoint: &str, event: &str, now: Duration) {
        self.queued = self.queued.saturating_add(1);
        self.deliveries.push(Delivery {
            id: self.queued,
            endpoint: endpoint.to_owned(),
            event: event.to_owned(),
            since: now,
            due_at: now,
            tries: 0,
            is_sent: false,
            is_judged: false,
        });
    }

    /// How many endpoints have not taken an event.
    pub(super) fn pending_of(&self, event: &str) -> usize {
        self.deliveries
            .iter()
            .filter(|delivery| delivery.event == event)
            .count()
    }

    pub(super) fn forget(&mut self, endpoint: &str) {
        self.deliveries
            .retain(|delivery| delivery.endpoint != endpoint);
    }

    /// The event did not happen after all.
    pub(super) fn drop_event(&mut self, event: &str) {
        self.deliveries.retain(|delivery| delivery.event != event);
    }

    /// Takes note of what a receiver answered.
    pub(super) fn delivered(&mut self, id: u64, status: Option<u16>, now: Duration) {
        if status.is_some_and(|status| (200..300).contains(&status)) {
            self.deliveries.retain(|delivery| delivery.id != id);
            return;
        }
        let Some(delivery) = self
            .deliveries
            .iter_mut()
            .find(|delivery| delivery.id == id)
        else {
            return;
        };
        let pause = PAUSES
            .get(delivery.tries)
            .or(PAUSES.last())
            .copied()
            .unwrap_or(HOUR);
        delivery.tries = delivery.tries.saturating_add(1);
        delivery.due_at = now.saturating_add(pause);
        delivery.is_sent = false;
        self.deliveries
            .retain(|delivery| delivery.due_at <= delivery.since.saturating_add(GIVEN_UP_AFTER));
    }

    /// Draws the faults of what is due for the first time.
    fn judge(&mut self, now: Duration, faults: &mut Faults, draw: &mut Draw) -> Vec<u64> {
        let (mut again, mut forged) = (Vec::new(), Vec::new());
        for delivery in self
            .deliveries
            .iter_mut()
            .filter(|delivery| delivery.due_at <= now && !delivery.is_judged)
        {
            delivery.is_judged = true;
            match faults.of_webhook(draw) {
                Some(Fault::HookTwice) => again.push(delivery.clone()),
                Some(Fault::HookReordered) => delivery.due_at = now.saturating_add(REORDERED_BY),
                Some(Fault::HookLate(late)) => delivery.due_at = now.saturating_add(late),
                Some(Fault::HookForged) => forged.push(delivery.id),
                _ => {}
            }
        }
        for delivery in again {
            self.queued = self.queued.saturating_add(1);
            self.deliveries.push(Delivery {
                id: self.queued,
                ..delivery
            });
        }
        forged
    }

    /// Takes what is due out of the queue, until it is known what the receiver says.
    fn take(&mut self, now: Duration) -> Vec<Delivery> {
        let due = self
            .deliveries
            .iter_mut()
            .filter(|delivery| delivery.due_at <= now && !delivery.is_sent);
        let mut taken: Vec<Delivery> = due
            .map(|delivery| {
                delivery.is_sent = true;
                delivery.clone()
            })
            .collect();
        taken.sort_by_key(|delivery| (delivery.due_at, delivery.id));
        taken
    }
}

impl Books {
    /// The webhooks to be sent now. They are signed at `signed_at`, the time of the receiver: a clock that a test has moved counts
    /// in the books alone.
    pub(super) fn posts(&mut self, signed_at: Duration, faults: &mut Faults) -> Vec<Post> {
        let now = self.now;
        let forged = self.outbox.judge(now, faults, &mut self.draw);
        let mut posts = Vec::new();
        for delivery in self.outbox.take(now) {
            let (Some(endpoint), Some(event)) = (
                self.endpoints.find(&delivery.endpoint),
                self.events.find(&delivery.event),
            ) else {
                self.outbox.forget(&delivery.endpoint);
                continue;
            };
            let event = endpoint.shown(event.view(self));
            if forged.contains(&delivery.id) {
                posts.push(forgery(endpoint, event.clone(), signed_at));
            }
            let body = serde_json::to_vec_pretty(&event).unwrap_or_default();
            let signature = endpoint.signature(&body, signed_at);
            posts.push(post(delivery.id, endpoint, body, &signature));
        }
        posts
    }
}

fn post(id: u64, endpoint: &Endpoint, body: Vec<u8>, signature: &str) -> Post {
    let headers = [
        ("content-type", "application/json; charset=utf-8"),
        ("stripe-signature", signature),
        (
            "user-agent",
            "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        ),
    ];
    let headers: BTreeMap<&'static str, String> = headers
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    Post {
        id,
        url: endpoint.url.clone(),
        headers,
        body,
    }
}

/// The event as somebody without the secret would alter it. What its receiver answers isn't noted: its id is 0.
fn forgery(endpoint: &Endpoint, mut event: Value, now: Duration) -> Post {
    if let Some(amount) = event.pointer_mut("/data/object/amount") {
        *amount = Value::from(1);
    }
    let body = serde_json::to_vec_pretty(&event).unwrap_or_default();
    let signature = format!(
        "t={},v1={}",
        now.as_secs(),
        sign("whsec_of_somebody_else", now.as_secs(), &body)
    );
    post(0, endpoint, body, &signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_is_sent_again_with_growing_pauses_for_three_days() {
        let mut outbox = Outbox::default();
        outbox.queue("we_1", "evt_1", Duration::ZERO);
        let (mut now, mut tries) = (Duration::ZERO, 0);
        while outbox.pending_of("evt_1") > 0 {
            for delivery in outbox.take(now) {
                tries += 1;
                outbox.delivered(delivery.id, Some(500), now);
            }
            now += MINUTE;
        }
        assert!((9..=11).contains(&tries), "{tries} tries");
        assert!(now < GIVEN_UP_AFTER);
    }

    #[test]
    fn what_was_taken_is_not_sent_again() {
        let mut outbox = Outbox::default();
        outbox.queue("we_1", "evt_1", Duration::ZERO);
        let taken = outbox.take(Duration::ZERO);
        assert!(
            outbox.take(HOUR).is_empty(),
            "nobody has said that it failed"
        );
        outbox.delivered(taken[0].id, Some(204), HOUR);
        assert_eq!(outbox.pending_of("evt_1"), 0);
        outbox.delivered(0, Some(200), HOUR);
    }
}
