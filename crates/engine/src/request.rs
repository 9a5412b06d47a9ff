//! A request as the operation sees it that carries it out.

use std::sync::Arc;

use domain::caller::Caller;
use store::once::Claim;

use crate::{Engine, deadline::Deadline, progress::Progress};

/// A request that is carried out.
pub(crate) struct Request {
    /// Who sent it.
    pub(crate) caller: Caller,
    /// The idempotency key that its first commit takes.
    pub(crate) claim: Option<Claim>,
    /// By when it must have its answer.
    pub(crate) deadline: Deadline,
    /// How far it has come.
    pub(crate) progress: Progress,
}

impl Engine {
    /// A request that begins now. Its task and those who wait for it share it.
    pub(crate) fn request(&self, caller: &Caller, claim: Option<Claim>) -> Arc<Request> {
        Arc::new(Request {
            caller: caller.clone(),
            claim,
            deadline: self.request_deadline(),
            progress: Progress::new(&self.inner.watching),
        })
    }
}
