//! Bringing news to a payment: load, settle, commit; again when somebody else was first.

use std::time::Duration;

use domain::{
    id::{PaymentId, TeamId},
    payment::{Line, News, Operation, Payment, Source, State, Status},
};

use flow::Candidate;

use super::{StoredPayment, ToldPayment, automation::With, route::Choice, triggers::Before};
use crate::{
    Engine,
    commit::{Ended, Extra, note_payment},
    deadline::Deadline,
    faults::{Stop, payment_not_found},
    once::{AUTHORISE_SCOPE, Snapshot},
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
    /// Takes news about an operation, whoever brings it. Returns the payment as it is then.
    ///
    /// `known` is the payment as its bringer has it, to spare a read: somebody may have changed it since, and then its
    /// version is refused and it is loaded like any other.
    pub(crate) async fn settle(
        &self,
        (team, id): (TeamId, PaymentId),
        mut known: Option<Payment>,
        report: Report,
    ) -> Result<Payment, Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut payment = match known.take() {
                Some(payment) => payment,
                None => self.load(team, id).await?,
            };
            let Some(operation) = payment.operation(report.n) else {
                return Ok(payment);
            };
            let (before, stood) = (operation.state.clone(), operation.clone());
            let ended = payment.authorisation_ended();
            let policy = self.policy(&payment, operation).await?;
            let earlier = Before::of(&payment);
            let cause = payment.run_behind(report.n).map(|run| run.id.clone());
            let from = (report.source, self.inner.world.now());
            let mut lines = payment.settle(report.n, report.news.clone(), from, &policy);
            let same = |operation: &Operation| {
                operation.state == before && operation.action == stood.action
            };
            let unchanged = payment.operation(report.n).is_none_or(same);
            if unchanged
                && (report.quiet
                    || (lines.is_empty() && payment.operation(report.n) == Some(&stood)))
            {
                return self.load(team, id).await;
            }
            if let Some(deadline) = report.fall_back.filter(|_| before == State::Sent) {
                self.fall_back(&mut payment, report.n, deadline, &mut lines)
                    .await?;
            }
            self.trigger(&mut payment, &earlier, cause.as_ref(), &mut lines)
                .await?;
            payment.version += 1;
            if self
                .commit_settled(&mut payment, report.n, &before, &lines)
                .await?
                == Ended::Done
            {
                if payment.authorisation_ended() && !ended {
                    self.count_outcome(&payment);
                    self.forget_later(&payment);
                }
                return Ok(payment);
            }
        }
    }

    /// A team's payment, or the fault that there is none.
    pub(crate) async fn load(&self, team: TeamId, id: PaymentId) -> Result<Payment, Stop> {
        let found = store::payment::of_team(&self.inner.store, team, id).await?;
        let payment = found.ok_or_else(|| Stop::Fault(payment_not_found()))?;
        note_payment(payment.id);
        Ok(payment)
    }

    /// Commits a settled operation, with the answer that its idempotency key tells from now on.
    async fn commit_settled(
        &self,
        payment: &mut Payment,
        n: u32,
        before: &State,
        lines: &[Line],
    ) -> Result<Ended, Stop> {
        let mut extra = Extra::default();
        if matches!(before, State::Sent | State::Unknown { .. }) {
            self.answer_of(payment, n, &mut extra);
        }
        self.answer_owed(payment, &mut extra);
        if payment
            .operation(n)
            .is_some_and(|operation| matches!(operation.state, State::Waiting { .. }))
        {
            // That the customer must act is what the key tells for good.
            payment.take_once(n);
        }
        release(payment, &mut extra);
        self.commit_payment(payment, lines, extra).await
    }

    /// Tells the key of operation `n`, whose outcome has come; while something follows at once, the answer is owed.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(AnswerNotStored = super::bugs::store_no_answer)
    )]
    pub(super) fn answer_of(&self, payment: &mut Payment, n: u32, extra: &mut Extra) {
        let Some(once) = payment
            .operation(n)
            .and_then(|operation| operation.once.clone())
        else {
            return;
        };
        let goes_on = payment.goes_on_at_once(self.inner.world.now());
        if goes_on && payment.owed_answer.is_none() && payment.verdict(n).is_ok() {
            payment.owed_answer = Some(once);
            payment.take_once(n);
        } else {
            let answer = told_answer(payment, n);
            extra.more.push(store::once::answer(
                payment.team,
                &once,
                &payment.id.key(),
                &answer,
            ));
        }
    }

    /// Tells the key whose request waits for what follows at once, when nothing follows any more.
    pub(super) fn answer_owed(&self, payment: &mut Payment, extra: &mut Extra) {
        if payment.goes_on_at_once(self.inner.world.now()) {
            return;
        }
        tell_owed(payment, extra);
    }

    /// Begins an attempt at the next connection, when attempt `n` has ended so that this is safe. It is committed together
    /// with that end.
    async fn fall_back(
        &self,
        payment: &mut Payment,
        n: u32,
        deadline: Deadline,
        lines: &mut Vec<Line>,
    ) -> Result<(), Stop> {
        let Some(why) = payment.may_fall_back(n) else {
            return Ok(());
        };
        let now = self.inner.world.now();
        if deadline.left(now) < LEAST_TIME {
            lines.push(Line::new(now, "Not sent elsewhere").saying("The request's time is over."));
            return Ok(());
        }
        let rest = payment
            .route
            .as_ref()
            .map(|route| route.rest.clone())
            .unwrap_or_default();
        let rules = Choice {
            spares_resting: true,
            tells: true,
            is_told_elsewhere: true,
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
        if let Some(route) = &mut payment.route {
            route.rest = chosen.rest;
        }
        // The key waits for the attempt that follows.
        let once = payment.take_once(n);
        let gone = payment
            .operation(n)
            .is_some_and(|attempt| attempt.return_key.is_none());
        let words = format!(
            "After {why}, the payment goes on at {}.",
            chosen.line.connection.id
        );
        lines.push(Line::new(now, "Falling back").saying(words));
        payment.go_on_elsewhere();
        let (_, sent) = self.begin_attempt(
            payment,
            &chosen.line,
            &With {
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

/// What an idempotency key tells of operation `n`.
pub(crate) fn told_answer(payment: &Payment, n: u32) -> String {
    // A capture that completes an authorisation has the authorisation's key: that request is told the payment.
    let is_authorisation = payment
        .operation(n)
        .and_then(|operation| operation.once.as_ref());
    let is_authorisation = is_authorisation.is_some_and(|once| once.scope == AUTHORISE_SCOPE);
    let is_attempt = payment
        .operation(n)
        .is_some_and(|operation| operation.kind.is_attempt());
    match payment.verdict(n) {
        Err(_) if is_authorisation && !is_attempt => {
            Snapshot::Result(ToldPayment { payment }).text()
        }
        Ok(()) => Snapshot::Result(ToldPayment { payment }).text(),
        Err(fault) => Snapshot::<StoredPayment>::Fault(fault).text(),
    }
}

/// Tells the key that waits for what follows at once the payment as it is.
pub(super) fn tell_owed(payment: &mut Payment, extra: &mut Extra) {
    if let Some(once) = payment.owed_answer.take() {
        let answer = told_payment(payment);
        extra.more.push(store::once::answer(
            payment.team,
            &once,
            &payment.id.key(),
            &answer,
        ));
        payment.answered.push(once);
    }
}

/// What an idempotency key tells of a payment for which no processor was asked.
pub(crate) fn told_payment(payment: &Payment) -> String {
    Snapshot::Result(ToldPayment { payment }).text()
}

/// Frees the checkout whose one live payment it was, when it has ended without money.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(
        NeverReleased = super::bugs::release_nothing,
        ReleasedWhileUnknown = super::bugs::release_unknown,
    )
)]
pub(crate) fn release(payment: &Payment, extra: &mut Extra) {
    if ended_without_money(payment.status) {
        free(payment, extra);
    }
}

/// Frees the checkout of a payment, whatever became of that.
pub(super) fn free(payment: &Payment, extra: &mut Extra) {
    if let Some(token) = payment.made_by {
        extra.more.push(store::credential::release_payment(
            payment.team,
            token,
            payment.id,
        ));
    }
    if let Some(intent) = payment.intent {
        extra
            .more
            .push(store::intent::release(payment.team, intent, payment.id));
    }
}

pub(crate) fn ended_without_money(status: Status) -> bool {
    matches!(
        status,
        Status::Declined | Status::Failed | Status::Cancelled
    )
}
