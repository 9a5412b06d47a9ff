//! The job that finds intents without activity.

use db::Change;
use domain::{
    Timestamp,
    id::{IntentId, TeamId},
    intent::{Intent, IntentEvent},
};
use flow::Trigger;
use futures_util::{StreamExt, stream};
use store::overdue::Queue;

use super::IntentEffects;
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
    jobs::{Round, TOGETHER},
};

impl Engine {
    /// Makes intents inactive whose time has come. Returns how many were taken.
    pub(crate) async fn deactivate_intents(&self, round: &Round) -> Result<usize, EngineError> {
        let Round {
            now,
            lease_until,
            rows,
            ..
        } = *round;
        let (floor, store) = (&self.inner.floors.intents, &self.inner.store);
        let look = floor.look(now);
        let due = store::intent::claim_due(store, now, lease_until, look.after, rows).await?;
        let taken = due.len();
        let full = i64::try_from(taken).is_ok_and(|taken| taken >= rows);
        self.batch_taken(Queue::Intents, look, full);
        let work = async |(team, id)| {
            if let Err(stop) = self.deactivate(team, id, lease_until).await {
                round.item_failed(&id, stop);
            }
        };
        stream::iter(due).for_each_concurrent(TOGETHER, work).await;
        Ok(taken)
    }

    async fn deactivate(
        &self,
        team: TeamId,
        id: IntentId,
        lease_until: Timestamp,
    ) -> Result<(), EngineError> {
        let deactivate = |intent| self.deactivated(intent, lease_until);
        self.change_if_there(Key { team, id }, deactivate).await?;
        Ok(())
    }

    async fn deactivated(
        &self,
        mut intent: Intent,
        lease_until: Timestamp,
    ) -> Result<Decision<Intent>, EngineError> {
        if !intent.expire(self.inner.world.now()) {
            // Somebody has made it active, or complete, and set its time.
            let change = Change::new(self.change_id(), &intent.id.key())
                .with(store::intent::set_due(&intent, lease_until));
            self.commit_plain(change).await?;
            return Ok(Decision::Leave(intent, ()));
        }
        let is_wanted = |trigger: &Trigger| *trigger == Trigger::IntentInactive;
        let started = self
            .instances(intent.team, is_wanted, Some(intent.id), None)
            .await?;
        let effects = IntentEffects {
            event: IntentEvent::Inactive,
            statements: started.iter().map(store::flow_instance::insert).collect(),
        };
        Ok(Decision::Write(intent, effects, ()))
    }
}
