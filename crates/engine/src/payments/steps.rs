//! Going on with a run of a flow on a payment, from where it rested.

use domain::{
    Code, Timestamp,
    decline::{Decline, DeclineCode},
    payment::{FlowRun, Occurrence, Pause, PauseReason, Payment},
};
use flow::Position;
use uuid::Uuid;

use super::{
    automation::{FlowRequest, Followed},
    effects::{Effects, key_of},
};
use crate::{
    Engine, change::Decision, deadline::Deadline, faults::EngineError, idempotency::Responses,
};

/// A run of a flow that goes on.
struct Step<'a> {
    /// One that an outcome started, else the payment's own.
    which: Option<Uuid>,
    /// Where it rested when it was taken up.
    from: Option<&'a Pause>,
    /// What the webhook that it has called brought.
    called: &'a [Occurrence],
    /// No request waits; a time of its own keeps an attempt and what follows it together.
    deadline: Deadline,
}

impl Engine {
    /// Goes on with a run, which is due: one that an outcome started, else the payment's own.
    pub(crate) async fn flow_step(
        &self,
        payment: &Payment,
        which: Option<Uuid>,
    ) -> Result<Payment, EngineError> {
        let from = paused(payment, which);
        let deadline = self.deadline();
        let Some(called) = self.call_for(payment, which).await else {
            if !self.is_calling(payment, which) {
                self.hand_over(payment).await?;
            }
            return Ok(payment.clone());
        };
        let step = &Step {
            which,
            from: from.as_ref(),
            called: &called,
            deadline,
        };
        let step = |payment| self.stepped(payment, step);
        match self.change(key_of(payment), step).await? {
            (payment, Some(n)) => self.carry_out(payment, n, Some(deadline)).await,
            (payment, None) => Ok(payment),
        }
    }

    /// The payment with the run's next step, and the operation that the step begins.
    async fn stepped(
        &self,
        mut payment: Payment,
        step: &Step<'_>,
    ) -> Result<Decision<Payment, Option<u32>>, EngineError> {
        let (which, now) = (step.which, self.inner.world.now());
        let due = |pause: &Pause| pause.due.is_some_and(|due| due <= now);
        let Some(pause) = paused(&payment, which).filter(due) else {
            return Ok(Decision::Leave(payment, None));
        };
        if step.from != Some(&pause) {
            // Somebody else has gone on with it meanwhile.
            return Ok(Decision::Leave(payment, None));
        }
        let done = match pause.why {
            // The checkout was paid or closed while the flow waited, or the stored method was deleted.
            PauseReason::Step | PauseReason::Calling { .. } | PauseReason::Outcome
                if which.is_none()
                    && payment.attempt().is_none()
                    && self.is_gone(&payment).await? =>
            {
                let decline = Decline::of(DeclineCode::PaymentCancelled);
                Followed {
                    lines: vec![payment.decline_by_rule(decline, now)],
                    began: None,
                }
            }
            PauseReason::Step | PauseReason::Calling { .. } | PauseReason::Outcome => {
                self.run_flow_on(&mut payment, pause.next, step).await?
            }
            PauseReason::Approval { .. } => {
                not_given(&mut payment, which, "Nobody approved it in time", now)
            }
            PauseReason::Webhook { .. } => {
                not_given(&mut payment, which, "The webhook did not come in time", now)
            }
        };
        let entries = step.called.iter().cloned().chain(done.lines);
        let mut effects = Effects::of(entries.collect());
        effects.parts.statements.extend(approvals(&payment));
        if done.began.is_none() {
            effects.responses = Responses::Waiting;
        }
        Ok(Decision::Write(payment, effects, done.began))
    }

    /// Runs the flow on. An attempt that it begins has the response that is waited for.
    async fn run_flow_on(
        &self,
        payment: &mut Payment,
        next: u32,
        step: &Step<'_>,
    ) -> Result<Followed, EngineError> {
        let owed = payment.owed_answer().cloned();
        let with = FlowRequest {
            once: owed.clone(),
            deadline: Some(step.deadline),
            run: step.which,
            gone: true,
        };
        let done = self.resume(payment, next, &with).await?;
        let begun = done
            .began
            .and_then(|n| payment.operation(n))
            .and_then(|begun| begun.once.clone());
        if owed.is_some() && begun == owed {
            payment.take_owed_answer();
        }
        Ok(done)
    }

    /// Runs a flow on from a position, in the version under which the run began.
    async fn resume(
        &self,
        payment: &mut Payment,
        next: u32,
        with: &FlowRequest,
    ) -> Result<Followed, EngineError> {
        let Some(FlowRun { id, version, .. }) = payment.run(with.run).cloned() else {
            return Ok(Followed::default());
        };
        let program = self.program(payment.team(), &id, version).await?;
        let result = self
            .follow_flow(payment, &program, Position::kept(next), with)
            .await;
        match result {
            // Nobody waits for an answer: the payment ends, and says why.
            Err(EngineError::Fault(fault)) if fault.code == Code::ConnectionNotFound => {
                let at = self.inner.world.now();
                let mut lines = vec![Occurrence::new(at, "No connection").saying(fault.message)];
                lines.push(payment.decline_by_rule(Decline::of(DeclineCode::ProcessingError), at));
                Ok(Followed { lines, began: None })
            }
            other => other,
        }
    }

    /// Whether what a waiting payment was to be made for, or with, is not there any more.
    async fn is_gone(&self, payment: &Payment) -> Result<bool, EngineError> {
        if let Some(token) = &payment.method().token
            && store::method::of_team(&self.inner.store, payment.team(), token)
                .await?
                .is_none()
        {
            return Ok(true);
        }
        self.is_paid_otherwise(payment).await
    }
}

/// Where a run rests.
pub(super) fn paused(payment: &Payment, which: Option<Uuid>) -> Option<Pause> {
    payment.run(which)?.pause.clone()
}

/// Makes the payment's instances that wait for an approval findable by their ids.
pub(super) fn approvals(payment: &Payment) -> impl Iterator<Item = db::Statement> {
    let waits = |run: &&FlowRun| {
        matches!(
            &run.pause,
            Some(Pause {
                why: PauseReason::Approval { .. },
                ..
            })
        )
    };
    let found = payment.runs().map(|(_, run)| run).filter(waits);
    found.map(|run| store::flow_wait::insert(payment.team(), run.instance, payment.id()))
}

/// What the run waited for did not come.
fn not_given(payment: &mut Payment, which: Option<Uuid>, title: &str, at: Timestamp) -> Followed {
    Followed {
        lines: payment.not_given(which, title, at),
        began: None,
    }
}
