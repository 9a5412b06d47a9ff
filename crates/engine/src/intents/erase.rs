//! Erasing a person from an intent.

use domain::{
    id::{IntentId, TeamId},
    intent::Moment,
};

use crate::{Engine, commit::Ended, faults::Stop};

impl Engine {
    /// Leaves the id of the intent's customer alone.
    pub(crate) async fn erase_from_intent(&self, team: TeamId, id: IntentId) -> Result<(), Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let Some(mut intent) = store::intent::of_team(&self.inner.store, team, id).await?
            else {
                return Ok(());
            };
            if !intent.forget_person() {
                return Ok(());
            }
            intent.version += 1;
            if self
                .commit_intent(&intent, Moment::Erased, Vec::new())
                .await?
                == Ended::Done
            {
                return Ok(());
            }
        }
    }
}
