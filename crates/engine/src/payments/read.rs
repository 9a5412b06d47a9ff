//! Reading a payment. An open outcome is looked up on the way.

use crate::boxed;
use domain::{
    Fault,
    caller::{Caller, Credential},
    id::{PaymentId, TeamId},
    payment::Payment,
};

use super::PaymentView;
use crate::{
    Engine,
    commit::note_payment,
    faults::{EngineError, database, payment_not_found},
};

impl Engine {
    /// A team's payment. A client token reads those that it made.
    ///
    /// # Errors
    /// `error.payment.not-found`.
    #[boxed]
    pub async fn payment(&self, caller: &Caller, id: PaymentId) -> Result<PaymentView, Fault> {
        let found = store::payment::of_team(&self.inner.store, caller.team, id).await;
        let payment = found
            .map_err(|error| database(&error))?
            .ok_or_else(payment_not_found)?;
        if !may_read(caller, &payment) {
            return Err(payment_not_found());
        }
        note_payment(payment.id());
        Ok(PaymentView::of(self.refreshed(payment).await))
    }

    /// A team's payment as it is stored. For the sandbox's desk.
    ///
    /// # Errors
    /// `error.payment.not-found`.
    #[boxed]
    pub async fn sandbox_payment(&self, team: TeamId, id: PaymentId) -> Result<Payment, Fault> {
        let found = store::payment::of_team(&self.inner.store, team, id).await;
        found
            .map_err(|error| database(&error))?
            .ok_or_else(payment_not_found)
    }

    /// Whether the payment is one of another team's. For the sandbox's books, which know no teams.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn is_another_teams(&self, team: TeamId, id: PaymentId) -> Result<bool, db::DbError> {
        let store = &self.inner.store;
        if store::payment::of_team(store, team, id).await?.is_some() {
            return Ok(false);
        }
        for other in store::team::all(store).await? {
            if other.id != team
                && store::payment::of_team(store, other.id, id)
                    .await?
                    .is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The payment after a look-up, when something about it is open and may be looked up.
    async fn refreshed(&self, payment: Payment) -> Payment {
        let Some(n) = self.askable(&payment).await else {
            return payment;
        };
        let deadline = self.request_deadline();
        let world = &self.inner.world;
        let (engine, asked) = (self.clone(), payment.clone());
        let look = self.own(Box::pin(async move {
            let payment = Box::pin(engine.look_up(asked, n, true)).await?;
            // What the look-up settled may call for a capture at once.
            Box::pin(engine.onward(payment)).await
        }));
        match world.timeout(deadline.left(world.now()), look).await {
            Ok(Some(Ok(found))) => found,
            Ok(
                Some(Err(EngineError::Fault(_) | EngineError::Taken | EngineError::Outdated))
                | None,
            )
            | Err(world::Elapsed) => payment,
        }
    }

    async fn askable(&self, payment: &Payment) -> Option<u32> {
        let now = self.inner.world.now();
        let open = payment
            .operations()
            .iter()
            .rev()
            .find(|operation| operation.state.is_open())?;
        let policy = self.policy(payment, open).await.ok()?;
        payment.can_look_up(now, policy.call_timeout)
    }
}

/// Whether the credential may read the payment: a client token only what it made.
pub(crate) fn may_read(caller: &Caller, payment: &Payment) -> bool {
    match &caller.credential {
        Credential::Secret => true,
        Credential::Public => false,
        Credential::Client(_) => payment.made_by() == Some(caller.key),
    }
}
