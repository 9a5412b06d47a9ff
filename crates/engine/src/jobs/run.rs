//! How a job is run: in a task of its own, batch after batch, until the engine drains.
//!
//! Times are read from the clock and compared with earlier ones, so that a clock that jumps, or a machine that slept, is
//! noticed within five seconds.

use std::time::Duration;

use domain::Timestamp;

use super::job::{FAILED, Failure, GIVEN_UP, Job, Pace, Round};
use crate::Engine;

/// How long a job works until, if it is a sweep, the next one has its turn.
const TURN: Duration = Duration::from_secs(10);

/// How long a task sleeps at most, to notice that the clock was set or that the engine drains.
const NAP: Duration = Duration::from_secs(5);

/// The longest pause before a prompt job that failed runs again: payments wait for it.
const PROMPT_PAUSE: Duration = Duration::from_secs(5);

/// The first pause before a sweep that failed runs again.
const SWEEP_PAUSE: Duration = Duration::from_secs(5);

/// What a turn has left.
enum Left {
    Nothing,
    More,
    Failed(Failure),
}

/// When a job runs next.
struct Schedule {
    /// How long it rests when nothing is left.
    rest: Duration,
    /// The pause after the next failure.
    pause: Duration,
    first_pause: Duration,
    longest_pause: Duration,
}

impl Schedule {
    fn of(pace: Pace, rest: Duration) -> Self {
        let (first_pause, longest_pause) = match pace {
            Pace::Prompt | Pace::Every(_) => (rest, PROMPT_PAUSE.max(rest)),
            Pace::Sweep => (SWEEP_PAUSE.min(rest), rest),
        };
        Self {
            rest,
            pause: first_pause,
            first_pause,
            longest_pause,
        }
    }

    /// When the job runs after a turn that began at `began`.
    fn next(&mut self, left: &Left, began: Timestamp) -> Timestamp {
        let pause = self.pause;
        self.pause = match left {
            Left::Failed(_) => (pause * 2).min(self.longest_pause),
            Left::Nothing | Left::More => self.first_pause,
        };
        match left {
            Left::More => began,
            Left::Nothing => began.after(self.rest),
            Left::Failed(Failure::Retry(_)) => began.after(pause),
            Left::Failed(Failure::GiveUp(_)) => began.after(self.longest_pause),
        }
    }
}

impl Engine {
    /// Runs a job until the engine drains.
    pub(super) async fn run_job(self, job: &'static dyn Job) {
        let engine = match job.pace() {
            Pace::Sweep => self.for_sweeps(),
            Pace::Prompt | Pace::Every(_) => self,
        };
        engine.run_until_drained(job).await;
    }

    async fn run_until_drained(&self, job: &'static dyn Job) {
        let world = &self.inner.world;
        let rest = job.pace().rest(&self.inner.settings);
        let mut schedule = Schedule::of(job.pace(), rest);
        let mut next = world.now();
        while !self.is_draining() {
            let now = world.now();
            // A clock that was set back must not delay it.
            if now >= next || next.since(now) > schedule.longest_pause.max(rest) {
                let left = self.turn_of(job).await;
                next = schedule.next(&left, now);
                note(job.name(), &left);
            }
            let nap = next.since(world.now()).min(NAP);
            if !nap.is_zero() {
                world.sleep(nap).await;
            }
        }
    }

    /// A job's turn: batches until nothing is left, or its time is over.
    async fn turn_of(&self, job: &dyn Job) -> Left {
        let _place = match job.pace() {
            Pace::Sweep => self.inner.limits.sweeps.acquire().await.ok(),
            Pace::Prompt | Pace::Every(_) => None,
        };
        let (world, bound) = (&self.inner.world, job.bound());
        let began = world.now();
        let (mut done, mut after) = (0, None);
        let left = loop {
            let now = world.now();
            if self.is_draining() {
                break Left::Nothing;
            }
            let mut round = Round {
                job: job.name(),
                now,
                rows: bound.rows,
                lease_until: now.after(bound.lease),
                after,
            };
            let batch = match world
                .timeout(bound.time(), job.batch(self, &mut round))
                .await
            {
                Ok(Ok(batch)) => batch,
                Ok(Err(failure)) => break Left::Failed(failure),
                Err(_elapsed) => break Left::Failed(Failure::overrun()),
            };
            after = round.after;
            done += batch.done();
            if !batch.goes_on() {
                break Left::Nothing;
            }
            let now = world.now();
            if now < began || now.since(began) >= TURN {
                break Left::More;
            }
        };
        let items = u64::try_from(done).unwrap_or(u64::MAX);
        metrics::counter!("pointsman_job_items_total", "job" => job.name()).increment(items);
        left
    }
}

/// How a turn that did not fail is counted.
const OK: &str = "ok";

/// Shows a job's counters from the start on.
pub(super) fn begin_counting(job: &'static str) {
    for outcome in [OK, FAILED, GIVEN_UP] {
        metrics::counter!("pointsman_job_runs_total", "job" => job, "outcome" => outcome)
            .increment(0);
    }
    for outcome in [FAILED, GIVEN_UP] {
        metrics::counter!("pointsman_job_item_failures_total", "job" => job, "outcome" => outcome)
            .increment(0);
    }
    metrics::counter!("pointsman_job_items_total", "job" => job).increment(0);
}

/// Notes how a turn ended.
fn note(job: &'static str, left: &Left) {
    let outcome = match left {
        Left::Nothing | Left::More => OK,
        Left::Failed(failure) => failure.outcome(),
    };
    metrics::counter!("pointsman_job_runs_total", "job" => job, "outcome" => outcome).increment(1);
    let Left::Failed(failure) = left else { return };
    let (code, why) = failure.stop().words();
    match failure {
        Failure::Retry(_) => tracing::warn!(job, code, why, "a job failed and will run again"),
        Failure::GiveUp(_) => {
            tracing::error!(
                job,
                code,
                why,
                "a job failed and gives up for now: a person must look at it"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Fault;

    use super::*;
    use crate::faults::EngineError;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn failed() -> Left {
        Left::Failed(Failure::from(EngineError::Fault(Fault::unavailable())))
    }

    #[test]
    fn a_prompt_job_rests_for_a_poll_and_its_pauses_grow_to_five_seconds() {
        let mut schedule = Schedule::of(Pace::Prompt, Duration::from_secs(1));
        assert_eq!(schedule.next(&Left::Nothing, at(0)), at(1));
        assert_eq!(schedule.next(&Left::More, at(1)), at(1));
        let pauses: Vec<Timestamp> = (0..5).map(|_| schedule.next(&failed(), at(0))).collect();
        assert_eq!(pauses, [at(1), at(2), at(4), at(5), at(5)]);
        schedule.next(&Left::Nothing, at(9));
        assert_eq!(schedule.next(&failed(), at(0)), at(1), "it begins again");
    }

    #[test]
    fn what_is_given_up_runs_at_its_next_time() {
        let mut schedule = Schedule::of(Pace::Sweep, Duration::from_secs(30));
        let given_up = Left::Failed(Failure::from(EngineError::Fault(Fault::unknown())));
        assert_eq!(schedule.next(&given_up, at(0)), at(30));
        assert_eq!(schedule.next(&Left::Nothing, at(0)), at(30));
        assert_eq!(schedule.next(&failed(), at(0)), at(5));
    }
}
