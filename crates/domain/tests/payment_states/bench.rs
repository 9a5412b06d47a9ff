//! Payments on the test bench: one in every status, every action and every piece of news.

use std::time::Duration;

use domain::{
    Code, Fault, Timestamp,
    answer::{Action, ActionKind, Answer, Approval, LaterAnswer},
    decline::{Decline, DeclineCode},
    expiry::Expiry,
    id::{BlobId, ConnectionId, MethodId, PaymentId, RefundId, TeamId},
    method::{CardFunding, Method},
    money::{Currency, Money},
    payment::{
        AbandonCause, Begin, CancelCause, CaptureRule, NewPayment, News, PaidWith, Payment, Policy,
        Resolution, Source, Status,
    },
};
use uuid::Uuid;

const START: i64 = 1_767_225_600_000_000;

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(START).after(Duration::from_secs(seconds))
}

pub(crate) fn policy() -> Policy {
    Policy {
        recovery: [5, 30, 120].into_iter().map(Duration::from_secs).collect(),
        pending: vec![Duration::from_secs(1), Duration::from_secs(2)],
        lifetime: Duration::from_hours(168),
        lifetime_max: Duration::from_hours(90 * 24),
        not_found_final_after: Some(Duration::from_secs(10)),
        customer_lifetime: Duration::from_hours(24),
        call_timeout: Duration::from_secs(2),
        abandon_after: None,
    }
}

pub(crate) fn begin(seconds: u64) -> Begin {
    let (send_within, answer_within) = (Duration::from_secs(5), Duration::from_secs(3));
    Begin {
        at: at(seconds),
        send_within,
        answer_within,
        once: None,
        return_key: Some("00".to_owned()),
    }
}

pub(crate) fn connection() -> ConnectionId {
    ConnectionId::parse("simulator-a").unwrap()
}

/// A payment without an attempt, to be captured by the rule.
pub(crate) fn payment(rule: CaptureRule) -> Payment {
    let mut payment = Payment::new(asked(), PaymentId::new(Uuid::from_u128(1)), at(0), None);
    payment.plan_attempt(None, rule, 0);
    payment
}

/// What is asked for with it.
pub(crate) fn asked() -> NewPayment {
    let method = PaidWith {
        method: Method::Visa,
        token: None,
        id: MethodId::new(Uuid::from_u128(3)),
        blob: Some(BlobId::new(Uuid::from_u128(4))),
        hidden: true,
        masked: Some("************4242".to_owned()),
        bin: None,
        expiry: Some(Expiry::parse(12, 2030).unwrap()),
        brand: Some("VISA".to_owned()),
        account: None,
        wallet: None,
        holder: None,
        address: None,
        fingerprint: Some("f".to_owned()),
        funding: CardFunding::Undefined,
        card_country: None,
        fields_token: None,
        product: None,
        network: None,
        network_weight: None,
    };
    let money = Money::new(1000, Currency::parse("EUR").unwrap());
    NewPayment::of(TeamId::new(Uuid::from_u128(2)), money, method)
}

/// The payment as its stored document would be with these members.
pub(crate) fn with(payment: &Payment, members: &serde_json::Value) -> Payment {
    let mut document = serde_json::to_value(payment).unwrap();
    let members = members.as_object().unwrap().clone();
    document.as_object_mut().unwrap().extend(members);
    serde_json::from_value(document).unwrap()
}

pub(crate) fn approved(captured: bool) -> News {
    News::Answer(Answer::Approved {
        captured,
        approval: Approval::default(),
    })
}

pub(crate) fn declined() -> News {
    let decline = Decline::of(DeclineCode::InsufficientFunds);
    News::Answer(Answer::Declined {
        decline,
        approval: Approval::default(),
    })
}

pub(crate) fn held() -> News {
    News::Answer(Answer::Held {
        approval: Approval::default(),
    })
}

pub(crate) fn failed() -> News {
    News::Answer(Answer::Failed {
        reason: "down".into(),
    })
}

pub(crate) fn done() -> News {
    News::Later(LaterAnswer::Done {
        processor_id: None,
        booked: None,
    })
}

pub(crate) fn pending() -> News {
    News::Later(LaterAnswer::Pending {
        processor_id: None,
        booked: None,
    })
}

pub(crate) fn refused() -> News {
    News::Later(LaterAnswer::Refused {
        reason: "no".into(),
        booked: None,
    })
}

pub(crate) fn apply_news(payment: &mut Payment, n: u32, news: News, seconds: u64) {
    payment.settle(n, news, Source::Call.at(at(seconds)), &policy());
}

