//! An operation as its connector is asked for it, and what its answer, or the lack of one, means.

use std::time::Duration;

use connector::{
    Authorise, CallError, Cancel, Capture, Cause, Complete, Connector, Earlier, FundingSource,
    Link, Reference, Refund, StoredCredential, ThreeDsCall,
};
use domain::{
    answer::{Action, Answer, Approval, LaterAnswer},
    money::Money,
    payment::{AbandonCause, Initiator, News, Operation, OperationKind, OperationState, Payment},
};

use super::call::verb;

/// An operation with what is sent for it.
pub(super) struct Sent<'a> {
    pub(super) payment: &'a Payment,
    pub(super) operation: &'a Operation,
    pub(super) funding_source: FundingSource<'a>,
    /// Where the customer comes back to.
    pub(super) return_url: Option<&'a str>,
}

impl<'a> Sent<'a> {
    /// A capture, cancellation, refund or reversal, for which nothing else is sent.
    pub(super) fn later(payment: &'a Payment, operation: &'a Operation) -> Self {
        Self {
            payment,
            operation,
            funding_source: FundingSource::Page,
            return_url: None,
        }
    }
}

impl Sent<'_> {
    /// Asks the connector for it.
    pub(super) async fn through(
        &self,
        connector: &dyn Connector,
        link: &Link<'_>,
    ) -> Result<News, CallError> {
        let kind = self.operation.kind;
        let OperationKind::Authorise { capture } = kind else {
            return self.follow(connector, link).await.map(News::Later);
        };
        let (payment, reference) = (self.payment, reference(self.payment, self.operation.n));
        if let Some(action) = &self.operation.action {
            let call = Complete {
                authorisation: earlier(&reference, self.operation),
                money: payment.money(),
                capture,
                returned: action.returned.as_ref(),
            };
            return connector.complete(link, &call).await.map(News::Answer);
        }
        let shopper = shopper(payment);
        let call = Authorise {
            reference: &reference,
            money: payment.money(),
            capture,
            method: payment.method().method,
            funding_source: self.funding_source,
            three_ds: ThreeDsCall {
                wish: payment.three_ds(),
                return_url: self.return_url,
                browser: payment.browser(),
            },
            merchant_initiated: payment.initiator() == Initiator::Merchant,
            stored: agreement(payment, self.funding_source),
            shopper: shopper.as_deref(),
            payer: payment.customer(),
            statement_descriptor: payment.statement_descriptor(),
            fraud: payment.fraud(),
        };
        connector.authorise(link, &call).await.map(News::Answer)
    }

    /// A capture, cancellation, refund or reversal.
    pub(super) async fn follow(
        &self,
        connector: &dyn Connector,
        link: &Link<'_>,
    ) -> Result<LaterAnswer, CallError> {
        let (payment, operation) = (self.payment, self.operation);
        let Some(about) = payment.attempt_behind(operation.n) else {
            return Err(CallError::not_sent("there is no authorisation"));
        };
        let own = reference(payment, operation.n);
        let authorisation = reference(payment, about.n);
        let authorisation = earlier(&authorisation, about);
        let (reference, reason) = (&own, operation.reason.as_deref());
        let money = money_of(payment, operation);
        match operation.kind {
            OperationKind::Capture => {
                let call = Capture {
                    reference,
                    authorisation,
                    money,
                    is_final: !operation.keeps_open,
                    reason,
                };
                connector.capture(link, &call).await
            }
            OperationKind::Cancel { .. }
            | OperationKind::Abandon { .. }
            | OperationKind::Reverse {
                captured: false, ..
            } => {
                let asked = about.action.as_ref().map(|action| action.kind);
                let waits = matches!(about.state, OperationState::Waiting { .. });
                let call = Cancel {
                    reference,
                    authorisation,
                    money,
                    asked: asked.filter(|_| waits),
                    reason,
                };
                match connector.certainty() {
                    Some(certainty) if is_for_want_of_an_answer(operation.kind) => {
                        certainty.abandon(link, &call).await
                    }
                    Some(_) | None => connector.cancel(link, &call).await,
                }
            }
            OperationKind::Authorise { .. } => {
                Err(CallError::not_sent("an authorisation follows nothing"))
            }
            OperationKind::Refund { .. } | OperationKind::Reverse { captured: true, .. } => {
                let capture = payment.capture_behind(operation.n);
                let captured = capture.map(|capture| Reference::new(payment.id(), capture.n));
                let capture = capture.zip(captured.as_ref());
                let call = Refund {
                    reference,
                    authorisation,
                    capture: capture.map(|(capture, reference)| earlier(reference, capture)),
                    money,
                    reason,
                };
                connector.refund(link, &call).await
            }
        }
    }
}

/// Whether the operation gives up an attempt whose answer is missing.
const fn is_for_want_of_an_answer(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::Abandon {
            cause: AbandonCause::NoAnswer,
            ..
        }
    )
}

/// The agreement on a stored card that a payment begins or goes by. The processor's own record of it wins: with its own token no transaction
/// of the scheme is named.
fn agreement<'a>(
    payment: &'a Payment,
    funding_source: FundingSource<'_>,
) -> Option<StoredCredential<'a>> {
    let recurring = payment.recurring()?;
    let is_stored_there = matches!(funding_source, FundingSource::StoredCard(_));
    let kept = payment
        .method()
        .network
        .as_ref()
        .filter(|_| !is_stored_there);
    Some(StoredCredential {
        reason: recurring.reason,
        first: recurring.first,
        network_id: kept.map(|kept| kept.id.as_str()),
    })
}

