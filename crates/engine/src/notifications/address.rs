//! The address to which a connection's processor sends notifications.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::id::TeamId;
use sha2::{Digest, Sha256};
use store::connection::Connection;
use uuid::Uuid;
use world::World;

use crate::Engine;

/// Length of the secret part of an address. Unit: bytes.
const SECRET: usize = 16;

/// Length of the mark of a connection. Unit: bytes.
const MARK: usize = 8;

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

/// The mark of a connection ([`connector::Link::mark`]). It is made of the token, which is drawn once for a connection and kept, and does
/// not lead back to it.
pub(crate) fn mark_of(connection: &Connection) -> Option<String> {
    let token = connection.inbound_token.as_deref()?;
    let mut hash = Sha256::new_with_prefix(b"mark of a connection\0");
    hash.update(token.as_bytes());
    let short = hash.finalize();
    Some(super::hex(short.get(..MARK)?))
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
