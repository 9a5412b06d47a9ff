//! The store against its databases.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod configuration;
mod credentials;
mod customer_list;
mod feed;
mod golden;
mod intents;
mod payment_list;
#[path = "../../../db/tests/postgres_server/mod.rs"]
mod postgres_server;
mod samples;
mod server;
mod story;
