//! Background work: one loop, a visible list of jobs, each idempotent and bounded.
//!
//! Times are read from the clock and compared with stored times, so that a clock that jumps or a machine that slept is
//! noticed at the next poll. Payments that are due are taken under a lease and found again when it ends.

mod sweep;

use std::time::Duration;

use domain::Timestamp;

use crate::{Engine, faults::Stop};

/// How often the slow jobs run.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

impl Engine {
    /// Runs until the engine drains.
    pub(crate) async fn run_jobs(self) {
        let mut next_sweep = Timestamp::from_micros(0);
        while !self.is_draining() {
            let now = self.inner.world.now();
            let recovered = logged("recover", self.recover_due().await);
            let deactivated = logged("deactivate_intents", self.deactivate_intents().await);
            let stepped = logged("run_flow_instances", self.run_instances().await);
            let busy = recovered > 0 || deactivated > 0 || stepped > 0;
            if now >= next_sweep || next_sweep.since(now) > SWEEP_EVERY {
                next_sweep = now.after(SWEEP_EVERY);
                self.sweep_all().await;
            }
            if !busy {
                self.inner
                    .world
                    .sleep(self.inner.settings.poll_interval)
                    .await;
            }
        }
    }

    async fn sweep_all(&self) {
        logged("erase_hidden_cards", self.erase_hidden_cards().await);
        logged("erase_people", self.erase_people().await);
        logged("erase_deleted_methods", self.erase_deleted_methods().await);
        logged("erase_security_codes", self.erase_security_codes().await);
        logged(
            "forget_idempotency_keys",
            self.forget_idempotency_keys().await,
        );
        logged("forget_browser_made", self.forget_browser_made().await);
        logged("forget_client_tokens", self.forget_client_tokens().await);
        logged("forget_wallet_tokens", self.forget_wallet_tokens().await);
        logged("forget_token_requests", self.forget_token_requests().await);
        logged("forget_number_quotas", self.forget_number_quotas(200).await);
        logged("erase_orphans", self.erase_orphans().await);
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
