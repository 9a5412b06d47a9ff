//! Authorisation, the story of a payment: it is prepared, committed with its first attempt, sent to the processor, and the
//! processor's answer is settled and committed. What is due then is done at once, and the request is answered.

use crate::boxed;
use std::sync::Arc;

use domain::{Fault, caller::Caller};

use super::{Authorise, PaymentView, attempt::Settled};
use crate::{
    Engine,
    faults::EngineError,
    idempotency::{Once, Response},
    request::Request,
};

impl Engine {
    /// Makes a payment. A decline is a payment, not a fault. Faults name what they are about by its place in the command.
    /// Source: specification 4.3, behaviour contract, section 7.
    #[boxed]
    pub async fn authorise(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Authorise, Fault>,
    ) -> Response<PaymentView> {
        let parsed = match self.admit_command(caller, once.as_ref(), parsed).await {
            Ok(parsed) => parsed,
            Err(fault) => return Response::now(Err(fault)),
        };
        let engine = self.clone();
        let run = |command: Box<Authorise>, request: Arc<Request>| async move {
            let work = {
                let (engine, request) = (engine.clone(), Arc::clone(&request));
                async move { Box::pin(engine.make_payment(command, &request)).await }
            };
            engine.in_time(&request, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }

    async fn make_payment(
        &self,
        command: Box<Authorise>,
        request: &Request,
    ) -> Result<PaymentView, EngineError> {
        let plan = self.prepare(command, request).await?;
        let begun = Box::pin(self.first_commit(&plan, request)).await?;
        let deadline = Some(request.deadline);
        let Settled { payment, brought } = self.call_and_settle(begun, deadline).await?;
        let payment = Box::pin(self.onward(payment)).await?;
        if let Some(stored) = self.stored_answer(request, &payment, &brought).await? {
            return Ok(stored);
        }
        if let Some(attempt) = payment.attempt() {
            payment.verdict(attempt.n)?;
        }
        Ok(PaymentView::of(payment))
    }
}
