//! The news that reaches a payment, in any order: late, twice, contradicting what was said before.
//!
//! A whole world tells lies only where a processor may: it keeps the times that it declares. Here a processor keeps nothing.
//! It says that nothing happened and charges afterwards; it tells what it said again, later, or first; and it finds nothing
//! where there is something. In the end it tells the truth. Then the payment must agree with the books, whatever came
//! before, and on the way no news may have changed what had ended, but for a charge, which is reported and given back.

mod bank;
mod sample;

use domain::{
    Timestamp,
    answer::{Answer, Approval, LaterAnswer},
    decline::{Decline, DeclineCode},
    id::{ConnectionId, RefundId},
    money::Currency,
    payment::{
        CancelCause, Duty, News, Occurrence, Operation, OperationKind, OperationState, Payment,
        PaymentEvent, Source,
    },
};

use crate::{Broken, chance::Chance, checker::may_follow};
use bank::Bank;
use sample::{begin, payment, policy};

/// Things that happen in one life while the processor lies.
const EVENTS: u32 = 30;
/// What is due is done so often, then a life that finds no rest is broken.
const MOST_DUTIES: u32 = 200;

/// A payment, its processor, and the news that is on its way.
struct Life {
    payment: Payment,
    bank: Bank,
    now: Timestamp,
    chance: Chance,
    mail: Vec<(u32, News, Source)>,
    /// Operations of which the processor said that nothing happened, and which may happen all the same.
    late: Vec<u32>,
    honest: bool,
    broken: Vec<Broken>,
}

/// Plays so many payments. Returns what is broken, up to the first payment with something, and how many were played.
pub(crate) fn play(seed: u64, lives: u64) -> (Vec<Broken>, u64) {
    let (Some(currency), Some(connection)) =
        (Currency::parse("EUR"), ConnectionId::parse("somewhere"))
    else {
        return (Vec::new(), 0);
    };
    for number in 0..lives {
        let broken = Life::new(currency, Chance::of(seed, number.saturating_add(1 << 32)))
            .play(connection.clone());
        if !broken.is_empty() {
            return (broken, number.saturating_add(1));
        }
    }
    (Vec::new(), lives)
}

impl Life {
    fn new(currency: Currency, chance: Chance) -> Self {
        let payment = payment(currency);
        Self {
            now: payment.created_at(),
            payment,
            bank: Bank::default(),
            chance,
            mail: Vec::new(),
            late: Vec::new(),
            honest: false,
            broken: Vec::new(),
        }
    }

    fn play(mut self, connection: ConnectionId) -> Vec<Broken> {
        let sale = self.chance.one_in(2);
        let (n, _) = self
            .payment
            .begin_authorise(connection, sale, begin(self.now));
        self.send(n);
        for _ in 0..EVENTS {
            self.happens();
        }
        self.honest = true;
        for (n, news, source) in std::mem::take(&mut self.mail) {
            self.apply_news(n, news, source);
        }
        // Whatever was done comes to light.
        let all = self
            .payment
            .operations()
            .iter()
            .map(|operation| operation.n);
        let done: Vec<u32> = all.filter(|n| self.bank.has_done(*n)).collect();
        for n in done {
            self.apply_news(n, self.success(n), Source::LookUp);
        }
        self.comes_to_rest();
        self.judge();
        self.broken
    }

    fn happens(&mut self) {
        match self.chance.below(10) {
            0..=3 if !self.mail.is_empty() => {
                let index = self.chance.index(self.mail.len());
                let Some((n, news, source)) = self.mail.get(index).cloned() else {
                    return;
                };
                if self.chance.one_in(2) {
                    self.mail.swap_remove(index);
                }
                self.apply_news(n, news, source);
            }
            4 => self.now = self.now.after(self.chance.millis(100, 40_000)),
            5 | 6 => {
                self.fulfil();
            }
            7 => self.merchant(),
            8 if !self.late.is_empty() => {
                let index = self.chance.index(self.late.len());
                let n = self.late.swap_remove(index);
                if self.bank.perform(&self.payment, n) {
                    self.mail
                        .push((n, self.success(n), Source::Notification(uuid::Uuid::nil())));
                }
            }
            _ => {
                let index = self.chance.index(self.payment.operations().len());
                let Some(n) = self
                    .payment
                    .operations()
                    .get(index)
                    .map(|operation| operation.n)
                else {
                    return;
                };
                let news = [
                    News::NotFound { asked: self.now },
                    News::LookUpFailed,
                    News::no_answer(),
                ]
                .get(self.chance.index(3))
                .cloned();
                self.apply_news(n, news.unwrap_or(News::no_answer()), Source::LookUp);
            }
        }
    }

