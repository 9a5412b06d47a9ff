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
    attempt::{Asked, Later},
};
use crate::{
    Engine,
    deadline::Deadline,
    once::{Once, Told},
    progress::Progress,
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
            let asked = Asked {
                team,
                deadline,
                progress: Progress::new(&engine.inner.watching),
                claim,
            };
            let work = {
                let (engine, progress) = (engine.clone(), asked.progress.clone());
                let claim = asked.claim.clone();
                async move {
                    let later = Later {
                        team,
                        id,
                        once: claim.as_ref(),
                        deadline: Some(deadline),
                        progress: &progress,
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
                        Some(claim) => {
                            engine
                                .told_in_time(claim, (team, id, Some(n)), deadline)
                                .await
                        }
                        // Somebody else has settled it, and it has gone on since.
                        None if payment.version != own => {
                            let told = engine.told_under(claim.as_ref()).await?;
                            Ok(told.unwrap_or_else(|| PaymentView::of(payment)))
                        }
                        None => Ok(PaymentView::of(payment)),
                    }
                }
            };
            engine.in_time(&asked, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }
}
