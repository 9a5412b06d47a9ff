//! Intents that browsers started and nobody paid: erased in the end.

use db::Change;
use domain::id::{IntentId, TeamId};
use domain::intent::Status;
use store::browser_made::Made;

use crate::{Engine, faults::Stop};

impl Engine {
    /// Erases an intent that a browser started, unless somebody paid it, it is in use, or its flow goes on. Whatever may
    /// still be needed is looked at again after another lifetime.
    pub(crate) async fn forget_intent(&self, team: TeamId, id: IntentId) -> Result<(), Stop> {
        let _turn = self.inner.turns.take(id.uuid()).await;
        let (store, made) = (&self.inner.store, Made::Intent(id));
        let mut change = Change::new(self.change_id(), &id.key());
        let Some(intent) = store::intent::of_team(store, team, id).await? else {
            change.push(store::browser_made::forget(team, made));
            return self.commit_plain(change).await.map(|_| ());
        };
        if intent.status == Status::Complete
            || !store::intent::payments(store, team, id, 1)
                .await?
                .is_empty()
        {
            change.push(store::browser_made::forget(team, made));
            return self.commit_plain(change).await.map(|_| ());
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
            change.push(store::browser_made::postpone(team, made, due_at));
            return self.commit_plain(change).await.map(|_| ());
        }
        change.push(store::intent::delete(&intent));
        change.push(store::event::delete_of_intent(team, id));
        change.push(store::flow_instance::delete_of_intent(team, id));
        change.push(store::browser_made::forget(team, made));
        // Refused when somebody has changed it meanwhile: then it is looked at again.
        self.commit_plain(change).await.map(|_| ())
    }
}

/// What can't be erased yet is looked at again after this time.
const AGAIN: std::time::Duration = std::time::Duration::from_hours(24);
