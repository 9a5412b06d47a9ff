//! Faults on real processes: nodes that are killed and stopped, commits whose answers are lost, and a database that fails
//! over, under load; and the checker that says whether any of it has cost money.
//!
//! `cargo run --release -p faults -- --help` has the long form; `tests/bounded.rs` runs a short one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::missing_panics_doc,
    reason = "a test tool fails by panicking, and lives outside the service's world of injected time"
)]

mod chance;
mod check;
mod cluster;
mod fleet;
mod keyless;
mod listener;
mod proxy;
mod reader;
mod restore;
mod run;
mod shopper;
mod streamer;

pub use chance::Chance;
pub use check::Verdict;
pub use cluster::{Cluster, Member};
pub use fleet::Fleet;
pub use proxy::{Cut, Proxy};
pub use restore::{Restored, restore};
pub use run::{Fault, Plan, Summary, run};