/// What a look-up at this time tells that found nothing.
pub(crate) fn not_found(seconds: u64) -> News {
    News::NotFound { asked: at(seconds) }
}

pub(crate) fn refund(payment: &mut Payment, amount: i64, seconds: u64) -> u32 {
    let id = RefundId::new(Uuid::from_u128(u128::from(seconds) + 100));
    payment
        .begin_refund(id, Some(amount), None, begin(seconds))
        .unwrap()
        .0
}

/// A payment brought to `status` by the shortest way that leads there. `None`: no operation leads there.
pub(crate) fn in_status(status: Status) -> Option<Payment> {
    let mut one = payment(CaptureRule::Api);
    let (n, _) = one.begin_authorise(connection(), false, begin(0));
    match status {
        Status::Active => {}
        Status::Authorised => apply_news(&mut one, n, approved(false), 1),
        Status::Succeeded => apply_news(&mut one, n, approved(true), 1),
        Status::Declined => apply_news(&mut one, n, declined(), 1),
        Status::Failed => apply_news(&mut one, n, failed(), 1),
        Status::GatewayHold => apply_news(&mut one, n, held(), 1),
        Status::NoAnswerFromPsp => apply_news(&mut one, n, News::no_answer(), 1),
        Status::Needs3dSecure => apply_news(&mut one, n, asks(ActionKind::ThreeDSecure, false), 1),
        Status::NeedsApmAuthorization => apply_news(&mut one, n, asks(ActionKind::Apm, false), 1),
        Status::Cancelled => {
            apply_news(&mut one, n, approved(false), 1);
            let (cancel, _) = one
                .begin_cancel(CancelCause::Merchant, None, begin(2))
                .unwrap();
            apply_news(&mut one, cancel, done(), 3);
        }
        Status::Refunded
        | Status::PartialRefunded
        | Status::RefundPending
        | Status::RefundFailed => {
            apply_news(&mut one, n, approved(true), 1);
            let all = if status == Status::Refunded {
                1000
            } else {
                400
            };
            let first = refund(&mut one, all, 2);
            apply_news(
                &mut one,
                first,
                if all == 1000 || status == Status::PartialRefunded {
                    done()
                } else {
                    pending()
                },
                3,
            );
            if status == Status::RefundFailed {
                apply_news(&mut one, first, refused(), 4);
            }
        }
        // Kept for records from elsewhere, or reached by disputes, which no operation leads to.
        Status::Inactive | Status::Disputed | Status::Removed | Status::Draft => return None,
    }
    assert_eq!(
        one.status(),
        status,
        "the way to {status} does not lead there"
    );
    Some(one)
}

pub(crate) fn asks(kind: ActionKind, ready: bool) -> News {
    let action = Action::new(kind, "https://bank.example/3ds".to_owned(), ready);
    let approval = Approval {
        processor_id: Some("ch_1".to_owned()),
        ..Approval::default()
    };
    News::Answer(Answer::ActionRequired { action, approval })
}

/// One of each piece of news; a new sort of news does not compile until it is here and in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Captured,
    Approved,
    Declined,
    Held,
    Asks3ds,
    Ready3ds,
    AsksApm,
    ReadyApm,
    Failed,
    Done,
    Pending,
    Refused,
    NoAnswer,
    Nothing,
    NotFound,
    LookUpFailed,
}

impl Word {
    pub(crate) const ALL: [Self; 16] = [
        Self::Captured,
        Self::Approved,
        Self::Declined,
        Self::Held,
        Self::Asks3ds,
        Self::Ready3ds,
        Self::AsksApm,
        Self::ReadyApm,
        Self::Failed,
        Self::Done,
        Self::Pending,
        Self::Refused,
        Self::NoAnswer,
        Self::Nothing,
        Self::NotFound,
        Self::LookUpFailed,
    ];

    /// As news; a look-up that found nothing was asked then.
    pub(crate) fn news(self, asked: Timestamp) -> News {
        match self {
            Self::Captured => approved(true),
            Self::Approved => approved(false),
            Self::Declined => declined(),
            Self::Held => held(),
            Self::Asks3ds => asks(ActionKind::ThreeDSecure, false),
            Self::Ready3ds => asks(ActionKind::ThreeDSecure, true),
            Self::AsksApm => asks(ActionKind::Apm, false),
            Self::ReadyApm => asks(ActionKind::Apm, true),
            Self::Failed => failed(),
            Self::Done => done(),
            Self::Pending => pending(),
            Self::Refused => refused(),
            Self::NoAnswer => News::no_answer(),
            Self::Nothing => News::Nothing("not sent".to_owned()),
            Self::NotFound => News::NotFound { asked },
            Self::LookUpFailed => News::LookUpFailed,
        }
    }

