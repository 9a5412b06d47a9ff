//! Flows: the document that says how a team's payments go, its checks, and its evaluation.
//!
//! # How it works
//! A [`Document`] is what a person writes, in JSON or YAML. [`Program::compile`] judges it as a whole and makes a flat
//! list of instructions with jumps; conditions become small trees over typed facts. [`Program::run`] follows them until
//! something must be done in the world, says what, and is run again from the position that it gave.
//!
//! # What is promised
//! - A run is a pure function of position, facts and draws: no clock, no chance of its own, no I/O.
//! - A run ends. Every jump goes forward, and a condition's cost is bounded by its length and the length of the facts.
//! - Every step is in the trace of the run that came by it, taken or left, with the reason.
//! - What is in a document is within its bounds, no matter who wrote it.

mod advice;
mod condition;
mod document;
mod evaluate;
mod facts;
mod named;
mod paths;
mod problem;
mod program;
mod read;
mod run;
mod span;
mod tree;
mod wish;
mod write;
mod yaml;

pub use document::{
    Action, Authorise, CaptureWhen, Destination, DisputeMoment, Document, Fallback, FallbackTo,
    Outcome, RefundAmount, Share, Step, Trigger,
};
pub use facts::{
    AttemptFacts, CardFacts, CustomerFacts, DisputeFacts, Facts, Int, IntentFacts, PaymentFacts,
    Text, WebhookFacts, facts,
};
pub use problem::Problem;
pub use program::Program;
pub use run::{Authorisation, Candidate, Effect, Planned, Position, Run, Trace};

/// The JSON Schema (draft 2020-12) of a flow's document.
pub const JSON_SCHEMA: &str = include_str!("../flow.schema.json");
