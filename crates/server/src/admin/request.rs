//! What can be asked for.

use serde::{Deserialize, Serialize};

/// A command that needs the databases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Request {
    /// Makes a team.
    TeamCreate {
        /// What people call it.
        name: String,
    },
    /// Makes an API key and prints it.
    KeyCreate {
        /// The team's id; the first team when absent.
        team: Option<String>,
        /// What it may do.
        kind: KeyKind,
        /// What people call it.
        name: String,
    },
    /// Lists API keys, without the keys themselves.
    KeyList {
        /// The team's id; every team when absent.
        team: Option<String>,
    },
    /// Ends an API key.
    KeyRevoke {
        /// The key's id.
        id: String,
    },
    /// Saves a flow's document as its next version.
    FlowImport {
        /// The team's id; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The document, in JSON or YAML.
        document: String,
        /// Whether it is published too.
        publish: bool,
    },
    /// Prints a flow's document.
    FlowExport {
        /// The team's id; the first team when absent.
        team: Option<String>,
        /// The flow's id.
        id: String,
        /// The version; the last one when absent.
        version: Option<u32>,
        /// How it is written.
        format: FlowText,
    },
    /// Lists flows.
    FlowList {
        /// The team's id; the first team when absent.
        team: Option<String>,
    },
    /// Seals every record of the vault under a new key.
    VaultRotate,
    /// Checks the databases.
    Check,
}

/// What an API key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// For a merchant's server: everything.
    Secret,
    /// For browsers.
    Public,
}

/// How a flow is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum FlowText {
    /// For people.
    Yaml,
    /// For programs.
    Json,
}

/// A line of the answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    /// To be printed.
    Say(String),
    /// The end: `None` when all went well.
    End(Option<String>),
}
