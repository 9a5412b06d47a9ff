//! Everything at rest but card data: one file per aggregate, the SQL text in the function that uses it.
//!
//! Functions that write return a [`db::Statement`], to be put into a [`db::Change`]; functions that read take the
//! database and name the team in their parameters. Every statement on a team's table names `team_id`; the few that
//! can't (a credential's hash leads to its team; jobs serve every team) say so where they stand.

pub mod attachment;
pub mod audit;
pub mod audit_chain;
pub mod browser_made;
#[cfg(feature = "planted")]
mod bugs;
pub mod connection;
pub mod credential;
pub mod customer;
pub mod customer_list;
mod dated_list;
pub mod dispute;
pub mod dispute_evidence;
pub mod dispute_list;
pub mod erasure;
pub mod event;
pub mod feed;
pub mod flow;
pub mod flow_instance;
pub mod flow_version;
pub mod flow_wait;
pub mod guarded_page;
pub mod hidden_card;
pub mod imported_payment;
pub mod installation;
pub mod intent;
pub mod intent_list;
pub mod job_place;
pub mod method;
pub mod notification;
pub mod number_quota;
pub mod once;
pub mod overdue;
pub mod page_violation;
mod part;
pub mod payment;
pub mod payment_link;
pub mod payment_list;
pub mod processor_token;
mod query;
pub mod room;
pub mod team;
pub mod team_setting;
pub mod token_request;
pub mod wallet_merchant;
pub mod wallet_setting;
pub mod wallet_token;
pub mod watch;
pub mod webhook_delivery;
pub mod webhook_endpoint;
pub mod webhook_received;

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
        name: "flows",
        sql: include_str!("../migrations/0002_flows.sql"),
    },
    Migration {
        number: 3,
        name: "customers and methods",
        sql: include_str!("../migrations/0003_customers_and_methods.sql"),
    },
    Migration {
        number: 4,
        name: "payments",
        sql: include_str!("../migrations/0004_payments.sql"),
    },
    Migration {
        number: 5,
        name: "intents",
        sql: include_str!("../migrations/0005_intents.sql"),
    },
    Migration {
        number: 6,
        name: "audit trail",
        sql: include_str!("../migrations/0006_audit.sql"),
    },
    Migration {
        number: 7,
        name: "feed of events",
        sql: include_str!("../migrations/0007_event_feed.sql"),
    },
    Migration {
        number: 10,
        name: "webhooks",
        sql: include_str!("../migrations/0010_webhooks.sql"),
    },
    Migration {
        number: 14,
        name: "disputes",
        sql: include_str!("../migrations/0014_disputes.sql"),
    },
    Migration {
        number: 15,
        name: "notifications",
        sql: include_str!("../migrations/0015_notifications.sql"),
    },
    Migration {
        number: 18,
        name: "attachments",
        sql: include_str!("../migrations/0018_attachments.sql"),
    },
    Migration {
        number: 22,
        name: "evidence of disputes",
        sql: include_str!("../migrations/0022_dispute_evidence.sql"),
    },
    Migration {
        number: 25,
        name: "imports",
        sql: include_str!("../migrations/0025_imports.sql"),
    },
    Migration {
        number: 26,
        name: "incoming webhooks",
        sql: include_str!("../migrations/0026_incoming_webhooks.sql"),
    },
    Migration {
        number: 33,
        name: "room of teams",
        sql: include_str!("../migrations/0033_team_room.sql"),
    },
    Migration {
        number: 34,
        name: "deleted attachments",
        sql: include_str!("../migrations/0034_deleted_attachments.sql"),
    },
    Migration {
        number: 37,
        name: "payment links",
        sql: include_str!("../migrations/0037_payment_links.sql"),
    },
    Migration {
        number: 40,
        name: "guarded pages",
        sql: include_str!("../migrations/0040_guarded_pages.sql"),
    },
    Migration {
        number: 43,
        name: "payments of links",
        sql: include_str!("../migrations/0043_payments_of_links.sql"),
    },
    Migration {
        number: 47,
        name: "earlier credentials",
        sql: include_str!("../migrations/0047_earlier_credentials.sql"),
    },
    Migration {
        number: 51,
        name: "stored credentials",
        sql: include_str!("../migrations/0051_stored_credentials.sql"),
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
