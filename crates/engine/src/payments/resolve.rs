//! A person settles what got no answer and stays unknown.

use crate::boxed;
use domain::{
    Fault,
    audit::{Act, Deed},
    caller::Caller,
    id::PaymentId,
    payment::{Occurrence, Payment, PaymentEvent, Resolution, Status},
};

use super::{PaymentView, effects::Effects};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::EngineError,
    idempotency::Responses,
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

impl Resolve {
    fn of(&self, caller: &Caller) -> Key<PaymentId> {
        Key {
            team: caller.team,
            id: self.id,
        }
    }
}

impl Engine {
    /// Settles on a person's word the oldest operation without an answer about which the outcome says anything.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.resolve.invalid-status`.
    #[boxed]
    pub async fn resolve(&self, caller: &Caller, command: Resolve) -> Result<PaymentView, Fault> {
        self.resolve_or_find_out(caller, &command)
            .await
            .map_err(|stop| match stop {
                EngineError::Fault(fault) => fault,
                EngineError::Taken | EngineError::Outdated => Fault::unknown(),
            })
    }

    /// The processor is asked first: a person's word counts only where nothing else can find it out. When it answers, it
    /// must agree.
    async fn resolve_or_find_out(
        &self,
        caller: &Caller,
        command: &Resolve,
    ) -> Result<PaymentView, EngineError> {
        let payment = self.load(caller.team, command.id).await?;
        if let Some(n) = payment.resolvable(command.outcome).map(|unknown| unknown.n) {
            let found = self.look_up(payment, n, true).await?;
            let settled = found
                .operation(n)
                .filter(|operation| !operation.state.is_open());
            let agrees = settled.is_some_and(|operation| match command.outcome {
                Resolution::Authorised => found.status() == Status::Authorised,
                Resolution::Captured => found.status() == Status::Succeeded,
                Resolution::NotCharged => {
                    matches!(
                        found.status(),
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
    async fn keep_evidence(
        &self,
        caller: &Caller,
        command: &Resolve,
    ) -> Result<PaymentView, EngineError> {
        let keep = |payment| async move {
            let entry = Occurrence::new(self.inner.world.now(), "Confirmed by a person")
                .saying(format!("Evidence: {}", command.evidence))
                .event(PaymentEvent::ConfirmedByPerson);
            let mut effects = Effects::of(vec![entry]);
            effects
                .parts
                .statements
                .push(self.resolution(&payment, command));
            Ok(Decision::Write(payment, effects, ()))
        };
        let (payment, ()) = self.change(command.of(caller), keep).await?;
        Ok(PaymentView::of(payment))
    }

    async fn resolved(&self, caller: &Caller, command: &Resolve) -> Result<Payment, EngineError> {
        let resolve = |payment| self.with_resolution(payment, command);
        let (payment, ()) = self.change(command.of(caller), resolve).await?;
        Ok(payment)
    }

    /// What is recorded of a person's word. The evidence is the person's own text, and stands in the timeline.
    fn resolution(&self, payment: &Payment, command: &Resolve) -> db::Statement {
        let deed = Deed::on(
            payment.team(),
            Act::PaymentResolved,
            "payment",
            payment.id(),
        );
        self.audit(&deed.with("outcome", said(command.outcome)))
    }

    async fn with_resolution(
        &self,
        mut payment: Payment,
        command: &Resolve,
    ) -> Result<Decision<Payment>, EngineError> {
        let unknown = payment.resolvable(command.outcome);
        let unknown = unknown.map(|operation| (operation.n, operation.connection.clone()));
        let cause = unknown
            .as_ref()
            .and_then(|(n, _)| payment.run_behind(*n))
            .map(|run| run.id.clone());
        let line = match &unknown {
            Some((_, connection)) => self.line(payment.team(), connection).await?,
            None => None,
        };
        let policy = self.policy_of(line.as_ref());
        let entries = payment.resolve(
            command.outcome,
            &command.evidence,
            self.inner.world.now(),
            &policy,
        )?;
        let mut effects = Effects {
            entries,
            cause,
            responses: unknown.map_or(Responses::Waiting, |(n, _)| Responses::OfOperation(n)),
            ..Effects::default()
        };
        effects
            .parts
            .statements
            .push(self.resolution(&payment, command));
        Ok(Decision::Write(payment, effects, ()))
    }
}

/// The outcome in a word.
const fn said(outcome: Resolution) -> &'static str {
    match outcome {
        Resolution::Authorised => "authorised",
        Resolution::Captured => "captured",
        Resolution::NotCharged => "not charged",
        Resolution::Refunded => "refunded",
        Resolution::NotRefunded => "not refunded",
    }
}
