//! Connections: a team's configured accounts at processors.
//!
//! Credentials are sealed in the vault first, as a record of their own; the store's commit then names the record. Nobody
//! ever sees them again. What they replace is erased after the commit.

mod delete;
mod disable;
mod link;
mod list;
mod save;

use domain::{id::ConnectionId, method::Method, payment::ImportMode};
use store::connection::Connection;

use crate::Engine;

pub use save::SaveConnection;

/// A connection, as it is shown. Its credentials are not.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectionView {
    /// Its id.
    pub id: ConnectionId,
    /// The processor's identifier.
    pub processor: String,
    /// What people call it.
    pub name: String,
    /// Whether new payments may be sent to it.
    pub is_enabled: bool,
    /// The payment methods that it takes; none when its processor is not built in.
    pub methods: Vec<Method>,
    /// Its settings.
    pub settings: serde_json::Value,
    /// Where its processor sends notifications; `None` where it sends none.
    pub notification_url: Option<String>,
    /// What becomes of payments that its processor reports and that were not made here.
    pub imports: ImportMode,
}

impl Engine {
    fn connection_view(&self, connection: Connection) -> ConnectionView {
        let connector = self.inner.connectors.get(connection.processor.as_str());
        ConnectionView {
            notification_url: self.notification_url(&connection),
            methods: connector
                .map(|connector| connector.descriptor().methods.to_vec())
                .unwrap_or_default(),
            id: connection.id,
            processor: connection.processor,
            name: connection.name,
            is_enabled: connection.enabled,
            settings: connection.settings,
            imports: connection.imports,
        }
    }
}
