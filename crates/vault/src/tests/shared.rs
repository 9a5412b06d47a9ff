//! Security codes that nodes share, on a modelled server.

use std::sync::Arc;

use db_model::{ModelServer, NoMishaps};
use world::{Node, Sim};

use super::*;

/// The vault's keys. They guard nothing but test numbers.
const KEYS: &str = r#"{"current": 1, "keys": {"1": "a1IzdlQ5eFEybVo3cEw1d044Y0o0Ykg2Z0YxZFMwYVk="},
    "index": "dUU3aFcyeUI1bkQ4c0sxZk00dFA5cVY2elgzY0cwakE="}"#;

const HOUR: Duration = Duration::from_hours(1);

struct House {
    sim: Sim,
    world: World,
    server: ModelServer,
    one: (Vault, Node),
    two: (Vault, Node),
}

impl House {
    fn new() -> Self {
        let (world, sim) = World::simulated(1);
        let server = ModelServer::new(MIGRATIONS, &world).unwrap();
        let node = || {
            let (world, node) = sim.node();
            let db = server.connect(&world, Arc::new(NoMishaps));
            let keys = KeySource::Given(keyring::Given::new(KEYS.to_owned()));
            (Vault::open(db, keys, world, HOUR).unwrap(), node)
        };
        let (one, two) = (node(), node());
        Self {
            sim,
            world,
            server,
            one,
            two,
        }
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.sim.run_until(work).unwrap()
    }

    fn keep(&self, vault: &Vault, holder: &str) {
        let code = SecurityCode::parse("737".to_owned()).ok().unwrap();
        self.run(vault.keep_cvc(holder, &code)).unwrap();
    }

    fn has(&self, vault: &Vault, holder: &str) -> bool {
        self.run(vault.open_cvc(holder)).unwrap().is_some()
    }

    fn kept(&self) -> usize {
        self.server
            .rows("select holder from security_code", vec![])
            .unwrap()
            .len()
    }
}

#[test]
fn a_code_is_there_at_once_for_a_node_whose_clock_is_behind() {
    let house = House::new();
    let (one, two) = (&house.one.0, &house.two.0);
    // Two nodes may differ by a second without a word.
    house.two.1.jump(800_000);
    house.keep(two, "a");
    assert!(house.has(one, "a"));
    house.run(one.forget_cvc("a"));
    assert_eq!(house.kept(), 0);
}

#[test]
fn a_code_of_before_the_clock_was_set_back_is_not_used_and_swept() {
    let house = House::new();
    let (one, two) = (&house.one.0, &house.two.0);
    house.two.1.jump(3 * 60 * 1_000_000);
    house.keep(two, "a");
    house.two.1.jump(-3 * 60 * 1_000_000);
    assert!(!house.has(one, "a"), "it could live longer than an hour");
    assert_eq!(house.run(one.sweep_codes()).unwrap(), 1);
    house.keep(one, "b");
    assert_eq!(house.run(one.sweep_codes()).unwrap(), 0);
    house.run(house.world.sleep(HOUR));
    assert_eq!(house.run(two.sweep_codes()).unwrap(), 1);
    assert_eq!(house.kept(), 0);
}

#[test]
fn a_code_that_came_by_another_node_after_a_vain_look_is_erased_after_its_use() {
    let house = House::new();
    let (one, two) = (&house.one.0, &house.two.0);
    // A first payment finds none and stays undecided; the customer gives the code to another node, and pays once more.
    assert!(!house.has(one, "a"));
    house.keep(two, "a");
    assert!(house.has(one, "a"));
    house.run(one.forget_cvc("a"));
    assert_eq!(house.kept(), 0);
}

#[test]
fn what_is_deleted_loses_its_code_whatever_a_look_has_found() {
    let house = House::new();
    let (one, two) = (&house.one.0, &house.two.0);
    assert!(!house.has(one, "a"));
    house.keep(two, "a");
    house.run(one.erase_cvc("a"));
    assert_eq!(house.kept(), 0);
}

#[test]
fn a_code_that_an_authorisation_has_opened_is_found_until_it_is_erased_or_replaced() {
    let house = House::new();
    let (one, two) = (&house.one.0, &house.two.0);
    let used = |vault: &Vault| house.run(vault.used_codes(10)).unwrap();
    house.keep(one, "a");
    house.keep(one, "b");
    house.keep(one, "c");
    for holder in ["a", "b"] {
        assert!(
            house
                .run(two.use_code(holder, Some("payment 1")))
                .unwrap()
                .is_some()
        );
    }
    assert_eq!(used(one), [], "it may be on its way");
    house.run(house.world.sleep(Duration::from_mins(1)));
    let found = used(one);
    assert_eq!(
        found.iter().map(UsedCode::by).collect::<Vec<_>>(),
        ["payment 1"; 2]
    );
    assert_eq!(used(two), [], "another one looks after them");
    // Another authorisation opens the first; the customer gives the second again.
    assert!(
        house
            .run(two.use_code("a", Some("payment 2")))
            .unwrap()
            .is_some()
    );
    house.keep(two, "b");
    for code in &found {
        house.run(one.erase_used(code)).unwrap();
    }
    assert_eq!(house.kept(), 3);
    house.run(house.world.sleep(Duration::from_mins(1)));
    let found = used(one);
    assert_eq!(
        found.iter().map(UsedCode::by).collect::<Vec<_>>(),
        ["payment 2"]
    );
    house.run(one.erase_used(&found[0])).unwrap();
    assert_eq!((house.kept(), house.has(one, "a")), (2, false));
}
