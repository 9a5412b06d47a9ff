//! Deliveries while the service is killed.

use std::time::Duration;

use testkit::{Answers, Order, Receiver, cards};

use super::{await_taken, endpoint, retrying};

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
        let taken = await_taken(&receiver, "/hooks", id, 3);
        let mut sequences: Vec<i64> = taken.iter().map(|one| one.1).collect();
        sequences.sort_unstable();
        sequences.dedup();
        assert_eq!(sequences, [1, 2, 3], "{id}");
    }
}
