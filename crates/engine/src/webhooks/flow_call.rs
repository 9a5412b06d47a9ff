//! Calls of flows: signed with the secret of the endpoint at their address, and listed with its deliveries. An address that is no endpoint
//! yet becomes one with its first call.

use db::Change;
use domain::{
    audit::{Act, Deed},
    event::KindFilter,
    id::{DeliveryId, EndpointId, TeamId},
    webhook::{Attempt, Attempts, Delivery, DeliveryState, Health, RetrySchedule},
};
use sha2::{Digest, Sha256};
use store::{
    feed::{self, FeedPosition},
    room::{self, BoundedList, Room},
    webhook_delivery,
    webhook_endpoint::{self as table, Endpoint},
};

use super::{Secrets, attempt::Letter};
use crate::{Engine, change::Round, faults::EngineError};

/// The kind under which calls of flows are listed. It is no event: no filter names it.
const KIND: &str = "flow.call";

/// Endpoints that a team can have of its flows' addresses alone.
const CALLED_MAX: usize = 1_000;

/// A call of a flow.
pub(crate) struct FlowCall<'a> {
    /// Where to.
    pub(crate) url: &'a str,
    /// Names the call, also when it is made again.
    pub(crate) id: &'a str,
    /// The body, JSON.
    pub(crate) body: &'a str,
}

/// How a call of a flow went.
pub(crate) enum Called {
    /// It was made.
    Made(Attempt),
    /// It can't be signed now, and is to be made later.
    Later,
    /// The team's flows have called too many addresses.
    TooMany,
}

/// The id of the endpoint that an address becomes by being called: of two calls at once one makes it.
pub(super) fn id_of_called(team: TeamId, url: &str) -> EndpointId {
    let mut hash = Sha256::new();
    hash.update(b"endpoint of flows\0");
    hash.update(team.uuid().as_bytes());
    hash.update(url.as_bytes());
    let mut bytes = [0; 16];
    let digest = hash.finalize();
    bytes
        .iter_mut()
        .zip(digest)
        .for_each(|(byte, of)| *byte = of);
    EndpointId::new(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

impl Engine {
    /// Makes the call as its endpoint's deliveries are made.
    pub(crate) async fn call_signed(&self, team: TeamId, call: &FlowCall<'_>) -> Called {
        let made = self.called_as_endpoint(team, call).await;
        made.unwrap_or_else(|stop| {
            let (code, why) = stop.words();
            tracing::warn!(team.id = %team, code, why, "a flow's call can't be signed now");
            Called::Later
        })
    }

    async fn called_as_endpoint(
        &self,
        team: TeamId,
        call: &FlowCall<'_>,
    ) -> Result<Called, EngineError> {
        let find = || self.endpoint_at(team, call.url);
        let found = self.rounds(None, self.deadline(), find).await?;
        let Some(endpoint) = found else {
            return Ok(Called::TooMany);
        };
        let Some(secrets) = self.secrets_of(&endpoint).await? else {
            return Ok(Called::Later);
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
        Ok(Called::Made(attempt))
    }

    /// The endpoint of an address; one that gets no events is made where there is none. `None`: there are too many.
    async fn endpoint_at(
        &self,
        team: TeamId,
        url: &str,
    ) -> Result<Round<Option<Endpoint>>, EngineError> {
        let store = &self.inner.store;
        let room = room::find(store, team, BoundedList::WebhookEndpoints).await?;
        let known = table::of_team(store, team).await?;
        if let Some(there) = known.iter().find(|one| one.url == url) {
            return Ok(Round::Done(Some(there.clone())));
        }
        if known.len() >= CALLED_MAX {
            return Ok(Round::Done(None));
        }
        let own = id_of_called(team, url);
        let leads_elsewhere = known.iter().any(|one| one.id == own);
        let id = if leads_elsewhere {
            EndpointId::new(self.inner.world.uuid_v7())
        } else {
            own
        };
        self.new_called(room, team, id, url).await
    }

    async fn new_called(
        &self,
        room: Room,
        team: TeamId,
        id: EndpointId,
        url: &str,
    ) -> Result<Round<Option<Endpoint>>, EngineError> {
        let secrets = Secrets::new(&self.inner.world);
        let secret = self.sealed_secrets(team, id, &secrets).await?;
        let end = feed::end(&self.inner.store, team).await?;
        let endpoint = Endpoint {
            team,
            id,
            url: url.to_owned(),
            kinds: KindFilter::default(),
            enabled: false,
            secret,
            created_at: self.inner.world.now(),
            place: end.unwrap_or_else(FeedPosition::beginning),
            health: Health::default(),
            events: 0,
            turn: None,
        };
        let deed = Deed::on(team, Act::WebhookEndpointSaved, "webhook endpoint", id);
        let deed = deed.with("new", true).with("flow", true);
        let change = Change::new(self.change_id(), &id.key())
            .with(room::take(room))
            .with(table::insert(&endpoint))
            .with(self.audit(&deed));
        let refused = self.commit_plain(change).await?;
        if refused.is_some() {
            self.erase_secrets(team, Some(secret)).await;
        }
        Ok(Round::of(refused, Some(endpoint)))
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_address_is_one_endpoint_of_each_team() {
        let (one, other) = (
            TeamId::new(Uuid::from_u128(1)),
            TeamId::new(Uuid::from_u128(2)),
        );
        let id = id_of_called(one, "https://a.example/");
        assert_eq!(id, id_of_called(one, "https://a.example/"));
        assert_ne!(id, id_of_called(one, "https://b.example/"));
        assert_ne!(id, id_of_called(other, "https://a.example/"));
    }
}
