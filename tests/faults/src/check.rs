//! The checker. It shares nothing with the service: it knows the answers that shoppers got, what the API shows, and what the
//! simulated processor says that it charged.

use std::{
    collections::BTreeMap,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use testkit::{Payment, Shop};

use crate::{
    Fleet,
    shopper::{Acknowledged, Act, Asked, Heard_, Memory, ask, is_open, payment_of, refund_of},
};

/// How long an interrupted request may take to become known, over all its repetitions. A lease is a minute.
const SETTLED_WITHIN: Duration = Duration::from_mins(4);
/// One of so many answers is asked for again.
const REPEATED: usize = 7;

/// What was compared.
#[derive(Debug, Default, Clone, Copy)]
pub struct Verdict {
    /// Payments whose state was compared with what was reported of them.
    pub payments: usize,
    /// Answers that were compared.
    pub answers: usize,
    /// Requests that had no answer and were asked again.
    pub asked_again: usize,
    /// Requests that had an answer and were asked again all the same.
    pub repeated: usize,
}

/// Asks again what had no answer, then compares everything. Panics with what is wrong.
pub(crate) fn check(fleet: &Fleet, memories: Vec<Memory>) -> Verdict {
    let mut verdict = Verdict::default();
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut unanswered: Vec<Asked> = Vec::new();
    for memory in memories {
        acknowledged.extend(memory.acknowledged);
        unanswered.extend(memory.unanswered);
    }
    verdict.asked_again = unanswered.len();
    acknowledged.extend(each(unanswered, |asked| {
        let answer = insist(fleet, &asked);
        Acknowledged { asked, answer }
    }));
    let sample: Vec<Acknowledged> = acknowledged.iter().step_by(REPEATED).cloned().collect();
    verdict.repeated = sample.len();
    verdict.answers = acknowledged.len();
    each(sample, |acknowledged| repeat(fleet, &acknowledged));
    let shop = fleet.shop(0);
    let mut stories: BTreeMap<String, Vec<&Acknowledged>> = BTreeMap::new();
    for one in &acknowledged {
        stories.entry(subject(one)).or_default().push(one);
    }
    verdict.payments = stories.len();
    let stories: Vec<(String, Vec<&Acknowledged>)> = stories.into_iter().collect();
    each(stories, |(id, story)| agrees(&settled(&shop, &id), &story));
    shop.assert_books_equal_payments();
    verdict
}

/// Does something for each, a few at a time.
fn each<T: Send, R: Send>(all: Vec<T>, act: impl Fn(T) -> R + Sync) -> Vec<R> {
    let (queue, done) = (Mutex::new(all.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let Some(next) = queue.lock().expect("unpoisoned").next() else {
                        return;
                    };
                    let result = act(next);
                    done.lock().expect("unpoisoned").push(result);
                }
            });
        }
    });
    done.into_inner().expect("unpoisoned")
}

/// Asks until there is an answer.
fn insist(fleet: &Fleet, asked: &Asked) -> Value {
    let start = Instant::now();
    for turn in 0.. {
        if let Heard_::Answer(answer) = ask(
            fleet,
            turn % fleet.len(),
            &asked.request,
            Duration::from_secs(30),
        ) {
            return answer.json().clone();
        }
        assert!(
            start.elapsed() < SETTLED_WITHIN,
            "{:?} of {:?} has no answer",
            asked.act,
            asked.payment
        );
        thread::sleep(Duration::from_millis(200));
    }
    Value::Null
}

/// The same request under the same key gets the same answer again, at any node.
fn repeat(fleet: &Fleet, acknowledged: &Acknowledged) {
    let again = insist(fleet, &acknowledged.asked);
    assert!(
        again["data"] == acknowledged.answer["data"] && code(&again) == code(&acknowledged.answer)
            || is_open(acknowledged.asked.act, &acknowledged.answer),
        "answered otherwise under the same key: first {}, then {again}",
        acknowledged.answer
    );
}

