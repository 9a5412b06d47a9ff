//! Erasing a person from an intent.

use domain::{
    id::{IntentId, TeamId},
    intent::{Intent, IntentEvent},
};

use super::IntentEffects;
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
};

impl Engine {
    /// Leaves the id of the intent's customer alone.
    pub(crate) async fn erase_from_intent(
        &self,
        team: TeamId,
        id: IntentId,
    ) -> Result<(), EngineError> {
        let erase = |mut intent: Intent| async move {
            if !intent.forget_person() {
                return Ok(Decision::Leave(intent, ()));
            }
            let effects = IntentEffects::of(IntentEvent::Erased);
            Ok(Decision::Write(intent, effects, ()))
        };
        self.change_if_there(Key { team, id }, erase).await?;
        Ok(())
    }
}
