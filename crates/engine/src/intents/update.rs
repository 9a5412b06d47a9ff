//! Changing an intent.

use domain::{
    Fault,
    caller::Caller,
    id::IntentId,
    intent::{Changes, Intent, Moment},
};

use super::{IntentView, told_by};
use crate::{Engine, commit::Ended, faults::Stop, once::only_fault};

/// A request to change an intent.
pub struct UpdateIntent {
    /// Which.
    pub id: IntentId,
    /// What is told of it.
    pub changes: Changes,
}

impl Engine {
    /// Changes what is given and leaves the rest. An inactive intent is active again.
    ///
    /// # Errors
    /// `error.intent.not-found`; `error.intent.invalid-status` when it is complete.
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

    async fn updated_intent(&self, caller: &Caller, command: UpdateIntent) -> Result<Intent, Stop> {
        self.refuse_numbers(
            &[("trackingId", command.changes.tracking_id.as_deref())],
            None,
        )?;
        let changes = told_by(caller, command.changes)?;
        loop {
            let _turn = self.inner.turns.take(command.id.uuid()).await;
            let mut intent = self.own_intent(caller, command.id).await?;
            let patience = self.inner.settings.intent_inactivity;
            intent.update(changes.clone(), self.inner.world.now(), patience)?;
            intent.version += 1;
            if self
                .commit_intent(&intent, Moment::Updated, Vec::new())
                .await?
                == Ended::Done
            {
                return Ok(intent);
            }
        }
    }
}
