//! Connections: a team's configured accounts at processors.
//!
//! Credentials are sealed in the vault first, as a record of their own; the store's commit then names the record. Nobody
//! ever sees them again. What they replace is erased after the commit.

mod delete;
mod disable;
mod link;
mod list;
mod probe;
mod processors;
mod public;
mod register;
mod rotate;
mod save;
mod test;

use domain::{Timestamp, id::ConnectionId, method::Method, payment::ImportMode};
use store::connection::Connection;

use crate::Engine;

pub(crate) use link::OpenConnection;
pub use probe::{ConnectionTest, TestOutcome};
pub use processors::ProcessorView;
pub use rotate::RotateConnection;
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
    /// What is done with that address at the processor; `None` where it sends no notifications.
    pub notification_set_up: Option<&'static str>,
    /// Until when the secret before the last rotation proves notifications; `None` when none does.
    pub earlier_secret_until: Option<Timestamp>,
    /// What becomes of payments that its processor reports and that were not made here.
    pub imports: ImportMode,
    /// What its processor said of the account, where it was asked just now.
    pub test: Option<ConnectionTest>,
}

impl ConnectionView {
    /// What the merchant should do about it: whole sentences. None where the processor was not asked.
    pub fn warnings(&self) -> &[String] {
        self.test.as_ref().map_or(&[], |test| &test.warnings)
    }
}

impl Engine {
    fn connection_view(&self, connection: Connection) -> ConnectionView {
        let connector = self.inner.connectors.get(connection.processor.as_str());
        let now = self.inner.world.now();
        let earlier = connection.earlier.map(|earlier| earlier.until);
        let facet = connector.and_then(|connector| connector.notices());
        ConnectionView {
            notification_url: self.notification_url(&connection),
            notification_set_up: facet.map(connector::Notices::set_up),
            earlier_secret_until: earlier.filter(|until| *until > now),
            test: None,
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
