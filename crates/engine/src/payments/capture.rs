//! Capture.

use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    payment::{Payment, Status},
};

use super::{PaymentView, later::Add};
use crate::{
    Engine,
    commit::{Ended, Extra},
    faults::Stop,
    once::{Once, Told},
};

/// A request for a capture.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// The payment.
    pub id: PaymentId,
    /// How much, in minor units; all that was authorised when absent.
    pub amount: Option<i64>,
    /// Replaces the payment's metadata when given.
    pub metadata: Option<serde_json::Value>,
}

impl Engine {
    /// Captures an authorised payment. Source: specification 4.3.
    pub async fn capture(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Capture, Fault>,
    ) -> Told<PaymentView> {
        let parsed = parsed.map(
            |Capture {
                 id,
                 amount,
                 metadata,
             }|
             -> (PaymentId, Add) {
                let add = move |payment: &mut Payment, begin| {
                    let begun = payment.begin_capture(amount, begin)?;
                    if let Some(metadata) = &metadata {
                        payment.metadata = Some(metadata.clone());
                    }
                    Ok(begun)
                };
                (id, Box::new(add))
            },
        );
        self.later(caller, once, parsed).await
    }

    /// Captures what should have been captured at once. The request that is owed an answer waits for it.
    pub(crate) async fn capture_due(&self, payment: Payment) -> Result<Payment, Stop> {
        let (team, id) = (payment.team, payment.id);
        let (payment, n) = loop {
            let _turn = self.inner.turns.take(id.uuid()).await;
            let mut payment = self.load(team, id).await?;
            if payment.status != Status::Authorised || payment.capture_at.is_none() {
                return Ok(payment);
            }
            let line = match payment.authorisation() {
                Some(authorisation) => self.line(team, &authorisation.connection).await?,
                None => None,
            };
            let begin = self.begin(line.as_ref(), payment.owed_answer.take(), None);
            let Ok((n, words)) = payment.begin_capture(None, begin) else {
                return Ok(payment);
            };
            payment.version += 1;
            if self
                .commit_payment(&payment, &[words], Extra::default())
                .await?
                == Ended::Done
            {
                break (payment, n);
            }
        };
        self.carry_out(payment, n, None).await
    }
}
