//! The service around the engine: configuration, HTTP, log, metrics, the data directory and the command line.

pub mod admin;
pub mod app;
mod card_ranges;
pub mod cli;
pub mod config;
pub mod data_dir;
pub mod demo;
mod geo;
mod hardening;
pub mod http;
pub mod log;
mod open_files;
mod pages;
pub mod sandbox;
pub mod telemetry;
