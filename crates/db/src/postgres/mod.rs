//! PostgreSQL 15 and later: writer connections that commit in groups, and connections that read.
//!
//! **How it works.** A change goes to a writer by the hash of its aggregate, so that changes of one aggregate keep their
//! order. A writer takes what waits, sorts it by aggregate (batches of several writers or nodes then meet in one order,
//! which keeps them from deadlocking), sends BEGIN and all statements at once, awaits the counts, and only then sends
//! COMMIT: a count that is not met is no error to the database, so a COMMIT sent along would go through. Whatever fails
//! is rolled back and done again without the offender, which is then judged alone. Statements that are alike are sent as one
//! (`bundle`), and so are reads that wait for the same connection (`gather`).
//!
//! **What is not known.** A COMMIT without an answer is [`crate::Committed::Unknown`]. A connection lost before COMMIT was
//! sent has written nothing, and its changes go to the next one.

mod address;
mod batch;
mod bundle;
mod claim;
mod engine;
mod failure;
mod gather;
mod link;
mod migrate;
mod options;
mod play;
mod pool;
mod prepared;
mod tls;
mod wire;
mod writer;

pub(crate) use engine::{OnServer, Server};
pub use failure::Failure;
pub use link::{Role, Sealed};
pub use options::{Lanes, PostgresOptions};
pub use wire::{Begin, Endpoint, Ready, Wire};