fn code(answer: &Value) -> Option<&str> {
    answer
        .pointer("/errors/0/extensions/code")
        .and_then(Value::as_str)
}

/// The payment that an answer is about.
fn subject(acknowledged: &Acknowledged) -> String {
    let made = payment_of(&acknowledged.answer)
        .and_then(|payment| payment["id"].as_str().map(str::to_owned));
    let id = acknowledged.asked.payment.clone().or_else(|| made.clone());
    let id = id.unwrap_or_else(|| {
        panic!(
            "an authorisation without a payment: {}",
            acknowledged.answer
        )
    });
    assert!(
        made.is_none_or(|made| made == id),
        "an answer tells of another payment than {id}: {}",
        acknowledged.answer
    );
    id
}

/// A payment once nothing about it is unknown.
fn settled(shop: &Shop, id: &str) -> Payment {
    testkit::until(SETTLED_WITHIN, &format!("{id} is settled"), || {
        let payment = shop.payment(id);
        let open = matches!(
            payment.status(),
            "ACTIVE" | "NO_ANSWER_FROM_PSP" | "GATEWAY_HOLD" | "REFUND_PENDING"
        );
        (!open && !payment.0["refunds"].to_string().contains("PENDING")).then_some(payment)
    })
}

/// What is there is what was answered: every operation that was called done has its effect once, none that was refused has
/// any, and what was open went one way or the other.
fn agrees(payment: &Payment, story: &[&Acknowledged]) {
    let mut expected = Expected::default();
    for acknowledged in story {
        expected.apply(acknowledged);
    }
    let wrong = |what: &str| {
        let lines: Vec<String> = story
            .iter()
            .map(|acknowledged| format!("{:?}: {}", acknowledged.asked.act, acknowledged.answer))
            .collect();
        panic!(
            "{what}: {}
it was answered
{}",
            payment.0,
            lines.join("\n")
        )
    };
    let (captured, refunded) = (
        payment.number("/capturedAmount"),
        payment.number("/refundedAmount"),
    );
    let is_cancelled = payment.status() == "CANCELLED";
    if let Some(status) = &expected.ended_as
        && status != payment.status()
    {
        wrong("it had ended otherwise");
    }
    if expected.charged && !is_cancelled && matches!(payment.status(), "DECLINED" | "FAILED") {
        wrong("it was authorised");
    }
    if expected.cancelled && !is_cancelled {
        wrong("it was cancelled");
    }
    if is_cancelled && !expected.cancelled && !expected.may_be_cancelled {
        wrong("nobody cancelled it");
    }
    if !expected.captured.fits(captured) {
        wrong(&format!(
            "captured {captured} and not {:?}",
            expected.captured
        ));
    }
    if !expected.refunded.fits(refunded) {
        wrong(&format!(
            "refunded {refunded} and not {:?}",
            expected.refunded
        ));
    }
    if refunded > captured || captured > payment.number("/amount/rawAmount") {
        wrong("more went out than came in");
    }
}

/// A sum of which a part is certain.
#[derive(Debug, Default)]
struct Sum {
    certain: i64,
    open: Vec<i64>,
}

impl Sum {
    fn fits(&self, found: i64) -> bool {
        let mut sums = vec![self.certain];
        for one in &self.open {
            let more: Vec<i64> = sums.iter().map(|sum| sum + one).collect();
            sums.extend(more);
        }
        sums.contains(&found)
    }
}

/// What a payment must be after every answer about it.
#[derive(Debug, Default)]
struct Expected {
    charged: bool,
    ended_as: Option<String>,
    cancelled: bool,
    may_be_cancelled: bool,
    captured: Sum,
    refunded: Sum,
}

