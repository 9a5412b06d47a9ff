//! Pure values and rules of Pointsman: no I/O, clock, randomness, SQL or GraphQL.

pub mod caller;
pub mod fault;
pub mod id;
pub mod time;

pub use fault::{Code, Fault};
pub use time::Timestamp;
