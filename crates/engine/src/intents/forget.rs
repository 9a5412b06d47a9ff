//! Intents that browsers started and nobody paid: erased in the end.

use db::Change;
use domain::id::{IntentId, TeamId};
use domain::intent::Status;
use store::browser_made::Made;

use crate::{Engine, change::Round, faults::EngineError};

impl Engine {
    /// Erases an intent that a browser started, unless somebody paid it, it is in use, or its flow goes on. Whatever may
    /// still be needed is looked at again after another lifetime.
    pub(crate) async fn forget_intent(
        &self,
        team: TeamId,
        id: IntentId,
    ) -> Result<(), EngineError> {
        let forget = || async move {
            let change = self.forgetting_intent(team, id).await?;
            Ok(Round::of(self.commit_plain(change).await?, ()))
        };
        self.rounds(Some(id.uuid()), self.deadline(), forget).await
    }

    /// What is to be committed about an intent that a browser started. Refused when somebody changes it meanwhile.
    async fn forgetting_intent(&self, team: TeamId, id: IntentId) -> Result<Change, EngineError> {
        let (store, made) = (&self.inner.store, Made::Intent(id));
        let change = Change::new(self.change_id(), &id.key());
        let keep = store::browser_made::forget(team, &made);
        let Some(intent) = store::intent::of_team(store, team, id).await? else {
            return Ok(change.with(keep));
        };
        let payments = store::intent::payments(store, team, id, 1).await?;
        if intent.status == Status::Complete || !payments.is_empty() {
            return Ok(change.with(keep));
        }
        let now = self.inner.world.now();
        let lifetime = self.inner.settings.browser_intent_lifetime;
        let unused_at = intent.active_until.after(lifetime);
        let instances = store::flow_instance::of_intent(store, team, id).await?;
        let goes_on = instances
            .iter()
            .any(|instance| instance.run.pause.is_some());
        if intent.status == Status::Active || unused_at > now || goes_on {
            let due_at = unused_at.max(now.after(lifetime.min(AGAIN)));
            return Ok(change.with(store::browser_made::postpone(team, &made, due_at)));
        }
        Ok(change
            .with(store::intent::delete(&intent))
            .with(store::event::delete_of_intent(team, id))
            .with(store::flow_instance::delete_of_intent(team, id))
            .with(store::browser_made::forget(team, &made)))
    }
}

/// What can't be erased yet is looked at again after this time.
const AGAIN: std::time::Duration = std::time::Duration::from_hours(24);
