//! The payment's state machine: every status against every action and every piece of news as tables, its life, what
//! happens in an unusual order, and what holds whatever happens.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod bench;
mod captures;
mod differs;
mod disputed;
mod divided;
mod events;
mod explain;
mod import;
mod life;
mod properties;
mod recurring;
mod runs;
mod standing;
mod tables;
mod undone;
mod unusual;
