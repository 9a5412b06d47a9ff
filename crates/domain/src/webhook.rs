//! Deliveries of events to webhook endpoints: what was tried, when it is tried again, and when an endpoint is given up.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    id::{DeliveryId, EndpointId, TeamId},
    text_enum::text_enum,
};

/// Attempts of one delivery that are kept, the latest ones.
const ATTEMPTS_KEPT: usize = 20;

/// A pause is longer or shorter by up to this part of it, so that endpoints that failed together are not called together.
const JITTER: u64 = 5;

/// The same, as a part of a time.
const JITTER_PART: u32 = 5;

text_enum!(
    /// How far a delivery is.
    DeliveryState {
        /// It will be tried, or tried again.
        Pending = "PENDING",
        /// The endpoint has taken it.
        Delivered = "DELIVERED",
        /// It was tried for as long as deliveries are tried.
        Failed = "FAILED",
        /// It is not sent any more: its event was erased, or the endpoint was enabled again from a later event on.
        Skipped = "SKIPPED",
    }
);

/// One attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    pub at: Timestamp,
    /// How long it took. Unit: milliseconds.
    pub duration_ms: u64,
    /// The HTTP status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The first bytes of the answer, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Attempt {
    /// Whether the endpoint has taken the event: any status of success.
    pub fn is_taken(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
}

/// The attempts of a delivery, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attempts {
    /// The latest ones, in order.
    pub attempts: Vec<Attempt>,
}

/// The delivery of one event to one endpoint. There is a row of it once it was tried, or waits behind one that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, whose order is that of time.
    pub id: DeliveryId,
    /// Whose it is.
    pub team: TeamId,
    /// To which endpoint.
    pub endpoint: EndpointId,
    /// The event's id.
    pub event_id: String,
    /// The event's kind.
    pub kind: String,
    /// What the event is of. Deliveries of one stream to one endpoint go in the order of the events' sequence.
    pub stream: String,
    /// The event's number in its stream.
    pub sequence: u64,
    /// How far it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub tries: u32,
    /// When it is tried, while it is pending. All pending ones of a stream have the same time.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// What was tried.
    pub log: Attempts,
}

impl Delivery {
    /// Notes an attempt. One that was not taken is tried again by the schedule, and given up at its end.
    pub fn note(&mut self, attempt: Attempt, schedule: &RetrySchedule, random: u64) {
        let at = attempt.at.after(Duration::from_millis(attempt.duration_ms));
        self.tries = self.tries.saturating_add(1);
        let pause = schedule.pause(self.tries, random);
        (self.state, self.next_at) = match (attempt.is_taken(), pause) {
            (true, _) => (DeliveryState::Delivered, None),
            (false, Some(pause)) => (DeliveryState::Pending, Some(at.after(pause))),
            (false, None) => (DeliveryState::Failed, None),
        };
        self.log.attempts.push(attempt);
        let excess = self.log.attempts.len().saturating_sub(ATTEMPTS_KEPT);
        self.log.attempts.drain(..excess);
    }
}

/// The pauses before each further attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetrySchedule(pub Vec<Duration>);

impl RetrySchedule {
    /// How long all pauses take together.
    fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The pause after the `failures`th failure, a little longer or shorter by `random`; `None` when all pauses are over.
    pub fn pause(&self, failures: u32, random: u64) -> Option<Duration> {
        let index = usize::try_from(failures).ok()?.checked_sub(1)?;
        let pause = *self.0.get(index)?;
        let micros = u64::try_from(pause.as_micros()).unwrap_or(u64::MAX);
        let spread = micros.checked_div(JITTER).unwrap_or(0);
        let width = spread.saturating_mul(2).saturating_add(1);
        let shift = random.checked_rem(width).unwrap_or(0);
        let varied = micros.saturating_sub(spread).saturating_add(shift);
        Some(Duration::from_micros(varied))
    }
}

