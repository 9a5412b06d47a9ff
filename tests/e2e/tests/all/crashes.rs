//! `kill -9` at random moments under load: nothing acknowledged is lost or changed, nothing is charged twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::http::Request;
use testkit::{Answer, Order, Server, Setup, Shop, cards};

/// Rounds of an ordinary run; `POINTSMAN_KILL_ROUNDS` sets another number.
const ROUNDS: usize = 50;
/// Callers at once in each round.
const CALLERS: usize = 8;
/// A round's kill comes when fewer answers than this have come, and some time later.
const ANSWERS: u64 = 8;
const LATEST_KILL_MS: u64 = 40;
/// The seed of an ordinary run; `POINTSMAN_SEED` gives another.
const SEED: u64 = 20_261_122;

/// xorshift64*: enough to choose moments and actions, and one printed seed replays them.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % bound
    }
}

/// What one caller knows at the moment of the kill.
#[derive(Default)]
struct Memory {
    /// The last acknowledged status, captured and refunded amount of each payment.
    acknowledged: BTreeMap<String, (String, i64, i64)>,
    /// The request that was not answered, if any, and the payment that it was about.
    unanswered: Option<(Request, Option<String>)>,
}

impl Memory {
    fn note(&mut self, payment: &Value) -> String {
        let id = payment["id"].as_str().unwrap().to_owned();
        self.acknowledged.insert(id.clone(), seen(payment));
        id
    }
}

fn seen(payment: &Value) -> (String, i64, i64) {
    let amount = |name: &str| payment[name].as_i64().unwrap_or_default();
    (
        payment["status"].as_str().unwrap().to_owned(),
        amount("capturedAmount"),
        amount("refundedAmount"),
    )
}

/// Where the callers of a round are.
struct Street<'a> {
    shop: &'a Shop,
    token: &'a str,
    ended: &'a AtomicBool,
    /// How many requests were acknowledged.
    answered: &'a AtomicU64,
}

impl Street<'_> {
    /// Pays, captures, cancels and refunds until the server is gone.
    fn caller(&self, seed: u64) -> Memory {
        let mut chance = Chance(seed | 1);
        let mut memory = Memory::default();
        while !self.ended.load(Ordering::Relaxed) && memory.unanswered.is_none() {
            let order = match chance.below(4) {
                0 => Order::card(cards::VISA),
                1 => Order::token(self.token),
                _ => Order::token(self.token).later(),
            };
            let request = self
                .shop
                .authorise_request(&order, Some(&Shop::fresh_key()));
            let Some(id) = self.ask(&mut memory, request, None) else {
                continue;
            };
            let key = Shop::fresh_key();
            let next = match (memory.acknowledged[&id].0.as_str(), chance.below(3)) {
                ("AUTHORISED", 0) => self.shop.cancel_request(&id, Some(&key)),
                ("AUTHORISED", 1) => self.shop.capture_request(&id, json!(600), Some(&key)),
                ("AUTHORISED", _) => continue,
                (_, 0) => self.shop.refund_request(&id, Value::Null, Some(&key)),
                (_, 1) => self.shop.refund_request(&id, json!(250), Some(&key)),
                _ => continue,
            };
            self.ask(&mut memory, next, Some(&id));
        }
        memory
    }

    /// Asks once; the payment that was acknowledged.
    fn ask(&self, memory: &mut Memory, request: Request, about: Option<&str>) -> Option<String> {
        match request.try_send(self.shop.address()) {
            Ok(reply) if reply.status == 200 => {
                let answer = Answer::of(reply);
                let is_done = answer.errors().is_empty();
                self.answered
                    .fetch_add(u64::from(is_done), Ordering::Relaxed);
                is_done.then(|| memory.note(answer.root()))
            }
            _ => {
                memory.unanswered = Some((request, about.map(str::to_owned)));
                None
            }
        }
    }
}