impl Expected {
    fn apply(&mut self, acknowledged: &Acknowledged) {
        let Some(payment) = payment_of(&acknowledged.answer) else {
            assert_refused(acknowledged);
            return;
        };
        let status = payment["status"].as_str().unwrap_or_default();
        match acknowledged.asked.act {
            Act::Authorise(amount) => match status {
                "AUTHORISED" => self.charged = true,
                "SUCCEEDED" => {
                    self.charged = true;
                    self.captured.certain += amount;
                }
                "DECLINED" | "FAILED" => self.ended_as = Some(status.to_owned()),
                // Captured at once when it was, or not at all.
                "NO_ANSWER_FROM_PSP" | "ACTIVE" => self.captured.open.push(amount),
                other => panic!("an authorisation ended as {other}: {payment}"),
            },
            Act::Capture(amount) => match status {
                "AUTHORISED" => self.captured.open.push(amount),
                _ => self.captured.certain += amount,
            },
            Act::Cancel => match status {
                "CANCELLED" => self.cancelled = true,
                _ => self.may_be_cancelled = true,
            },
            Act::Refund(amount) => match refund_of(&payment, amount) {
                Some("SUCCEEDED") => self.refunded.certain += amount,
                Some("FAILED") => {}
                _ => self.refunded.open.push(amount),
            },
        }
    }
}

