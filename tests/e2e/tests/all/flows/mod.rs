//! Flows: how a team manages them, over the API and by commands.

mod commands;
mod connections;
mod credentials;
mod manage;
mod returned;
mod sandbox;
