//! The record that a sealed number or secret belongs to.

use domain::id::{ConnectionId, EndpointId, MethodId, VaultToken};

/// The record that a sealed number or secret belongs to. It is bound to what is sealed as authenticated data, so that a
/// record that was made to name another one's number does not open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder(String);

impl Holder {
    /// A token's record.
    pub fn token(record: MethodId, token: &VaultToken) -> Self {
        Self(format!("token/{record}/{token}"))
    }

    /// The hidden record of a raw card.
    pub fn hidden(record: MethodId) -> Self {
        Self(format!("hidden/{record}"))
    }

    /// A connection with its credentials.
    pub fn connection(id: &ConnectionId) -> Self {
        Self(format!("connection/{id}"))
    }

    /// A wallet with its keys.
    pub fn wallet(name: &str) -> Self {
        Self(format!("wallet/{name}"))
    }

    /// A webhook endpoint with its signing secrets.
    pub fn endpoint(id: EndpointId) -> Self {
        Self(format!("webhook/{id}"))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
