//! What the commits of a payment store as the responses to idempotent requests.

use db::Change;
use domain::payment::{Occurrence, OnceRef, OperationState, Payment, PaymentEvent};
use store::once::Claim;

use super::{AUTHORISE_SCOPE, Snapshot};
use crate::{
    Engine,
    change::{Decision, Key, Start},
    commit::CommitParts,
    deadline::GRACE,
    faults::EngineError,
    payments::{AnsweredPayment, Effects, PaymentView, StoredPayment},
};

/// Which idempotent requests have their response by a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Responses {
    /// None: what they wait for is still to come.
    #[default]
    None,
    /// The one that waits for what follows at once, if nothing follows at once any more.
    Waiting,
    /// The one that asked for this operation, whose outcome has come; and then the one that waits.
    OfOperation(u32),
    /// The one that waits, although more follows: its time is over.
    OutOfTime,
}

impl Engine {
    /// Stores the responses that the requests have by a change. `payment` is the version that is committed.
    pub(crate) fn respond(
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
        let waiting = payment.operations().iter();
        let waiting = waiting.filter(|one| matches!(one.state, OperationState::Waiting { .. }));
        let waiting: Vec<u32> = waiting.map(|one| one.n).collect();
        for n in waiting {
            payment.take_once(n);
        }
    }

    /// The response to the request that asked for operation `n`, whose outcome has come. While something follows at once the
    /// request waits for that.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(AnswerNotStored = crate::bugs::store_no_answer)
    )]
    fn respond_operation(&self, payment: &mut Payment, n: u32, parts: &mut CommitParts) {
        let Some(once) = payment
            .operation(n)
            .and_then(|operation| operation.once.clone())
        else {
            return;
        };
        let goes_on = payment.goes_on_at_once(self.inner.world.now());
        if goes_on && payment.owed_answer().is_none() && payment.verdict(n).is_ok() {
            payment.owe_answer(once);
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

    /// Stores the payment as it is shown before it has an outcome, until its outcome takes that place.
    pub(crate) async fn respond_meanwhile(
        &self,
        payment: Payment,
        claim: &Claim,
    ) -> Result<PaymentView, EngineError> {
        let (stream, response) = (payment.id().key(), payment_response(&payment));
        let statement = store::once::answer_meanwhile(claim.team, &claim.once, &stream, &response);
        let change = Change::new(self.change_id(), &stream).with(statement);
        // A slow database holds up no answer: its client would get none.
        let written = self
            .inner
            .world
            .timeout(GRACE, self.commit_plain(change))
            .await;
        let refused = matches!(written, Ok(Ok(Some(_))));
        // Somebody was faster: what is stored by now counts.
        let stored = if refused {
            self.stored_response(claim).await?
        } else {
            None
        };
        Ok(stored.unwrap_or_else(|| PaymentView::of(payment)))
    }

    /// Stores how far the payment has come as the response to the request that waits for it, since what follows takes longer
    /// than the request may. `None` when that is not for it to say any more: somebody goes on with it.
    pub(crate) async fn respond_out_of_time(
        &self,
        payment: Payment,
        claim: &Claim,
    ) -> Result<Option<PaymentView>, EngineError> {
        let start = Start {
            key: Key {
                team: payment.team(),
                id: payment.id(),
            },
            known: Some(payment),
            deadline: self.deadline(),
        };
        let respond = |payment: Payment| async move {
            if payment.owed_answer() != Some(&claim.once) {
                let stored = self.stored_response(claim).await?;
                return Ok(Decision::Leave(payment, Responded::Before(stored)));
            }
            let entry = Occurrence::new(self.inner.world.now(), "The request's time is over")
                .saying("The answer shows the payment as it stood then; it goes on.")
                .event(PaymentEvent::NoAnswer);
            let effects = Effects {
                responses: Responses::OutOfTime,
                ..Effects::of(vec![entry])
            };
            Ok(Decision::Write(payment, effects, Responded::Now))
        };
        Ok(match self.change_from(start, respond).await? {
            Some((payment, Responded::Now)) => Some(PaymentView::of(payment)),
            Some((_, Responded::Before(stored))) => stored,
            None => None,
        })
    }
}

/// Who has stored the response to a request whose time is over.
enum Responded {
    /// The request itself.
    Now,
    /// Somebody else, or nobody yet: then the request does not wait for a response any more.
    Before(Option<PaymentView>),
}

/// The response to the request that waits: the payment as it is.
fn respond_owed(payment: &mut Payment, parts: &mut CommitParts) {
    if let Some(once) = payment.take_owed_answer() {
        let response = payment_response(payment);
        store_response(payment, &once, &response, parts);
        payment.note_answered(once);
    }
}

fn store_response(payment: &Payment, once: &OnceRef, response: &str, parts: &mut CommitParts) {
    let key = payment.id().key();
    let store = store::once::answer(payment.team(), once, &key, response);
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
pub(crate) fn payment_response(payment: &Payment) -> String {
    Snapshot::Result(AnsweredPayment { payment }).text()
}
