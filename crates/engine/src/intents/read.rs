//! Reading an intent.

use crate::boxed;
use domain::{Fault, caller::Caller, id::IntentId, payment::Payment};

use super::IntentView;
use crate::{
    Engine,
    faults::{EngineError, only_fault},
};

/// How many of an intent's payments are shown, the newest of them.
const PAYMENTS_SHOWN: i64 = 100;

impl Engine {
    /// A team's intent. A browser reads those that it started or was made for.
    ///
    /// # Errors
    /// `error.intent.not-found`.
    #[boxed]
    pub async fn intent(&self, caller: &Caller, id: IntentId) -> Result<IntentView, Fault> {
        self.own_intent(caller, id)
            .await
            .map(IntentView::of)
            .map_err(only_fault)
    }

    /// Adds the payments made for the intent, and the one that completed it.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn with_payments(&self, mut view: IntentView) -> Result<IntentView, Fault> {
        view.payments = Some(self.payments_of(&view).await.map_err(only_fault)?);
        Ok(view)
    }

    async fn payments_of(&self, view: &IntentView) -> Result<Vec<Payment>, EngineError> {
        let (store, intent) = (&self.inner.store, &view.intent);
        let mut payments =
            store::intent::payments(store, intent.team, intent.id, PAYMENTS_SHOWN).await?;
        if let Some(id) = intent
            .reference
            .filter(|id| payments.iter().all(|payment| payment.id() != *id))
        {
            // A merchant may complete an intent with a payment that was made apart from it.
            payments.extend(store::payment::of_team(store, intent.team, id).await?);
            payments.sort_by_key(Payment::id);
        }
        Ok(payments)
    }
}