/// How an endpoint does as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Health {
    /// Rounds in a row in which it took nothing, and in which something failed that had not failed before.
    pub failures: u32,
    /// Since when it has taken nothing.
    pub failing_since: Option<Timestamp>,
    /// When it is tried again; `None` while it takes deliveries.
    pub retry_at: Option<Timestamp>,
}

/// What an endpoint is to be after a round of deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on, as healthy as this.
    Goes(Health),
    /// It took nothing for as long as deliveries are tried.
    GivenUp {
        /// Since when.
        failing_since: Timestamp,
    },
}

/// What a round of deliveries came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Deliveries that the endpoint took.
    pub taken: usize,
    /// First attempts that failed.
    pub failed: usize,
    /// Attempts that failed at what had failed before.
    pub failed_again: usize,
    /// Deliveries among them that have come to the end of the schedule.
    pub ended: usize,
}

impl Outcome {
    /// This and another one together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            taken: self.taken.saturating_add(other.taken),
            failed: self.failed.saturating_add(other.failed),
            failed_again: self.failed_again.saturating_add(other.failed_again),
            ended: self.ended.saturating_add(other.ended),
        }
    }
}

impl Health {
    /// The longest pause of an endpoint that takes nothing: after it what is new is tried, whatever becomes of what failed before.
    const LONGEST_PAUSE: Duration = Duration::from_mins(5);

