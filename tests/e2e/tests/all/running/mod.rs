//! Starting, stopping, watching and commanding it.

mod commands;
mod settings;
mod starting;
mod stopping;
mod watching;
