//! What can be connected.

use connector::CredentialField;
use domain::method::Method;

use crate::Engine;

/// A processor that connections can be made to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessorView {
    /// Its identifier in connections.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The payment methods that it takes.
    pub methods: &'static [Method],
    /// The fields of its credentials.
    pub credentials: &'static [CredentialField],
    /// Whether it can be asked about an account without an effect.
    pub is_testable: bool,
    /// Whether its API registers an address for notifications.
    pub registers: bool,
    /// What is done with the address of a connection at the processor; `None` where it sends no notifications.
    pub notification_set_up: Option<&'static str>,
}

impl Engine {
    /// What can be connected here, in order of the identifiers.
    pub fn processors(&self) -> Vec<ProcessorView> {
        let connectors = self.inner.connectors.values();
        connectors
            .map(|connector| {
                let facts = connector.descriptor();
                ProcessorView {
                    id: facts.processor,
                    name: facts.name,
                    methods: facts.methods,
                    credentials: facts.credentials,
                    is_testable: connector.probe().is_some(),
                    registers: connector.registers().is_some(),
                    notification_set_up: connector.notices().map(connector::Notices::set_up),
                }
            })
            .collect()
    }
}
