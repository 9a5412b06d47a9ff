//! Which operation news is about, and what it says of that one.

use connector::Subject;
use domain::{
    answer::{Answer, Approval, Booked, Booking, LaterAnswer},
    payment::{News, Operation, OperationKind, Payment, booking},
};

/// What a processor reports of an operation.
pub(super) enum Reported {
    /// This.
    As(Box<News>),
    /// That an authorisation has taken effect as it was asked for.
    AsAsked(Box<Approval>),
}

impl Reported {
    /// The news about operation `n`.
    pub(super) fn about(self, payment: &Payment, n: u32) -> News {
        match self {
            Self::As(news) => *news,
            Self::AsAsked(approval) => {
                let kind = payment.operation(n).map(|operation| operation.kind);
                News::Answer(Answer::Approved {
                    captured: matches!(kind, Some(OperationKind::Authorise { capture: true })),
                    approval: *approval,
                })
            }
        }
    }
}

/// The operation that news under the reference of operation `n` is about. Some processors name the authorisation where the news is about
/// what followed it: then it is the operation with the processor's id. A cancellation whose answer is lost has no id here; it is the only
/// one without an answer, since there is one at a time. `None`: nobody here asked for it.
pub(super) fn operation_meant(
    payment: &Payment,
    n: u32,
    news: &News,
    subject: &Subject,
) -> Option<u32> {
    let is_attempt = payment
        .operation(n)
        .is_some_and(|operation| operation.kind.is_attempt());
    let News::Later(answer) = news else {
        return Some(n);
    };
    if !is_attempt {
        return Some(n);
    }
    let of_attempt = |operation: &&Operation| {
        !operation.kind.is_attempt()
            && payment
                .attempt_behind(operation.n)
                .is_some_and(|attempt| attempt.n == n)
    };
    let reported = subject.processor_id.as_deref();
    let has_id = |operation: &&Operation| {
        reported.is_some() && operation.processor_id.as_deref() == reported
    };
    let operations = || payment.operations().iter().filter(of_attempt);
    if let Some(known) = operations().find(has_id) {
        return Some(known.n);
    }
    if booked(answer)?.what != Booking::Cancellation {
        return None;
    }
    let may_be = |operation: &&Operation| {
        operation.state.is_open()
            && operation.processor_id.is_none()
            && booking(operation.kind) == Booking::Cancellation
    };
    let mut unanswered = operations().filter(may_be);
    match (unanswered.next(), unanswered.next()) {
        (Some(only), None) => Some(only.n),
        _ => None,
    }
}

/// What an answer says that the processor has.
const fn booked(answer: &LaterAnswer) -> Option<Booked> {
    match answer {
        LaterAnswer::Done { booked, .. }
        | LaterAnswer::Pending { booked, .. }
        | LaterAnswer::Refused { booked, .. }
        | LaterAnswer::Reversed { booked, .. } => *booked,
    }
}

/// The cancellation of the payment that has not ended.
pub(super) fn open_cancellation(payment: &Payment) -> Option<u32> {
    let mut operations = payment.operations().iter();
    let open = operations.find(|operation| {
        operation.state.is_open() && matches!(operation.kind, OperationKind::Cancel { .. })
    });
    open.map(|operation| operation.n)
}
