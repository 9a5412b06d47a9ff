//! A history in which anything goes wrong.

use super::*;

/// Whatever chance says.
pub(super) struct Chance(World);

impl Mishaps for Chance {
    fn at(&self, _: Boundary<'_>) -> Mishap {
        let after = Duration::from_millis(self.0.random() % 9_000);
        match self.0.random() % 40 {
            0 => Mishap::Lost,
            1 => Mishap::Met,
            2 => Mishap::Unknown,
            3 => Mishap::Late {
                after,
                effect: true,
            },
            4 => Mishap::Late {
                after,
                effect: false,
            },
            5 => Mishap::Slow(after / 4),
            _ => Mishap::None,
        }
    }
}

/// Nodes that take from accounts until it is known that each entry is there, and the answers that they got on the way.
pub(super) fn history(seed: u64) -> Vec<String> {
    let house = House::new(seed);
    let log = Arc::new(Mutex::new(Vec::new()));
    for number in 0..6 {
        let (world, _node) = house.sim.node();
        let db = house
            .server
            .connect(&world, Arc::new(Chance(world.clone())));
        let log = Arc::clone(&log);
        world.clone().spawn(async move {
            for round in 0..8 {
                let (entry, account) = (
                    format!("{number}-{round}"),
                    if world.random() % 2 == 0 { "a" } else { "b" },
                );
                loop {
                    let reported = db.commit(take(account, 1, &entry)).await;
                    log.lock()
                        .push(format!("{} {entry} {reported:?}", world.now().micros()));
                    match reported {
                        Ok(Committed::Done | Committed::Conflict { .. }) => break,
                        Ok(Committed::Unknown) | Err(_) => {
                            world
                                .sleep(Duration::from_millis(world.random() % 500))
                                .await;
                        }
                    }
                }
            }
        });
    }
    house.run(house.world.sleep(Duration::from_mins(10)));
    assert_eq!(
        house.ledger().len(),
        48,
        "an entry is missing, or is there twice"
    );
    assert_eq!(house.amount("a") + house.amount("b"), 200 - 48);
    house.assert_sound();
    log.lock().clone()
}

#[test]
fn the_same_seed_gives_the_same_history_and_whatever_goes_wrong_each_entry_is_there_once() {
    assert_eq!(history(7), history(7));
    assert_ne!(history(8), history(7));
    let reported: Vec<String> = (20..60).flat_map(history).collect();
    for wanted in ["Unknown", "Done", "Conflict"] {
        assert!(
            reported.iter().any(|line| line.contains(wanted)),
            "{wanted} was never reported"
        );
    }
}