/// Our name for the owner of a payment's stored card: the customer's id, else the card's.
fn shopper(payment: &Payment) -> Option<String> {
    let method = payment.method();
    method.token.as_ref()?;
    let customer = payment.customer().and_then(|payer| payer.id);
    Some(customer.map_or_else(|| method.id.to_string(), |id| id.to_string()))
}

/// The reference of operation `n`.
fn reference(payment: &Payment, n: u32) -> Reference {
    Reference::new(payment.id(), n)
}

/// An operation as the processor can know it.
pub(super) fn earlier<'a>(reference: &'a Reference, operation: &'a Operation) -> Earlier<'a> {
    Earlier {
        reference,
        processor_id: operation.processor_id.as_deref(),
    }
}

/// What a processor is asked for.
#[cfg_attr(
    feature = "planted",
    planted::alternatives(WholeAmountCaptured = super::bugs::whole_money)
)]
fn money_of(payment: &Payment, operation: &Operation) -> Money {
    Money::new(operation.amount, payment.money().currency())
}

/// What a call means that was not answered within `timeout`.
pub(super) fn unanswered(operation: &Operation, timeout: Duration) -> News {
    tracing::warn!(
        connection = %operation.connection,
        verb = verb(operation.kind),
        number = operation.n,
        timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
        "a call was not answered in time: its outcome is unknown"
    );
    News::no_answer()
}

/// What a failed call means. Its words are for the operator: a processor's text may quote what it was sent.
pub(super) fn failed(error: &CallError, operation: &Operation) -> News {
    tracing::warn!(connection = %operation.connection, verb = verb(operation.kind), number = operation.n, error = %error, "a call failed");
    match error {
        CallError::NotSent { .. } => News::Nothing("the processor could not be reached".to_owned()),
        CallError::Unknown { known, .. } => News::NoAnswer(known.clone()),
        // This request took no effect, but another one under our reference may have: the look-up tells.
        CallError::Rejected {
            cause: Cause::KeyReused,
            ..
        } => News::no_answer(),
        CallError::Rejected {
            cause: Cause::Request,
            ..
        } if operation.came_back_with_something() => not_accepted(operation),
        CallError::Rejected { cause, .. } => News::Nothing(refusal(*cause).to_owned()),
        // That will not change: it is a refusal, which is not tried again.
        CallError::Unsupported if !operation.kind.is_attempt() => {
            let reason = "the processor has no such operation".into();
            News::Later(LaterAnswer::Refused {
                reason,
                booked: None,
            })
        }
        CallError::Unsupported => News::Nothing("the processor has no such operation".to_owned()),
    }
}

/// The processor does not take what the customer came back with, which anybody who has the address can send: the customer is still
/// asked.
fn not_accepted(operation: &Operation) -> News {
    let Some(action) = &operation.action else {
        return News::no_answer();
    };
    News::Answer(Answer::ActionRequired {
        action: Action {
            ready: false,
            returned: None,
            ..action.clone()
        },
        approval: Approval::default(),
    })
}

/// Whether a failed call says something of its connection's health. A processor that refuses one request for what is in it
/// works: otherwise a customer who sends unusual data could rest the connection for all.
pub(super) const fn concerns_connection(error: &CallError) -> bool {
    !matches!(
        error,
        CallError::Rejected {
            cause: Cause::Request | Cause::KeyReused | Cause::StoredCardGone,
            ..
        }
    )
}

/// Why a request was refused: a clause for the timeline, since a processor's own text may quote what it was sent.
pub(crate) fn refusal(cause: Cause) -> &'static str {
    match cause {
        Cause::Credentials => "the processor did not accept the connection's credentials",
        Cause::KeyReused => {
            "the processor knows another request under the same reference, so it refused this one"
        }
        Cause::Request => "the processor did not accept the request",
        Cause::StoredCardGone => {
            "the processor does not know the card any more that it had stored, so its token is forgotten"
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{Timestamp, id::ConnectionId};

    use super::*;

    fn operation() -> Operation {
        let at = Timestamp::from_micros(0);
        Operation {
            n: 1,
            kind: OperationKind::Authorise { capture: true },
            connection: ConnectionId::parse("simulator-a").unwrap(),
            amount: 1000,
            keeps_open: false,
            reason: None,
            started_at: at,
            send_by: at,
            state: OperationState::Sent,
            undone: false,
            next_at: None,
            looks: 0,
            action: None,
            give_up_at: None,
            abandon_at: None,
            return_key: None,
            answer: None,
            processor_id: None,
            phase: None,
            owed: None,
            other: None,
            once: None,
        }
    }

    fn rejected(cause: Cause) -> News {
        let error = CallError::Rejected {
            code: None,
            reason: "no".into(),
            cause,
        };
        failed(&error, &operation())
    }

    #[test]
    fn a_request_that_is_refused_for_its_contents_does_not_rest_the_connection() {
        let rejected = |cause| CallError::Rejected {
            code: None,
            reason: "no".into(),
            cause,
        };
        assert!(!concerns_connection(&rejected(Cause::Request)));
        assert!(!concerns_connection(&rejected(Cause::KeyReused)));
        assert!(!concerns_connection(&rejected(Cause::StoredCardGone)));
        assert!(concerns_connection(&rejected(Cause::Credentials)));
        assert!(concerns_connection(&CallError::unknown("silence")));
        assert!(concerns_connection(&CallError::not_sent("no route")));
    }

    #[test]
    fn what_stands_under_our_reference_may_have_charged() {
        assert_eq!(rejected(Cause::KeyReused), News::no_answer());
        for cause in [Cause::Credentials, Cause::Request, Cause::StoredCardGone] {
            assert!(matches!(rejected(cause), News::Nothing(_)), "{cause:?}");
        }
    }
}
