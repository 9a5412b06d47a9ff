//! The queue of webhooks: what is sent, held back, and sent again.

use std::time::Duration;

use crate::{Fault, draw::Draw, faults::Faults};

/// How far a webhook falls behind later ones.
const REORDERED_BY: Duration = Duration::from_secs(3);

/// How a processor repeats a webhook that was not taken.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The pauses before the second, third … try; the last one is repeated.
    pub(crate) pauses: &'static [Duration],
    /// No try begins later than so long after the event.
    pub(crate) given_up_after: Duration,
    /// Whether a webhook that was not taken holds back the later ones of its endpoint.
    pub(crate) is_in_line: bool,
}

/// An event on its way to an endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) id: u64,
    pub(crate) endpoint: String,
    pub(crate) event: String,
    /// Whether a forgery goes before it.
    pub(crate) is_forged: bool,
    since: Duration,
    due_at: Duration,
    tries: usize,
    is_sent: bool,
    /// Whether a fault was drawn for it.
    is_judged: bool,
}

/// All that isn't delivered yet.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    schedule: &'static Schedule,
    deliveries: Vec<Delivery>,
    queued: u64,
}

impl Outbox {
    pub(crate) const fn new(schedule: &'static Schedule) -> Self {
        Self {
            schedule,
            deliveries: Vec::new(),
            queued: 0,
        }
    }

    pub(crate) fn queue(&mut self, endpoint: &str, event: &str, now: Duration) {
        self.queued = self.queued.saturating_add(1);
        self.deliveries.push(Delivery {
            id: self.queued,
            endpoint: endpoint.to_owned(),
            event: event.to_owned(),
            is_forged: false,
            since: now,
            due_at: now,
            tries: 0,
            is_sent: false,
            is_judged: false,
        });
    }

    /// How many endpoints have not taken an event.
    pub(crate) fn pending_of(&self, event: &str) -> usize {
        self.deliveries
            .iter()
            .filter(|delivery| delivery.event == event)
            .count()
    }

    /// Sends at once what waits for its next try. Whether anything is not delivered yet.
    pub(crate) fn hurry(&mut self, now: Duration) -> bool {
        for delivery in &mut self.deliveries {
            delivery.due_at = delivery.due_at.min(now);
        }
        !self.deliveries.is_empty()
    }

    pub(crate) fn forget(&mut self, endpoint: &str) {
        self.deliveries
            .retain(|delivery| delivery.endpoint != endpoint);
    }

    /// The event did not happen after all.
    pub(crate) fn drop_event(&mut self, event: &str) {
        self.deliveries.retain(|delivery| delivery.event != event);
    }

    /// Takes note of what a receiver answered.
    pub(crate) fn delivered(&mut self, id: u64, status: Option<u16>, now: Duration) {
        if status.is_some_and(|status| (200..300).contains(&status)) {
            self.deliveries.retain(|delivery| delivery.id != id);
            return;
        }
        let Schedule {
            pauses,
            given_up_after,
            ..
        } = *self.schedule;
        let Some(delivery) = self
            .deliveries
            .iter_mut()
            .find(|delivery| delivery.id == id)
        else {
            return;
        };
        let pause = pauses
            .get(delivery.tries)
            .or(pauses.last())
            .copied()
            .unwrap_or(given_up_after);
        delivery.tries = delivery.tries.saturating_add(1);
        delivery.due_at = now.saturating_add(pause);
        delivery.is_sent = false;
        self.deliveries
            .retain(|delivery| delivery.due_at <= delivery.since.saturating_add(given_up_after));
    }

    /// Draws the faults of what is due for the first time.
    fn judge(&mut self, now: Duration, faults: &mut Faults, draw: &mut Draw) {
        let mut again = Vec::new();
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
                Some(Fault::HookForged) => delivery.is_forged = true,
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
    }

    /// Whether an earlier one of the same endpoint is tried again before it.
    fn is_held_back(&self, delivery: &Delivery) -> bool {
        self.schedule.is_in_line
            && self.deliveries.iter().any(|earlier| {
                earlier.tries > 0
                    && earlier.id < delivery.id
                    && earlier.endpoint == delivery.endpoint
            })
    }

