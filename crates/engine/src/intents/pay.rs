//! The intent of a payment that is to be made.

use domain::{
    caller::Caller,
    id::IntentId,
    intent::{Intent, IntentEvent},
};

use super::{IntentEffects, check_touch};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, intent_not_found},
};

impl Engine {
    /// The intent that the caller sets out to pay, `id` as it was sent. That is activity.
    ///
    /// # Errors
    /// `error.intent.not-found`, also when it is not the caller's; `error.authorize.payment-already-authorized` when it is
    /// complete. Whether a live payment holds it is shown by the payment's own commit.
    pub(crate) async fn paying_intent(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<Intent, EngineError> {
        let id = IntentId::parse(id).ok_or_else(intent_not_found)?;
        let key = Key {
            team: caller.team,
            id,
        };
        let patience = self.inner.settings.intent_inactivity;
        let pay = |mut intent: Intent| async move {
            check_touch(caller, &intent)?;
            intent.pay(self.inner.world.now(), patience)?;
            let effects = IntentEffects::of(IntentEvent::Paying);
            Ok(Decision::Write(intent, effects, ()))
        };
        let (intent, ()) = self.change(key, pay).await?;
        Ok(intent)
    }
}
