//! Refunds.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    id::{PaymentId, RefundId},
};

use super::{PaymentView, later::Later};
use crate::{
    Engine,
    idempotency::{Once, Response},
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
    #[boxed]
    pub async fn refund(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Refund, Fault>,
    ) -> Response<PaymentView> {
        let refund = RefundId::new(self.inner.world.uuid_v7());
        let parsed = parsed.map(|Refund { id, amount, reason }| {
            Later::new(id, move |payment, begin, _| {
                payment.begin_refund(refund, amount, reason.clone(), begin)
            })
        });
        self.later(caller, once, parsed).await
    }
}
