//! Commands that change things: performed by the running server, over a socket in its data directory, or by the command's
//! own process when no server runs.
//!
//! The wire is one JSON line with the request, then lines of `{"say": …}`, then one `{"end": …}`. The socket is for the
//! owner of the data directory alone, who could do all of it anyway.

mod client;
mod connections;
mod listener;
mod request;

use futures_util::future::BoxFuture;

pub use client::{AskError, ask};
pub use connections::{
    ConnectionAct, ConnectionAdd, ConnectionRotate, ConnectionWanted, FieldsOf, ImportWord,
    SecretText,
};
pub use listener::AdminSocket;
pub use request::{
    AuditWanted, FlowText, KeyKind, KeyWanted, LinkAct, LinkSave, LinkWanted, PageAct, PageCheck,
    PageScriptWanted, PageWanted, Request, ResumeWord, TeamChanges, WebhookAct, WebhookSave,
    WebhookWanted,
};

/// Takes the lines that an operation prints.
pub type Say<'a> = &'a (dyn Fn(String) + Send + Sync);

/// What performs requests.
pub trait Operator: Send + Sync + 'static {
    /// Performs a request and prints what it has to say. The error is for the person at the terminal.
    fn perform<'a>(&'a self, request: Request, say: Say<'a>) -> BoxFuture<'a, Result<(), String>>;
}

#[cfg(test)]
mod tests;
