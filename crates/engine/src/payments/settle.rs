//! Bringing news to a payment: load, settle, commit; again when somebody else was first.

use domain::{
    id::{PaymentId, TeamId},
    payment::{Line, News, Payment, Source, State, Status},
};

use super::{PaymentView, StoredPayment};
use crate::{
    Engine,
    commit::{Ended, Extra},
    faults::{Stop, payment_not_found},
    once::{AUTHORISE_SCOPE, Kept, Snapshot},
};

/// News about operation `n`.
#[derive(Clone)]
pub(crate) struct Report {
    pub(crate) n: u32,
    pub(crate) news: News,
    pub(crate) source: Source,
    /// Nothing is written when nothing is settled by it (a look-up that a reader set off).
    pub(crate) quiet: bool,
}

impl Engine {
    /// Takes news about an operation, whoever brings it. Returns the payment as it is then.
    pub(crate) async fn settle(&self, team: TeamId, id: PaymentId, report: Report) -> Result<Payment, Stop> {
        loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut payment = self.load(team, id).await?;
            let Some(operation) = payment.operation(report.n) else { return Ok(payment) };
            let (before, due_before) = (operation.state.clone(), payment.due_at());
            let policy = self.policy(&payment, operation).await?;
            let from = (report.source, self.inner.world.now());
            let lines = payment.settle(report.n, report.news.clone(), from, &policy);
            let unchanged = payment.operation(report.n).is_none_or(|operation| operation.state == before);
            if unchanged && (report.quiet || (lines.is_empty() && payment.due_at() == due_before)) {
                return self.load(team, id).await;
            }
            payment.version += 1;
            if self.commit_settled(&payment, report.n, &before, &lines).await? == Ended::Done {
                if payment.authorisation_ended() && was_open(&payment, report.n, &before) {
                    self.forget_later(payment.clone());
                }
                return Ok(payment);
            }
        }
    }

    /// A team's payment, or the fault that there is none.
    pub(crate) async fn load(&self, team: TeamId, id: PaymentId) -> Result<Payment, Stop> {
        let found = store::payment::of_team(&self.inner.store, team, id).await?;
        found.ok_or_else(|| Stop::Fault(payment_not_found()))
    }

    /// Commits a settled operation, with the answer that its idempotency key tells from now on.
    async fn commit_settled(&self, payment: &Payment, n: u32, before: &State, lines: &[Line]) -> Result<Ended, Stop> {
        let mut extra = Extra::default();
        let waiting = matches!(before, State::Sent | State::Unknown { .. });
        if let Some(once) = payment.operation(n).filter(|_| waiting).and_then(|operation| operation.once.as_ref()) {
            let answer = told_answer(payment, n);
            extra.more.push(store::once::answer(payment.team, once, &payment.id.key(), &answer));
        }
        if let Some(token) = payment.made_by.filter(|_| ended_without_money(payment.status)) {
            extra.more.push(store::credential::release_payment(payment.team, token, payment.id));
        }
        self.commit_payment(payment, lines, extra).await
    }

    /// Forgets the card after the answer is on its way.
    pub(crate) fn forget_later(&self, payment: Payment) {
        let engine = self.clone();
        drop(self.own(Box::pin(async move { engine.forget_card(&payment).await })));
    }
}

fn was_open(payment: &Payment, n: u32, before: &State) -> bool {
    use domain::payment::Kind;
    let authorises = payment.operation(n).is_some_and(|operation| matches!(operation.kind, Kind::Authorise { .. }));
    authorises && before.is_open()
}

/// What an idempotency key tells of operation `n`.
pub(crate) fn told_answer(payment: &Payment, n: u32) -> String {
    // A capture that completes an authorisation has the authorisation's key: that request is told the payment.
    let is_authorisation = payment.operation(n).and_then(|operation| operation.once.as_ref());
    let is_authorisation = is_authorisation.is_some_and(|once| once.scope == AUTHORISE_SCOPE);
    match payment.verdict(n) {
        Err(_) if is_authorisation => Snapshot::Result(PaymentView::of(payment.clone()).stored()).text(),
        Ok(()) => Snapshot::Result(PaymentView::of(payment.clone()).stored()).text(),
        Err(fault) => Snapshot::<StoredPayment>::Fault(fault).text(),
    }
}

pub(crate) fn ended_without_money(status: Status) -> bool {
    matches!(status, Status::Declined | Status::Failed | Status::Cancelled)
}
