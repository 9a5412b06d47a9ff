//! What can be asked for about connections.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that nothing prints: it crosses the socket, and stands in no debug output.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretText(pub String);

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// What is to be done with a team's connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionWanted {
    /// The team's id or name; the first team when absent.
    pub team: Option<String>,
    /// What.
    pub act: ConnectionAct,
}

/// What is done with connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionAct {
    /// Lists what can be connected.
    Processors,
    /// Writes the fields of credentials, as JSON.
    Fields(FieldsOf),
    /// Makes one.
    Add(ConnectionAdd),
    /// Lists them.
    List,
    /// Asks the processor of one about its account.
    Test {
        /// The connection's id.
        id: String,
    },
    /// Gives fields of the credentials of one new values.
    Rotate(ConnectionRotate),
    /// Has the processor of one send its notifications here.
    Register {
        /// The connection's id.
        id: String,
    },
    /// Lets new payments be sent to one again.
    Enable {
        /// The connection's id.
        id: String,
    },
    /// Lets no new payment be sent to one.
    Disable {
        /// The connection's id.
        id: String,
    },
    /// Removes one.
    Delete {
        /// The connection's id.
        id: String,
    },
}

/// Whose fields of credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldsOf {
    /// Those of a processor, by its identifier.
    Processor(String),
    /// Those of the processor of a connection, by the connection's id.
    Connection(String),
}

/// A connection to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionAdd {
    /// Its id; one is made up when absent.
    pub id: Option<String>,
    /// The processor's identifier.
    pub processor: String,
    /// What people call it; the processor's name when absent.
    pub name: Option<String>,
    /// Its settings, a JSON object.
    pub settings: String,
    /// Its credentials, a JSON object.
    pub credentials: Option<SecretText>,
    /// What becomes of payments that were made elsewhere.
    pub imports: Option<ImportWord>,
    /// Whether the processor is not asked about the account.
    pub skip_probe: bool,
}

/// A connection whose credentials are rotated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionRotate {
    /// The connection's id.
    pub id: String,
    /// The fields that get new values, a JSON object.
    pub credentials: SecretText,
    /// Whether no earlier secret of notifications counts any more.
    pub end_previous: bool,
    /// Whether the processor is not asked about the account.
    pub skip_probe: bool,
}

/// What becomes of payments that a processor reports and that were not made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ImportWord {
    /// Nothing: the notification is kept.
    Off,
    /// They are kept, without events.
    Quiet,
    /// They are kept, with events and flows.
    Announced,
}
