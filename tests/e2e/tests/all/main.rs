//! Stories about the running service, played over HTTP: one test binary, one module for each area of behaviour.
//!
//! `cargo build -p server && cargo test -p e2e` runs them all; `POINTSMAN_KILL_ROUNDS` sets how often it is killed under load.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "these are tests from end to end, the functions that they share included"
)]

mod abandon;
mod adyen;
mod apm;
mod attachments;
mod audit;
mod bad_input;
mod card_ranges;
mod compatibility;
mod connections;
mod crashes;
mod credentials;
mod disputes;
mod events;
mod faults;
mod first_hour;
mod flow_waits;
mod flows;
mod headless;
mod hosted_fields;
mod idempotency;
mod intents;
mod leaks;
mod lists;
mod mistakes;
mod moving;
mod nodes;
mod notifications;
mod operations;
mod outages;
mod page_guard;
mod payments;
mod races;
mod routing;
mod running;
mod sandbox_pages;
mod sdk;
mod shared;
mod shopper_pages;
mod simulator;
mod stored_cards;
mod streams;
mod stripe;
mod three_d_secure;
mod transport;
mod unknown;
mod vault;
mod waits;
mod wallets;
