//! A person settles what got no answer and stays unknown.

use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    payment::{Line, Payment, Resolution, Status},
};

use super::{PaymentView, triggers::Before};
use crate::{
    Engine,
    commit::{Ended, Extra},
    faults::Stop,
};

/// What a person found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolve {
    /// The payment.
    pub id: PaymentId,
    /// The outcome.
    pub outcome: Resolution,
    /// What it is known by; kept in the timeline.
    pub evidence: String,
}

impl Engine {
    /// Settles on a person's word the oldest operation without an answer about which the outcome says anything.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.resolve.invalid-status`.
    pub async fn resolve(&self, caller: &Caller, command: Resolve) -> Result<PaymentView, Fault> {
        caller.require_server()?;
        self.resolve_or_find_out(caller, &command)
            .await
            .map_err(|stop| match stop {
                Stop::Fault(fault) => fault,
                Stop::Taken | Stop::Outdated => Fault::unknown(),
            })
    }

    /// The processor is asked first: a person's word counts only where nothing else can find it out. When it answers, it
    /// must agree.
    async fn resolve_or_find_out(
        &self,
        caller: &Caller,
        command: &Resolve,
    ) -> Result<PaymentView, Stop> {
        let payment = self.load(caller.team, command.id).await?;
        if let Some(n) = payment.resolvable(command.outcome).map(|unknown| unknown.n) {
            let found = self.look_up(payment, n, true).await?;
            let settled = found
                .operation(n)
                .filter(|operation| !operation.state.is_open());
            let agrees = settled.is_some_and(|operation| match command.outcome {
                Resolution::Authorised => found.status == Status::Authorised,
                Resolution::Captured => found.status == Status::Succeeded,
                Resolution::NotCharged => {
                    matches!(
                        found.status,
                        Status::Failed | Status::Declined | Status::Cancelled
                    )
                }
                Resolution::Refunded => operation.state.is_done(),
                Resolution::NotRefunded => !operation.state.is_done(),
            });
            self.gone_on(found).await;
            if agrees {
                return self.keep_evidence(caller, command).await;
            }
        }
        let payment = Box::pin(self.resolved(caller, command)).await?;
        self.gone_on(payment.clone()).await;
        let gone_on = self.load(caller.team, command.id).await;
        // It is settled, whatever can't be read now.
        Ok(PaymentView::of(gone_on.unwrap_or(payment)))
    }

    /// Goes on with what the outcome has made due.
    async fn gone_on(&self, payment: Payment) {
        if payment.goes_on_at_once(self.inner.world.now()) {
            Box::pin(self.go_on(payment, None)).await;
        }
    }

    /// The processor says the same as the person, whose evidence is kept all the same.
    async fn keep_evidence(&self, caller: &Caller, command: &Resolve) -> Result<PaymentView, Stop> {
        loop {
            let _turn = self.inner.turns.take(command.id.uuid()).await;
            let mut payment = self.load(caller.team, command.id).await?;
            payment.version += 1;
            let line = Line::new(self.inner.world.now(), "Confirmed by a person")
                .saying(format!("Evidence: {}", command.evidence));
            if self
                .commit_payment(&payment, &[line], Extra::default())
                .await?
                == Ended::Done
            {
                return Ok(PaymentView::of(payment));
            }
        }
    }

    async fn resolved(&self, caller: &Caller, command: &Resolve) -> Result<Payment, Stop> {
        loop {
            let _turn = self.inner.turns.take(command.id.uuid()).await;
            let mut payment = self.load(caller.team, command.id).await?;
            let unknown = payment.resolvable(command.outcome);
            let unknown = unknown.map(|operation| (operation.n, operation.connection.clone()));
            let cause = unknown
                .as_ref()
                .and_then(|(n, _)| payment.run_behind(*n))
                .map(|run| run.id.clone());
            let line = match &unknown {
                Some((_, connection)) => self.line(payment.team, connection).await?,
                None => None,
            };
            let policy = self.policy_of(line.as_ref());
            let (before, ended) = (Before::of(&payment), payment.authorisation_ended());
            let mut lines = payment.resolve(
                command.outcome,
                &command.evidence,
                self.inner.world.now(),
                &policy,
            )?;
            self.trigger(&mut payment, &before, cause.as_ref(), &mut lines)
                .await?;
            payment.version += 1;
            let mut extra = Extra::default();
            if let Some((n, _)) = unknown {
                self.answer_of(&mut payment, n, &mut extra);
            }
            self.answer_owed(&mut payment, &mut extra);
            super::settle::release(&payment, &mut extra);
            if self.commit_payment(&payment, &lines, extra).await? == Ended::Done {
                if payment.authorisation_ended() && !ended {
                    self.count_outcome(&payment);
                }
                self.forget_later(&payment);
                return Ok(payment);
            }
        }
    }
}
