//! What capture, cancellation and refund have in common: begin under the payment's version, call, settle, answer in time.

use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    payment::{Begin, Line, Payment},
};
use store::once::Claim;

use super::{
    PaymentView,
    attempt::{Begun, Later},
};
use crate::{
    Engine,
    deadline::Deadline,
    once::{Once, Told},
};

/// Adds an operation to the payment as it is now; called again when somebody else changed the payment first.
pub(super) type Add = Box<dyn FnMut(&mut Payment, Begin) -> Result<(u32, Line), Fault> + Send>;

impl Engine {
    /// Carries out a later operation of a merchant's server on a payment, once for its idempotency key.
    pub(super) async fn later(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<(PaymentId, Add), Fault>,
    ) -> Told<PaymentView> {
        if let Err(fault) = caller.require_server() {
            return Told { result: Err(fault), replayed: false };
        }
        let (engine, team) = (self.clone(), caller.team);
        let run = |(id, mut add): (PaymentId, Add), claim: Option<Claim>, deadline: Deadline| async move {
            let begun = Begun::default();
            let work = {
                let (engine, begun) = (engine.clone(), begun.clone());
                async move {
                    let later = Later { team, id, once: claim.as_ref(), deadline: Some(deadline), begun: &begun };
                    let add = |payment: &mut Payment, begin| Ok(add(payment, begin)?);
                    let (payment, n) = engine.begin_later(&later, add).await?;
                    let payment = engine.carry_out(payment, n, None).await?;
                    payment.verdict(n)?;
                    let settled = payment.version;
                    let payment = Box::pin(engine.onward(payment)).await?;
                    match claim.as_ref().filter(|_| payment.version != settled || payment.owed_answer.is_some()) {
                        Some(claim) => engine.kept_answer(claim, deadline).await,
                        None => Ok(PaymentView::of(payment)),
                    }
                }
            };
            engine.in_time((team, id, deadline), &begun, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }
}
