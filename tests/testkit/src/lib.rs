//! The black-box test kit: starts the built binary, speaks to it over HTTP and tells stories about it.
//!
//! Nothing here links to the service. A [`Server`] is a process with a data directory of its own, a
//! [`Shop`] is a merchant with a credential, and its methods are the verbs of a story: `authorise`,
//! `capture`, `refund`, `wait_for_status`. At the end of a story
//! [`Shop::assert_books_equal_payments`] compares what the simulated processor says that it charged
//! with what the service says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::missing_panics_doc,
    clippy::needless_pass_by_value,
    reason = "a test kit fails by panicking, takes JSON where it is written, and lives outside the service's world of injected time"
)]

mod answer;
mod attachments;
mod binary;
mod books;
pub mod cards;
mod commands;
pub mod http;
mod intents;
mod leaks;
mod object_store;
mod order;
mod payment;
mod postgres;
mod processor;
mod receiver;
mod routes;
mod server;
mod setup;
mod shop;
mod shopper;
mod streams;
mod together;
mod vault_verbs;
mod wait;

pub use answer::Answer;
pub use attachments::Upload;
pub use binary::binary;
pub use books::{Books, Entry};
pub use commands::KeyKind;
pub use intents::INTENT_FIELDS;
pub use leaks::{Needle, find_leaks, needles_of_code, needles_of_number};
pub use object_store::ObjectStore;
pub use order::Order;
pub use payment::Payment;
pub use postgres::{Postgres, schema_of};
pub use processor::Processor;
pub use receiver::{Answers, Arrived, Receiver};
pub use server::Server;
pub use setup::{ACCESS_TOKEN, Backend, Setup};
pub use shop::{PAYMENT_FIELDS, Shop};
pub use shopper::{Detour, Onward, path_of};
pub use streams::{Streamed, Streaming};
pub use together::at_once;
pub use wait::{PATIENCE, until};
