//! What the commits of a payment store as the responses to idempotent requests.

use domain::payment::{OnceRef, Payment, State};

use super::{StoredPayment, ToldPayment, effects::Responses};
use crate::{
    Engine,
    commit::CommitParts,
    once::{AUTHORISE_SCOPE, Snapshot},
};

impl Engine {
    /// Stores the responses that the requests have by a change. `payment` is the version that is committed.
    pub(super) fn respond(
        &self,
        payment: &mut Payment,
        responses: Responses,
        parts: &mut CommitParts,
    ) {
        match responses {
            Responses::None => {}
            Responses::Waiting => self.respond_waiting(payment, parts),
            Responses::OfOperation(n) => {
                self.respond_operation(payment, n, parts);
                self.respond_waiting(payment, parts);
            }
            Responses::OutOfTime => respond_owed(payment, parts),
        }
        // That the customer must act is a response for good.
        let waiting = payment.operations.iter();
        let waiting = waiting.filter(|one| matches!(one.state, State::Waiting { .. }));
        let waiting: Vec<u32> = waiting.map(|one| one.n).collect();
        for n in waiting {
            payment.take_once(n);
        }
    }

    /// The response to the request that asked for operation `n`, whose outcome has come. While something follows at once the
    /// request waits for that.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(AnswerNotStored = super::bugs::store_no_answer)
    )]
    fn respond_operation(&self, payment: &mut Payment, n: u32, parts: &mut CommitParts) {
        let Some(once) = payment
            .operation(n)
            .and_then(|operation| operation.once.clone())
        else {
            return;
        };
        let goes_on = payment.goes_on_at_once(self.inner.world.now());
        if goes_on && payment.owed_answer.is_none() && payment.verdict(n).is_ok() {
            payment.owed_answer = Some(once);
            payment.take_once(n);
        } else {
            let response = response_to(payment, n);
            store_response(payment, &once, &response, parts);
        }
    }

    /// The response to the request that waits for what follows at once, when nothing follows any more.
    fn respond_waiting(&self, payment: &mut Payment, parts: &mut CommitParts) {
        if !payment.goes_on_at_once(self.inner.world.now()) {
            respond_owed(payment, parts);
        }
    }
}

/// The response to the request that waits: the payment as it is.
fn respond_owed(payment: &mut Payment, parts: &mut CommitParts) {
    if let Some(once) = payment.owed_answer.take() {
        let response = payment_response(payment);
        store_response(payment, &once, &response, parts);
        payment.answered.push(once);
    }
}

fn store_response(payment: &Payment, once: &OnceRef, response: &str, parts: &mut CommitParts) {
    let key = payment.id.key();
    let store = store::once::answer(payment.team, once, &key, response);
    parts.statements.push(store);
}

/// The response to the request that asked for operation `n`.
fn response_to(payment: &Payment, n: u32) -> String {
    // A capture that completes an authorisation has the authorisation's key: the response to that request is the payment.
    let operation = payment.operation(n);
    let is_authorisation = operation
        .and_then(|operation| operation.once.as_ref())
        .is_some_and(|once| once.scope == AUTHORISE_SCOPE);
    let is_attempt = operation.is_some_and(|operation| operation.kind.is_attempt());
    match payment.verdict(n) {
        Err(_) if is_authorisation && !is_attempt => payment_response(payment),
        Ok(()) => payment_response(payment),
        Err(fault) => Snapshot::<StoredPayment>::Fault(fault).text(),
    }
}

/// The response that is the payment as it is.
pub(super) fn payment_response(payment: &Payment) -> String {
    Snapshot::Result(ToldPayment { payment }).text()
}
