//! The service around the engine: configuration, HTTP, telemetry, the data directory and the command line.

pub mod config;
pub mod http;
