//! What capture, cancellation and refund have in common: begin under the payment's version, call, settle, answer.

use std::sync::Arc;

use connector::Capabilities;
use domain::{
    Fault,
    caller::Caller,
    id::PaymentId,
    payment::{Begin, Occurrence, Payment},
};

use super::{
    PaymentView,
    attempt::{Begun, Settled},
    effects::Effects,
    misfit::check_later,
};
use crate::{
    Engine,
    change::{Decision, Key, Start},
    commit::CommitParts,
    faults::{EngineError, payment_not_found},
    idempotency::{Once, Response},
    request::Request,
};

/// What can be done at a connection that is gone.
const NOTHING: Capabilities = Capabilities {
    sale: false,
    partial_capture: false,
    several_captures: false,
    partial_refund: false,
};

/// Adds an operation to the payment as it is now; called again when somebody else changed the payment first.
type Add = Box<
    dyn Fn(&mut Payment, Begin, Capabilities) -> Result<(u32, Occurrence), Fault> + Send + Sync,
>;

/// An operation on a payment that there is.
pub(super) struct Later {
    id: PaymentId,
    add: Add,
}

impl Later {
    /// The operation that `add` adds to a payment, by what the connector of its authorisation can do.
    pub(super) fn new(
        id: PaymentId,
        add: impl Fn(&mut Payment, Begin, Capabilities) -> Result<(u32, Occurrence), Fault>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            id,
            add: Box::new(add),
        }
    }
}

impl Engine {
    /// Carries out a later operation of a merchant's server on a payment, once for its idempotency key.
    pub(super) async fn later(
        &self,
        caller: &Caller,
        once: Option<Once>,
        parsed: Result<Later, Fault>,
    ) -> Response<PaymentView> {
        let engine = self.clone();
        let run = |later: Later, request: Arc<Request>| async move {
            let work = {
                let (engine, request) = (engine.clone(), Arc::clone(&request));
                async move { Box::pin(engine.done_later(&later, &request)).await }
            };
            engine.in_time(&request, Box::pin(work)).await
        };
        self.once(caller, once, parsed, run).await
    }

    /// Commits the operation, has the processor carry it out, settles its answer and answers the request.
    async fn done_later(
        &self,
        later: &Later,
        request: &Request,
    ) -> Result<PaymentView, EngineError> {
        let (payment, n) = self.begin_later(later, request).await?;
        let begun = Begun {
            payment,
            operation: Some(n),
        };
        let Settled { payment, brought } = self.call_and_settle(begun, None).await?;
        if let Err(fault) = payment.verdict(n) {
            // What was refused may have held up a capture or the flow.
            self.go_on_later(payment, None);
            return Err(fault.into());
        }
        let payment = Box::pin(self.onward(payment)).await?;
        let stored = self.stored_answer(request, &payment, &brought).await?;
        Ok(stored.unwrap_or_else(|| PaymentView::of(payment)))
    }

    /// Commits the operation, with the request's idempotency key, before the processor is asked.
    async fn begin_later(
        &self,
        later: &Later,
        request: &Request,
    ) -> Result<(Payment, u32), EngineError> {
        let start = Start {
            key: Key {
                team: request.caller.team,
                id: later.id,
            },
            known: None,
            deadline: request.deadline,
        };
        let begin = |mut payment: Payment| async move {
            let line = self.authorised_line(&payment).await?;
            let once = request.claim.as_ref().map(|claim| claim.once.clone());
            let begin = self.begin(line.as_ref(), once, Some(request.deadline));
            let can = line
                .as_ref()
                .map_or(NOTHING, |line| line.connector.descriptor().capabilities);
            let (n, entry) = (later.add)(&mut payment, begin, can)?;
            check_later(line.as_ref(), &payment, payment.operation(n))?;
            let effects = Effects {
                parts: self.first_parts(request, &payment),
                ..Effects::of(vec![entry])
            };
            Ok(Decision::Write(payment, effects, n))
        };
        let committed = self.change_from(start, begin).await?;
        committed.ok_or_else(|| payment_not_found().into())
    }

    /// What the first commit of a request carries.
    fn first_parts(&self, request: &Request, payment: &Payment) -> CommitParts {
        let claim = request.claim.as_ref();
        CommitParts {
            claim: claim.map(|claim| self.claim(claim, Some(&payment.id().key()), None)),
            deadline: Some(request.deadline),
            progress: Some(request.progress.clone()),
            ..CommitParts::default()
        }
    }
}