    /// The merchant captures, cancels or refunds; what is not allowed is refused.
    fn merchant(&mut self) {
        let amount = self.chance.between(1, self.payment.money().minor());
        let with = begin(self.now);
        let begun = match self.chance.below(5) {
            0 => self.payment.begin_capture(Some(amount), with),
            1 | 2 => self.payment.begin_part_capture(Some(amount), true, with),
            3 => self.payment.begin_cancel(CancelCause::Merchant, None, with),
            _ => {
                let id = RefundId::new(sample::id(u128::from(self.chance.next())));
                self.payment.begin_refund(id, Some(amount), None, with)
            }
        };
        if let Ok((n, _)) = begun {
            self.send_parts(n);
        }
    }

    /// Sends operation `n`, and the other parts of a refund that is divided.
    fn send_parts(&mut self, n: u32) {
        let parts = self.payment.parts_of_refund(n).map(|part| part.n);
        let others: Vec<u32> = parts.filter(|part| *part != n).collect();
        self.send(n);
        for part in others {
            self.send(part);
        }
    }

    /// Does what is due. False when nothing is.
    fn fulfil(&mut self) -> bool {
        let with = begin(self.now);
        let begun = match self.payment.duty(self.now) {
            Some(Duty::LookUp(n)) => {
                let news = if self.bank.has_done(n) {
                    self.success(n)
                } else {
                    News::NotFound { asked: self.now }
                };
                self.apply_news(n, news, Source::LookUp);
                return true;
            }
            Some(Duty::Capture) => self.payment.begin_capture(None, with).ok(),
            Some(Duty::Expire) => self
                .payment
                .begin_cancel(CancelCause::Lifetime, None, with)
                .ok(),
            Some(Duty::Reverse { target, captured }) => {
                self.payment.begin_reverse(target, captured, with)
            }
            Some(Duty::Abandon | Duty::Flow | Duty::Triggered(_)) | None => return false,
        };
        if let Some((n, _)) = begun {
            self.send(n);
        }
        begun.is_some()
    }

    /// The processor is asked.
    fn send(&mut self, n: u32) {
        if self.honest {
            let news = if self.bank.perform(&self.payment, n) {
                self.success(n)
            } else {
                self.refusal(n)
            };
            self.apply_news(n, news, Source::Call);
            return;
        }
        let news = match self.chance.below(8) {
            0..=3 if self.bank.perform(&self.payment, n) => self.success(n),
            4 => {
                self.bank.perform(&self.payment, n);
                News::no_answer()
            }
            5 => News::no_answer(),
            6 => News::Nothing("it was not sent".to_owned()),
            _ => self.refusal(n),
        };
        if !self.bank.has_done(n) {
            self.late.push(n);
        }
        self.mail.push((n, news, Source::Call));
    }

    fn success(&self, n: u32) -> News {
        match self.payment.operation(n).map(|operation| operation.kind) {
            Some(OperationKind::Authorise { capture }) => News::Answer(Answer::Approved {
                captured: capture,
                approval: Approval::default(),
            }),
            _ => News::Later(LaterAnswer::Done {
                processor_id: None,
                booked: None,
            }),
        }
    }

    fn refusal(&self, n: u32) -> News {
        match self.payment.operation(n).map(|operation| operation.kind) {
            Some(OperationKind::Authorise { .. }) => News::Answer(Answer::Declined {
                decline: Decline::of(DeclineCode::InsufficientFunds),
                approval: Approval::default(),
            }),
            _ => News::Later(LaterAnswer::Refused {
                reason: "no".into(),
                booked: None,
            }),
        }
    }

