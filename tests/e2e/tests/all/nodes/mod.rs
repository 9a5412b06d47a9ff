//! Several nodes on one PostgreSQL database, whatever the suite runs on.

mod alike;
mod away;
mod copied;
mod delivering;
mod failing;
mod roles;
mod rolling;
mod snapshots;
mod starting;
mod sweeping;
mod upgrading;

use std::time::Duration;

use testkit::{Backend, Server, Setup};

/// What one node changes, the others see within a second; a busy machine gets more, so that this finds what comes far too
/// late or never.
const WITHIN: Duration = Duration::from_secs(15);

/// Two nodes of one installation. The first one has the key file.
fn two() -> (Server, Server) {
    let one = Setup::new().on(Backend::Postgres).start();
    let two = one.join();
    (one, two)
}
