//! Capture.

use crate::boxed;
use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    payment::{Payment, Status},
};

use super::{
    PaymentView,
    effects::{Effects, key_of},
    later::Later,
};
use crate::{
    Engine,
    change::Decision,
    faults::EngineError,
    idempotency::{Once, Response},
};

/// A request for a capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// The payment.
    pub id: PaymentId,
    /// How much, in minor units; all that is left of what was authorised when absent.
    pub amount: Option<i64>,
    /// Whether it is the last: what it leaves is released. Else the payment stays AUTHORISED, to be captured again.
    pub is_final: bool,
    /// Replaces the payment's metadata when given.
    pub metadata: Option<serde_json::Value>,
}

impl Engine {
    /// Captures an authorised payment, by one capture or by several. Source: specification 4.3; behaviour contract, section 7.
    #[boxed]
    pub async fn capture(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Capture, Fault>,
    ) -> Response<PaymentView> {
        let parsed = parsed.map(|wanted| {
            Later::new(wanted.id, move |payment, begin, can| {
                let begun = if wanted.is_final {
                    payment.begin_capture(wanted.amount, begin)?
                } else {
                    payment.begin_part_capture(wanted.amount, can.several_captures, begin)?
                };
                if let Some(metadata) = &wanted.metadata {
                    payment.replace_metadata(metadata.clone());
                }
                Ok(begun)
            })
        });
        self.later(caller, once, parsed).await
    }

    /// Captures what should have been captured at once. The request that waits for a response waits for the capture.
    pub(crate) async fn capture_due(&self, payment: Payment) -> Result<Payment, EngineError> {
        let begin = |payment| self.with_due_capture(payment);
        match self.change(key_of(&payment), begin).await? {
            (payment, Some(n)) => self.carry_out(payment, n, None).await,
            (payment, None) => Ok(payment),
        }
    }

    async fn with_due_capture(
        &self,
        mut payment: Payment,
    ) -> Result<Decision<Payment, Option<u32>>, EngineError> {
        if payment.status() != Status::Authorised || payment.capture_at().is_none() {
            return Ok(Decision::Leave(payment, None));
        }
        let line = self.authorised_line(&payment).await?;
        let begin = self.begin(line.as_ref(), payment.take_owed_answer(), None);
        let Ok((n, entry)) = payment.begin_capture(None, begin) else {
            return Ok(Decision::Leave(payment, None));
        };
        Ok(Decision::Write(payment, Effects::of(vec![entry]), Some(n)))
    }
}