    pub(crate) fn of(news: &News) -> Self {
        match news {
            News::Answer(Answer::Approved { captured: true, .. }) => Self::Captured,
            News::Answer(Answer::Approved {
                captured: false, ..
            }) => Self::Approved,
            News::Answer(Answer::Declined { .. }) => Self::Declined,
            News::Answer(Answer::Held { .. }) => Self::Held,
            News::Answer(Answer::ActionRequired { action, .. }) => {
                match (action.kind, action.ready) {
                    (ActionKind::ThreeDSecure, false) => Self::Asks3ds,
                    (ActionKind::ThreeDSecure, true) => Self::Ready3ds,
                    (ActionKind::Apm, false) => Self::AsksApm,
                    (ActionKind::Apm, true) => Self::ReadyApm,
                }
            }
            News::Answer(Answer::Failed { .. }) => Self::Failed,
            News::Later(LaterAnswer::Done { .. }) => Self::Done,
            News::Later(LaterAnswer::Pending { .. }) => Self::Pending,
            // To an open operation the same; what it is to one that is done stands in `undone.rs`.
            News::Later(LaterAnswer::Refused { .. } | LaterAnswer::Reversed { .. }) => {
                Self::Refused
            }
            News::NoAnswer(_) => Self::NoAnswer,
            News::Nothing(_) => Self::Nothing,
            News::NotFound { .. } => Self::NotFound,
            News::LookUpFailed => Self::LookUpFailed,
        }
    }
}

#[test]
fn every_piece_of_news_is_among_the_words() {
    for word in Word::ALL {
        assert_eq!(Word::of(&word.news(at(0))), word);
    }
}

/// Everything that can be asked of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Complete,
    Abandon,
    Capture,
    CapturePart,
    Cancel,
    Refund,
    Reverse,
    Resolve,
}

impl Act {
    pub(crate) const ALL: [Self; 8] = [
        Self::Complete,
        Self::Abandon,
        Self::Capture,
        Self::CapturePart,
        Self::Cancel,
        Self::Refund,
        Self::Reverse,
        Self::Resolve,
    ];

    /// Does it at `seconds`; `Err` when it is not allowed, with the fault where there is one. `amount` for captures and
    /// refunds.
    pub(crate) fn on(
        self,
        payment: &mut Payment,
        seconds: u64,
        amount: Option<i64>,
    ) -> Result<u32, Option<Fault>> {
        let begin = begin(seconds);
        let attempt = payment.attempt().map_or(0, |attempt| attempt.n);
        match self {
            Self::Complete => payment
                .begin_complete(attempt, begin)
                .map(|_| attempt)
                .ok_or(None),
            Self::Abandon => payment
                .begin_abandon(AbandonCause::Merchant, begin)
                .map(|begun| begun.0)
                .ok_or(None),
            Self::Capture => payment
                .begin_capture(amount, begin)
                .map(|begun| begun.0)
                .map_err(Some),
            Self::CapturePart => payment
                .begin_part_capture(amount, true, begin)
                .map(|begun| begun.0)
                .map_err(Some),
            Self::Cancel => payment
                .begin_cancel(CancelCause::Merchant, None, begin)
                .map(|begun| begun.0)
                .map_err(Some),
            Self::Refund => {
                let id = RefundId::new(Uuid::from_u128(u128::from(seconds) + 100));
                payment
                    .begin_refund(id, amount, None, begin)
                    .map(|begun| begun.0)
                    .map_err(Some)
            }
            Self::Reverse => payment
                .begin_reverse(attempt, true, begin)
                .map(|begun| begun.0)
                .ok_or(None),
            Self::Resolve => {
                let resolved =
                    payment.resolve(Resolution::Captured, "statement", at(seconds), &policy());
                resolved.map(|_| attempt).map_err(Some)
            }
        }
    }

    /// The fault of one that the status does not allow, where the merchant gets one.
    pub(crate) fn code(self) -> Option<Code> {
        match self {
            Self::Complete | Self::Abandon | Self::Reverse => None,
            Self::Capture | Self::CapturePart => Some(Code::CaptureStatus),
            Self::Cancel => Some(Code::CancelStatus),
            Self::Refund => Some(Code::RefundStatus),
            Self::Resolve => Some(Code::ResolveStatus),
        }
    }
}
