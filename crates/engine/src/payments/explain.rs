//! A payment's story in plain words, for the people who run the service.

use crate::boxed;
use domain::{
    id::{PaymentId, TeamId},
    payment::{Payment, StorySources},
};

use crate::{AdminError, Engine};

impl Engine {
    /// The story of a payment, a line each. Nothing is looked up at the processor for it, and nothing changes. `None`: there is no
    /// such payment. Without a team every team's payments are searched.
    ///
    /// # Errors
    /// The database's.
    #[boxed]
    pub async fn explain(
        &self,
        team: Option<TeamId>,
        id: PaymentId,
    ) -> Result<Option<Vec<String>>, AdminError> {
        let Some(payment) = self.payment_of_any(team, id).await? else {
            return Ok(None);
        };
        let (store, now) = (&self.inner.store, self.inner.world.now());
        self.count_operators_read(payment.team(), "explain");
        let (team, stream) = (payment.team(), payment.id().key());
        let timeline = store::event::timeline(store, team, &stream, payment.version()).await?;
        let disputes = store::dispute::of_payment(store, team, id).await?;
        Ok(Some(payment.explain(StorySources {
            timeline: &timeline,
            disputes: &disputes,
            at: now,
        })))
    }

    async fn payment_of_any(
        &self,
        team: Option<TeamId>,
        id: PaymentId,
    ) -> Result<Option<Payment>, AdminError> {
        let store = &self.inner.store;
        if let Some(team) = team {
            return Ok(store::payment::of_team(store, team, id).await?);
        }
        for team in store::team::all(store).await? {
            let found = store::payment::of_team(store, team.id, id).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}
