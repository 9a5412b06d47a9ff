//! Notifications that are registered by the processor's API: whatever happens, a registration whose secret counts stands.

use std::time::Duration;

use connector::{CallError, Called, Link, Registered, Registers};
use domain::{Code, Fault, id::ConnectionId};
use engine::{ConnectionView, Engine, RotateConnection};
use futures_util::future::{BoxFuture, Either, select};
use world::World;

use crate::{
    processor::Approves,
    rotating::{opened, proves},
    shop::Shop,
};

/// Each call takes a while on its way there and back. The key `deaf` has the second one refused.
impl Registers for Approves {
    fn register<'a>(&'a self, _: &'a Link<'a>) -> Called<'a, Registered> {
        Box::pin(async move {
            travels(&self.world).await;
            let earlier = self.desk.endpoints(|all| all.keys().cloned().collect());
            travels(&self.world).await;
            let (id, secret) = (self.world.uuid_v7(), self.world.uuid_v7());
            let (id, secret) = (id.to_string(), secret.to_string());
            self.desk
                .endpoints(|all| all.insert(id.clone(), secret.clone()));
            travels(&self.world).await;
            Ok(Registered::new(id, earlier).with("hook", secret))
        })
    }

    fn retire<'a>(&'a self, link: &'a Link<'a>, ids: &'a [String]) -> Called<'a, ()> {
        Box::pin(async move {
            travels(&self.world).await;
            if link.credential("key") == Some("deaf") && !ids.is_empty() {
                return Err(CallError::unknown("silence"));
            }
            self.desk
                .endpoints(|all| all.retain(|id, _| !ids.contains(id)));
            travels(&self.world).await;
            Ok(())
        })
    }
}

async fn travels(world: &World) {
    world
        .sleep(Duration::from_millis(world.random() % 40))
        .await;
}

fn open(seed: u64, credentials: &str) -> Shop {
    let shop = opened(seed, credentials);
    shop.engine.reachable_at(ADDRESS.to_owned());
    shop
}

const ADDRESS: &str = "https://pay.shop.example";

fn own() -> ConnectionId {
    ConnectionId::parse("own").unwrap()
}

fn register(shop: &Shop) -> Result<ConnectionView, Fault> {
    shop.run(shop.engine.register_notifications(&shop.server, &own()))
}

/// The secrets of what stands at the processor.
fn standing(shop: &Shop) -> Vec<String> {
    shop.desk.endpoints(|all| all.values().cloned().collect())
}

/// Whether something stands at the processor whose secret counts, and still does when no earlier one does any more.
fn lasts(shop: &Shop) -> bool {
    shop.pass(Duration::from_hours(25));
    standing(shop).iter().any(|secret| proves(shop, secret))
}

/// A call by another node, which begins within a moment.
fn call(shop: &Shop, node: Engine) -> BoxFuture<'static, Option<Code>> {
    node.reachable_at(ADDRESS.to_owned());
    let (server, world) = (shop.server.clone(), shop.world.clone());
    Box::pin(async move {
        travels(&world).await;
        travels(&world).await;
        let registered = node.register_notifications(&server, &own()).await;
        registered.err().map(|fault| fault.code)
    })
}

#[test]
fn a_repeated_call_leaves_one_registration_and_the_secret_before_counts_for_a_day() {
    let shop = open(91, r#"{"key":"k"}"#);
    assert_eq!(register(&shop).unwrap().earlier_secret_until, None);
    let first = standing(&shop).remove(0);
    assert!(register(&shop).unwrap().earlier_secret_until.is_some());
    let second = standing(&shop);
    assert_eq!(second.len(), 1);
    assert!(proves(&shop, &first) && proves(&shop, &second[0]));
    assert!(lasts(&shop));
    assert!(!proves(&shop, &first));
}

#[test]
fn what_could_not_be_removed_stands_beside_a_registration_whose_secret_is_kept() {
    let shop = open(92, r#"{"key":"deaf"}"#);
    register(&shop).unwrap();
    let refused = register(&shop).unwrap_err();
    assert_eq!(refused.code, Code::Validation);
    let both = standing(&shop);
    assert_eq!(both.len(), 2);
    assert!(both.iter().all(|secret| proves(&shop, secret)));
    let heard = RotateConnection {
        id: own(),
        credentials: r#"{"key":"k"}"#.to_owned().into(),
        ends_earlier: false,
        skips_probe: true,
    };
    shop.run(shop.engine.rotate_connection(&shop.server, heard))
        .unwrap();
    register(&shop).unwrap();
    assert_eq!(standing(&shop).len(), 1);
    assert!(lasts(&shop));
}

#[test]
fn calls_at_once_leave_a_registration_whose_secret_counts() {
    let mut refused = 0;
    for seed in 0..60 {
        let shop = open(9_000 + seed, r#"{"key":"k","hook":"one"}"#);
        let nodes = [0; 3].map(|_| call(&shop, shop.another_node()));
        let codes = shop.at_once(nodes.into());
        for code in codes.into_iter().flatten() {
            assert_eq!(code, Code::Validation);
            refused += 1;
        }
        assert!(lasts(&shop), "{seed}");
        register(&shop).unwrap();
        assert_eq!(standing(&shop).len(), 1, "{seed}");
    }
    assert!(refused > 0, "no two calls met");
}

#[test]
fn a_rotation_meanwhile_is_not_undone_and_the_call_leaves_nothing() {
    let shop = open(93, r#"{"key":"k","hook":"one"}"#);
    let slow = shop.another_node();
    slow.reachable_at(ADDRESS.to_owned());
    let (server, world) = (shop.server.clone(), shop.world.clone());
    let slow: BoxFuture<'static, bool> = Box::pin(async move {
        let registered = slow.register_notifications(&server, &own()).await;
        registered.is_err()
    });
    let (node, server) = (shop.another_node(), shop.server.clone());
    let rotated: BoxFuture<'static, bool> = Box::pin(async move {
        world.sleep(Duration::from_millis(1)).await;
        let two = RotateConnection {
            id: own(),
            credentials: r#"{"hook":"two"}"#.to_owned().into(),
            ends_earlier: true,
            skips_probe: true,
        };
        node.rotate_connection(&server, two).await.is_ok()
    });
    assert_eq!(shop.at_once(vec![slow, rotated]), [true, true]);
    assert!(proves(&shop, "two"));
    assert_eq!(standing(&shop), [""; 0]);
}

#[test]
fn wherever_the_process_dies_a_registration_whose_secret_counts_stands() {
    let mut unfinished = 0;
    for millis in (0..200).step_by(5) {
        let shop = open(9_100 + millis, r#"{"key":"k"}"#);
        register(&shop).unwrap();
        let node = call(&shop, shop.another_node());
        let world = shop.world.clone();
        let dies = Box::pin(async move { world.sleep(Duration::from_millis(millis)).await });
        let ended = shop.run(async { matches!(select(node, dies).await, Either::Left(_)) });
        unfinished += u32::from(!ended);
        assert!(lasts(&shop), "{millis}");
        register(&shop).unwrap();
        assert_eq!(standing(&shop).len(), 1, "{millis}");
    }
    assert!(unfinished > 5, "{unfinished}");
}
