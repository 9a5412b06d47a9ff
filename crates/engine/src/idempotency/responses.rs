//! What the commits of a payment store as the responses to idempotent requests.

use db::{Change, Statement};
use domain::{
    Fault,
    payment::{Occurrence, OnceRef, OperationState, Payment, PaymentEvent},
};
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
            match fault_of(payment, n) {
                Some(fault) => store_fault(payment, &once, fault, parts),
                None => name_version(payment, &once, parts),
            }
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
        name_version(payment, &once, parts);
        payment.note_answered(once);
    }
}

/// The response is the payment as it is committed: named, not copied.
fn name_version(payment: &mut Payment, once: &OnceRef, parts: &mut CommitParts) {
    let (key, version) = (payment.id().key(), payment.version());
    let store = store::once::answer_by_version(payment.team(), once, &key, version);
    parts.statements.push(store);
    payment.note_response();
}

fn store_fault(payment: &Payment, once: &OnceRef, fault: Fault, parts: &mut CommitParts) {
    let response = Snapshot::<StoredPayment>::Fault(fault).text();
    let key = payment.id().key();
    let store = store::once::answer(payment.team(), once, &key, &response);
    parts.statements.push(store);
}

/// The fault that is the response to the request that asked for operation `n`; without one it is the payment.
fn fault_of(payment: &Payment, n: u32) -> Option<Fault> {
    // A capture that completes an authorisation has the authorisation's key: the response to that request is the payment.
    let operation = payment.operation(n);
    let is_authorisation = operation
        .and_then(|operation| operation.once.as_ref())
        .is_some_and(|once| once.scope == AUTHORISE_SCOPE);
    let is_attempt = operation.is_some_and(|operation| operation.kind.is_attempt());
    if is_authorisation && !is_attempt {
        return None;
    }
    payment.verdict(n).err()
}

/// A version of a payment that idempotency records name, before it is changed.
pub(crate) struct NamedVersion {
    version: u64,
    document: String,
}

impl NamedVersion {
    /// The payment's version, when records name it.
    pub(crate) fn of(payment: &Payment) -> Option<Box<Self>> {
        payment.is_response().then(|| {
            Box::new(Self {
                version: payment.version(),
                document: payment_response(payment),
            })
        })
    }

    /// The same version with another document.
    #[cfg(feature = "planted")]
    pub(crate) fn with(&self, document: String) -> Self {
        Self {
            version: self.version,
            document,
        }
    }

    /// The statements that write it into the records that name it, for the commit of the next version.
    #[cfg_attr(
        feature = "planted",
        planted::alternatives(
            NamedVersionLost = crate::bugs::keep_no_version,
            LaterVersionReplayed = crate::bugs::keep_later_version,
        )
    )]
    pub(crate) fn kept(&self, payment: &Payment) -> Vec<Statement> {
        let (team, stream) = (payment.team(), payment.id().key());
        let records = payment.idempotency_records();
        records
            .map(|once| {
                store::once::keep_version(team, once, &stream, self.version, &self.document)
            })
            .collect()
    }
}

/// The response that is the payment as it is.
pub(crate) fn payment_response(payment: &Payment) -> String {
    Snapshot::Result(AnsweredPayment { payment }).text()
}
