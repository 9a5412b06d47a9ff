//! Shoppers: each pays, captures, cancels and refunds at whichever node it finds, and remembers the answers that it got.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{Answer, Order, Shop, cards, http::Request};

use crate::{Chance, Fleet};

/// A node that is stopped gives no answer: nobody waits for it for long. What is not answered is asked again at the end.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a shopper asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// An authorisation, of this amount.
    Authorise(i64),
    /// A capture of this amount.
    Capture(i64),
    /// A cancellation.
    Cancel,
    /// A refund of this amount.
    Refund(i64),
}

/// A request that can be sent again under its key.
#[derive(Clone)]
pub(crate) struct Asked {
    /// What it is.
    pub(crate) act: Act,
    /// The payment that it is about; none for an authorisation.
    pub(crate) payment: Option<String>,
    /// The request, with its key.
    pub(crate) request: Request,
}

/// A request with its first answer.
#[derive(Clone)]
pub(crate) struct Acknowledged {
    /// The request.
    pub(crate) asked: Asked,
    /// The whole JSON of the answer.
    pub(crate) answer: Value,
}

/// What a shopper remembers.
#[derive(Default)]
pub(crate) struct Memory {
    /// What was answered, in the order of the answers.
    pub(crate) acknowledged: Vec<Acknowledged>,
    /// What was not.
    pub(crate) unanswered: Vec<Asked>,
}

/// How an attempt to get an answer ended.
pub(crate) enum Heard_ {
    /// An answer that stands.
    Answer(Box<Answer>),
    /// None, or one that says to ask again.
    Nothing,
    /// Nobody listens there: it was not even asked.
    Closed,
}

/// Sends a request to a node. What says "ask again" is no answer.
pub(crate) fn ask(fleet: &Fleet, node: usize, request: &Request, patience: Duration) -> Heard_ {
    let reply = match request.try_send_within(fleet.address(node), patience) {
        Ok(reply) => reply,
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Heard_::Closed,
        Err(_) => return Heard_::Nothing,
    };
    if reply.status != 200 {
        assert_eq!(
            reply.status,
            503,
            "a node answers with neither 200 nor 503: {}",
            reply.text()
        );
        return Heard_::Nothing;
    }
    let answer = Answer::of(reply);
    match answer.error_code() {
        Some(
            "error.unavailable"
            | "error.idempotency.in-progress"
            | "error.payment.operation-in-progress",
        ) => Heard_::Nothing,
        Some("error.unknown") => panic!("a node calls it a defect of its own: {}", answer.json()),
        _ => Heard_::Answer(Box::new(answer)),
    }
}

/// What all shoppers have in common.
pub(crate) struct Street<'a> {
    /// The nodes.
    pub(crate) fleet: &'a Fleet,
    /// A shop, for the form of requests.
    pub(crate) shop: &'a Shop,
    /// A stored card.
    pub(crate) token: &'a str,
    /// Whether shoppers go home.
    pub(crate) closed: &'a AtomicBool,
    /// How many requests were answered.
    pub(crate) answered: &'a AtomicU64,
}

