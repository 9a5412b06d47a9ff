//! Looking up at the processor what became of an operation.

use std::collections::BTreeSet;

use connector::{CallError, Certainty, Connector, Finding, LookUp, Reference, SentBetween};
use domain::{
    Timestamp,
    answer::LaterAnswer,
    id::PaymentId,
    payment::{News, Operation, OperationState, Payment, Source, booking},
};
use parking_lot::Mutex;

use super::{
    effects::key_of,
    send::{Sent, earlier},
    settle::Report,
};
use crate::{Engine, faults::EngineError};

/// The operations whose calls are under way here. No look-up can tell yet what comes of one, whatever the clock says: it may
/// have been set forward since the call began.
#[derive(Default)]
pub(crate) struct Sending(Mutex<BTreeSet<(PaymentId, u32)>>);

/// A call that is under way until it is dropped.
pub(crate) struct Send<'a> {
    sending: &'a Sending,
    what: (PaymentId, u32),
}

impl Sending {
    /// Notes a call before it is sent.
    pub(crate) fn begin(&self, id: PaymentId, n: u32) -> Send<'_> {
        self.0.lock().insert((id, n));
        Send {
            sending: self,
            what: (id, n),
        }
    }

    fn is_under_way(&self, id: PaymentId, n: u32) -> bool {
        self.0.lock().contains(&(id, n))
    }
}

impl Drop for Send<'_> {
    fn drop(&mut self) {
        self.sending.0.lock().remove(&self.what);
    }
}

/// The payments that are being looked up: one look-up at a time for each.
#[derive(Default)]
pub(crate) struct Looking(Mutex<BTreeSet<PaymentId>>);

struct Look<'a> {
    looking: &'a Looking,
    id: PaymentId,
}

impl Looking {
    /// Whether a look-up of the payment is under way.
    pub(crate) fn is_under_way(&self, id: PaymentId) -> bool {
        self.0.lock().contains(&id)
    }

    fn begin(&self, id: PaymentId) -> Option<Look<'_>> {
        let is_first = self.0.lock().insert(id);
        // Made only when it is wanted, and with the lock let go: its end takes the lock too.
        is_first.then(|| Look { looking: self, id })
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.looking.0.lock().remove(&self.id);
    }
}

impl Engine {
    /// Asks the processor about operation `n` and settles what it says. Does nothing while another look-up of the
    /// payment is under way, or the call that is asked about.
    pub(crate) async fn look_up(
        &self,
        payment: Payment,
        n: u32,
        quiet: bool,
    ) -> Result<Payment, EngineError> {
        if self.inner.sending.is_under_way(payment.id(), n) {
            return Ok(payment);
        }
        let Some(_look) = self.inner.looking.begin(payment.id()) else {
            return Ok(payment);
        };
        let asked = Box::pin(self.ask(&payment, n)).await?;
        let report = |n, news, quiet| Report {
            n,
            news,
            source: Source::LookUp,
            quiet,
            fall_back: None,
        };
        let first = report(n, asked.news, quiet);
        let mut payment = Box::pin(self.settle(key_of(&payment), None, first)).await?;
        for (n, answer) in asked.others {
            if !self.inner.sending.is_under_way(payment.id(), n) {
                let report = report(n, News::Later(answer), true);
                payment = Box::pin(self.settle(key_of(&payment), None, report)).await?;
            }
        }
        match payment.completion_owed() {
            Some(n) => Box::pin(self.complete(payment, n, None)).await,
            None => Ok(payment),
        }
    }

    /// What the processor knows already of an operation that is to be sent, where the database was restored and the payment is
    /// from before: it may have been sent in the time that was lost, under the same reference. `None`: it is to be sent.
    pub(super) async fn known_before_restore(
        &self,
        payment: &Payment,
        n: u32,
    ) -> Result<Option<News>, EngineError> {
        let restored_at = self.inner.settings.restored_at;
        let Some(operation) = payment.operation(n) else {
            return Ok(None);
        };
        if restored_at.is_none_or(|at| payment.created_at() > at) || operation.action.is_some() {
            return Ok(None);
        }
        let news = self.ask(payment, operation.n).await?.news;
        Ok(match news {
            // Not even asked: it may have happened, so it is looked up again.
            News::LookUpFailed => Some(News::no_answer()),
            News::NotFound { .. } if operation.kind.is_attempt() => Some(News::Nothing(
                "the database was restored from a backup: a payment from before is not authorised again".to_owned(),
            )),
            News::NotFound { .. } => None,
            known => Some(known),
        })
    }

