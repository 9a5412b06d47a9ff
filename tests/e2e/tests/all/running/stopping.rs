//! Stopping.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Answer, Order, PATIENCE, Setup, cards, until};

#[test]
fn sigterm_ends_an_idle_server_at_once_with_status_0() {
    let mut server = Setup::new().start();
    server.shop().authorise(cards::VISA);
    let start = Instant::now();
    assert_eq!(server.stop().code(), Some(0));
    // It waits for nobody: without anything under way it does not use the 25 seconds that requests have to end.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn sigterm_lets_what_is_under_way_finish_and_takes_nothing_new() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let request = shop.authorise_request(&Order::card(cards::UNKNOWN_CHARGED), Some("draining"));
    let address = shop.address();
    let under_way = thread::spawn(move || request.try_send(address));
    until(PATIENCE, "the charge is in the books", || {
        (server.shop().books().charges() == 1).then_some(())
    });
    server.ask_to_stop();
    let refused = until(PATIENCE, "new work is refused", || {
        match shop
            .request("{ __typename }", json!({}), None)
            .try_send(address)
        {
            Ok(reply) if reply.status == 200 => None,
            Ok(reply) => Some(Some(Answer::of(reply))),
            Err(_) => Some(None),
        }
    });
    if let Some(answer) = refused {
        answer.assert_refused(503);
        assert_eq!(answer.error_code(), Some("error.unavailable"));
    }
    let answer = Answer::of(
        under_way
            .join()
            .unwrap()
            .expect("what was under way is answered"),
    );
    assert_eq!(answer.root()["status"], "NO_ANSWER_FROM_PSP");
    assert_eq!(server.wait_for_end().code(), Some(0));
    server.restart();
    let id = answer.root()["id"].as_str().unwrap();
    server.shop().wait_for_status(id, "SUCCEEDED");
    server.shop().assert_books_equal_payments();
}

#[test]
fn with_a_drain_delay_it_serves_on_while_balancers_take_it_out() {
    let mut server = Setup::new().setting("server.drain_delay", "8s").start();
    let shop = server.shop();
    let start = Instant::now();
    server.ask_to_stop();
    until(PATIENCE, "it says that it is not ready", || {
        (!server.is_ready()).then_some(())
    });
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    assert_eq!(server.wait_for_end().code(), Some(0));
    assert!(start.elapsed() >= Duration::from_secs(8));
}

#[test]
fn stopped_under_load_it_answers_all_that_it_took() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let mut acknowledged = Vec::new();
    thread::scope(|scope| {
        let callers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut ids = Vec::new();
                    loop {
                        let request = shop.authorise_request(&Order::card(cards::VISA), None);
                        match request.try_send(shop.address()) {
                            Ok(reply) if reply.status == 200 => {
                                ids.push(
                                    Answer::of(reply).root()["id"].as_str().unwrap().to_owned(),
                                );
                            }
                            _ => return ids,
                        }
                    }
                })
            })
            .collect();
        until(PATIENCE, "there is load", || {
            (shop.books().charges() > 20).then_some(())
        });
        assert_eq!(server.stop().code(), Some(0));
        acknowledged = callers
            .into_iter()
            .flat_map(|caller| caller.join().unwrap())
            .collect();
    });
    server.restart();
    for id in &acknowledged {
        server.shop().payment(id).assert_status("SUCCEEDED");
    }
    server.shop().assert_books_equal_payments();
}