impl Street<'_> {
    /// Pays and changes its mind until the street closes.
    pub(crate) fn shopper(&self, mut chance: Chance) -> Memory {
        let mut memory = Memory::default();
        while !self.closed.load(Ordering::Relaxed) {
            let Some(payment) = self.pay(&mut chance, &mut memory) else {
                continue;
            };
            self.go_on(&payment, &mut chance, &mut memory);
        }
        memory
    }

    /// Authorises; the payment when it was answered.
    fn pay(&self, chance: &mut Chance, memory: &mut Memory) -> Option<Value> {
        let order = match chance.below(8) {
            0 => Order::card(cards::VISA),
            1 => Order::card(cards::INSUFFICIENT_FUNDS),
            2 => Order::card(cards::FAILED),
            3 => Order::token(self.token),
            _ => Order::token(self.token).later(),
        };
        let amount = 1000 + i64::try_from(chance.below(9000)).unwrap_or_default();
        let request = self
            .shop
            .authorise_request(&order.amount(amount), Some(&Shop::fresh_key()));
        self.do_once(
            Asked {
                act: Act::Authorise(amount),
                payment: None,
                request,
            },
            chance,
            memory,
        )
    }

    /// Captures, cancels or refunds, a few times over.
    fn go_on(&self, payment: &Value, chance: &mut Chance, memory: &mut Memory) {
        let mut now = payment.clone();
        for _ in 0..3 {
            let Some(next) = self.step(&now, chance, memory) else {
                return;
            };
            now = next;
        }
    }

    fn step(&self, payment: &Value, chance: &mut Chance, memory: &mut Memory) -> Option<Value> {
        let id = payment["id"].as_str()?;
        let number = |place: &str| {
            payment
                .pointer(place)
                .and_then(Value::as_i64)
                .unwrap_or_default()
        };
        let (amount, captured) = (number("/amount/rawAmount"), number("/capturedAmount"));
        let left = captured - number("/refundedAmount");
        let part = |chance: &mut Chance, whole: i64| {
            1 + i64::try_from(chance.below(u64::try_from(whole).unwrap_or(1))).unwrap_or_default()
        };
        let key = Shop::fresh_key();
        let shop = self.shop;
        let (act, request) = match (payment["status"].as_str()?, chance.below(5)) {
            ("AUTHORISED", 0) => (Act::Cancel, shop.cancel_request(id, Some(&key))),
            ("AUTHORISED", 1) => {
                let part = part(chance, amount);
                (
                    Act::Capture(part),
                    shop.capture_request(id, json!(part), Some(&key)),
                )
            }
            ("AUTHORISED", 2) => return self.race(id, amount, chance, memory),
            ("AUTHORISED", _) => (
                Act::Capture(amount),
                shop.capture_request(id, Value::Null, Some(&key)),
            ),
            ("SUCCEEDED" | "PARTIAL_REFUNDED", 0) if left > 0 => (
                Act::Refund(left),
                shop.refund_request(id, Value::Null, Some(&key)),
            ),
            ("SUCCEEDED" | "PARTIAL_REFUNDED", 1..=3) if left > 0 => {
                let part = part(chance, left);
                (
                    Act::Refund(part),
                    shop.refund_request(id, json!(part), Some(&key)),
                )
            }
            _ => return None,
        };
        self.do_once(
            Asked {
                act,
                payment: Some(id.to_owned()),
                request,
            },
            chance,
            memory,
        )
    }

    /// A capture and a cancellation at the same moment, at two nodes.
    fn race(
        &self,
        id: &str,
        amount: i64,
        chance: &mut Chance,
        memory: &mut Memory,
    ) -> Option<Value> {
        let asked = |act, request| Asked {
            act,
            payment: Some(id.to_owned()),
            request,
        };
        let capture = self
            .shop
            .capture_request(id, Value::Null, Some(&Shop::fresh_key()));
        let cancel = self.shop.cancel_request(id, Some(&Shop::fresh_key()));
        let both = [
            asked(Act::Capture(amount), capture),
            asked(Act::Cancel, cancel),
        ];
        let nodes = [
            chance.index(self.fleet.len()),
            chance.index(self.fleet.len()),
        ];
        let reply = thread::scope(|scope| {
            let asking = both.iter().zip(nodes).map(|(asked, node)| {
                scope.spawn(move || ask(self.fleet, node, &asked.request, PATIENCE))
            });
            let asking: Vec<_> = asking.collect();
            asking
                .into_iter()
                .map(thread::ScopedJoinHandle::join)
                .collect::<Vec<_>>()
        });
        for (asked, reply) in both.into_iter().zip(reply) {
            self.note(
                asked,
                reply.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                memory,
            );
        }
        None
    }

    /// Asks at a node; without an answer sometimes at another one at once. The payment that the answer tells of.
    fn do_once(&self, asked: Asked, chance: &mut Chance, memory: &mut Memory) -> Option<Value> {
        let node = chance.index(self.fleet.len());
        if chance.one_in(6) {
            return self.double_click(asked, node, chance, memory);
        }
        let mut reply = ask(self.fleet, node, &asked.request, PATIENCE);
        if matches!(reply, Heard_::Closed) || matches!(reply, Heard_::Nothing) && chance.one_in(2) {
            let next = ask(
                self.fleet,
                chance.index(self.fleet.len()),
                &asked.request,
                PATIENCE,
            );
            // What was asked once may have been done.
            reply = if matches!((&reply, &next), (Heard_::Nothing, Heard_::Closed)) {
                reply
            } else {
                next
            };
        }
        self.note(asked, reply, memory)
    }

    /// The same request at two nodes at the same moment: both answers must be one.
    fn double_click(
        &self,
        asked: Asked,
        node: usize,
        chance: &mut Chance,
        memory: &mut Memory,
    ) -> Option<Value> {
        let other = chance.index(self.fleet.len());
        let (one, two) = thread::scope(|scope| {
            let request = &asked.request;
            let second = scope.spawn(move || ask(self.fleet, other, request, PATIENCE));
            let first = ask(self.fleet, node, request, PATIENCE);
            (
                first,
                second
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        if let (Heard_::Answer(one), Heard_::Answer(two)) = (&one, &two) {
            let open = [one, two]
                .iter()
                .any(|answer| is_open(asked.act, answer.json()));
            assert!(
                one.json()["data"] == two.json()["data"] || open,
                "one request, two answers: {} and {}",
                one.json(),
                two.json()
            );
        }
        let reply = match (one, two) {
            (answer @ Heard_::Answer(_), _) | (_, answer @ Heard_::Answer(_)) => answer,
            (Heard_::Closed, Heard_::Closed) => Heard_::Closed,
            _ => Heard_::Nothing,
        };
        self.note(asked, reply, memory)
    }

    fn note(&self, asked: Asked, reply: Heard_, memory: &mut Memory) -> Option<Value> {
        let answer = match reply {
            Heard_::Answer(answer) => answer,
            Heard_::Nothing => {
                memory.unanswered.push(asked);
                return None;
            }
            Heard_::Closed => {
                // A shopper who finds the doors closed does not run from one to the next.
                thread::sleep(Duration::from_millis(50));
                return None;
            }
        };
        self.answered.fetch_add(1, Ordering::Relaxed);
        let payment = payment_of(answer.json());
        memory.acknowledged.push(Acknowledged {
            asked,
            answer: answer.json().clone(),
        });
        payment
    }
}

/// Whether the outcome was not known when it was answered: only such an answer may differ later, as it is known then.
pub(crate) fn is_open(act: Act, answer: &Value) -> bool {
    let Some(payment) = payment_of(answer) else {
        return false;
    };
    let status = payment["status"].as_str().unwrap_or_default();
    match act {
        Act::Authorise(_) => matches!(status, "NO_ANSWER_FROM_PSP" | "ACTIVE"),
        Act::Capture(_) | Act::Cancel => status == "AUTHORISED",
        Act::Refund(amount) => !matches!(refund_of(&payment, amount), Some("SUCCEEDED" | "FAILED")),
    }
}

/// The status of the refund that a request for this amount made: the last one of its amount.
pub(crate) fn refund_of(payment: &Value, amount: i64) -> Option<&str> {
    let refunds = payment["refunds"].as_array()?;
    let own = refunds
        .iter()
        .rev()
        .find(|refund| refund["amount"].as_i64() == Some(amount))?;
    own["status"].as_str()
}

/// The payment that an answer without errors tells of.
pub(crate) fn payment_of(answer: &Value) -> Option<Value> {
    if answer["errors"]
        .as_array()
        .is_some_and(|errors| !errors.is_empty())
    {
        return None;
    }
    answer["data"]
        .as_object()?
        .values()
        .next()
        .filter(|payment| payment.is_object())
        .cloned()
}
