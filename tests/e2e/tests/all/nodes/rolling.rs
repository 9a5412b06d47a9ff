//! Nodes are restarted one after the other, under load.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking::Addresses;
use testkit::{Answer, Order, PATIENCE, Shop, cards, until};

use super::two;

/// The addresses of the nodes, as a load balancer knows them.
mod parking {
    use std::net::SocketAddr;
    use std::sync::Mutex;

    pub(super) struct Addresses(pub(super) Mutex<[SocketAddr; 2]>);

    impl Addresses {
        pub(super) fn get(&self, node: usize) -> SocketAddr {
            self.0.lock().unwrap()[node % 2]
        }

        pub(super) fn set(&self, node: usize, address: SocketAddr) {
            self.0.lock().unwrap()[node % 2] = address;
        }
    }
}

/// Pays; where a node stops it asks the other one under the same key, as a balancer or a client does. Any other answer than
/// a payment fails the story.
fn pay(shop: &Shop, nodes: &Addresses, number: usize) -> String {
    let request = shop.authorise_request(&Order::card(cards::VISA), Some(&Shop::fresh_key()));
    let mut node = number;
    until(PATIENCE, "an answer", || {
        let address: SocketAddr = nodes.get(node);
        node += 1;
        let reply = request
            .try_send(address)
            .ok()
            .filter(|reply| reply.status != 503)?;
        let answer = Answer::of(reply);
        assert!(answer.errors().is_empty(), "{}", answer.json());
        assert_eq!(answer.root()["status"], "SUCCEEDED");
        Some(answer.root()["id"].as_str().unwrap().to_owned())
    })
}

#[test]
fn restarts_under_load_fail_no_request() {
    let (mut one, mut two) = two();
    let nodes = Addresses(std::sync::Mutex::new([one.address(), two.address()]));
    let (ended, number) = (AtomicBool::new(false), AtomicUsize::new(0));
    let shop = one.shop();
    let paid: Vec<String> = thread::scope(|scope| {
        let callers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    let mut ids = Vec::new();
                    while !ended.load(Ordering::Relaxed) {
                        ids.push(pay(&shop, &nodes, number.fetch_add(1, Ordering::Relaxed)));
                    }
                    ids
                })
            })
            .collect();
        for _ in 0..2 {
            for (place, node) in [&mut one, &mut two].into_iter().enumerate() {
                let enough = number.load(Ordering::Relaxed) + 20;
                until(PATIENCE, "there is load", || {
                    (number.load(Ordering::Relaxed) > enough).then_some(())
                });
                assert_eq!(node.stop().code(), Some(0));
                node.restart();
                nodes.set(place, node.address());
            }
        }
        ended.store(true, Ordering::Relaxed);
        callers
            .into_iter()
            .flat_map(|caller| caller.join().unwrap())
            .collect()
    });
    assert_eq!(
        one.shop().books().charges(),
        paid.len(),
        "one charge for each key"
    );
    for id in &paid {
        two.shop().payment(id).assert_status("SUCCEEDED");
    }
    one.shop().assert_books_equal_payments();
}
