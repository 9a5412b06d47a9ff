//! Changing an intent.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    id::IntentId,
    intent::{Changes, Intent, IntentEvent},
};

use super::{IntentEffects, IntentView, attributed, check_touch};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, only_fault},
};

/// A request to change an intent.
pub struct UpdateIntent {
    /// Which.
    pub id: IntentId,
    /// Its changes.
    pub changes: Changes,
}

impl Engine {
    /// Changes what is given and leaves the rest. An inactive intent is active again.
    ///
    /// # Errors
    /// `error.intent.not-found`; `error.intent.invalid-status` when it is complete.
    #[boxed]
    pub async fn update_intent(
        &self,
        caller: &Caller,
        command: UpdateIntent,
    ) -> Result<IntentView, Fault> {
        self.updated_intent(caller, command)
            .await
            .map(IntentView::of)
            .map_err(only_fault)
    }

    async fn updated_intent(
        &self,
        caller: &Caller,
        command: UpdateIntent,
    ) -> Result<Intent, EngineError> {
        self.refuse_numbers(
            &[("trackingId", command.changes.tracking_id.as_deref())],
            None,
        )?;
        let changes = attributed(caller, command.changes)?;
        let key = Key {
            team: caller.team,
            id: command.id,
        };
        let (changes, patience) = (&changes, self.inner.settings.intent_inactivity);
        let update = |mut intent: Intent| async move {
            check_touch(caller, &intent)?;
            intent.update(changes.clone(), self.inner.world.now(), patience)?;
            let effects = IntentEffects::of(IntentEvent::Updated);
            Ok(Decision::Write(intent, effects, ()))
        };
        let (intent, ()) = self.change(key, update).await?;
        Ok(intent)
    }
}
