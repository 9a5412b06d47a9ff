//! Bringing news to a payment: load, settle, commit; again when somebody else was first.

use std::time::Duration;

use domain::{
    id::{PaymentId, TeamId},
    payment::{Elsewhere, News, Occurrence, Operation, OperationState, Payment, Source},
};

use flow::Candidate;

use super::{automation::FlowRequest, effects::Effects, route::Choice};
use crate::{
    Engine,
    change::{Decision, Key, Start},
    commit::{CommitParts, note_payment},
    deadline::Deadline,
    faults::{EngineError, payment_not_found},
    idempotency::Responses,
};

/// With less time left a payment does not go on at another connection.
const LEAST_TIME: Duration = Duration::from_secs(2);

/// News about operation `n`.
#[derive(Clone)]
pub(crate) struct Report {
    pub(crate) n: u32,
    pub(crate) news: News,
    pub(crate) source: Source,
    /// Until when the payment may go on at another connection; `None`: not at all.
    pub(crate) fall_back: Option<Deadline>,
    /// Nothing is written when nothing is settled by it (a look-up that a reader set off).
    pub(crate) quiet: bool,
}

impl Engine {
    /// Takes news about an operation, no matter who brings it. Returns the payment as it is then.
    ///
    /// `known` is the payment as its bringer has it, to spare a read: somebody may have changed it since, and then its
    /// version is refused and it is loaded like any other.
    pub(crate) async fn settle(
        &self,
        key: Key<PaymentId>,
        known: Option<Payment>,
        report: Report,
    ) -> Result<Payment, EngineError> {
        let start = Start {
            key,
            known,
            deadline: self.deadline(),
        };
        let report = &report;
        let settle = |payment| self.with_news(payment, report);
        let settled = self.change_from(start, settle).await?;
        let (payment, ()) = settled.ok_or_else(payment_not_found)?;
        Ok(payment)
    }

    /// The payment with the news, and with the attempt that follows where another connection is tried.
    async fn with_news(
        &self,
        mut payment: Payment,
        report: &Report,
    ) -> Result<Decision<Payment>, EngineError> {
        let n = report.n;
        let Some(operation) = payment.operation(n) else {
            return Ok(Decision::Leave(payment, ()));
        };
        let stood = operation.clone();
        let policy = self.policy(&payment, operation).await?;
        let cause = payment.run_behind(n).map(|run| run.id.clone());
        let arrival = report.source.at(self.inner.world.now());
        let mut entries = payment.settle(n, report.news.clone(), arrival, &policy);
        self.keep_late(&payment, &stood, &report.news).await?;
        let same = |operation: &Operation| {
            operation.state == stood.state && operation.action == stood.action
        };
        let unchanged = payment.operation(n).is_none_or(same);
        if unchanged
            && (report.quiet || (entries.is_empty() && payment.operation(n) == Some(&stood)))
        {
            let as_it_is = self.load(payment.team(), payment.id()).await?;
            return Ok(Decision::Leave(as_it_is, ()));
        }
        if let Some(deadline) = report
            .fall_back
            .filter(|_| stood.state == OperationState::Sent)
        {
            self.fall_back(&mut payment, n, deadline, &mut entries)
                .await?;
        }
        let kept = self.kept_for_later(&payment, &stood, &report.news);
        let has_outcome = matches!(
            stood.state,
            OperationState::Sent | OperationState::Unknown { .. }
        );
        let effects = Effects {
            entries,
            cause,
            starts_no_flow: false,
            responses: if has_outcome {
                Responses::OfOperation(n)
            } else {
                Responses::Waiting
            },
            // Who asked for the operation is with its begin.
            parts: CommitParts {
                is_services: matches!(report.source, Source::Call | Source::Restored),
                statements: kept,
                ..CommitParts::default()
            },
        };
        Ok(Decision::Write(payment, effects, ()))
    }

    /// A team's payment, or the fault that there is none.
    pub(crate) async fn load(&self, team: TeamId, id: PaymentId) -> Result<Payment, EngineError> {
        let found = store::payment::of_team(&self.inner.store, team, id).await?;
        let payment = found.ok_or_else(|| EngineError::Fault(payment_not_found()))?;
        note_payment(payment.id());
        Ok(payment)
    }

    /// Begins an attempt at the next connection, when attempt `n` has ended so that this is safe. It is committed together
    /// with that end.
    async fn fall_back(
        &self,
        payment: &mut Payment,
        n: u32,
        deadline: Deadline,
        lines: &mut Vec<Occurrence>,
    ) -> Result<(), EngineError> {
        let Some(why) = payment.may_fall_back(n) else {
            return Ok(());
        };
        let now = self.inner.world.now();
        if deadline.left(now) < LEAST_TIME {
            lines.push(
                Occurrence::new(now, "Not sent elsewhere").saying("The request's time is over."),
            );
            return Ok(());
        }
        let rest = payment
            .route()
            .map(|route| route.rest.clone())
            .unwrap_or_default();
        let rules = Choice {
            spares_resting: true,
            wants_reason: true,
            is_reported_elsewhere: true,
        };
        let candidates = rest.into_iter().map(|connection| Candidate {
            connection,
            reason: format!("after {why}"),
        });
        let Some(chosen) = self
            .choose(payment, candidates.collect(), rules, lines)
            .await?
        else {
            return Ok(());
        };
        // The key waits for the attempt that follows.
        let once = payment.take_once(n);
        let gone = payment
            .operation(n)
            .is_some_and(|attempt| attempt.return_key.is_none());
        let next = Elsewhere {
            after: n,
            why,
            connection: chosen.line.connection.id.clone(),
            rest: chosen.rest,
        };
        lines.push(payment.go_on_elsewhere(next, now));
        let (_, sent) = self.begin_attempt(
            payment,
            &chosen.line,
            &FlowRequest {
                once,
                deadline: Some(deadline),
                run: None,
                gone,
            },
        );
        lines.push(sent);
        Ok(())
    }
}
