//! Cancellation.

use crate::boxed;
use domain::{Fault, caller::Caller, id::PaymentId, payment::CancelCause};

use super::{PaymentView, later::Later};
use crate::{
    Engine,
    idempotency::{Once, Response},
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
    #[boxed]
    pub async fn cancel(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Cancel, Fault>,
    ) -> Response<PaymentView> {
        let parsed = parsed.map(|Cancel { id, reason }| {
            Later::new(id, move |payment, begin, _| {
                payment.begin_cancel(CancelCause::Merchant, reason.clone(), begin)
            })
        });
        self.later(caller, once, parsed).await
    }
}