    /// Settles news, and looks at what it changed.
    fn apply_news(&mut self, n: u32, news: News, source: Source) {
        let before = self.payment.clone();
        let Some(operation) = before.operation(n) else {
            return;
        };
        let effect = matches!(
            news,
            News::Answer(Answer::Approved { .. }) | News::Later(LaterAnswer::Done { .. })
        );
        let what = format!(
            "{news:?} of operation {n}, {:?}, which was {:?}",
            operation.kind, operation.state
        );
        let lines = self.payment.settle(n, news, source.at(self.now), &policy());
        // What was captured before the end, and becomes known after it, can be refunded.
        let has_more = self.payment.captured() > before.captured();
        let reopens = has_more && before.status().text() == "REFUNDED";
        if !reopens && !may_follow(before.status().text(), self.payment.status().text()) {
            self.breaks(
                "table-of-states",
                &format!(
                    "{} became {} by {what}",
                    before.status(),
                    self.payment.status()
                ),
            );
        }
        if operation.state.is_open() {
            return;
        }
        if (!effect || operation.state.is_done()) && self.payment != before {
            self.breaks("late-news-changes-nothing", &what);
        } else if effect
            && !operation.state.is_done()
            && operation.kind.is_attempt()
            && !mentions_it(&lines)
        {
            self.breaks("late-charges-are-reported", &what);
        }
    }

    /// Does what is due until nothing is.
    fn comes_to_rest(&mut self) {
        for _ in 0..MOST_DUTIES {
            let Some(due) = self.payment.due_at() else {
                return;
            };
            self.now = self.now.max(due);
            if !self.fulfil() {
                return;
            }
            if !self.broken.is_empty() {
                return;
            }
        }
        self.breaks("settled-at-the-end", "there is always something to do");
    }

    fn judge(&mut self) {
        let payment = self.payment.clone();
        let open: Vec<u32> = payment
            .operations()
            .iter()
            .filter(|one| one.state.is_open())
            .map(|one| one.n)
            .collect();
        if !open.is_empty() {
            self.breaks(
                "settled-at-the-end",
                &format!("operations {open:?} are open"),
            );
        }
        let done = |kind: fn(&OperationKind) -> bool| {
            let done = payment.operations().iter().filter(move |one| {
                matches!(one.state, OperationState::Done { .. }) && kind(&one.kind)
            });
            done.fold(0_i64, |sum, one: &Operation| sum.saturating_add(one.amount))
        };
        let kept = payment
            .captured()
            .saturating_sub(done(|kind| matches!(kind, OperationKind::Refund { .. })));
        let in_books = self.bank.charges.values().fold(0_i64, |sum, one| {
            sum.saturating_add(one.captured - one.refunded)
        });
        if kept != in_books {
            self.breaks(
                "books-equal-payments",
                &format!("{kept} is kept, {in_books} in the books"),
            );
        }
        let held = self
            .bank
            .charges
            .values()
            .filter(|charge| charge.is_held())
            .count();
        if held != usize::from(payment.status().text() == "AUTHORISED") {
            self.breaks(
                "books-equal-payments",
                &format!("{held} are held, it is {}", payment.status()),
            );
        }
    }

    fn breaks(&mut self, invariant: &'static str, detail: &str) {
        let detail = format!("{detail}; {:?}", self.payment.operations());
        self.broken.push(Broken {
            invariant,
            subject: self.payment.id().to_string(),
            detail,
        });
    }
}

fn mentions_it(occurred: &[Occurrence]) -> bool {
    let is_it = |event: &PaymentEvent| matches!(event, PaymentEvent::LateCharge(_));
    occurred.iter().flat_map(|one| &one.events).any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payments_agree_with_the_books_whatever_they_are_reported_on_the_way() {
        let (broken, played) = play(14, 290);
        assert!(broken.is_empty(), "after {played}: {broken:?}");
        assert_eq!(played, 290);
    }

    #[test]
    fn money_that_the_payment_does_not_know_and_what_is_open_are_reported() {
        let (currency, connection) = (
            Currency::parse("EUR").unwrap(),
            ConnectionId::parse("somewhere").unwrap(),
        );
        let reported = |life: &Life| {
            life.broken
                .iter()
                .map(|broken| broken.invariant)
                .collect::<Vec<_>>()
        };
        let mut life = Life::new(currency, Chance::of(1, 1));
        let (n, _) = life
            .payment
            .begin_authorise(connection, true, begin(life.now));
        life.judge();
        assert_eq!(reported(&life), ["settled-at-the-end"]);
        life.broken.clear();
        life.apply_news(n, life.refusal(n), Source::Call);
        life.judge();
        assert_eq!(reported(&life), Vec::<&str>::new());
        life.bank.perform(&life.payment, n);
        life.judge();
        assert_eq!(reported(&life), ["books-equal-payments"]);
    }
}
