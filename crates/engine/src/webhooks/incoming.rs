//! Webhooks that an endpoint's server sends here, signed: they need no key, and each has one effect.

use crate::boxed;
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use db::Statement;
use domain::{
    Code, Fault, Timestamp,
    id::{EndpointId, TeamId},
};
use store::{
    webhook_delivery::EndpointKey,
    webhook_endpoint::{self as table, Endpoint},
    webhook_received,
};
use uuid::Uuid;

use super::sign::Signed;
use crate::{
    Engine, Inbound,
    faults::{EngineError, only_fault},
};

/// How far the time of a message may be from ours. Source: Standard Webhooks, "Verifying webhook authenticity".
const TOLERANCE: Duration = Duration::from_mins(5);

/// The longest id of a message. Unit: bytes.
const ID_MAX: usize = 255;

/// The endpoint of an address for incoming webhooks.
pub struct IncomingAddress(Endpoint);

/// A message that an endpoint's server has signed: proven, and not read yet.
pub struct SignedWebhook {
    /// Whose endpoint's server sent it.
    pub team: TeamId,
    message: Message,
}

/// What the signature of a message proves.
enum Proof {
    Holds(SignedWebhook),
    /// Who sent it, but not when: it may be a copy.
    Untimely,
    None,
}

/// What tells a message from others.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    key: EndpointKey,
    id: String,
}

/// The address where an endpoint's server sends, without the name of the webhook.
fn token_of(key: EndpointKey) -> String {
    let mut bytes = key.team.uuid().as_bytes().to_vec();
    bytes.extend_from_slice(key.endpoint.uuid().as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read_token(text: &str) -> Option<EndpointKey> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (team, rest) = bytes.split_first_chunk::<16>()?;
    let endpoint: [u8; 16] = rest.try_into().ok()?;
    Some(EndpointKey {
        team: TeamId::new(Uuid::from_bytes(*team)),
        endpoint: EndpointId::new(Uuid::from_bytes(endpoint)),
    })
}

impl Message {
    /// Notes that it had its effect.
    pub(crate) fn note(&self, at: Timestamp) -> Statement {
        webhook_received::note(self.key, &self.id, at)
    }
}

impl SignedWebhook {
    pub(crate) fn message(&self) -> &Message {
        &self.message
    }
}

impl Engine {
    /// Where the server of an endpoint sends webhooks; their name follows.
    pub(super) fn incoming_url(&self, endpoint: &Endpoint) -> String {
        let key = EndpointKey {
            team: endpoint.team,
            endpoint: endpoint.id,
        };
        format!("{}/hooks/{}/", self.public_url(), token_of(key))
    }

    /// The endpoint of an address; `None`: none has it.
    ///
    /// # Errors
    /// `error.unavailable`, `error.unknown`.
    #[boxed]
    pub async fn incoming_address(&self, token: &str) -> Result<Option<IncomingAddress>, Fault> {
        let Some(key) = read_token(token) else {
            return Ok(None);
        };
        let found = table::find(&self.inner.store, key.team, key.endpoint).await;
        let found = found.map_err(|error| only_fault(error.into()))?;
        Ok(found.map(IncomingAddress))
    }

    /// Proves who sent a message, on its raw bytes and in constant time.
    ///
    /// # Errors
    /// `api.key.unauthorized` where nothing proves it, or its time is another; `error.unavailable` where it can't be checked now;
    /// `error.unknown`.
    #[boxed]
    pub async fn prove_webhook(
        &self,
        address: IncomingAddress,
        inbound: &Inbound,
    ) -> Result<SignedWebhook, Fault> {
        let (word, message) = match self.proven(address.0, inbound).await.map_err(only_fault)? {
            Proof::Holds(proven) => return Ok(proven),
            Proof::Untimely => (
                "untimely",
                "Its time is more than five minutes from ours: it has no effect. Is the clock right?",
            ),
            Proof::None => ("forged", "Nothing proves who sent this: it has no effect."),
        };
        count(word);
        Err(Fault::new(Code::Unauthorized, message))
    }

    async fn proven(&self, endpoint: Endpoint, inbound: &Inbound) -> Result<Proof, EngineError> {
        let Some(message) = read(inbound) else {
            return Ok(Proof::None);
        };
        let now = self.inner.world.now();
        let Some(secrets) = self.secrets_of(&endpoint).await? else {
            return Err(Fault::unavailable().into());
        };
        if !secrets.verify(&message, now) {
            return Ok(Proof::None);
        }
        let sent_at = Timestamp::from_micros(message.seconds.saturating_mul(1_000_000));
        if sent_at.since(now).max(now.since(sent_at)) > TOLERANCE {
            return Ok(Proof::Untimely);
        }
        let key = EndpointKey {
            team: endpoint.team,
            endpoint: endpoint.id,
        };
        Ok(Proof::Holds(SignedWebhook {
            team: endpoint.team,
            message: Message {
                key,
                id: message.id.to_owned(),
            },
        }))
    }

    /// Whether a message had its effect before.
    pub(crate) async fn had_effect(&self, message: Option<&Message>) -> Result<bool, EngineError> {
        match message {
            Some(Message { key, id }) => {
                Ok(webhook_received::is_known(&self.inner.store, *key, id).await?)
            }
            None => Ok(false),
        }
    }
}

/// The signed parts of a message. `None` where one is missing, or comes twice: nobody may choose which one counts.
fn read(inbound: &Inbound) -> Option<Signed<'_>> {
    let header = |wanted: &str| {
        let mut found = inbound.headers.iter().filter(|(name, _)| name == wanted);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value.as_str()),
            _ => None,
        }
    };
    let id = header("webhook-id")?;
    let is_id = (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    Some(Signed {
        id: is_id.then_some(id)?,
        seconds: header("webhook-timestamp")?.parse().ok()?,
        signatures: header("webhook-signature")?,
        body: &inbound.body,
    })
}

/// Counts what became of a signed webhook.
pub(crate) fn count(outcome: &'static str) {
    metrics::counter!("pointsman_webhooks_received_total", "outcome" => outcome).increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_endpoint() {
        let key = EndpointKey {
            team: TeamId::new(Uuid::from_u128(1)),
            endpoint: EndpointId::new(Uuid::from_u128(2)),
        };
        let token = token_of(key);
        assert_eq!(read_token(&token), Some(key));
        for wrong in ["", "x", &token[1..], &format!("{token}AA")] {
            assert_eq!(read_token(wrong), None, "{wrong}");
        }
    }
}
