mod clocks;
mod history;

use std::collections::VecDeque;

use db::{Change, ChangeId, Committed, TOLERANCE, params};
use futures_util::future::{join, join_all};
use world::{Node, Sim};

use super::*;

const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "books",
    sql: "create table account (id text not null, amount bigint not null, primary key (id));
          create table ledger (id text not null, account_id text not null, amount bigint not null, primary key (id));",
}];
const SECOND: Duration = Duration::from_secs(1);

/// What goes wrong next, at the boundaries of this name.
#[derive(Default)]
struct Plan(Mutex<VecDeque<(&'static str, Mishap)>>);

impl Mishaps for Plan {
    fn at(&self, boundary: Boundary<'_>) -> Mishap {
        let mut plan = self.0.lock();
        match plan.front() {
            Some((wanted, mishap)) if *wanted == name(&boundary) => {
                let mishap = *mishap;
                plan.pop_front();
                mishap
            }
            _ => Mishap::None,
        }
    }
}

fn name(boundary: &Boundary<'_>) -> &'static str {
    match boundary {
        Boundary::Connect => "connect",
        Boundary::Begin(_) => "begin",
        Boundary::Commit(_) => "commit",
        Boundary::Committed(_) => "committed",
        Boundary::Claim(_) => "claim",
        Boundary::Claimed(_) => "claimed",
        Boundary::Read(_) => "read",
    }
}

/// A server with two nodes, of which the first has mishaps.
struct House {
    sim: Sim,
    world: World,
    server: ModelServer,
    plan: Arc<Plan>,
    first: (Db, World, Node),
    second: (Db, World, Node),
}

impl House {
    fn new(seed: u64) -> Self {
        let (world, sim) = World::simulated(seed);
        let server = ModelServer::new(MIGRATIONS, &world).unwrap();
        let plan = Arc::new(Plan::default());
        let node = |mishaps: Arc<dyn Mishaps>| {
            let (world, node) = sim.node();
            (server.connect(&world, mishaps), world, node)
        };
        let (first, second) = (
            node(Arc::clone(&plan) as Arc<dyn Mishaps>),
            node(Arc::new(NoMishaps)),
        );
        let house = Self {
            sim,
            world,
            server,
            plan,
            first,
            second,
        };
        for account in ["a", "b"] {
            let opened = house.run(house.second.0.commit(change(account).with(Statement::one(
                "insert into account (id, amount) values ($1, 100)",
                params![account],
            ))));
            assert_eq!(opened, Ok(Committed::Done));
        }
        house
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.sim.run_until(work).unwrap()
    }

    fn plan(&self, mishaps: &[(&'static str, Mishap)]) {
        self.plan.0.lock().extend(mishaps);
    }

    fn amount(&self, account: &str) -> i64 {
        let rows = self
            .server
            .rows("select amount from account where id = $1", params![account])
            .unwrap();
        rows[0].int(0).unwrap()
    }

    fn ledger(&self) -> Vec<String> {
        let rows = self
            .server
            .rows("select id from ledger order by id", vec![])
            .unwrap();
        rows.iter()
            .map(|row| row.text(0).unwrap().to_owned())
            .collect()
    }

    /// Seconds since this house was built.
    fn seconds(&self) -> i64 {
        self.world.now().micros() / 1_000_000 - 1_767_225_600
    }

    fn assert_sound(&self) {
        assert!(
            self.plan.0.lock().is_empty(),
            "not everything that was planned has happened"
        );
        assert_eq!((self.server.late_commits(), self.server.misfits()), (0, 0));
    }
}

fn change(account: &str) -> Change {
    Change::new(ChangeId(0), account)
}

fn take(account: &str, amount: i64, entry: &str) -> Change {
    let sql = "update account set amount = amount - $2 where id = $1 and amount >= $2";
    change(account)
        .with(Statement::one(sql, params![account, amount]))
        .with(Statement::one(
            "insert into ledger (id, account_id, amount) values ($1, $2, $3)",
            params![entry, account, amount],
        ))
}

#[test]
fn nodes_share_one_state_and_its_conflicts() {
    let house = House::new(1);
    let (one, other) = (&house.first.0, &house.second.0);
    let both = house.run(join(
        one.commit(take("a", 60, "x")),
        other.commit(take("a", 60, "y")),
    ));
    assert!(matches!(
        both,
        (
            Ok(Committed::Done),
            Ok(Committed::Conflict { statement: 0 })
        ) | (
            Ok(Committed::Conflict { statement: 0 }),
            Ok(Committed::Done)
        )
    ));
    assert_eq!(
        house
            .run(other.read("select amount from account where id = 'a'", vec![]))
            .unwrap()[0]
            .int(0),
        Ok(40)
    );
    let taken = house.ledger().remove(0);
    assert_eq!(
        house.run(one.commit(take("b", 1, &taken))),
        Ok(Committed::Conflict { statement: 1 })
    );
    house.assert_sound();
}

#[test]
fn a_batch_whose_connection_is_lost_before_its_commit_is_done_again() {
    let house = House::new(1);
    for (round, lost) in ["connect", "begin", "commit"].into_iter().enumerate() {
        house.plan(&[(lost, Mishap::Lost)]);
        let entry = round.to_string();
        assert_eq!(
            house.run(house.first.0.commit(take("a", 1, &entry))),
            Ok(Committed::Done),
            "{lost}"
        );
    }
    assert_eq!((house.amount("a"), house.ledger().len()), (97, 3));
    house.plan(&[("begin", Mishap::Lost); 5]);
    let given_up = house.run(house.first.0.commit(take("a", 1, "never")));
    assert!(
        matches!(given_up, Err(DbError::Unreachable(_))),
        "{given_up:?}"
    );
    assert_eq!(house.amount("a"), 97);
    house.assert_sound();
}

#[test]
fn transactions_that_meet_are_done_again() {
    let house = House::new(1);
    house.plan(&[
        ("begin", Mishap::Met),
        ("commit", Mishap::Met),
        ("read", Mishap::Met),
    ]);
    let both = house
        .run(join_all([("a", "x"), ("b", "y")].map(
            |(account, entry)| house.first.0.commit(take(account, 1, entry)),
        )));
    assert_eq!(both, [Ok(Committed::Done), Ok(Committed::Done)]);
    assert_eq!(
        (house.amount("a"), house.amount("b"), house.ledger().len()),
        (99, 99, 2)
    );
    assert_eq!(
        house
            .run(house.first.0.read("select id from ledger", vec![]))
            .unwrap()
            .len(),
        2
    );
    house.assert_sound();
}

#[test]
fn an_answer_to_commit_that_is_lost_is_unknown_with_and_without_effect() {
    let house = House::new(1);
    let db = &house.first.0;
    house.plan(&[("commit", Mishap::Unknown)]);
    assert_eq!(
        house.run(db.commit(take("a", 1, "x"))),
        Ok(Committed::Unknown)
    );
    assert_eq!((house.amount("a"), house.ledger().len()), (100, 0));
    assert_eq!(house.run(db.commit(take("a", 1, "x"))), Ok(Committed::Done));
    house.plan(&[("committed", Mishap::Unknown)]);
    assert_eq!(
        house.run(db.commit(take("a", 1, "y"))),
        Ok(Committed::Unknown)
    );
    assert_eq!((house.amount("a"), house.ledger().len()), (98, 2));
    assert_eq!(
        house.run(db.commit(take("a", 1, "y"))),
        Ok(Committed::Conflict { statement: 1 })
    );
    house.assert_sound();
}

#[test]
fn a_late_commit_is_seen_by_nobody_and_holds_its_rows_until_it_comes() {
    let house = House::new(1);
    let (one, other) = (&house.first.0, &house.second.0);
    house.plan(&[(
        "commit",
        Mishap::Late {
            after: SECOND * 8,
            effect: true,
        },
    )]);
    assert_eq!(
        house.run(one.commit(take("a", 70, "late"))),
        Ok(Committed::Unknown)
    );
    assert_eq!((house.amount("a"), house.ledger().len()), (100, 0));
    // Another row is free, on the same server and by the same node.
    assert_eq!(
        house.run(one.commit(take("b", 1, "free"))),
        Ok(Committed::Done)
    );
    assert_eq!(house.seconds(), 0);
    // The same row is not: the transaction that needs it waits, gives way, comes again, and is judged by what was committed.
    assert_eq!(
        house.run(other.commit(take("a", 70, "behind"))),
        Ok(Committed::Conflict { statement: 0 })
    );
    assert!(house.seconds() >= 8);
    assert_eq!(
        (house.amount("a"), house.ledger().join(" ")),
        (30, "free late".to_owned())
    );
    house.assert_sound();
}

#[test]
fn a_key_that_a_late_commit_is_about_to_take_is_waited_for() {
    let house = House::new(1);
    for (effect, wanted) in [
        (false, Committed::Done),
        (true, Committed::Conflict { statement: 1 }),
    ] {
        let entry = effect.to_string();
        house.plan(&[(
            "commit",
            Mishap::Late {
                after: SECOND * 2,
                effect,
            },
        )]);
        let before = house.seconds();
        assert_eq!(
            house.run(house.first.0.commit(take("a", 1, &entry))),
            Ok(Committed::Unknown)
        );
        assert_eq!(
            house.run(house.second.0.commit(take("b", 1, &entry))),
            Ok(wanted)
        );
        assert_eq!(house.seconds(), before + 2);
    }
    assert_eq!((house.amount("a"), house.amount("b")), (99, 99));
    house.assert_sound();
}

#[test]
fn a_slow_commit_comes_into_effect_even_when_its_node_dies_meanwhile() {
    let house = House::new(1);
    house.plan(&[("commit", Mishap::Slow(SECOND * 3))]);
    assert_eq!(
        house.run(house.first.0.commit(take("a", 1, "slow"))),
        Ok(Committed::Done)
    );
    assert_eq!(house.seconds(), 3);
    house.plan(&[("commit", Mishap::Slow(SECOND * 3))]);
    let (db, world) = (house.first.0.clone(), house.first.1.clone());
    world.spawn(async move { drop(db.commit(take("a", 1, "orphan")).await) });
    house.run(house.world.sleep(SECOND));
    house.first.2.crash();
    assert_eq!(house.ledger(), ["slow"]);
    house.run(house.world.sleep(SECOND * 3));
    assert_eq!(house.ledger(), ["orphan", "slow"]);
    house.assert_sound();
}

#[test]
fn a_process_may_die_at_any_boundary() {
    for (boundary, written) in [
        ("connect", 0),
        ("begin", 0),
        ("commit", 0),
        ("committed", 1),
    ] {
        let house = House::new(1);
        house.plan(&[(boundary, Mishap::Death)]);
        let (db, node) = (house.first.0.clone(), house.first.2.clone());
        let reported = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&reported);
        house
            .first
            .1
            .spawn(async move { *noted.lock() = Some(db.commit(take("a", 1, "x")).await) });
        house.run(house.world.sleep(SECOND));
        node.crash();
        house.run(house.world.sleep(SECOND));
        assert_eq!(
            (house.ledger().len(), reported.lock().take()),
            (written, None),
            "{boundary}"
        );
        // Its next life is served; what is left of the old one is not.
        assert_eq!(
            house.run(house.first.0.commit(take("a", 1, "dead"))),
            Err(DbError::Closed)
        );
        let again = house.server.connect(&node.world(), Arc::new(NoMishaps));
        assert_eq!(
            house.run(again.commit(take("a", 1, "y"))),
            Ok(Committed::Done)
        );
        house.assert_sound();
    }
}

#[test]
fn work_waits_for_a_server_that_is_away_and_is_refused_when_it_stays_away() {
    let house = House::new(1);
    let db = &house.first.0;
    house.server.away_for(SECOND * 3);
    let (done, read) = house.run(join(
        db.commit(take("a", 1, "x")),
        db.read("select id from account", vec![]),
    ));
    assert_eq!(
        (done, read.map(|rows| rows.len())),
        (Ok(Committed::Done), Ok(2))
    );
    assert!((3..5).contains(&house.seconds()), "{}", house.seconds());
    house.server.away_for(SECOND * 30);
    let soon = house.world.now().after(SECOND);
    let (refused, expired) = house.run(join(
        db.commit(take("a", 1, "y")),
        db.commit(take("b", 1, "z").until(soon)),
    ));
    assert!(
        matches!(refused, Err(DbError::Unreachable(_))),
        "{refused:?}"
    );
    assert_eq!(expired, Err(DbError::Expired));
    assert!(matches!(
        house.run(db.check()),
        Err(DbError::Unreachable(_))
    ));
    assert_eq!(house.ledger(), ["x"]);
    house.assert_sound();
}

const CLAIM: &str = "update account set amount = $1 where id in (select id from account where amount > $1 limit $2) \
                     and amount > $1 returning id";

#[test]
fn a_claim_whose_answer_is_lost_has_taken_its_rows_and_locked_rows_are_passed_by() {
    let house = House::new(1);
    let (one, other) = (&house.first.0, &house.second.0);
    house.plan(&[("claim", Mishap::Lost), ("claimed", Mishap::Lost)]);
    for left in [2, 1] {
        let lost = house.run(one.claim(CLAIM, params![0, 1]));
        assert!(matches!(lost, Err(DbError::Unreachable(_))), "{lost:?}");
        let full = house
            .server
            .rows("select id from account where amount > 0", vec![])
            .unwrap();
        assert_eq!(full.len(), left);
    }
    house.plan(&[(
        "commit",
        Mishap::Late {
            after: SECOND,
            effect: true,
        },
    )]);
    assert_eq!(
        house.run(one.commit(take("b", 1, "late"))),
        Ok(Committed::Unknown)
    );
    assert_eq!(
        house.run(other.claim(CLAIM, params![0, 5])).unwrap().len(),
        0
    );
    house.run(house.world.sleep(SECOND * 2));
    assert_eq!(
        house.run(other.claim(CLAIM, params![0, 5])).unwrap().len(),
        1
    );
    house.assert_sound();
}

#[test]
fn a_claim_of_a_sweep_is_done_again_only_where_it_took_nothing_and_delays_no_other() {
    let house = House::new(1);
    let db = &house.first.0;
    let sweep = || db.claim_for_sweep(CLAIM, params![0, 1]);
    house.plan(&[("claim", Mishap::Met), ("claimed", Mishap::Lost)]);
    let lost = house.run(sweep());
    assert!(matches!(lost, Err(DbError::Unreachable(_))), "{lost:?}");
    house.plan(&[("claim", Mishap::Slow(SECOND * 5))]);
    let before = house.world.now();
    let slow = async {
        assert_eq!(sweep().await.map(|rows| rows.len()), Ok(1));
        house.world.now().since(before)
    };
    let prompt = async {
        // The sweep asks first.
        house.world.sleep(SECOND).await;
        assert!(db.claim(CLAIM, params![1000, 1]).await.is_ok());
        assert_eq!(db.commit(take("b", 0, "prompt")).await, Ok(Committed::Done));
        house.world.now().since(before)
    };
    let (slow, prompt) = house.run(join(slow, prompt));
    assert!(
        prompt < SECOND * 2 && slow >= SECOND * 5,
        "{prompt:?} {slow:?}"
    );
    house.assert_sound();
}
