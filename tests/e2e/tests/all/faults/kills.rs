//! `kill -9` while payments go from one connection to the next.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use testkit::http::Request;
use testkit::{Answer, Server, Setup, Shop};

use super::{NEVER_RESTED, assert_charged_once, order, set_up};

/// Rounds of an ordinary run; `POINTSMAN_KILL_ROUNDS` sets another number.
const ROUNDS: usize = 10;
const CALLERS: usize = 6;

/// Pays until the server is gone; the last request, which was not answered.
fn caller(shop: &Shop, next: &AtomicUsize, ended: &AtomicBool) -> Option<Request> {
    while !ended.load(Ordering::Relaxed) {
        let request = shop.authorise_request(
            &order(next.fetch_add(1, Ordering::Relaxed)),
            Some(&Shop::fresh_key()),
        );
        match request.try_send(shop.address()) {
            Ok(reply) if reply.status == 200 => {}
            _ => return Some(request),
        }
    }
    None
}

/// Load, a kill, a new start; what was not answered is asked again under its key. Returns how many were, and those whose key
/// still waits: at a connection that is down nothing can be found out.
fn round(server: &mut Server, moment: Duration, next: &AtomicUsize) -> (usize, Vec<Request>) {
    let shop = server.shop();
    let ended = AtomicBool::new(false);
    let unanswered: Vec<Request> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| scope.spawn(|| caller(&shop, next, &ended)))
            .collect();
        // The moment is what is tried.
        thread::sleep(moment);
        server.kill();
        ended.store(true, Ordering::Relaxed);
        callers
            .into_iter()
            .filter_map(|caller| caller.join().unwrap())
            .collect()
    });
    server.restart();
    let shop = server.shop();
    let hit = unanswered.len();
    let waiting = thread::scope(|scope| {
        let askers: Vec<_> = unanswered
            .into_iter()
            .map(|request| {
                let shop = &shop;
                scope.spawn(move || {
                    let answer = Answer::of(request.clone().send(shop.address()));
                    let waits = answer.error_code() == Some("error.idempotency.in-progress");
                    assert!(
                        waits || answer.root()["id"].is_string(),
                        "{}",
                        answer.json()
                    );
                    waits.then_some(request)
                })
            })
            .collect();
        askers
            .into_iter()
            .filter_map(|asker| asker.join().unwrap())
            .collect()
    });
    (hit, waiting)
}

#[test]
fn killed_between_two_connections_a_payment_is_charged_at_one_at_most() {
    let rounds = std::env::var("POINTSMAN_KILL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS);
    let mut server = Setup::new()
        .setting("routing.rest_after", NEVER_RESTED)
        .start();
    set_up(&server.shop());
    let next = AtomicUsize::new(0);
    let (mut hit, mut waiting) = (0, Vec::new());
    for number in 0..rounds {
        // Attempts take up to 150 ms each, so these moments fall before, between and behind them.
        let moment = Duration::from_millis(40 + 37 * u64::try_from(number % 11).unwrap());
        let (asked_again, still_waiting) = round(&mut server, moment, &next);
        hit += asked_again;
        waiting.extend(still_waiting);
    }
    assert!(
        hit > rounds,
        "the kills hit too little that was under way ({hit})"
    );
    let shop = server.shop();
    assert_charged_once(&shop);
    for request in waiting {
        // Every connection is well again: what the key waited for is found out.
        let answer = Answer::of(request.send(shop.address()));
        assert!(answer.root()["id"].is_string(), "{}", answer.json());
    }
}
