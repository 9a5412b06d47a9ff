//! Giving a payment up while it waits.

mod races;
mod states;
