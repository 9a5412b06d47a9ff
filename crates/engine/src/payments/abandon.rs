//! Giving up a payment that waits for the customer or for the processor's review.

use crate::boxed;
use domain::{
    Code, Fault,
    caller::Caller,
    decline::{Decline, DeclineCode},
    id::PaymentId,
    payment::{AbandonCause, Occurrence, OperationKind, OperationState, Payment, Status},
};

use super::{
    PaymentView,
    effects::{Effects, key_of},
    may_read,
};
use crate::{
    Engine,
    change::{Decision, Key},
    faults::{EngineError, begun_about, only_fault, payment_not_found},
    idempotency::Responses,
};

/// How often giving up is tried again after somebody else was first.
const TRIES: u32 = 4;

/// A request to give up a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abandon {
    /// The payment.
    pub id: PaymentId,
}

impl Engine {
    /// Gives up a payment that waits. The processor's answer decides: what it has approved meanwhile counts. A client token
    /// gives up its own payments while they wait for the customer; any other of its own it gets as it stands.
    ///
    /// # Errors
    /// `error.payment.not-found`, `error.abandon.invalid-status`, `error.cancel.processor` when the
    /// processor refused it or can't be asked now, `error.unavailable`.
    #[boxed]
    pub async fn abandon(&self, caller: &Caller, wanted: Abandon) -> Result<PaymentView, Fault> {
        let mut payment = self
            .load(caller.team, wanted.id)
            .await
            .map_err(only_fault)?;
        if !may_read(caller, &payment) {
            return Err(payment_not_found());
        }
        if let Some(n) = payment
            .attempt()
            .filter(|attempt| attempt.state == OperationState::Sent)
            .map(|attempt| attempt.n)
        {
            // The customer has come back just now.
            payment = self
                .settled_by_another(payment, n)
                .await
                .map_err(only_fault)?;
        }
        if !caller.is_server() && !waits_for_customer(&payment) {
            // A page that is closed can't know whether the payment is over. It learns how the payment stands.
            return Ok(PaymentView::of(payment));
        }
        if rests_in_its_flow(&payment) {
            return Box::pin(self.stopped(key_of(&payment)))
                .await
                .map(PaymentView::of)
                .map_err(only_fault);
        }
        if payment.waiting_attempt().is_none() {
            let message = format!(
                "The payment's status is {}. It waits for nobody.",
                payment.status()
            );
            return Err(Fault::new(Code::AbandonStatus, message)
                .about(payment.id())
                .in_status(payment.status()));
        }
        let engine = self.clone();
        let deadline = self.request_deadline();
        let work = self.own(Box::pin(
            async move { Box::pin(engine.given_up(payment)).await },
        ));
        let world = &self.inner.world;
        let done = match world.timeout(deadline.left(world.now()), work).await {
            Ok(Some(done)) => done,
            Ok(None) => return Err(Fault::unknown().about(wanted.id)),
            Err(world::Elapsed) => self.load(caller.team, wanted.id).await,
        };
        let payment = done.map_err(|stop| begun_about(stop, wanted.id))?;
        payment.given_up()?;
        Ok(PaymentView::of(payment))
    }

    /// Ends a payment whose flow rests before any processor was asked.
    async fn stopped(&self, key: Key<PaymentId>) -> Result<Payment, EngineError> {
        let stop = |payment| async move { self.with_stop(payment) };
        let (payment, ()) = self.change(key, stop).await?;
        Ok(payment)
    }

    fn with_stop(&self, mut payment: Payment) -> Result<Decision<Payment>, EngineError> {
        if !rests_in_its_flow(&payment) {
            let message = "The payment has gone on meanwhile. Read it again.";
            return Err(Fault::new(Code::AbandonStatus, message)
                .about(payment.id())
                .in_status(payment.status())
                .into());
        }
        let at = self.inner.world.now();
        let decline = Decline::of(DeclineCode::PaymentCancelled);
        let effects = Effects {
            entries: vec![
                Occurrence::new(at, "Giving up").saying("The merchant gave it up."),
                payment.decline_by_rule(decline, at),
            ],
            responses: Responses::Waiting,
            ..Effects::default()
        };
        Ok(Decision::Write(payment, effects, ()))
    }

    /// Gives up what waits for a merchant. What somebody else does with it at the same moment (the customer comes back) is
    /// waited for; where it waits again after that, it is given up all the same.
    async fn given_up(&self, payment: Payment) -> Result<Payment, EngineError> {
        let mut payment = payment;
        for _ in 0..TRIES {
            let Some(n) = payment.waiting_attempt().map(|attempt| attempt.n) else {
                break;
            };
            let asked = payment.operations().len();
            payment = Box::pin(self.give_up(payment, AbandonCause::Merchant)).await?;
            payment = self.settled_by_another(payment, n).await?;
            let tried = payment
                .operations()
                .iter()
                .skip(asked)
                .any(|one| matches!(one.kind, OperationKind::Abandon { .. }));
            if tried {
                break;
            }
        }
        Ok(payment)
    }

    /// Has the processor give up the authorisation that waits, then goes on with what follows from that.
    pub(crate) async fn give_up(
        &self,
        payment: Payment,
        cause: AbandonCause,
    ) -> Result<Payment, EngineError> {
        let about = payment.waiting_attempt().map_or(0, |attempt| attempt.n);
        let payment = self
            .follow(payment, about, |payment, begin| {
                payment.begin_abandon(cause, begin)
            })
            .await?;
        let payment = match payment.waiting_attempt().map(|attempt| attempt.n) {
            // It would not be given up: it may be authorised by now.
            Some(n) => Box::pin(self.look_up(payment, n, false)).await?,
            None => payment,
        };
        Box::pin(self.onward(payment)).await
    }

    /// Gives up what waited too long for the customer, for somebody who is not there, or for an answer.
    pub(crate) async fn expire_waiting(&self, payment: Payment) -> Result<Payment, EngineError> {
        let (about, cause) = match (payment.waiting_attempt(), payment.unanswered_attempt()) {
            (Some(attempt), _) if attempt.return_key.is_some() => {
                (attempt.n, AbandonCause::Lifetime)
            }
            (Some(attempt), _) => (attempt.n, AbandonCause::NobodyPresent),
            (None, Some(attempt)) => (attempt.n, AbandonCause::NoAnswer),
            (None, None) => return Ok(payment),
        };
        self.follow(payment, about, |payment, begin| {
            payment.begin_abandon(cause, begin)
        })
        .await
    }
}

/// Whether the customer must act, and nobody else.
fn waits_for_customer(payment: &Payment) -> bool {
    matches!(
        payment.status(),
        Status::Needs3dSecure | Status::NeedsApmAuthorization
    )
}

/// Whether no processor was asked yet, since the flow waits for a time, an approval or a webhook.
fn rests_in_its_flow(payment: &Payment) -> bool {
    payment.status() == Status::Active
        && payment.attempt().is_none()
        && payment.flow().is_some_and(|run| run.pause.is_some())
}
