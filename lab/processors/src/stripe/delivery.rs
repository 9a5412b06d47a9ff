//! What is sent to endpoints, and when it is sent again.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use super::{
    books::{Books, Row},
    endpoints::{Endpoint, sign},
};
use crate::{Post, delivery::Schedule, faults::Faults};

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
pub(super) static SCHEDULE: Schedule = Schedule {
    pauses: PAUSES,
    given_up_after: GIVEN_UP_AFTER,
    is_in_line: false,
};

impl Books {
    /// The webhooks to be sent now. They are signed at `signed_at`, the time of the receiver: a clock that a test has moved counts
    /// in the books alone.
    pub(super) fn posts(&mut self, signed_at: Duration, faults: &mut Faults) -> Vec<Post> {
        let now = self.now;
        let mut posts = Vec::new();
        for delivery in self.outbox.take(now, faults, &mut self.draw) {
            let (Some(endpoint), Some(event)) = (
                self.endpoints.find(&delivery.endpoint),
                self.events.find(&delivery.event),
            ) else {
                self.outbox.forget(&delivery.endpoint);
                continue;
            };
            let event = endpoint.shown(event.view(self));
            if delivery.is_forged {
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
    use crate::{delivery::Outbox, draw::Draw};

    #[test]
    fn a_webhook_is_sent_again_with_growing_pauses_for_three_days() {
        let mut outbox = Outbox::new(&SCHEDULE);
        outbox.queue("we_1", "evt_1", Duration::ZERO);
        let (mut now, mut tries) = (Duration::ZERO, 0);
        while outbox.pending_of("evt_1") > 0 {
            for delivery in outbox.take(now, &mut Faults::default(), &mut Draw::new(1)) {
                tries += 1;
                outbox.delivered(delivery.id, Some(500), now);
            }
            now += MINUTE;
        }
        assert!((9..=11).contains(&tries), "{tries} tries");
        assert!(now < GIVEN_UP_AFTER);
    }
}
