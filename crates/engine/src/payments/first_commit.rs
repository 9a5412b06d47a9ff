//! A payment's first commit: the payment with its first attempt, before any processor is asked.

use db::{Date, Statement};
use domain::{
    Code, Fault, Timestamp,
    caller::Credential,
    id::PaymentId,
    payment::{FlowRun, Occurrence, Payment},
};
use flow::Position;

use super::{
    attempt::Begun,
    automation::{FlowRequest, Followed},
    checkout::{Blocked, Guard, first_statements},
    effects::ended_without_money,
    misfit::Misfit,
    prepare::{Path, Plan},
    steps::approvals,
    triggers::Before,
};
use crate::{
    Engine,
    commit::{CommitParts, Ended},
    faults::EngineError,
    idempotency::payment_response,
    request::Request,
};

/// How often the first commit is tried again after an older payment of the checkout was given up for it.
const TRIES: u32 = 4;

/// How a try of the first commit ended.
enum Tried {
    /// It is on disk, with the operation that is to be carried out.
    Done(Box<Begun>),
    /// What stood in its way is gone.
    Freed,
}

impl Engine {
    /// Commits the payment with its first attempt.
    pub(super) async fn first_commit(
        &self,
        plan: &Plan,
        request: &Request,
    ) -> Result<Begun, EngineError> {
        let committed = self.first_tries(plan, request).await;
        if committed.is_err() {
            self.forget_card(plan.asked.team, &plan.asked.method).await;
        }
        committed
    }

    /// The same, again while older payments of the checkout give way to it.
    async fn first_tries(&self, plan: &Plan, request: &Request) -> Result<Begun, EngineError> {
        for _ in 0..TRIES {
            let commit = |date| Box::pin(self.commit_dated(date, plan, request));
            match self.dated(commit).await? {
                Tried::Done(begun) => return Ok(*begun),
                Tried::Freed => {}
            }
        }
        let advice = "Other payments of this checkout are under way. Try again.";
        Err(Fault::new(Code::OperationInProgress, advice).into())
    }

    /// Makes the payment under this date, and commits it.
    async fn commit_dated(
        &self,
        date: Date,
        plan: &Plan,
        request: &Request,
    ) -> Result<Tried, EngineError> {
        let caller = &request.caller;
        let mut payment = self.payment_of(plan, &date);
        self.note_try(caller, payment.id());
        let followed = self.first_step(&mut payment, &plan.path, request).await?;
        payment.count_public_events(&followed.lines);
        let response = self.first_response(&mut payment, followed.began, request);
        let (guards, statements) = guarded(plan, request, &payment);
        let claim = request.claim.as_ref();
        let stream = payment.id().key();
        let parts = CommitParts {
            claim: claim.map(|claim| self.claim(claim, Some(&stream), response.as_deref())),
            statements,
            deadline: Some(request.deadline),
            date: Some(date),
            progress: Some(request.progress.clone()),
            is_services: false,
        };
        match self
            .commit_payment(&payment, &followed.lines, parts)
            .await?
        {
            Ended::Done => {
                self.follow_first(&payment);
                Ok(Tried::Done(Box::new(Begun {
                    payment,
                    operation: followed.began,
                })))
            }
            Ended::Taken => Err(EngineError::Taken),
            Ended::Refused(statement) => {
                let guard = guards.get(statement).copied();
                match Box::pin(self.blocked(caller, &payment, guard)).await? {
                    Blocked::Freed => Ok(Tried::Freed),
                    Blocked::Refused(fault) => Err(fault.into()),
                }
            }
            Ended::Overtaken => Err(Fault::unknown().into()),
        }
    }

