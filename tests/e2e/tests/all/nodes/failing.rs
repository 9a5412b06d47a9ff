//! A node dies or sleeps in the middle of a payment.

use std::thread;
use std::time::Duration;

use testkit::{Answer, Order, PATIENCE, Shop, cards, until};

use super::two;

/// What was under way at a node that is gone is looked up when it can't be sent or answered any more.
const FOUND_OUT: Duration = Duration::from_mins(1);

/// Sends an authorisation that the processor charges without ever answering; the key that it has.
fn ask_in_vain(shop: &Shop, key: &'static str) -> thread::JoinHandle<()> {
    let (request, address) = (
        shop.authorise_request(&Order::card(cards::UNKNOWN_CHARGED), Some(key)),
        shop.address(),
    );
    thread::spawn(move || drop(request.try_send(address)))
}

fn in_the_books(shop: &Shop, charges: usize) {
    until(PATIENCE, "the charge is in the books", || {
        (shop.books().charges() == charges).then_some(())
    });
}

/// The payment of the key, found out by this node.
fn found_out(shop: &Shop, key: &str) -> String {
    let id = until(FOUND_OUT, "the payment is found out", || {
        let answer = shop.try_authorise(&Order::card(cards::UNKNOWN_CHARGED), Some(key));
        answer
            .errors()
            .is_empty()
            .then(|| answer.root()["id"].as_str().unwrap().to_owned())
    });
    until(FOUND_OUT, "the charge is found", || {
        (shop.payment(&id).status() == "SUCCEEDED").then_some(())
    });
    id
}

#[test]
fn what_a_killed_node_left_is_found_out_by_another() {
    let (one, mut two) = two();
    let under_way = ask_in_vain(&two.shop(), "killed");
    in_the_books(&one.shop(), 1);
    two.kill();
    under_way.join().unwrap();
    let id = found_out(&one.shop(), "killed");
    assert_eq!(one.shop().books().charges(), 1);
    one.shop().refund(&id, 1000).assert_status("REFUNDED");
    one.shop().assert_books_equal_payments();
}

#[test]
fn a_node_that_slept_changes_nothing_that_another_has_settled() {
    let (one, two) = two();
    let under_way = ask_in_vain(&two.shop(), "asleep");
    in_the_books(&one.shop(), 1);
    two.freeze();
    let id = found_out(&one.shop(), "asleep");
    one.shop()
        .refund(&id, 400)
        .assert_status("PARTIAL_REFUNDED");
    let before = one.shop().payment(&id);
    two.thaw();
    under_way.join().unwrap();
    // It settles its call's silence now, which is old news.
    until(PATIENCE, "it serves again", || two.is_ready().then_some(()));
    let again = two
        .shop()
        .try_authorise(&Order::card(cards::UNKNOWN_CHARGED), Some("asleep"));
    assert_eq!(again.root()["id"], id.as_str());
    let after = two.shop().payment(&id);
    assert_eq!(
        (after.status(), after.number("/refundedAmount")),
        (before.status(), 400)
    );
    assert_eq!(after.titles(), before.titles());
    two.shop().refund(&id, 600).assert_status("REFUNDED");
    one.shop().assert_books_equal_payments();
}

#[test]
fn a_node_that_slept_around_its_call_leaves_no_charge_unexplained() {
    let (one, two) = two();
    let mut reported = Vec::new();
    // Some of these moments are between the first commit and the call. That nothing is sent too late is the simulation's to show.
    for round in 0..4 {
        let (request, address) = (
            two.shop()
                .authorise_request(&Order::card(cards::VISA), None),
            two.shop().address(),
        );
        let under_way = thread::spawn(move || request.try_send(address));
        // The moments are what is tried; any of them may be hit.
        thread::sleep(Duration::from_millis(4 + 6 * round));
        two.freeze();
        // Longer than a call may begin after its commit: by then it must not be sent any more.
        thread::sleep(Duration::from_secs(7));
        two.thaw();
        if let Ok(reply) = under_way.join().unwrap() {
            reported.push(Answer::of(reply));
        }
    }
    for payment in one.shop().every_payment() {
        until(FOUND_OUT, "it is settled", || {
            (one.shop().payment(&payment.id()).status() != "NO_ANSWER_FROM_PSP").then_some(())
        });
    }
    for answer in reported.iter().filter(|answer| answer.errors().is_empty()) {
        let (id, status) = (
            answer.root()["id"].as_str().unwrap(),
            answer.root()["status"].as_str().unwrap(),
        );
        if status == "SUCCEEDED" {
            two.shop().payment(id).assert_status("SUCCEEDED");
        }
    }
    one.shop().assert_books_equal_payments();
}
