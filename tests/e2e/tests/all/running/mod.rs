//! Starting, stopping, watching and commanding it.

mod backups;
mod checking;
mod commands;
mod demo_shop;
mod logs;
mod metrics;
mod restoring;
mod settings;
mod starting;
mod stopping;
mod tls;
mod watching;
