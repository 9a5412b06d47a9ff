//! When the processor has something else under our reference than what was asked for there.
//!
//! That happens after a restore, when the reference was used in the time that was lost; and where a processor makes something
//! else of a request. What the processor has is the truth about the money, so it is recorded as what it is; the request
//! itself learns that it was not made.

use serde::{Deserialize, Serialize};

use super::{
    Arrival, CancelCause, News, Occurrence, Operation, OperationKind, OperationState,
    OtherOperationFound, Payment, PaymentEvent, Policy, Source, Status,
    news::{Meaning, note_answer},
    settle::words,
};
use crate::{
    Timestamp,
    answer::{Answer, Approval, Booked, Booking, LaterAnswer},
    decline::{Decline, DeclineCode},
    fault::{Code, Fault},
    money::{Currency, Money},
};

/// What an operation was asked to do, and what the processor has in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// What was asked for.
    pub asked: OperationKind,
    /// How much, in minor units of the payment's currency.
    pub amount: i64,
    /// What the processor has.
    pub found: Booked,
    /// Whether the operation is recorded as what was found; else it takes a person.
    pub recorded: bool,
}

/// News that tells of something else than what was asked for.
pub(super) struct OtherNews<'a> {
    /// What the processor has.
    pub(super) found: Booked,
    /// What the news would mean for the operation that was asked for.
    pub(super) meaning: Meaning,
    /// The news itself.
    pub(super) news: &'a News,
}

/// How an answer is taken that tells of something else than what was asked for.
pub(super) enum Taken {
    /// By the rules for every answer, with this meaning, after these lines.
    As(Meaning, Vec<Occurrence>),
    /// It is settled.
    Settled(Vec<Occurrence>),
}

impl Other {
    fn asked_words(&self, currency: Currency) -> String {
        said(words(self.asked), Money::new(self.amount, currency))
    }

    fn found_words(&self) -> String {
        let what = match self.found.what {
            Booking::Authorisation => "authorisation",
            Booking::Capture => "capture",
            Booking::Cancellation => return "cancellation".to_owned(),
            Booking::Refund => "refund",
        };
        said(what, self.found.money)
    }

    /// Why the request was not carried out: a clause.
    fn reason(&self) -> String {
        let found = self.found_words();
        format!("under its reference the processor has another operation: {found}")
    }

    /// The answer to the merchant who asked for it.
    pub(super) fn fault(&self, payment: &Payment) -> Option<Fault> {
        let (code, what) = match self.asked {
            OperationKind::Capture => (Code::CaptureProcessor, "capture"),
            OperationKind::Cancel { .. } => (Code::CancelProcessor, "cancellation"),
            OperationKind::Refund { .. } => (Code::RefundProcessor, "refund"),
            OperationKind::Authorise { .. }
            | OperationKind::Reverse { .. }
            | OperationKind::Abandon { .. } => return None,
        };
        let reason = self.reason();
        let message = format!(
            "The {what} was not made: {reason}, which is recorded now. Read the payment, and send a new request for what is \
             still wanted."
        );
        let fault = Fault::new(code, message).because(reason);
        Some(fault.about(payment.id).in_status(payment.status))
    }
}

/// A kind of operation with its amount.
fn said(what: &str, money: Money) -> String {
    format!("{what} of {}", money.formatted())
}

impl Payment {
    /// What the processor has under the reference of operation `n`, when the news tells that it is not what was asked for.
    pub(super) fn booked_otherwise(&self, n: u32, news: &News) -> Option<Booked> {
        let operation = self.operation(n)?;
        let asked = Money::new(operation.amount, self.money.currency());
        let (is_attempt, verb) = (operation.kind.is_attempt(), booking(operation.kind));
        match news {
            News::Answer(Answer::Approved { approval, .. }) if is_attempt => {
                let money = approval.booked.filter(|booked| *booked != asked)?;
                let what = Booking::Authorisation;
                Some(Booked { what, money })
            }
            News::Later(
                LaterAnswer::Done { booked, .. }
                | LaterAnswer::Pending { booked, .. }
                | LaterAnswer::Refused { booked, .. }
                | LaterAnswer::Reversed { booked, .. },
            ) => booked.filter(|booked| {
                let whole = booked.what == Booking::Cancellation;
                booked.what != verb || (booked.money != asked && !whole)
            }),
            News::Answer(_)
            | News::NoAnswer(_)
            | News::Nothing(_)
            | News::NotFound { .. }
            | News::LookUpFailed => None,
        }
    }