/// An operation that failed has no effect, or was lost to the other one of a race.
fn assert_refused(acknowledged: &Acknowledged) {
    let fine = match acknowledged.asked.act {
        Act::Authorise(_) => &[][..],
        Act::Capture(_) => &["error.capture.invalid-status", "error.capture.processor"],
        Act::Cancel => &["error.cancel.invalid-status", "error.cancel.processor"],
        Act::Refund(_) => &[
            "error.refund.processor",
            "error.refund.invalid-status",
            "error.refund.amount-exceeds-captured",
        ],
    };
    let code = code(&acknowledged.answer).unwrap_or_default();
    assert!(
        fine.contains(&code),
        "{:?} failed with {}",
        acknowledged.asked.act,
        acknowledged.answer
    );
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use serde_json::json;
    use testkit::http::Request;

    use super::*;

    fn json(status: &str, captured: i64, refunds: &[(i64, &str)]) -> Value {
        let settled = refunds
            .iter()
            .filter(|(_, status)| *status == "SUCCEEDED")
            .map(|(amount, _)| amount);
        json!({
            "id": "payments:1", "status": status, "amount": {"rawAmount": 1000}, "capturedAmount": captured,
            "refundedAmount": settled.sum::<i64>(),
            "refunds": refunds.iter().map(|(amount, status)| json!({"amount": amount, "status": status})).collect::<Vec<_>>(),
        })
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "stories are written as values"
    )]
    fn acknowledged(act: Act, answer: Value) -> Acknowledged {
        let asked = Asked {
            act,
            payment: None,
            request: Request::new("POST", "/"),
        };
        Acknowledged {
            asked,
            answer: json!({"data": {"it": answer}}),
        }
    }

    fn refused(act: Act, code: &str) -> Acknowledged {
        let asked = Asked {
            act,
            payment: None,
            request: Request::new("POST", "/"),
        };
        Acknowledged {
            asked,
            answer: json!({"data": {"it": null}, "errors": [{"extensions": {"code": code}}]}),
        }
    }

    fn is_right(there: Value, story: &[Acknowledged]) -> bool {
        let story: Vec<&Acknowledged> = story.iter().collect();
        catch_unwind(AssertUnwindSafe(|| agrees(&Payment(there), &story))).is_ok()
    }

    #[test]
    fn what_is_there_must_be_what_was_reported() {
        let authorised = || acknowledged(Act::Authorise(1000), json("AUTHORISED", 0, &[]));
        let captured = || acknowledged(Act::Capture(600), json("SUCCEEDED", 600, &[]));
        assert!(is_right(
            json("SUCCEEDED", 600, &[]),
            &[authorised(), captured()]
        ));
        assert!(
            !is_right(json("AUTHORISED", 0, &[]), &[authorised(), captured()]),
            "the capture was lost"
        );
        assert!(
            !is_right(json("SUCCEEDED", 1000, &[]), &[authorised(), captured()]),
            "another amount was captured"
        );
        assert!(
            !is_right(json("CANCELLED", 0, &[]), &[authorised()]),
            "nobody cancelled"
        );
        assert!(
            !is_right(json("FAILED", 0, &[]), &[authorised()]),
            "the authorisation was lost"
        );
        assert!(!is_right(
            json("SUCCEEDED", 1000, &[]),
            &[acknowledged(Act::Authorise(1000), json("DECLINED", 0, &[]))]
        ));
    }

    #[test]
    fn what_was_refused_has_no_effect_and_what_was_done_has_it_once() {
        let paid = || acknowledged(Act::Authorise(1000), json("SUCCEEDED", 1000, &[]));
        let refunded = || {
            acknowledged(
                Act::Refund(300),
                json("PARTIAL_REFUNDED", 1000, &[(300, "SUCCEEDED")]),
            )
        };
        let not = || refused(Act::Refund(300), "error.refund.processor");
        let once = || json("PARTIAL_REFUNDED", 1000, &[(300, "SUCCEEDED")]);
        let twice = || {
            json(
                "PARTIAL_REFUNDED",
                1000,
                &[(300, "SUCCEEDED"), (300, "SUCCEEDED")],
            )
        };
        assert!(is_right(once(), &[paid(), refunded()]));
        assert!(is_right(once(), &[paid(), refunded(), not()]));
        assert!(
            !is_right(twice(), &[paid(), refunded()]),
            "it was refunded twice"
        );
        assert!(
            !is_right(once(), &[paid(), not()]),
            "what was refused was done"
        );
        assert!(
            !is_right(json("SUCCEEDED", 1000, &[]), &[paid(), refunded()]),
            "the refund was lost"
        );
        assert!(!is_right(
            json("SUCCEEDED", 1000, &[]),
            &[paid(), refused(Act::Refund(1), "error.validation")]
        ));
    }

    #[test]
    fn only_what_was_open_may_be_reported_otherwise() {
        let is_open = |act, answer| is_open(act, &acknowledged(act, answer).answer);
        assert!(is_open(Act::Capture(600), json("AUTHORISED", 0, &[])));
        assert!(is_open(Act::Cancel, json("AUTHORISED", 0, &[])));
        assert!(is_open(
            Act::Authorise(1000),
            json("NO_ANSWER_FROM_PSP", 0, &[])
        ));
        assert!(is_open(
            Act::Refund(300),
            json("REFUND_PENDING", 1000, &[(300, "PENDING")])
        ));
        assert!(!is_open(Act::Authorise(1000), json("AUTHORISED", 0, &[])));
        assert!(!is_open(Act::Capture(600), json("SUCCEEDED", 600, &[])));
        assert!(!is_open(
            Act::Refund(300),
            json(
                "REFUND_PENDING",
                1000,
                &[(200, "PENDING"), (300, "SUCCEEDED")]
            )
        ));
    }

    #[test]
    fn what_was_open_may_go_either_way() {
        let paid = || acknowledged(Act::Authorise(1000), json("SUCCEEDED", 1000, &[]));
        let open = || {
            acknowledged(
                Act::Refund(300),
                json("REFUND_PENDING", 1000, &[(300, "PENDING")]),
            )
        };
        assert!(is_right(
            json("PARTIAL_REFUNDED", 1000, &[(300, "SUCCEEDED")]),
            &[paid(), open()]
        ));
        assert!(is_right(
            json("REFUND_FAILED", 1000, &[(300, "FAILED")]),
            &[paid(), open()]
        ));
        assert!(!is_right(
            json("PARTIAL_REFUNDED", 1000, &[(200, "SUCCEEDED")]),
            &[paid(), open()]
        ));
        let unknown = || acknowledged(Act::Authorise(1000), json("NO_ANSWER_FROM_PSP", 0, &[]));
        assert!(is_right(json("SUCCEEDED", 1000, &[]), &[unknown()]));
        assert!(is_right(json("FAILED", 0, &[]), &[unknown()]));
    }
}
