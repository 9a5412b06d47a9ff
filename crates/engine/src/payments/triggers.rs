//! Flows that a payment's outcomes start.
//!
//! They begin in the commit that brings the outcome, so that none is lost and none begins twice. What a run has brought
//! about itself does not start its own flow again, and the number of runs of one payment is bounded.

use domain::{
    id::FlowId,
    payment::{Occurrence, Payment, StartedFlow, Status},
};
use flow::{Outcome, Position, Trigger};

use crate::{Engine, faults::EngineError};

/// What a payment was before a change.
pub(crate) struct Before {
    status: Status,
    is_paid: bool,
    refunded: i64,
}

impl Before {
    /// Of a payment that was not there.
    pub(crate) fn nothing() -> Self {
        Self {
            status: Status::Active,
            is_paid: false,
            refunded: 0,
        }
    }

    /// What it is now.
    pub(crate) fn of(payment: &Payment) -> Self {
        Self {
            status: payment.status(),
            is_paid: is_paid(payment),
            refunded: payment.refunded(),
        }
    }

    /// What it has come to since.
    fn outcomes(&self, payment: &Payment) -> Vec<Outcome> {
        let entered = |status| payment.status() == status && self.status != status;
        let all = [
            (Outcome::Authorised, entered(Status::Authorised)),
            (Outcome::Succeeded, !self.is_paid && is_paid(payment)),
            (Outcome::Declined, entered(Status::Declined)),
            (Outcome::Failed, entered(Status::Failed)),
            (Outcome::Cancelled, entered(Status::Cancelled)),
            (Outcome::Refunded, payment.refunded() > self.refunded),
            (Outcome::Disputed, entered(Status::Disputed)),
        ];
        all.into_iter()
            .filter(|(_, happened)| *happened)
            .map(|(outcome, _)| outcome)
            .collect()
    }
}

/// Whether money was captured, and nothing more can be.
fn is_paid(payment: &Payment) -> bool {
    payment.captured() > 0 && payment.status() != Status::Authorised
}

impl Engine {
    /// Adds a run of each published flow that waits for what the payment has come to; it begins after the commit. `cause`
    /// is the flow whose doing it was.
    pub(crate) async fn trigger(
        &self,
        payment: &mut Payment,
        before: &Before,
        cause: Option<&FlowId>,
        lines: &mut Vec<Occurrence>,
    ) -> Result<(), EngineError> {
        let outcomes = before.outcomes(payment);
        if outcomes.is_empty() {
            return Ok(());
        }
        for flow in self.automations(payment.team()).await? {
            let Trigger::Outcome(wanted) = flow.program.trigger() else {
                continue;
            };
            if cause == Some(&flow.id) {
                continue;
            }
            let Some(outcome) = outcomes.iter().find(|outcome| wanted.contains(outcome)) else {
                continue;
            };
            let at = self.inner.world.now();
            let is_full = payment.has_started_most();
            let started = StartedFlow {
                id: flow.id,
                name: flow.name,
                version: flow.version,
                instance: self.inner.world.uuid_v7(),
                first: Position::START.number(),
                dispute: None,
            };
            let reason = format!("the payment is {}", outcome.word());
            lines.push(payment.start_flow(started, &reason, at));
            if is_full {
                return Ok(());
            }
        }
        Ok(())
    }
}
