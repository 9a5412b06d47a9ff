//! Starting, stopping, watching and commanding it.

mod commands;
mod logs;
mod settings;
mod starting;
mod stopping;
mod watching;
