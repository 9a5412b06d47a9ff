//! Taking endpoints for which there is something to do.

use std::time::Duration;

use store::webhook_endpoint::{self as table, Lease, Wanted};

use crate::{Engine, faults::EngineError, jobs::Round};

/// How long a task has an endpoint after each round. A round begins nothing new after a part of it, and what is under way then ends
/// within the rest. When a node dies, another one goes on after this time.
pub(super) const LEASE: Duration = Duration::from_secs(30);

impl Engine {
    /// Takes endpoints with new events or due deliveries, and has tasks of their own send. Returns how many were taken.
    pub(crate) async fn deliver_due(&self, round: &Round) -> Result<usize, EngineError> {
        let mut taken = 0;
        for failing in [false, true] {
            taken += self.deliver_to_some(round, failing).await?;
        }
        Ok(taken)
    }

    /// Those that take nothing at present have slots of their own: they wait for time-outs, and hold up nobody else.
    async fn deliver_to_some(&self, round: &Round, failing: bool) -> Result<usize, EngineError> {
        let slots = if failing {
            &self.inner.limits.failing_endpoints
        } else {
            &self.inner.limits.endpoints
        };
        let limit = slots.free(round.rows);
        let (now, store) = (round.now, &self.inner.store);
        let wanted = Wanted {
            now,
            failing,
            limit,
        };
        if limit == 0 || !table::any_to_do(store, &wanted).await? {
            return Ok(0);
        }
        let token = self.inner.world.token(24);
        let leases = table::claim(store, &wanted, &token, now.after(LEASE)).await?;
        let count = leases.len();
        for lease in leases {
            let (engine, round) = (self.clone().for_sweeps(), *round);
            let work = Box::pin(async move {
                let endpoint = lease.endpoint;
                if let Err(stop) = engine.deliver_to(lease).await {
                    round.item_failed(&endpoint, stop);
                }
            });
            self.work_on(slots, work);
        }
        Ok(count)
    }

    /// Sends to an endpoint until nothing is left.
    async fn deliver_to(&self, lease: Lease) -> Result<(), EngineError> {
        let mut known = None;
        while !self.is_draining() && self.deliver_round(&lease, &mut known).await? {}
        Ok(())
    }
}
