//! Stripe's connector against the simulator of its wire format, in one process and at a simulated time.

mod faults;
mod scenarios;
mod shop;