    /// Takes what is due out of the queue, until it is known what the receiver says.
    pub(crate) fn take(
        &mut self,
        now: Duration,
        faults: &mut Faults,
        draw: &mut Draw,
    ) -> Vec<Delivery> {
        self.judge(now, faults, draw);
        let mut taken: Vec<Delivery> = self
            .deliveries
            .iter()
            .filter(|delivery| {
                delivery.due_at <= now && !delivery.is_sent && !self.is_held_back(delivery)
            })
            .cloned()
            .collect();
        for delivery in &mut self.deliveries {
            if taken.iter().any(|taken| taken.id == delivery.id) {
                delivery.is_sent = true;
                // One forgery, before the first try.
                delivery.is_forged = false;
            }
        }
        taken.sort_by_key(|delivery| (delivery.due_at, delivery.id));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hurried_does_not_wait_for_its_next_try() {
        let (mut faults, mut draw) = (Faults::default(), Draw::new(1));
        let mut outbox = Outbox::new(&FREE);
        outbox.queue("e", "event", Duration::ZERO);
        let id = outbox.take(Duration::ZERO, &mut faults, &mut draw)[0].id;
        outbox.delivered(id, Some(503), Duration::ZERO);
        let soon = Duration::from_secs(1);
        assert!(outbox.take(soon, &mut faults, &mut draw).is_empty());
        assert!(outbox.hurry(soon));
        assert_eq!(outbox.take(soon, &mut faults, &mut draw).len(), 1);
        outbox.delivered(id, Some(200), soon);
        assert!(!outbox.hurry(soon));
    }

    const MINUTE: Duration = Duration::from_mins(1);

    static FREE: Schedule = Schedule {
        pauses: &[MINUTE, Duration::from_hours(1)],
        given_up_after: Duration::from_hours(4),
        is_in_line: false,
    };
    static IN_LINE: Schedule = Schedule {
        is_in_line: true,
        ..FREE
    };

    fn take(outbox: &mut Outbox, now: Duration) -> Vec<u64> {
        let taken = outbox.take(now, &mut Faults::default(), &mut Draw::new(1));
        taken.iter().map(|delivery| delivery.id).collect()
    }

    #[test]
    fn what_was_taken_is_not_sent_again() {
        let mut outbox = Outbox::new(&FREE);
        outbox.queue("we_1", "evt_1", Duration::ZERO);
        assert_eq!(take(&mut outbox, Duration::ZERO), [1]);
        assert!(
            take(&mut outbox, MINUTE * 60).is_empty(),
            "nobody has said that it failed"
        );
        outbox.delivered(1, Some(204), MINUTE * 60);
        assert_eq!(outbox.pending_of("evt_1"), 0);
        outbox.delivered(0, Some(200), MINUTE * 60);
    }

    #[test]
    fn what_was_not_taken_is_tried_again_until_it_is_given_up() {
        let mut outbox = Outbox::new(&FREE);
        outbox.queue("we_1", "evt_1", Duration::ZERO);
        let mut tries = Vec::new();
        for minute in 0..600 {
            let now = MINUTE * minute;
            for id in take(&mut outbox, now) {
                tries.push(minute);
                outbox.delivered(id, None, now);
            }
        }
        assert_eq!(tries, [0, 1, 61, 121, 181]);
        assert_eq!(outbox.pending_of("evt_1"), 0);
    }

    #[test]
    fn a_webhook_that_fails_holds_back_the_later_ones_where_they_stand_in_line() {
        for (schedule, sent) in [(&FREE, 1), (&IN_LINE, 0)] {
            let mut outbox = Outbox::new(schedule);
            outbox.queue("one", "a", Duration::ZERO);
            assert_eq!(take(&mut outbox, Duration::ZERO), [1]);
            outbox.delivered(1, Some(500), Duration::ZERO);
            outbox.queue("one", "b", Duration::ZERO);
            outbox.queue("two", "b", Duration::ZERO);
            let taken = take(&mut outbox, Duration::ZERO);
            assert_eq!(taken.iter().filter(|id| **id == 2).count(), sent);
            assert!(taken.contains(&3), "another endpoint has its own queue");
            assert_eq!(take(&mut outbox, MINUTE), [1]);
            outbox.delivered(1, Some(200), MINUTE);
            assert_eq!(take(&mut outbox, MINUTE).len(), 1 - sent);
        }
    }
}