    async fn ask(&self, payment: &Payment, n: u32) -> Result<Asked, EngineError> {
        let Some(operation) = payment.operation(n) else {
            return Ok(Asked::nothing());
        };
        let Some(connected) = self.line(payment.team(), &operation.connection).await? else {
            tracing::warn!(payment.id = %payment.id(), "its connection is gone, so its outcome can't be looked up");
            return Ok(Asked::nothing());
        };
        let about = payment.attempt_behind(n).map_or(n, |attempt| attempt.n);
        let about = payment.operation(about).unwrap_or(operation);
        let reference = reference_of(payment, n);
        let authorisation = Reference::new(payment.id(), about.n);
        let call = LookUp {
            asked: earlier(&reference, operation),
            what: booking(operation.kind),
            sent: SentBetween {
                from: about.started_at,
                until: about.send_by,
            },
            authorisation: earlier(&authorisation, about),
            phase: operation.phase.as_deref(),
        };
        let connection = match self.open_connection(&connected).await? {
            Ok(connection) => connection,
            Err(why) => {
                tracing::warn!(payment.id = %payment.id(), why, "its connection can't be used for a look-up");
                return Ok(Asked::nothing());
            }
        };
        let link = self.link(&connected, &connection);
        let timeout = connected.connector.descriptor().call_timeout;
        let asked = self.inner.world.now();
        if may_be_replayed(connected.connector.as_ref(), operation, asked) {
            let sent = Sent::later(payment, operation);
            let again = sent.follow(connected.connector.as_ref(), &link);
            let answered = self.inner.world.timeout(timeout, again).await;
            return Ok(Asked::replayed(answered.ok()));
        }
        let answered = match self
            .inner
            .world
            .timeout(timeout, connected.connector.look_up(&link, &call))
            .await
        {
            Ok(Ok(finding)) => Asked::of(&finding, &call, payment, asked),
            Ok(Err(error)) => {
                self.note_failure(payment.team(), &operation.connection, &error);
                tracing::warn!(payment.id = %payment.id(), error = %error, "a look-up failed");
                Asked::nothing()
            }
            Err(world::Elapsed) => {
                tracing::warn!(payment.id = %payment.id(), "a look-up was not answered in time");
                Asked::nothing()
            }
        };
        metrics::counter!(
            "pointsman_look_ups_total",
            "processor" => connected.connection.processor.clone(),
            "connection" => self.connection_label(payment.team(), &connected.connection.id)
        )
        .increment(1);
        Ok(answered)
    }
}

/// What a look-up has brought.
struct Asked {
    /// About the operation that was asked about.
    news: News,
    /// About others of the same authorisation, which the processor mentions in the same answer.
    others: Vec<(u32, LaterAnswer)>,
}

impl Asked {
    /// The same request was sent again. That it is refused proves nothing: the first one may have taken effect.
    fn replayed(answered: Option<Result<LaterAnswer, CallError>>) -> Self {
        let news = match answered {
            Some(Ok(answer @ (LaterAnswer::Done { .. } | LaterAnswer::Pending { .. }))) => {
                News::Later(answer)
            }
            Some(Ok(LaterAnswer::Refused { .. } | LaterAnswer::Reversed { .. }) | Err(_))
            | None => News::LookUpFailed,
        };
        Self {
            news,
            others: Vec::new(),
        }
    }

    /// The look-up itself failed.
    fn nothing() -> Self {
        Self {
            news: News::LookUpFailed,
            others: Vec::new(),
        }
    }

    fn of(finding: &Finding, call: &LookUp<'_>, payment: &Payment, asked: Timestamp) -> Self {
        let found = if call.is_of_authorisation() {
            finding.authorisation.clone().map(News::Answer)
        } else {
            finding.operation(call.asked).cloned().map(News::Later)
        };
        let others = payment.operations().iter().filter_map(|operation| {
            if operation.kind.is_attempt() {
                return None;
            }
            let own = Reference::new(payment.id(), operation.n);
            let about = payment.attempt_behind(operation.n)?;
            let authorisation = Reference::new(payment.id(), about.n);
            if own == *call.asked.reference || authorisation != *call.authorisation.reference {
                return None;
            }
            let answer = finding.operation(earlier(&own, operation))?;
            is_new(&operation.state, answer).then(|| (operation.n, answer.clone()))
        });
        let others = others.collect();
        // An operation of which the processor keeps no reference, and whose id we don't have, may be the one that got no answer.
        let is_ours = |id: &str| {
            let mut operations = payment.operations().iter();
            operations.any(|operation| operation.processor_id.as_deref() == Some(id))
        };
        let absent = if call.asked.processor_id.is_none() && finding.has_other(is_ours) {
            News::LookUpFailed
        } else {
            News::NotFound { asked }
        };
        Self {
            news: found.unwrap_or(absent),
            others,
        }
    }
}

/// Whether an operation whose outcome is unknown is sent again to learn it: it stays wanted, and its processor knows it again.
fn may_be_replayed(connector: &dyn Connector, operation: &Operation, now: Timestamp) -> bool {
    let is_wanted = !operation.kind.is_attempt();
    let is_unknown = matches!(operation.state, OperationState::Unknown { .. });
    let within =
        |certainty: &dyn Certainty| now < operation.started_at.after(certainty.replays_within());
    is_wanted && is_unknown && connector.certainty().is_some_and(within)
}

/// Whether an answer says more of an operation than is known. One that may be under way is left to its own call.
fn is_new(known: &OperationState, answer: &LaterAnswer) -> bool {
    match (known, answer) {
        (OperationState::Unknown { .. }, _)
        | (OperationState::Done { .. }, LaterAnswer::Reversed { .. }) => true,
        (OperationState::Pending { .. }, answer) => !matches!(answer, LaterAnswer::Pending { .. }),
        (
            OperationState::Sent
            | OperationState::Waiting { .. }
            | OperationState::Done { .. }
            | OperationState::Refused { .. }
            | OperationState::Failed { .. },
            _,
        ) => false,
    }
}

/// The reference under which an operation was sent.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(LookUpUnderNewReference = super::bugs::unsent_reference)
)]
fn reference_of(payment: &Payment, n: u32) -> Reference {
    Reference::new(payment.id(), n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_look_up_of_a_payment_is_turned_away_while_the_first_goes_on() {
        let looking = Looking::default();
        let (one, other) = (
            PaymentId::new(uuid::Uuid::from_u128(1)),
            PaymentId::new(uuid::Uuid::from_u128(2)),
        );
        let first = looking.begin(one);
        assert!(first.is_some());
        assert!(looking.begin(one).is_none());
        assert!(
            looking.begin(one).is_none(),
            "one that was turned away ends nothing"
        );
        assert!(looking.begin(other).is_some());
        drop(first);
        assert!(looking.begin(one).is_some());
    }
}
