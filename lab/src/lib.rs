//! The whole service played in one process, on virtual time, against processors and clients that go wrong as a seed says.
//!
//! # How it works
//! A run is many small worlds, each with its own seed made from the run's. In a world several nodes share one database;
//! shoppers speak the public interface at any of them; processors lose, delay, repeat and garble. Then the shop closes,
//! hours pass, and the checker compares the answers that clients got, the payments, their events and the processors' books.
//!
//! # What is promised
//! The same seed plays the same story to the same step, on any number of threads: inside a world there is one thread, no
//! clock but the virtual one and no order that the seed does not decide.

mod bank;
mod chance;
mod checker;
mod counts;
mod cut;
mod digest;
mod house;
mod hunt;
mod news;
mod play;
mod quiet;
mod receiver;
mod report;
mod run;
mod scenario;
mod shelf;
pub mod shell;
mod shop;
mod stage;

/// Whether the planted bugs are built in.
pub const HAS_BUGS: bool = cfg!(feature = "planted");

pub use checker::Broken;
pub use hunt::{Hunted, hunt, table};
pub use report::{Failure, Report};
pub use run::{Crashes, Plan, Progress, run};

/// The simulation itself could not go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broke(pub String);