/// The unanswered request again, with the same key: either it took effect, once in all, or it is known that it did not.
fn ask_again(shop: &Shop, memory: &mut Memory) {
    let Some((request, about)) = memory.unanswered.take() else {
        return;
    };
    // Killed once more while it was looked after, a payment is left alone until its lease of a minute is over.
    let answer = testkit::until(
        Duration::from_secs(90),
        "an interrupted operation is found out",
        || {
            let answer = Answer::of(request.send(shop.address()));
            (answer.error_code() != Some("error.idempotency.in-progress")).then_some(answer)
        },
    );
    let id = if answer.errors().is_empty() {
        let id = answer.root()["id"].as_str().unwrap().to_owned();
        assert!(
            about.is_none_or(|about| about == id),
            "the key leads to another payment"
        );
        id
    } else {
        assert_nothing_happened(shop, memory, &answer, about.as_deref());
        about.unwrap()
    };
    // It may have been unknown for a moment; what counts is where it settles.
    let settled = testkit::until(
        testkit::PATIENCE,
        "an interrupted operation is settled",
        || {
            let payment = shop.payment(&id);
            let pending = payment.status() == "NO_ANSWER_FROM_PSP"
                || payment.0["refunds"].to_string().contains("PENDING");
            (!pending).then_some(payment)
        },
    );
    memory.acknowledged.insert(id, seen(&settled.0));
}

/// Killed between its commit and the call: the processor knows nothing of the operation, and the payment is as it was.
fn assert_nothing_happened(shop: &Shop, memory: &Memory, answer: &Answer, about: Option<&str>) {
    let code = answer.error_code().unwrap_or_default();
    assert!(
        matches!(
            code,
            "error.capture.processor" | "error.cancel.processor" | "error.refund.processor"
        ),
        "asked again after the kill: {}",
        answer.json()
    );
    let id = about.expect("an authorisation answers with its payment");
    let (_, captured, refunded) = seen(&shop.payment(id).0);
    let (_, captured_before, refunded_before) = memory.acknowledged[id];
    assert_eq!(
        (captured, refunded),
        (captured_before, refunded_before),
        "{}",
        answer.json()
    );
}

/// Load, a kill at some moment, a new start; what the callers remember.
fn round(server: &mut Server, chance: &mut Chance) -> Vec<Memory> {
    let shop = server.shop();
    let token = shop.tokenise(cards::MASTERCARD);
    let (ended, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let enough = chance.below(ANSWERS);
    let moment = Duration::from_millis(chance.below(LATEST_KILL_MS));
    let memories = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let street = Street {
                    shop: &shop,
                    token: &token,
                    ended: &ended,
                    answered: &answered,
                };
                let seed = chance.below(u64::MAX);
                scope.spawn(move || street.caller(seed))
            })
            .collect();
        testkit::until(testkit::PATIENCE, "there is load", || {
            (answered.load(Ordering::Relaxed) >= enough).then_some(())
        });
        // The moment is what is tried.
        thread::sleep(moment);
        server.kill();
        ended.store(true, Ordering::Relaxed);
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    server.restart();
    memories
}

/// Asks everything again that was not answered, all at once, and compares what was acknowledged with what is there.
fn settle_and_compare(server: &Server, memories: &mut [Memory]) {
    let shop = server.shop();
    thread::scope(|scope| {
        for part in memories.chunks_mut(8) {
            let shop = &shop;
            scope.spawn(move || part.iter_mut().for_each(|memory| ask_again(shop, memory)));
        }
    });
    let now: BTreeMap<_, _> = shop
        .every_payment()
        .iter()
        .map(|payment| (payment.id(), seen(&payment.0)))
        .collect();
    for (id, known) in memories.iter().flat_map(|memory| &memory.acknowledged) {
        assert_eq!(now.get(id), Some(known), "{id} was acknowledged otherwise");
    }
    shop.assert_books_equal_payments();
}

#[test]
fn killed_at_random_moments_under_load_it_loses_and_doubles_nothing() {
    let rounds = std::env::var("POINTSMAN_KILL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS);
    let seed = std::env::var("POINTSMAN_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SEED);
    println!("{rounds} rounds with POINTSMAN_SEED={seed}");
    let mut chance = Chance(seed | 1);
    let mut server = Setup::new().start();
    let mut memories = Vec::new();
    for number in 1..=rounds {
        memories.extend(round(&mut server, &mut chance));
        if number % 10 == 0 || number == rounds {
            settle_and_compare(&server, &mut memories);
        }
    }
    let acknowledged: usize = memories
        .iter()
        .map(|memory| memory.acknowledged.len())
        .sum();
    println!("{acknowledged} payments were acknowledged and are as they were");
    assert!(acknowledged > rounds, "there was load: {acknowledged}");
}
