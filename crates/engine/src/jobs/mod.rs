//! Background work: one loop, a visible list of jobs, each idempotent and bounded.
//!
//! Times are read from the clock and compared with stored times, so that a clock that jumps or a machine that slept is
//! noticed at the next poll. Payments that are due are taken under a lease and found again when it ends.

mod floor;
mod overdue;
mod sweep;

use std::time::Duration;

use domain::Timestamp;

use self::sweep::Left;
use crate::{Engine, faults::Stop};

pub(crate) use floor::Floor;
pub(crate) use overdue::Floors;
pub(crate) use sweep::Batch;

/// So many rows that were taken are worked at together: their commits are grouped, and payments beside them hardly wait.
pub(crate) const TOGETHER: usize = 16;

/// How often the slow jobs run.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// A sealed number that nothing refers to after this time was left by a crash.
const ORPHAN_AGE: Duration = Duration::from_hours(24);

impl Engine {
    /// Runs what must not wait, until the engine drains.
    pub(crate) async fn run_jobs(self) {
        while !self.is_draining() {
            let recovered = logged(RECOVER, self.recover_due().await);
            let deactivated = logged(DEACTIVATE, self.deactivate_intents().await);
            let stepped = logged(STEP, self.run_instances().await);
            let busy = recovered > 0 || deactivated > 0 || stepped > 0;
            if !busy {
                self.inner
                    .world
                    .sleep(self.inner.settings.poll_interval)
                    .await;
            }
        }
    }

    /// Runs the slow jobs until the engine drains.
    pub(crate) async fn run_sweeps(self) {
        let mut next = Timestamp::from_micros(0);
        while !self.is_draining() {
            let now = self.inner.world.now();
            if now >= next || next.since(now) > SWEEP_EVERY {
                let left = self.sweep_all().await;
                self.look_for_overdue().await;
                next = match left {
                    Left::Nothing => now.after(SWEEP_EVERY),
                    Left::More => now,
                };
            }
            self.inner
                .world
                .sleep(self.inner.settings.poll_interval)
                .await;
        }
    }
}

impl Engine {
    /// Seals the audit trail until the engine drains.
    pub(crate) async fn run_sealing(self) {
        while !self.is_draining() {
            logged(SEAL, self.seal_audit().await);
            self.inner.world.sleep(SEAL_EVERY).await;
        }
    }
}

/// How often the audit trail is sealed.
const SEAL_EVERY: Duration = Duration::from_secs(1);

/// The names of the jobs that must not wait.
const RECOVER: &str = "recover";
const DEACTIVATE: &str = "deactivate_intents";
const STEP: &str = "run_flow_instances";
const SEAL: &str = "seal_audit";

/// Shows every job's counters from the start on.
pub(crate) fn begin_counting() {
    for job in [RECOVER, DEACTIVATE, STEP, SEAL]
        .into_iter()
        .chain(sweep::names())
    {
        for outcome in ["ok", "failed"] {
            metrics::counter!("pointsman_job_runs_total", "job" => job, "outcome" => outcome)
                .increment(0);
        }
        metrics::counter!("pointsman_job_items_total", "job" => job).increment(0);
    }
}

/// Notes what a job did. A job that failed is logged and runs again at its next time.
fn logged(job: &'static str, done: Result<usize, Stop>) -> usize {
    match done {
        Ok(count) => {
            metrics::counter!("pointsman_job_runs_total", "job" => job, "outcome" => "ok")
                .increment(1);
            let items = u64::try_from(count).unwrap_or(u64::MAX);
            metrics::counter!("pointsman_job_items_total", "job" => job).increment(items);
            count
        }
        Err(stop) => {
            metrics::counter!("pointsman_job_runs_total", "job" => job, "outcome" => "failed")
                .increment(1);
            let (code, why) = stop.words();
            tracing::warn!(job, code, why, "a job failed and will run again");
            0
        }
    }
}
