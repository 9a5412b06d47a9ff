//! Taking endpoints for which there is something to do.

use std::time::Duration;

use db::Change;
use domain::Timestamp;
use store::webhook_endpoint::{self as table, Lease, Wanted};

use crate::{
    Engine,
    faults::EngineError,
    jobs::{Round, TeamSlots},
};

/// How long a task has an endpoint after each round. A round begins nothing new after a part of it, and what is under way then ends
/// within the rest. When a node dies, another one goes on after this time.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// How long an endpoint is sent to while others wait for its slot.
const TURN: Duration = Duration::from_secs(10);

impl Engine {
    /// Takes endpoints with new events or due deliveries, and has tasks of their own send. Returns how many were taken.
    pub(crate) async fn deliver_due(&self, round: &Round) -> Result<usize, EngineError> {
        let mut taken = 0;
        for failing in [false, true] {
            let slots = self.slots_for(failing);
            let sated = slots.sated();
            let has_sated = !sated.is_empty();
            let wanted = Wanted {
                now: round.now,
                failing,
                without: sated,
                limit: slots.free(round.rows),
            };
            taken += self.deliver_to_some(round, &wanted).await?;
            if has_sated {
                let wanted = Wanted {
                    without: Vec::new(),
                    limit: slots.spare(round.rows),
                    ..wanted
                };
                taken += self.deliver_to_some(round, &wanted).await?;
            }
        }
        Ok(taken)
    }

    /// Those that take nothing at present have slots of their own: they wait for time-outs, and hold up nobody else.
    fn slots_for(&self, failing: bool) -> &TeamSlots {
        if failing {
            &self.inner.limits.failing_endpoints
        } else {
            &self.inner.limits.endpoints
        }
    }

    async fn deliver_to_some(&self, round: &Round, wanted: &Wanted) -> Result<usize, EngineError> {
        let store = &self.inner.store;
        if wanted.limit == 0 || !table::any_to_do(store, wanted).await? {
            return Ok(0);
        }
        let token = self.inner.world.token(24);
        let leases = table::claim(store, wanted, &token, round.now.after(LEASE)).await?;
        let (count, failing) = (leases.len(), wanted.failing);
        for lease in leases {
            let (engine, round) = (self.clone().for_sweeps(), *round);
            let (team, slots) = (lease.team, self.slots_for(failing));
            let work = Box::pin(async move {
                let endpoint = lease.endpoint;
                if let Err(stop) = engine.deliver_to(lease, failing).await {
                    round.item_failed(&endpoint, stop);
                }
            });
            self.work_for(team, slots, work);
        }
        Ok(count)
    }

    /// Sends to an endpoint until nothing is left, or others wait and its turn is over.
    async fn deliver_to(&self, lease: Lease, failing: bool) -> Result<(), EngineError> {
        let (mut known, began) = (None, self.now());
        while !self.is_draining() && self.deliver_round(&lease, &mut known).await? {
            let now = self.now();
            if now.since(began) >= TURN && self.slots_for(failing).is_short(lease.team) {
                return self.release(&lease, now).await;
            }
        }
        Ok(())
    }

    /// Gives an endpoint back. Those that nobody has had for a longer time are taken before it.
    pub(super) async fn release(&self, lease: &Lease, until: Timestamp) -> Result<(), EngineError> {
        let change = Change::new(self.change_id(), &lease.endpoint.key());
        let refused = self.commit_plain(change.with(table::release(lease, until)));
        refused.await?;
        Ok(())
    }
}
