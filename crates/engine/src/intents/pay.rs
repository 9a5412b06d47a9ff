//! The intent of a payment that is to be made.

use domain::{
    caller::Caller,
    id::IntentId,
    intent::{Intent, Moment},
};

use crate::{
    Engine,
    commit::Ended,
    faults::{Stop, intent_not_found},
};

impl Engine {
    /// The intent that the caller sets out to pay, `id` as it was sent. That is activity.
    ///
    /// # Errors
    /// `error.intent.not-found`, also when it is not the caller's; `error.authorize.payment-already-authorized` when it is
    /// complete. Whether a live payment holds it is told by the payment's own commit.
    pub(crate) async fn paying_intent(&self, caller: &Caller, id: &str) -> Result<Intent, Stop> {
        let id = IntentId::parse(id).ok_or_else(intent_not_found)?;
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut intent = self.own_intent(caller, id).await?;
            intent.pay(
                self.inner.world.now(),
                self.inner.settings.intent_inactivity,
            )?;
            intent.version += 1;
            if self
                .commit_intent(&intent, Moment::Paying, Vec::new())
                .await?
                == Ended::Done
            {
                return Ok(intent);
            }
        }
    }
}
