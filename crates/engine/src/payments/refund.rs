//! Refunds.

use domain::{
    Fault,
    caller::Caller,
    id::{PaymentId, RefundId},
};

use super::{
    PaymentView,
    attempt::{Begun, Later},
};
use crate::{
    Engine,
    once::{Once, Told},
};

/// A request for a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// The payment.
    pub id: PaymentId,
    /// How much, in minor units; what remains when absent.
    pub amount: Option<i64>,
    /// The merchant's reason.
    pub reason: Option<String>,
}

impl Engine {
    /// Refunds a captured payment, whole or in part. Source: specification 4.3.
    pub async fn refund(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Refund, Fault>,
    ) -> Told<PaymentView> {
        if let Err(fault) = caller.require_server() {
            return Told { result: Err(fault), replayed: false };
        }
        let (engine, team) = (self.clone(), caller.team);
        let run = |command: Refund, claim: Option<store::once::Claim>, deadline| async move {
            let id = command.id;
            let begun = Begun::default();
            let refund = RefundId::new(engine.inner.world.uuid_v7());
            let work = {
                let (engine, begun) = (engine.clone(), begun.clone());
                async move {
                    let later = Later { team, id, once: claim.as_ref(), deadline: Some(deadline), begun: &begun };
                    let (payment, n) = engine
                        .begin_later(&later, |payment, begin| {
                            Ok(payment.begin_refund(refund, command.amount, command.reason.clone(), begin)?)
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
