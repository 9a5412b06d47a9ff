//! `kill -9` while payments go from one connection to the next.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use testkit::http::Request;
use testkit::{Answer, Server, Setup, Shop};

use super::{assert_charged_once, order, set_up};

/// Rounds of an ordinary run; `POINTSMAN_KILL_ROUNDS` sets another number.
const ROUNDS: usize = 10;
const CALLERS: usize = 6;

/// Pays until the server is gone; the last request, which was not answered.
fn caller(shop: &Shop, next: &AtomicUsize, ended: &AtomicBool) -> Option<Request> {
    while !ended.load(Ordering::Relaxed) {
        let request = shop.authorise_request(&order(next.fetch_add(1, Ordering::Relaxed)), Some(&Shop::fresh_key()));
        match request.try_send(shop.address()) {
            Ok(reply) if reply.status == 200 => {}
            _ => return Some(request),
        }
    }
    None
}

/// Load, a kill, a new start; what was not answered is asked again under its key.
fn round(server: &mut Server, moment: Duration, next: &AtomicUsize) -> usize {
    let shop = server.shop();
    let ended = AtomicBool::new(false);
    let unanswered: Vec<Request> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| caller(&shop, next, &ended))).collect();
        thread::sleep(moment);
        server.kill();
        ended.store(true, Ordering::Relaxed);
        callers.into_iter().filter_map(|caller| caller.join().unwrap()).collect()
    });
    server.restart();
    let shop = server.shop();
    let hit = unanswered.len();
    thread::scope(|scope| {
        for request in unanswered {
            let shop = &shop;
            scope.spawn(move || {
                let answer = Answer::of(request.send(shop.address()));
                // At a connection that is down nothing can be found out: the key still waits for it.
                let waits = answer.error_code() == Some("error.idempotency.in-progress");
                assert!(waits || answer.root()["id"].is_string(), "{}", answer.json());
            });
        }
    });
    hit
}

#[test]
fn killed_between_two_connections_a_payment_is_charged_at_one_at_most() {
    let rounds = std::env::var("POINTSMAN_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let mut server = Setup::new().start();
    set_up(&server.shop());
    let next = AtomicUsize::new(0);
    let mut hit = 0;
    for number in 0..rounds {
        // Attempts take up to 150 ms each, so these moments fall before, between and behind them.
        let moment = Duration::from_millis(40 + 37 * u64::try_from(number % 11).unwrap());
        hit += round(&mut server, moment, &next);
    }
    assert!(hit > rounds, "the kills hit too little that was under way ({hit})");
    assert_charged_once(&server.shop());
}