    /// The payment as it was planned, with its id. Dates of payments are whole milliseconds, so that the order of ids is that of
    /// dates.
    fn payment_of(&self, plan: &Plan, date: &Date) -> Payment {
        let id = PaymentId::new(self.inner.world.uuid_at(date.at()));
        let created_at = domain::dated::date_of(id.uuid()).unwrap_or(date.at());
        let run = match &plan.path {
            Path::Flow(flow) => Some(FlowRun {
                id: flow.id.clone(),
                name: flow.name.clone(),
                version: flow.version,
                instance: self.inner.world.uuid_v7(),
                started_at: created_at,
                dispute: None,
                pause: None,
            }),
            Path::Connection(_) => None,
        };
        Payment::new(plan.asked.clone(), id, created_at, run)
    }

    /// What is done with the payment before anything is committed: the flow up to the first attempt, or the attempt itself.
    async fn first_step(
        &self,
        payment: &mut Payment,
        path: &Path,
        request: &Request,
    ) -> Result<Followed, EngineError> {
        let with = FlowRequest {
            once: request.claim.as_ref().map(|claim| claim.once.clone()),
            deadline: Some(request.deadline),
            run: None,
            gone: false,
        };
        let before = Before::of(payment);
        // The date is of the database's clock, which may be a little ahead of this one's.
        let at = payment.created_at().min(self.inner.world.now());
        let mut followed = match path {
            Path::Flow(runnable) => {
                self.follow_flow(payment, &runnable.program, Position::START, &with)
                    .await?
            }
            Path::Connection(line) if !super::route::takes(line, payment.method().method) => {
                let reason = "the connection can't take this method";
                return Err(Fault::invalid("paymentMethod.type", reason).into());
            }
            Path::Connection(line) => {
                if let Some(misfit) = Misfit::of(line, payment) {
                    return Err(misfit.fault(&line.connection.id).into());
                }
                let (n, sent) = self.begin_attempt(payment, line, &with);
                Followed {
                    lines: vec![sent],
                    began: Some(n),
                }
            }
        };
        followed.lines.insert(0, created(payment, path, at));
        self.trigger(payment, &before, None, &mut followed.lines)
            .await?;
        Ok(followed)
    }

    /// The response that the first commit stores. An operation's own end is the response to the request; without one it is
    /// the payment, now or, when something follows at once, after that.
    fn first_response(
        &self,
        payment: &mut Payment,
        began: Option<u32>,
        request: &Request,
    ) -> Option<String> {
        let claim = request.claim.as_ref().filter(|_| began.is_none())?;
        if payment.goes_on_at_once(self.inner.world.now()) {
            payment.owe_answer(claim.once.clone());
            return None;
        }
        payment.note_answered(claim.once.clone());
        Some(payment_response(payment))
    }
}

/// The first entry of the timeline.
fn created(payment: &Payment, path: &Path, at: Timestamp) -> Occurrence {
    let words = match path {
        Path::Flow(flow) => format!("Runs under the flow {}, version {}.", flow.id, flow.version),
        Path::Connection(line) => format!(
            "At the connection {}, which the merchant named.",
            line.connection.id
        ),
    };
    let words = format!("{words}{}", payment.agreement_words());
    Occurrence::new(at, "Payment created")
        .saying(words)
        .event(payment.created())
}

/// The statements of the first commit after the payment's own; the first of them guard something, in this order.
fn guarded(plan: &Plan, request: &Request, payment: &Payment) -> (Vec<Guard>, Vec<Statement>) {
    let live = !ended_without_money(payment.status());
    let single_use = plan.single_use.as_ref();
    let single_use = single_use
        .map(|once| once.guards(payment.team(), payment.id(), payment.created_at()))
        .unwrap_or_default();
    let (guards, mut statements): (Vec<_>, Vec<_>) =
        first_statements(&request.caller, payment, single_use, live)
            .into_iter()
            .unzip();
    statements.extend(approvals(payment));
    if let Credential::Client(grant) = &request.caller.credential
        && let Some(link) = grant.link
    {
        let noted = store::payment_link::note_payment(payment.team(), link, payment.id());
        statements.push(noted);
    }
    (guards, statements)
}
