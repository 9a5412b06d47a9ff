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
            return Told {
                result: Err(fault),
                replayed: false,
            };
        }
        let (engine, team) = (self.clone(), caller.team);
        let run = |(id, mut add): (PaymentId, Add), claim: Option<Claim>, deadline: Deadline| async move {
            let begun = Begun::default();
            let work = {
                let (engine, begun, claim) = (engine.clone(), begun.clone(), claim.clone());
                async move {
                    let later = Later {
                        team,
                        id,
                        once: claim.as_ref(),
                        deadline: Some(deadline),
                        begun: &begun,
                    };
                    let add = |payment: &mut Payment, begin| Ok(add(payment, begin)?);
                    let (payment, n) = engine.begin_later(&later, add).await?;
                    let own = payment.version + 1;
                    let payment = engine.carry_out(payment, n, None).await?;
                    if let Err(fault) = payment.verdict(n) {
                        // What was refused may have held up a capture or the flow.
                        engine.go_on_later(payment, None);
                        return Err(fault.into());
                    }
                    let settled = payment.version;
                    let payment = Box::pin(engine.onward(payment)).await?;
                    match claim
                        .as_ref()
                        .filter(|_| payment.version != settled || payment.owed_answer.is_some())
                    {
                        Some(claim) => engine.told_in_time(claim, (team, id, deadline)).await,
                        // Somebody else has settled it, and it has gone on since.
                        None if payment.version != own => {
                            let told = engine.told_under(claim.as_ref()).await?;
                            Ok(told.unwrap_or_else(|| PaymentView::of(payment)))
                        }
                        None => Ok(PaymentView::of(payment)),
                    }
                }
            };
            engine
                .in_time(
                    (team, id, deadline),
                    (&begun, claim.as_ref()),
                    Box::pin(work),
                )
                .await
        };
        self.once(caller, once, parsed, run).await
    }
}
