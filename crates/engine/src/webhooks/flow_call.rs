//! Calls of flows to an address that is one of the team's endpoints: signed with its secret, and listed with its deliveries.

use domain::{
    id::{DeliveryId, TeamId},
    webhook::{Attempt, Attempts, Delivery, DeliveryState, RetrySchedule},
};
use store::{
    webhook_delivery,
    webhook_endpoint::{self as table, Endpoint},
};

use super::attempt::Letter;
use crate::{Engine, faults::EngineError};

/// The kind under which calls of flows are listed. It is no event: no filter names it.
const KIND: &str = "flow.call";

/// A call of a flow.
pub(crate) struct FlowCall<'a> {
    /// Where to.
    pub(crate) url: &'a str,
    /// Names the call, also when it is made again.
    pub(crate) id: &'a str,
    /// The body, JSON.
    pub(crate) body: &'a str,
}

impl Engine {
    /// Makes the call as its endpoint's deliveries are made. `None` where the address is no endpoint of the team, or its secret can't
    /// be opened now: then the call is made without a signature.
    pub(crate) async fn call_signed(&self, team: TeamId, call: &FlowCall<'_>) -> Option<Attempt> {
        let made = self.called_as_endpoint(team, call).await;
        made.unwrap_or_else(|stop| {
            let (code, why) = stop.words();
            tracing::warn!(team.id = %team, code, why, "a flow's call is not signed");
            None
        })
    }

    async fn called_as_endpoint(
        &self,
        team: TeamId,
        call: &FlowCall<'_>,
    ) -> Result<Option<Attempt>, EngineError> {
        let known = table::of_team(&self.inner.store, team).await?;
        let Some(endpoint) = known.into_iter().find(|one| one.url == call.url) else {
            return Ok(None);
        };
        let Some(secrets) = self.secrets_of(&endpoint).await? else {
            return Ok(None);
        };
        let letter = Letter {
            url: call.url,
            id: call.id,
            body: call.body,
            secrets: &secrets,
            key: Some(call.id),
        };
        let attempt = self.post(&letter).await;
        self.list_call(&endpoint, call, attempt.clone()).await;
        Ok(Some(attempt))
    }

    /// Lists a call. It was made, whether or not that can be written.
    async fn list_call(&self, endpoint: &Endpoint, call: &FlowCall<'_>, attempt: Attempt) {
        let mut delivery = Delivery {
            id: DeliveryId::new(self.inner.world.uuid_v7()),
            team: endpoint.team,
            endpoint: endpoint.id,
            event_id: call.id.to_owned(),
            kind: KIND.to_owned(),
            stream: call.id.to_owned(),
            sequence: 1,
            state: DeliveryState::Pending,
            tries: 0,
            next_at: None,
            created_at: attempt.at,
            log: Attempts::default(),
        };
        delivery.note(attempt, &RetrySchedule(Vec::new()), 0);
        let stored = vec![webhook_delivery::insert(&delivery)];
        if let Err(stop) = self.commit_all(endpoint.id, stored).await {
            let (code, why) = stop.words();
            tracing::warn!(webhook.endpoint = %endpoint.id, code, why, "a flow's call is not listed");
        }
    }
}
