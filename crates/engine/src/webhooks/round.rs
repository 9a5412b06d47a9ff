//! One round of deliveries to an endpoint: what is due, what is new, and one commit.

use std::time::Duration;

use db::Change;
use domain::{
    Timestamp,
    event::EndpointEvent,
    id::BlobId,
    webhook::{Health, Verdict},
};
use store::{
    webhook_delivery,
    webhook_endpoint::{self as table, Endpoint, Lease, Progress},
};

use super::{
    Secrets,
    claim::LEASE,
    sending::Sender,
    work::{Work, key_of},
};
use crate::{Engine, faults::EngineError};

/// Pending deliveries that are changed at once when all are to be tried, or skipped.
const TURNED: i64 = 500;

/// Nothing is begun later in a round: what is under way then must end within the lease.
const SEND_FOR: Duration = Duration::from_secs(5);

/// Secrets that were opened, by the record that they are in.
pub(super) type Known = Option<(BlobId, Secrets)>;

impl Engine {
    /// One round. Says whether another may follow at once.
    pub(super) async fn deliver_round(
        &self,
        lease: &Lease,
        known: &mut Known,
    ) -> Result<bool, EngineError> {
        let Some(endpoint) = table::leased(&self.inner.store, lease).await? else {
            return Ok(false);
        };
        let began = self.inner.world.now();
        if !self.turn(lease, &endpoint, began.after(SEND_FOR)).await? {
            self.release(lease, self.now()).await?;
            return Ok(false);
        }
        let mut work = self.work_of(&endpoint, began).await?;
        if work.is_empty() && work.place == endpoint.place {
            self.give_back(lease).await?;
            return Ok(false);
        }
        if !work.is_empty() {
            let Some(secrets) = self.opened_secrets(&endpoint, known).await? else {
                self.give_back(lease).await?;
                return Ok(false);
            };
            let sender = Sender {
                engine: self,
                endpoint: &endpoint,
                secrets,
                stop_at: began.after(SEND_FOR),
            };
            if endpoint.health.failures == 0 {
                sender.send_all(&mut work).await?;
            } else {
                sender.try_some(&mut work).await?;
            }
        }
        self.note_round(lease, &endpoint, work).await
    }

    /// Does what is to become of the endpoint's pending deliveries, in parts that hold up nothing else. Says whether it is done.
    async fn turn(
        &self,
        lease: &Lease,
        endpoint: &Endpoint,
        until: Timestamp,
    ) -> Result<bool, EngineError> {
        let Some(turn) = endpoint.turn else {
            return Ok(true);
        };
        let key = key_of(endpoint);
        while self.now() < until && !self.is_draining() {
            let changed = webhook_delivery::turn(&self.inner.store, key, turn, TURNED).await?;
            if i64::try_from(changed).is_ok_and(|changed| changed < TURNED) {
                let change = Change::new(self.change_id(), &endpoint.id.key());
                self.commit_plain(change.with(table::turned(lease))).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The secrets, opened once as long as they stay the same. `None`: they were replaced at this moment.
    async fn opened_secrets<'a>(
        &self,
        endpoint: &Endpoint,
        known: &'a mut Known,
    ) -> Result<Option<&'a Secrets>, EngineError> {
        if known
            .as_ref()
            .is_none_or(|(blob, _)| *blob != endpoint.secret)
        {
            let opened = self.secrets_of(endpoint).await?;
            *known = opened.map(|secrets| (endpoint.secret, secrets));
        }
        Ok(known.as_ref().map(|(_, secrets)| secrets))
    }

    /// Commits what became of a round, with the new place. Says whether another round may follow at once.
    async fn note_round(
        &self,
        lease: &Lease,
        endpoint: &Endpoint,
        mut work: Work,
    ) -> Result<bool, EngineError> {
        let now = self.inner.world.now();
        let settings = &self.inner.settings.webhooks;
        let (health, random) = (endpoint.health, self.inner.world.random());
        let verdict = health.after(work.outcome(), now, &settings.schedule, random);
        let goes_on = match verdict {
            Verdict::Goes(health) => health.failures == 0,
            Verdict::GivenUp { .. } => false,
        };
        let health = match verdict {
            Verdict::Goes(health) => health,
            Verdict::GivenUp { failing_since } => Health {
                failing_since: Some(failing_since),
                ..endpoint.health
            },
        };
        if let Verdict::GivenUp { .. } = verdict {
            work.keep_pending(now);
        }
        let progress = Progress {
            lease,
            place: &work.place,
            health,
            lease_until: if goes_on { now.after(LEASE) } else { now },
        };
        let id = self.change_id();
        let mut change = Change::new(id, &endpoint.id.key()).with(table::advance(&progress));
        work.statements(key_of(endpoint))
            .into_iter()
            .for_each(|statement| change.push(statement));
        if let Verdict::GivenUp { failing_since } = verdict {
            let event = EndpointEvent::Disabled {
                url: endpoint.url.clone(),
                failing_since,
            };
            change.push(table::give_up(lease));
            change.push(store::event::insert_of_endpoint(
                endpoint,
                &id.into(),
                &event,
                now,
            ));
        }
        if self.commit_plain(change).await?.is_some() {
            // Somebody else has it, or it was disabled or removed: what was sent now may be sent again, under the same ids.
            return Ok(false);
        }
        if let Verdict::GivenUp { .. } = verdict {
            tracing::warn!(team.id = %endpoint.team, webhook.endpoint = %endpoint.id, "a webhook endpoint took nothing for days and is disabled");
        }
        Ok(goes_on)
    }

    /// Nothing is left: the next look comes with the next poll.
    async fn give_back(&self, lease: &Lease) -> Result<(), EngineError> {
        let rest = self.inner.settings.poll_interval;
        self.release(lease, self.now().after(rest)).await
    }
}
