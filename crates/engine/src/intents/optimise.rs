//! The methods of a checkout.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    id::{ConnectionId, IntentId, TeamId},
    intent::Intent,
    method::Method,
    money::Money,
};
use flow::{CustomerFacts, Facts, IntentFacts, PaymentFacts, Position};

use crate::{
    Engine,
    faults::{EngineError, only_fault},
};

impl Engine {
    /// The methods, in order, that the flow of an intent offers at checkout: those of its `offer` steps up to the first
    /// one that waits or authorises; without such a step those that its connections take.
    ///
    /// # Errors
    /// `error.intent.not-found`.
    #[boxed]
    pub async fn optimise(&self, caller: &Caller, id: IntentId) -> Result<Vec<Method>, Fault> {
        self.offered(caller, id).await.map_err(only_fault)
    }

    async fn offered(&self, caller: &Caller, id: IntentId) -> Result<Vec<Method>, EngineError> {
        let intent = self.own_intent(caller, id).await?;
        let program = self
            .program(caller.team, &intent.flow, intent.flow_version)
            .await?;
        let run = program.run(Position::START, &facts(&intent), &mut || {
            self.inner.world.random()
        });
        match run.offers {
            Some(methods) => Ok(methods),
            None => self.taken_at(caller.team, &program.connections()).await,
        }
    }

    /// What connections take that are switched on.
    async fn taken_at(
        &self,
        team: TeamId,
        connections: &[ConnectionId],
    ) -> Result<Vec<Method>, EngineError> {
        let mut methods = Vec::new();
        for connection in connections {
            let line = self
                .line(team, connection)
                .await?
                .filter(|line| line.connection.enabled);
            let taken = line
                .iter()
                .flat_map(|line| line.connector.descriptor().methods);
            for method in taken {
                // A checkout offers cards, whatever their brands: that is also what a payment's type says.
                let offered = if method.is_card() {
                    Method::Card
                } else {
                    *method
                };
                if !methods.contains(&offered) {
                    methods.push(offered);
                }
            }
        }
        Ok(methods)
    }
}

/// What a flow's conditions know of an intent itself.
pub(crate) fn intent_facts(intent: &Intent) -> IntentFacts<'_> {
    IntentFacts {
        id: Some(intent.id.to_string().into()),
        tracking_id: Some(intent.tracking_id.as_str().into()),
        amount: intent.money.map(Money::minor),
        currency: Some(intent.currency.code().into()),
        country: intent
            .location
            .map(|location| location.country.alpha2().into()),
        status: Some(intent.status.code().into()),
    }
}

/// What a flow's conditions know of a checkout. Of the payment they know what it would be.
pub(crate) fn facts(intent: &Intent) -> Facts<'_> {
    let country = intent.location.map(|location| location.country.alpha2());
    let customer = intent.customer.as_ref();
    Facts {
        intent: intent_facts(intent),
        payment: PaymentFacts {
            amount: intent.money.map(Money::minor),
            currency: Some(intent.currency.code().into()),
            country: country.map(Into::into),
            ..PaymentFacts::default()
        },
        customer: CustomerFacts {
            id: customer
                .and_then(|customer| customer.id.as_deref())
                .map(Into::into),
            email: customer
                .and_then(|customer| customer.email.as_deref())
                .map(Into::into),
            name: customer
                .and_then(|customer| customer.name.as_deref())
                .map(Into::into),
            country: country.map(Into::into),
        },
        ..Facts::default()
    }
}
