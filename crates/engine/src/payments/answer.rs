//! The answer to a request about a payment: in time, and naming the payment from its first commit on. Source: behaviour
//! contract, section 5.

use db::Change;
use domain::{
    Code, Fault,
    id::PaymentId,
    payment::{Line, Payment, Status},
};
use futures_util::future::BoxFuture;
use store::once::Claim;

use super::{
    PaymentView,
    effects::{Effects, Responses},
    responses::payment_response,
};
use crate::{
    Engine,
    change::{Decision, Key, Start},
    deadline::{GRACE, LOOK},
    faults::Stop,
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
        work: BoxFuture<'static, Result<PaymentView, Stop>>,
    ) -> Result<PaymentView, Stop> {
        let (deadline, world) = (request.deadline, &self.inner.world);
        self.naming_payment(&request.progress);
        let mut work = self.own(work);
        let mut ended = world.timeout(deadline.left(world.now()), &mut work).await;
        if ended.is_err() && !request.progress.is_on_disk() {
            // A first commit that still waits is dropped from the queue; one that is being written ends in a moment.
            ended = world.timeout(GRACE, &mut work).await;
        }
        let fault = match ended {
            Ok(Some(Err(Stop::Fault(fault)))) if fault.is_ours() => fault,
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
    async fn known_or(&self, request: &Request, fault: Fault) -> Result<PaymentView, Stop> {
        match request.progress.stage() {
            Stage::Nothing => Err(Stop::Fault(fault)),
            Stage::Submitted(id) => Err(Stop::Fault(Fault::unconfirmed(id))),
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
    ) -> Result<Option<PaymentView>, Stop> {
        let Some(claim) = &request.claim else {
            return Ok(None);
        };
        if payment.version != brought.settled || payment.owed_answer.is_some() {
            let answer = self.await_answer(request, claim, brought.about).await?;
            return Ok(Some(answer));
        }
        if payment.version != brought.own {
            return self.told_under(Some(claim)).await;
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
    ) -> Result<PaymentView, Stop> {
        match Box::pin(self.kept_answer(claim, request.deadline)).await? {
            Some(answer) => Ok(answer),
            None => self.answer_from_store(request, about).await,
        }
    }

    /// The answer to a request that can't wait any more: the payment as it stands in the database, or as this process knows
    /// it when the database does not answer.
    async fn answer_late(&self, request: &Request, known: Known) -> Result<PaymentView, Stop> {
        let about = About {
            payment: known.payment.id,
            operation: known.own,
        };
        let in_store = Box::pin(async {
            // Somebody else may have settled it, and the payment gone on since: the stored response is how it was.
            if let Some(stored) = self.told_under(request.claim.as_ref()).await? {
                return Ok(stored);
            }
            self.answer_from_store(request, about).await
        });
        match self.inner.world.timeout(LOOK, in_store).await {
            Ok(Err(Stop::Fault(fault))) if fault.is_ours() => {}
            Ok(answer) => return answer,
            Err(world::Elapsed) => {}
        }
        tracing::warn!(payment.id = %about.payment, "answered from memory: the database does not answer");
        let payment = known.payment;
        verdict_on(&payment, about.operation)?;
        Ok(PaymentView::of(self.unanswered(payment, about.operation)))
    }

    /// The answer to a request whose deadline passes before its payment has an outcome.
    async fn answer_from_store(
        &self,
        request: &Request,
        about: About,
    ) -> Result<PaymentView, Stop> {
        let key = Key {
            team: request.caller.team,
            id: about.payment,
        };
        let mut payment = self.load(key.team, key.id).await?;
        // What has no outcome yet is shown as without an answer; the outcome is stored when it is there.
        let has_come_far = payment.status != Status::Active;
        let waits = |claim: &&Claim| payment.owed_answer.as_ref() == Some(&claim.once);
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
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(LateRequestToldFailed = super::bugs::tell_failed)
    )]
    fn unanswered(&self, mut payment: Payment, own: Option<u32>) -> Payment {
        payment.tell_unanswered(own, self.inner.world.now());
        payment
    }

    /// Stores the payment as it is shown before it has an outcome, until its outcome takes that place.
    async fn respond_meanwhile(
        &self,
        payment: Payment,
        claim: &Claim,
    ) -> Result<PaymentView, Stop> {
        let (stream, response) = (payment.id.key(), payment_response(&payment));
        let statement = store::once::answer_meanwhile(claim.team, &claim.once, &stream, &response);
        let change = Change::new(self.change_id(), &stream).with(statement);
        // A slow database holds up no answer: its client would get none.
        let written = self
            .inner
            .world
            .timeout(GRACE, self.commit_plain(change))
            .await;
        let refused = matches!(written, Ok(Ok(Some(_))));
        // Somebody was faster: what is stored by now counts.
        let stored = if refused {
            self.told_under(Some(claim)).await?
        } else {
            None
        };
        Ok(stored.unwrap_or_else(|| PaymentView::of(payment)))
    }

    /// Stores how far the payment has come as the response to the request that waits for it, since what follows takes longer
    /// than the request may. `None` when that is not for it to say any more: somebody goes on with it.
    async fn respond_out_of_time(
        &self,
        payment: Payment,
        claim: &Claim,
    ) -> Result<Option<PaymentView>, Stop> {
        let start = Start {
            key: Key {
                team: payment.team,
                id: payment.id,
            },
            known: Some(payment),
            deadline: self.deadline(),
        };
        let respond = |payment: Payment| async move {
            if payment.owed_answer.as_ref() != Some(&claim.once) {
                let stored = self.told_under(Some(claim)).await?;
                return Ok(Decision::Leave(payment, Responded::Before(stored)));
            }
            let entry = Line::new(self.inner.world.now(), "The request's time is over")
                .saying("It was told how far the payment has come, which goes on.");
            let effects = Effects {
                responses: Responses::OutOfTime,
                ..Effects::of(vec![entry])
            };
            Ok(Decision::Write(payment, effects, Responded::Now))
        };
        Ok(match self.change_from(start, respond).await? {
            Some((payment, Responded::Now)) => Some(PaymentView::of(payment)),
            Some((_, Responded::Before(stored))) => stored,
            None => None,
        })
    }
}

/// Who has stored the response to a request whose time is over.
enum Responded {
    /// The request itself.
    Now,
    /// Somebody else, or nobody yet: then the request does not wait for a response any more.
    Before(Option<PaymentView>),
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
