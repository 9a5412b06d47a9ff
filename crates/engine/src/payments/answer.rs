//! The answer to a request about a payment: in time, and naming the payment from its first commit on. Source: behaviour
//! contract, section 5.

use domain::{
    Code, Fault,
    id::PaymentId,
    payment::{Payment, Status},
};
use futures_util::future::BoxFuture;
use store::once::Claim;

use super::PaymentView;
use crate::{
    Engine,
    change::Key,
    deadline::{GRACE, LOOK},
    faults::EngineError,
    progress::{Known, Stage},
    request::Request,
};

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct About {
    /// Its payment.
    pub(super) payment: PaymentId,
    /// The operation that it asked for.
    pub(super) operation: Option<u32>,
}

/// How far a request's own task has brought its payment.
pub(super) struct Brought {
    pub(super) about: About,
    /// The version in which the operation is settled when nobody else settles it.
    pub(super) own: u64,
    /// The version in which it was settled.
    pub(super) settled: u64,
}

impl Engine {
    /// Runs a request's work as a task of the engine's own, and waits for it until the deadline. Once the payment is on disk
    /// the answer names it, whatever fails.
    pub(crate) async fn in_time(
        &self,
        request: &Request,
        work: BoxFuture<'static, Result<PaymentView, EngineError>>,
    ) -> Result<PaymentView, EngineError> {
        let (deadline, world) = (request.deadline, &self.inner.world);
        self.naming_payment(&request.progress);
        let mut work = self.own(work);
        let mut ended = world.timeout(deadline.left(world.now()), &mut work).await;
        if ended.is_err() && !request.progress.is_on_disk() {
            // A first commit that still waits is dropped from the queue; one that is being written ends in a moment.
            ended = world.timeout(GRACE, &mut work).await;
        }
        let fault = match ended {
            Ok(Some(Err(EngineError::Fault(fault)))) if fault.is_ours() => fault,
            Ok(Some(result)) => return result,
            // A panic in the task is a defect of ours; the payment goes on by recovery.
            Ok(None) => Fault::unknown(),
            Err(world::Elapsed) => too_late(),
        };
        Box::pin(self.known_or(request, fault)).await
    }

    /// The payment of a request that can't wait any more, as far as it is known; the fault where there is none.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(UnstoredOutcomeNotNamed = super::bugs::name_no_payment)
    )]
    async fn known_or(&self, request: &Request, fault: Fault) -> Result<PaymentView, EngineError> {
        match request.progress.stage() {
            Stage::Nothing => Err(EngineError::Fault(fault)),
            Stage::Submitted(id) => Err(EngineError::Fault(Fault::unconfirmed(id))),
            Stage::OnDisk(known) => Box::pin(self.answer_late(request, *known)).await,
        }
    }

    /// The stored response to the request, where that is the answer rather than the payment as its task has it: the payment
    /// has gone on since its operation was settled, or somebody else has settled it.
    pub(super) async fn stored_answer(
        &self,
        request: &Request,
        payment: &Payment,
        brought: &Brought,
    ) -> Result<Option<PaymentView>, EngineError> {
        let Some(claim) = &request.claim else {
            return Ok(None);
        };
        if payment.version() != brought.settled || payment.owed_answer().is_some() {
            let answer = self.await_answer(request, claim, brought.about).await?;
            return Ok(Some(answer));
        }
        if payment.version() != brought.own {
            return self.stored_response(claim).await;
        }
        Ok(None)
    }

    /// The response to a request whose payment somebody goes on with, once it is stored; the payment as it stands when that
    /// takes longer than the request may.
    async fn await_answer(
        &self,
        request: &Request,
        claim: &Claim,
        about: About,
    ) -> Result<PaymentView, EngineError> {
        match Box::pin(self.await_response(claim, request.deadline)).await? {
            Some(answer) => Ok(answer),
            None => self.answer_from_store(request, about).await,
        }
    }

    /// The answer to a request that can't wait any more: the payment as it stands in the database, or as this process knows
    /// it when the database does not answer.
    async fn answer_late(
        &self,
        request: &Request,
        known: Known,
    ) -> Result<PaymentView, EngineError> {
        let about = About {
            payment: known.payment.id(),
            operation: known.own,
        };
        let in_store = Box::pin(async {
            // Somebody else may have settled it, and the payment gone on since: the stored response is how it was.
            if let Some(claim) = &request.claim
                && let Some(stored) = self.stored_response(claim).await?
            {
                return Ok(stored);
            }
            self.answer_from_store(request, about).await
        });
        match self.inner.world.timeout(LOOK, in_store).await {
            Ok(Err(EngineError::Fault(fault))) if fault.is_ours() => {}
            Ok(answer) => return answer,
            Err(world::Elapsed) => {}
        }
        tracing::warn!(payment.id = %about.payment, "answered from memory: the database does not answer");
        let payment = known.payment;
        verdict_on(&payment, about.operation)?;
        if payment.status() != Status::Active && payment.owed_answer().is_some() {
            // The response that is stored later says what follows as well: this one would look like a final one.
            return Err(Fault::unconfirmed(about.payment).into());
        }
        Ok(PaymentView::of(self.unanswered(payment, about.operation)))
    }

    /// The answer to a request whose deadline passes before its payment has an outcome.
    async fn answer_from_store(
        &self,
        request: &Request,
        about: About,
    ) -> Result<PaymentView, EngineError> {
        let key = Key {
            team: request.caller.team,
            id: about.payment,
        };
        let mut payment = self.load(key.team, key.id).await?;
        // What has no outcome yet is shown as without an answer; the outcome is stored when it is there.
        let has_come_far = payment.status() != Status::Active;
        let waits = |claim: &&Claim| payment.owed_answer() == Some(&claim.once);
        if let Some(claim) = request
            .claim
            .as_ref()
            .filter(waits)
            .filter(|_| has_come_far)
        {
            if let Some(stored) = self.respond_out_of_time(payment.clone(), claim).await? {
                return Ok(stored);
            }
            payment = self.load(key.team, key.id).await?;
        }
        // Another node may have found out meanwhile how it ended, or that the customer must act.
        verdict_on(&payment, about.operation)?;
        payment = self.unanswered(payment, about.operation);
        match &request.claim {
            Some(claim) => self.respond_meanwhile(payment, claim).await,
            None => Ok(PaymentView::of(payment)),
        }
    }

    /// A copy of a payment as it is shown while nobody knows what became of operation `own`.
    fn unanswered(&self, mut payment: Payment, own: Option<u32>) -> Payment {
        payment.mark_unanswered(own, self.inner.world.now());
        payment
    }
}

/// Nothing was begun as far as is known. A disk that hangs in the middle of a commit can prove it wrong, so the advice holds
/// in that case too.
fn too_late() -> Fault {
    let advice = "The request could not begin in time. Send it again with the same idempotency key; if it had none, look first \
                  whether it took effect after all.";
    Fault::new(Code::Unavailable, advice)
}

/// The fault that is the answer in place of the payment to the merchant who asked for operation `own`, as the latest attempt and
/// that operation stand.
fn verdict_on(payment: &Payment, own: Option<u32>) -> Result<(), Fault> {
    if let Some(attempt) = payment.attempt() {
        payment.verdict(attempt.n)?;
    }
    own.map_or(Ok(()), |own| payment.verdict(own))
}
