//! The places at which a process may die, and who dies there.
//!
//! A boundary is a call to a processor or a commit, before and after. What passes is counted and named by what is done,
//! so that a story can be played again with a crash exactly there.

use std::sync::Arc;

use parking_lot::Mutex;

/// Before or after what is done at a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// The boundaries of a story.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    passed: Mutex<Vec<String>>,
}

/// The boundaries that one node passes.
#[derive(Debug, Clone)]
pub(crate) struct Doorway {
    stage: Arc<Stage>,
}

impl Doorway {
    /// The doorway of a node.
    pub(crate) fn new(stage: &Arc<Stage>) -> Self {
        Self { stage: Arc::clone(stage) }
    }

    /// Passes a call to a processor.
    pub(crate) async fn call(&self, side: Side, verb: &'static str) {
        let side = if side == Side::Before { "before" } else { "after" };
        self.stage.passed.lock().push(format!("{side} the call {verb}"));
        std::future::ready(()).await;
    }
}
