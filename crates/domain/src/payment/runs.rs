//! The runs of flows on a payment: its own, and those that its outcomes have started.

use uuid::Uuid;

use super::{FlowRun, Kind, Payment, Status, Why};
use crate::Timestamp;

/// A payment's outcomes start at most so many flows, so that flows that start each other come to an end.
pub const MOST_TRIGGERED: usize = 20;

impl Payment {
    /// One run; `None` names the payment's own.
    pub fn run(&self, which: Option<Uuid>) -> Option<&FlowRun> {
        match which {
            None => self.flow.as_ref(),
            Some(instance) => self.triggered.iter().find(|run| run.instance == instance),
        }
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self, which: Option<Uuid>) -> Option<&mut FlowRun> {
        match which {
            None => self.flow.as_mut(),
            Some(instance) => self
                .triggered
                .iter_mut()
                .find(|run| run.instance == instance),
        }
    }

    /// Every run, the payment's own first, each with its name for [`Self::run`].
    pub fn runs(&self) -> impl Iterator<Item = (Option<Uuid>, &FlowRun)> {
        let own = self.flow.iter().map(|run| (None, run));
        own.chain(self.triggered.iter().map(|run| (Some(run.instance), run)))
    }

    /// The name of an instance for [`Self::run`].
    pub fn named(&self, instance: Uuid) -> Option<Uuid> {
        let is_own = self
            .flow
            .as_ref()
            .is_some_and(|run| run.instance == instance);
        (!is_own).then_some(instance)
    }

    /// The run started by an outcome that waits for operation `n`: what the operation changes is its doing.
    pub fn run_behind(&self, n: u32) -> Option<&FlowRun> {
        let captures = matches!(self.operation(n)?.kind, Kind::Capture);
        self.triggered.iter().find(|run| {
            let Some(pause) = run.pause.as_ref().filter(|pause| pause.why == Why::Outcome) else {
                return false;
            };
            pause.operation.map_or(captures, |awaited| awaited == n)
        })
    }

    /// Lets runs started by an outcome go on when what they wait for has ended.
    pub(super) fn wake_runs(&mut self, at: Timestamp) {
        let open: Vec<u32> = self
            .operations
            .iter()
            .filter(|operation| operation.state.is_open())
            .map(|operation| operation.n)
            .collect();
        let captured = self.status != Status::Authorised;
        for pause in self
            .triggered
            .iter_mut()
            .filter_map(|run| run.pause.as_mut())
        {
            // Without an operation it is a capture that is due, and tried until it succeeds.
            let over = pause
                .operation
                .map_or(captured, |awaited| !open.contains(&awaited));
            if pause.why == Why::Outcome && over {
                pause.why = Why::Step;
                pause.due = Some(at);
                pause.operation = None;
            }
        }
    }

    /// When a run started by an outcome goes on, and which.
    pub(super) fn triggered_due(&self) -> impl Iterator<Item = (Timestamp, Uuid)> + '_ {
        self.triggered
            .iter()
            .filter_map(|run| Some((run.pause.as_ref()?.due?, run.instance)))
    }
}
