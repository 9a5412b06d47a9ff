//! Cancellation.

use domain::{Fault, caller::Caller, id::PaymentId, payment::CancelCause};

use super::{
    PaymentView,
    attempt::{Begun, Later},
};
use crate::{
    Engine,
    once::{Once, Told},
};

/// A request for a cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancel {
    /// The payment.
    pub id: PaymentId,
    /// The merchant's reason.
    pub reason: Option<String>,
}

impl Engine {
    /// Cancels an authorised payment. Source: specification 4.3.
    pub async fn cancel(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Cancel, Fault>,
    ) -> Told<PaymentView> {
        if let Err(fault) = caller.require_server() {
            return Told { result: Err(fault), replayed: false };
        }
        let (engine, team) = (self.clone(), caller.team);
        let run = |command: Cancel, claim: Option<store::once::Claim>, deadline| async move {
            let id = command.id;
            let begun = Begun::default();
            let work = {
                let (engine, begun) = (engine.clone(), begun.clone());
                async move {
                    let later = Later { team, id, once: claim.as_ref(), deadline: Some(deadline), begun: &begun };
                    let (payment, n) = engine
                        .begin_later(&later, |payment, begin| {
                            Ok(payment.begin_cancel(CancelCause::Merchant, command.reason.clone(), begin)?)
                        })
                        .await?;
                    let payment = engine.carry_out(payment, n).await?;
                    payment.verdict(n)?;
                    Ok(PaymentView::of(payment))
                }
            };
            engine.in_time((team, id, deadline), &begun, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }
}