    /// How the endpoint does after a round.
    ///
    /// What failed again says nothing about the endpoint: it may refuse one kind of event. Only first attempts that fail make it wait. It is
    /// given up when it has taken nothing at all for as long as a delivery is tried.
    pub fn after(
        self,
        round: Outcome,
        now: Timestamp,
        schedule: &RetrySchedule,
        random: u64,
    ) -> Verdict {
        if round.taken > 0 {
            return Verdict::Goes(Self::default());
        }
        if round.failed == 0 && round.failed_again == 0 {
            return Verdict::Goes(self);
        }
        let failing_since = self.failing_since.unwrap_or(now);
        let (lasted, total) = (now.since(failing_since), schedule.total());
        // The pauses of one delivery together may be shorter than planned by so much.
        let has_ended = round.ended > 0 && lasted >= total.saturating_sub(total / JITTER_PART);
        if has_ended || lasted >= total {
            return Verdict::GivenUp { failing_since };
        }
        let new = u32::from(round.failed > 0);
        let failures = self.failures.saturating_add(new);
        let last = u32::try_from(schedule.0.len()).unwrap_or(u32::MAX);
        let pause = schedule.pause(failures.min(last), random);
        Verdict::Goes(Self {
            failures,
            failing_since: Some(failing_since),
            retry_at: pause.map(|pause| now.after(pause.min(Self::LONGEST_PAUSE))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn schedule() -> RetrySchedule {
        RetrySchedule(vec![Duration::from_secs(10), Duration::from_secs(100)])
    }

    fn attempt(status: u16) -> Attempt {
        Attempt {
            at: at(5),
            duration_ms: 1000,
            status: Some(status),
            answer: None,
            error: None,
        }
    }

    fn delivery() -> Delivery {
        Delivery {
            id: DeliveryId::new(uuid::Uuid::nil()),
            team: TeamId::new(uuid::Uuid::nil()),
            endpoint: EndpointId::new(uuid::Uuid::nil()),
            event_id: "a:1:0".to_owned(),
            kind: "payment.created".to_owned(),
            stream: "a".to_owned(),
            sequence: 1,
            state: DeliveryState::Pending,
            tries: 0,
            next_at: Some(at(5)),
            created_at: at(5),
            log: Attempts::default(),
        }
    }

    #[test]
    fn a_delivery_is_tried_by_the_schedule_until_it_is_taken_or_given_up() {
        let mut one = delivery();
        // The random number that makes the pause neither longer nor shorter.
        one.note(attempt(500), &schedule(), 2_000_000);
        assert_eq!(
            (one.state, one.next_at),
            (DeliveryState::Pending, Some(at(16)))
        );
        let mut taken = one.clone();
        taken.note(attempt(204), &schedule(), 0);
        assert_eq!(
            (taken.state, taken.next_at),
            (DeliveryState::Delivered, None)
        );
        one.note(attempt(302), &schedule(), 0);
        assert_eq!(
            one.state,
            DeliveryState::Pending,
            "a redirect is not followed"
        );
        one.note(attempt(404), &schedule(), 0);
        assert_eq!((one.state, one.tries), (DeliveryState::Failed, 3));
        for _ in 0..30 {
            one.note(attempt(404), &schedule(), 0);
        }
        assert_eq!(one.log.attempts.len(), ATTEMPTS_KEPT);
    }

    #[test]
    fn pauses_vary_by_a_fifth() {
        let pauses: Vec<Duration> = (0..4_000_001)
            .step_by(500_000)
            .filter_map(|random| schedule().pause(1, random))
            .collect();
        assert_eq!(pauses.first(), Some(&Duration::from_secs(8)));
        assert_eq!(pauses.last(), Some(&Duration::from_secs(12)));
        assert_eq!(schedule().pause(0, 1), None);
        assert_eq!(schedule().pause(3, 1), None);
        let none = RetrySchedule(vec![Duration::ZERO]);
        assert_eq!(none.pause(1, u64::MAX), Some(Duration::ZERO));
    }

    const TAKEN: Outcome = Outcome {
        taken: 1,
        failed: 3,
        failed_again: 1,
        ended: 0,
    };

    const FAILED: Outcome = Outcome {
        taken: 0,
        failed: 3,
        failed_again: 0,
        ended: 0,
    };

    const AGAIN: Outcome = Outcome {
        taken: 0,
        failed: 0,
        failed_again: 3,
        ended: 0,
    };

    /// How an endpoint does that is not given up.
    #[track_caller]
    fn goes(health: Health, round: Outcome, now: i64) -> Health {
        match health.after(round, at(now), &schedule(), 0) {
            Verdict::Goes(health) => health,
            Verdict::GivenUp { .. } => panic!("given up at {now}"),
        }
    }

    #[test]
    fn an_endpoint_that_takes_nothing_is_given_up_after_the_time_of_the_schedule() {
        let given_up = Verdict::GivenUp {
            failing_since: at(1),
        };
        let mut health = Health::default();
        for (n, now) in [(1, 1), (2, 9), (3, 100)] {
            health = goes(health, FAILED, now);
            assert_eq!((health.failing_since, health.failures), (Some(at(1)), n));
        }
        assert_eq!(goes(health, TAKEN, 110), Health::default());
        assert_eq!(goes(health, Outcome::default(), 110), health);
        let ended = Outcome { ended: 1, ..AGAIN };
        assert_eq!(health.after(ended, at(90), &schedule(), 0), given_up);
        goes(health, ended, 80);
        for last in [FAILED, AGAIN] {
            assert_eq!(health.after(last, at(111), &schedule(), 0), given_up);
        }
    }

    #[test]
    fn what_fails_again_makes_nothing_else_wait() {
        let once = goes(Health::default(), AGAIN, 1);
        assert_eq!((once.failures, once.retry_at), (0, None));
        assert_eq!(once.failing_since, Some(at(1)), "it counts for the end");
        let failing = goes(once, FAILED, 2);
        assert_eq!((failing.failures, failing.retry_at), (1, Some(at(10))));
        let again = goes(failing, AGAIN, 10);
        assert_eq!((again.failures, again.retry_at), (1, Some(at(18))));
    }

    #[test]
    fn the_pause_of_an_endpoint_is_never_longer_than_five_minutes() {
        let long = RetrySchedule(vec![Duration::from_hours(1); 4]);
        let Verdict::Goes(health) = Health::default().after(FAILED, at(0), &long, 0) else {
            panic!("given up")
        };
        assert_eq!(health.retry_at, Some(at(300)));
    }
}
