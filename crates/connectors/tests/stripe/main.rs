//! Stripe's connector against the simulator of its wire format, in one process and at a simulated time.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod busy;
mod doubts;
mod faults;
mod methods;
mod registration;
mod scenarios;
mod shop;
mod stored;
