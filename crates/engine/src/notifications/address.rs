//! The address to which a connection's processor sends notifications.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::id::TeamId;
use store::connection::Connection;
use uuid::Uuid;
use world::World;

use crate::Engine;

/// Length of the secret part of an address. Unit: bytes.
const SECRET: usize = 16;

/// What stands in an address: the team, so that nobody else's rows are looked at, and random bits.
pub(crate) struct InboundToken;

impl InboundToken {
    /// A new token for a connection of the team.
    pub(crate) fn draw(world: &World, team: TeamId) -> String {
        let mut secret = [0; SECRET];
        world.fill(&mut secret);
        let mut bytes = team.uuid().as_bytes().to_vec();
        bytes.extend_from_slice(&secret);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The team of a token; nothing says yet that the token was given out.
    pub(crate) fn team(text: &str) -> Option<TeamId> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (team, rest) = bytes.split_first_chunk::<16>()?;
        (rest.len() == SECRET).then(|| TeamId::new(Uuid::from_bytes(*team)))
    }
}

impl Engine {
    /// The address to which the processor of a connection sends notifications; `None` where the processor sends none.
    pub(crate) fn notification_url(&self, connection: &Connection) -> Option<String> {
        let connector = self.inner.connectors.get(connection.processor.as_str())?;
        connector.notices()?;
        let token = connection.inbound_token.as_deref()?;
        Some(format!("{}/notifications/{token}", self.public_url()))
    }
}