    /// Takes news that tells of something else: the operation becomes what was found, where that can be recorded.
    pub(super) fn take_other(
        &mut self,
        n: u32,
        other: OtherNews<'_>,
        arrival: Arrival,
        policy: &Policy,
    ) -> Taken {
        let OtherNews {
            found,
            meaning,
            news,
        } = other;
        let Arrival { source, at } = arrival;
        let becomes = self.becomes(n, found);
        let Some(operation) = self.operation_mut(n) else {
            return Taken::Settled(Vec::new());
        };
        let reported_before = operation.other.map(|other| other.found) == Some(found);
        let other = Other {
            asked: operation.other.map_or(operation.kind, |other| other.asked),
            amount: operation
                .other
                .map_or(operation.amount, |other| other.amount),
            found,
            recorded: becomes.is_some(),
        };
        let open = operation.state.is_open();
        let sent = matches!(operation.state, OperationState::Sent);
        operation.other = Some(other);
        let mut lines = Vec::new();
        if !reported_before {
            lines.push(self.found_other(n, &other, source, at));
        }
        let Some(kind) = becomes else {
            let meaning = match meaning {
                Meaning::Refusal(_) => Meaning::Nothing(other.reason()),
                _ if sent => Meaning::Unclear,
                _ => Meaning::Same,
            };
            return Taken::As(meaning, lines);
        };
        if let Some(operation) = self.operation_mut(n) {
            operation.kind = kind;
            operation.amount = found.money.minor();
            // The reason was the new request's.
            operation.reason = None;
        }
        match meaning {
            Meaning::Effect { captured } if kind.is_attempt() && open => {
                lines.extend(self.decline_approval(n, news, at, policy));
                lines.extend(self.owe(n, captured, at));
                Taken::Settled(lines)
            }
            meaning => {
                lines.extend(self.step_not_made(n, at));
                Taken::As(meaning, lines)
            }
        }
    }

    /// As what operation `n` is recorded when this was found in its place. `None`: it takes a person.
    fn becomes(&self, n: u32, found: Booked) -> Option<OperationKind> {
        let asked = self.operation(n)?.kind;
        if found.money.currency() != self.money.currency() {
            return None;
        }
        let is_authorised = self.status == Status::Authorised;
        match (asked, found.what) {
            (OperationKind::Authorise { .. }, Booking::Authorisation)
            | (OperationKind::Capture, Booking::Capture)
            | (OperationKind::Refund { .. }, Booking::Refund) => Some(asked),
            (OperationKind::Cancel { .. } | OperationKind::Abandon { .. }, Booking::Capture)
                if is_authorised =>
            {
                Some(OperationKind::Capture)
            }
            (OperationKind::Capture, Booking::Cancellation) if is_authorised => {
                Some(OperationKind::Cancel {
                    cause: CancelCause::Merchant,
                })
            }
            _ => None,
        }
    }

    /// The processor has approved another amount than was asked for: that is declined.
    /// Source: behaviour contract, section 7.
    fn decline_approval(
        &mut self,
        n: u32,
        news: &News,
        at: Timestamp,
        policy: &Policy,
    ) -> Vec<Occurrence> {
        let code = DeclineCode::InvalidAmount;
        let Some(operation) = self.operation_mut(n) else {
            return Vec::new();
        };
        note_answer(operation, news.clone());
        let approval = match operation.answer.take() {
            Some(Answer::Approved { approval, .. }) => approval,
            _ => Approval::default(),
        };
        operation.answer = Some(Answer::Declined {
            decline: Decline::of(code),
            approval,
        });
        let reason = code.code().to_owned();
        let lines = self.ended(n, OperationState::Refused { at, reason }, at, policy);
        if let Some(operation) = self.operation_mut(n) {
            operation.state = OperationState::Done { at };
        }
        lines
    }

    /// That it was found.
    fn found_other(&self, n: u32, other: &Other, source: Source, at: Timestamp) -> Occurrence {
        let (asked, found) = (
            other.asked_words(self.money.currency()),
            other.found_words(),
        );
        let whence = if source == Source::Restored {
            ", from the time that was lost when the database was restored"
        } else {
            ""
        };
        let then = match (other.recorded, other.asked) {
            (true, OperationKind::Authorise { .. }) => {
                "It is not taken for that, and is given back."
            }
            (true, _) => "It is recorded as what it is; what was asked for was not made.",
            (false, _) => "Somebody must look at it there and settle it here.",
        };
        let words = format!(
            "Under the reference of the {asked} the processor has a different operation: {found}{whence}. {then}"
        );
        let event = self.event_of(n, |operation| {
            PaymentEvent::OtherOperationFound(OtherOperationFound {
                operation,
                found: other.found,
                recorded: other.recorded,
            })
        });
        Occurrence::new(at, "The processor has something else")
            .saying(words)
            .events(event)
    }

    /// A step of a flow that began operation `n` is not begun again by itself: what was found may have been its doing.
    fn step_not_made(&self, n: u32, at: Timestamp) -> Option<Occurrence> {
        let waits = self.runs().any(|(_, run)| {
            run.pause
                .as_ref()
                .is_some_and(|pause| pause.operation == Some(n))
        });
        waits.then(|| {
            let words =
                "The processor has another operation in its place; another try might do it twice.";
            Occurrence::new(at, "A step of the flow was given up")
                .saying(words)
                .event(PaymentEvent::StepGivenUp { operation: n })
        })
    }
}

/// What an operation leaves at the processor.
pub const fn booking(kind: OperationKind) -> Booking {
    match kind {
        OperationKind::Authorise { .. } => Booking::Authorisation,
        OperationKind::Capture => Booking::Capture,
        OperationKind::Cancel { .. }
        | OperationKind::Abandon { .. }
        | OperationKind::Reverse {
            captured: false, ..
        } => Booking::Cancellation,
        OperationKind::Refund { .. } | OperationKind::Reverse { captured: true, .. } => {
            Booking::Refund
        }
    }
}

impl Operation {
    /// What was asked for, whatever it is recorded as.
    pub fn asked(&self) -> OperationKind {
        self.other.map_or(self.kind, |other| other.asked)
    }

    /// Whether the processor has something else in its place, which is recorded.
    pub fn is_another(&self) -> bool {
        self.other.is_some_and(|other| other.recorded)
    }
}
