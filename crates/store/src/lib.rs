//! Everything at rest but card data: one file per aggregate, the SQL text in the function that uses it.
//!
//! Functions that write return a [`db::Statement`], to be put into a [`db::Change`]; functions that read take the
//! database and name the team in their parameters. Every statement on a team's table names `team_id`; the few that
//! can't (a credential's hash leads to its team; jobs serve every team) say so where they stand.

pub mod audit;
pub mod audit_chain;
pub mod browser_made;
#[cfg(feature = "planted")]
mod bugs;
pub mod connection;
pub mod credential;
pub mod customer;
pub mod customer_list;
pub mod erasure;
pub mod event;
pub mod feed;
pub mod flow;
pub mod flow_instance;
pub mod flow_version;
pub mod flow_wait;
pub mod hidden_card;
pub mod installation;
pub mod intent;
pub mod intent_list;
pub mod job_place;
pub mod method;
pub mod number_quota;
pub mod once;
pub mod overdue;
mod part;
pub mod payment;
pub mod payment_list;
pub mod processor_token;
mod query;
pub mod team;
pub mod team_setting;
pub mod token_request;
pub mod wallet_merchant;
pub mod wallet_setting;
pub mod wallet_token;
pub mod watch;

use db::{DbError, Migration};

pub use part::{Listed, Part};

/// The tables of the store. A released migration is never edited.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        number: 1,
        name: "start",
        sql: include_str!("../migrations/0001_start.sql"),
    },
    Migration {
        number: 2,
        name: "flow versions",
        sql: include_str!("../migrations/0002_flow_versions.sql"),
    },
    Migration {
        number: 3,
        name: "intents",
        sql: include_str!("../migrations/0003_intents.sql"),
    },
    Migration {
        number: 4,
        name: "wallets",
        sql: include_str!("../migrations/0004_wallets.sql"),
    },
    Migration {
        number: 5,
        name: "processor tokens",
        sql: include_str!("../migrations/0005_processor_tokens.sql"),
    },
    Migration {
        number: 6,
        name: "flow waits",
        sql: include_str!("../migrations/0006_flow_waits.sql"),
    },
    Migration {
        number: 7,
        name: "installation",
        sql: include_str!("../migrations/0007_installation.sql"),
    },
    Migration {
        number: 8,
        name: "payment scan",
        sql: include_str!("../migrations/0008_payment_scan.sql"),
    },
    Migration {
        number: 14,
        name: "number quotas",
        sql: include_str!("../migrations/0014_number_quotas.sql"),
    },
    Migration {
        number: 17,
        name: "browser made",
        sql: include_str!("../migrations/0017_browser_made.sql"),
    },
    Migration {
        number: 18,
        name: "team setting",
        sql: include_str!("../migrations/0018_team_setting.sql"),
    },
    Migration {
        number: 19,
        name: "connections of payments, deleted flows",
        sql: include_str!("../migrations/0019_connections.sql"),
    },
    Migration {
        number: 20,
        name: "job place",
        sql: include_str!("../migrations/0020_job_place.sql"),
    },
    Migration {
        number: 21,
        name: "flow instance intent",
        sql: include_str!("../migrations/0021_flow_instance_intent.sql"),
    },
    Migration {
        number: 22,
        name: "client tokens of a team",
        sql: include_str!("../migrations/0022_credential_client.sql"),
    },
    Migration {
        number: 23,
        name: "who took a key",
        sql: include_str!("../migrations/0023_once_taken_by.sql"),
    },
    Migration {
        number: 24,
        name: "life of keys and teams",
        sql: include_str!("../migrations/0024_key_life.sql"),
    },
    Migration {
        number: 25,
        name: "scopes of keys",
        sql: include_str!("../migrations/0025_key_scopes.sql"),
    },
    Migration {
        number: 26,
        name: "when keys were made to end",
        sql: include_str!("../migrations/0026_key_made_to_end.sql"),
    },
    Migration {
        number: 27,
        name: "stamps of events",
        sql: include_str!("../migrations/0027_event_stamp.sql"),
    },
    Migration {
        number: 28,
        name: "feed of events",
        sql: include_str!("../migrations/0028_event_feed.sql"),
    },
    Migration {
        number: 30,
        name: "audit trail",
        sql: include_str!("../migrations/0030_audit.sql"),
    },
];

/// The size of most documents. Unit: bytes.
const USUAL: usize = 2048;

/// Reads a stored document.
fn document<T: serde::de::DeserializeOwned>(
    text: &str,
    what: &str,
    key: &str,
) -> Result<T, DbError> {
    serde_json::from_str(text).map_err(|error| DbError::Corrupt(format!("{what} {key}: {error}")))
}

/// Writes a document to be stored.
fn text<T: serde::Serialize>(document: &T) -> String {
    // Room for most, so that it need not grow step by step.
    let mut text = Vec::with_capacity(USUAL);
    // Our documents have text keys and no floats that could fail to be written.
    if serde_json::to_writer(&mut text, document).is_err() {
        return String::new();
    }
    String::from_utf8(text).unwrap_or_default()
}
