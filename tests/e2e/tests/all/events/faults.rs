//! Deliveries while the service is killed.

use std::{collections::BTreeSet, time::Duration};

use testkit::{Answers, Order, PATIENCE, Receiver, cards, until};

use super::{endpoint, retrying, taken_of};

#[test]
fn nothing_is_lost_when_the_service_is_killed_between_commit_and_delivery() {
    let mut server = retrying().start();
    let receiver = Receiver::start();
    endpoint(&server.shop(), &receiver.url("/hooks"), &["payment.*"]);
    receiver.answer(Answers::After(Duration::from_millis(150)));
    let mut paid = Vec::new();
    for _ in 0..3 {
        let shop = server.shop();
        paid.extend((0..4).map(|_| shop.order(&Order::card(cards::VISA)).id()));
        server.kill();
        server.restart();
    }
    receiver.answer(Answers::With(200));
    for id in &paid {
        // What was taken when the service died comes again: copies are no progress. Longer than the lease of a node that was killed.
        until(3 * PATIENCE, "each of the payment's events", || {
            let taken = taken_of(&receiver.taken("/hooks"), id);
            let sequences: BTreeSet<i64> = taken.iter().map(|one| one.1).collect();
            (sequences == BTreeSet::from([1, 2, 3])).then_some(())
        });
    }
}
