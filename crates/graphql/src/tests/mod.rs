//! Tests over all areas.

mod executor;
mod samples;
mod views;
