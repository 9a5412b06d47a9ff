//! Whatever comes at once: no count is lost, none is made twice, and nobody is refused without a reason.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use db::{Change, Committed, Db, DbError, SqliteOptions, Statement, params};
use futures_util::future::join_all;
use parking_lot::Mutex;
use proptest::prelude::*;
use world::World;

use crate::{
    books::{MIGRATIONS, TAKE, WRITE, amount, change, ledger, open_account, take},
    postgres_server::Server,
};

/// How a change is put together.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// As it should be.
    GuardFirst,
    /// A refusal leaves traces that must be undone.
    GuardLast,
    /// Never right: takes and writes, then fails.
    Defective,
}

#[derive(Debug, Clone)]
struct Wish {
    account: u8,
    amount: i64,
    /// Entries are unique, and wishes share some.
    entry: u8,
    shape: Shape,
    /// Whether it is queued under a key of its own instead of its account's, so that wishes for one account share a batch.
    alone: bool,
}

impl Wish {
    fn change(&self, number: usize) -> Change {
        let (account, entry) = (self.account.to_string(), self.entry.to_string());
        let key = if self.alone {
            format!("wish {number}")
        } else {
            account.clone()
        };
        let mut made = change(&key);
        let write = Statement::one(WRITE, params![&entry, &account, self.amount]);
        let guard = Statement::one(TAKE, params![&account, self.amount]);
        made.statements = Arc::new(match self.shape {
            Shape::GuardFirst => vec![guard, write],
            Shape::GuardLast => vec![write, guard],
            Shape::Defective => vec![
                guard,
                write,
                Statement::any("update account set amount = 'x'", params![]),
            ],
        });
        made
    }
}

fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let shape = prop_oneof![4 => Just(Shape::GuardFirst), 3 => Just(Shape::GuardLast), 1 => Just(Shape::Defective)];
    let wish = (0..3_u8, 1..12_i64, 0..60_u8, shape, any::<bool>()).prop_map(
        |(account, amount, entry, shape, alone)| Wish {
            account,
            amount,
            entry,
            shape,
            alone,
        },
    );
    prop::collection::vec(wish, 1..60)
}

const OPENING: i64 = 40;

async fn open_accounts(db: &Db) {
    for account in 0..3 {
        assert_eq!(
            db.commit(open_account(&account.to_string(), OPENING)).await,
            Ok(Committed::Done)
        );
    }
}

type Outcome = Result<Committed, DbError>;

/// Amounts only fall and entries only come, so the end tells whether each outcome was right.
async fn check(db: &Db, wishes: &[Wish], outcomes: &[Outcome]) {
    assert_eq!(wishes.len(), outcomes.len());
    let mut left = [OPENING; 3];
    let mut entries = BTreeSet::new();
    for (wish, _) in wishes
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| **outcome == Ok(Committed::Done))
    {
        left[usize::from(wish.account)] -= wish.amount;
        assert!(
            entries.insert(wish.entry.to_string()),
            "entry {} was written twice",
            wish.entry
        );
    }
    for (account, left) in (0_u8..).zip(left) {
        assert!(left >= 0);
        assert_eq!(amount(db, &account.to_string()).await, left);
    }
    assert_eq!(ledger(db).await, Vec::from_iter(entries.clone()));
    for (wish, outcome) in wishes.iter().zip(outcomes) {
        let poor = left[usize::from(wish.account)] < wish.amount;
        let taken = entries.contains(&wish.entry.to_string());
        let (guard, write) = if matches!(wish.shape, Shape::GuardLast) {
            (1, 0)
        } else {
            (0, 1)
        };
        match outcome {
            Ok(Committed::Done) => assert!(!matches!(wish.shape, Shape::Defective)),
            Ok(Committed::Conflict { statement }) if *statement == guard => {
                assert!(poor, "{wish:?} for no reason");
            }
            Ok(Committed::Conflict { statement }) if *statement == write => {
                assert!(taken, "{wish:?} for no reason");
            }
            Err(DbError::Sql { .. }) => assert!(matches!(wish.shape, Shape::Defective)),
            other => panic!("{wish:?} ended as {other:?}"),
        }
    }
}

/// Plays the wishes in a simulated world, whose seed decides which of them share a batch.
fn play(seed: u64, wishes: &[Wish]) -> Vec<Outcome> {
    let (world, sim) = World::simulated(seed);
    let db = Db::sqlite_inline(MIGRATIONS, &world).unwrap();
    let outcomes = Arc::new(Mutex::new(vec![None; wishes.len()]));
    sim.run_until(open_accounts(&db)).unwrap();
    for (number, wish) in wishes.iter().enumerate() {
        let (db, outcomes, change) = (db.clone(), Arc::clone(&outcomes), wish.change(number));
        world.spawn(async move {
            let outcome = db.commit(change).await;
            outcomes.lock()[number] = Some(outcome);
        });
    }
    sim.run_until(world.sleep(Duration::from_secs(1))).unwrap();
    let outcomes: Vec<Outcome> = outcomes
        .lock()
        .iter()
        .cloned()
        .map(Option::unwrap)
        .collect();
    sim.run_until(check(&db, wishes, &outcomes)).unwrap();
    outcomes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_count_is_lost_or_doubled_in_any_batch(seed in any::<u64>(), wishes in wishes()) {
        let outcomes = play(seed, &wishes);
        prop_assert_eq!(outcomes, play(seed, &wishes), "the same seed must play the same");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_count_is_lost_or_doubled_behind_the_writers_thread(wishes in wishes()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let directory = tempfile::tempdir().unwrap();
            let db = Db::sqlite(SqliteOptions::new(directory.path().join("t.db")), MIGRATIONS, &World::real()).unwrap();
            open_accounts(&db).await;
            let outcomes = join_all(wishes.iter().enumerate().map(|(n, wish)| db.commit(wish.change(n)))).await;
            check(&db, &wishes, &outcomes).await;
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn no_count_is_lost_or_doubled_by_two_nodes_of_a_server(wishes in wishes()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let options = Server::shared().options(None);
            let one = Db::postgres(options.clone(), MIGRATIONS, &World::real()).await.unwrap();
            let other = Db::postgres(options, MIGRATIONS, &World::real()).await.unwrap();
            open_accounts(&one).await;
            let node = |number| if number % 2 == 0 { &one } else { &other };
            let outcomes = join_all(wishes.iter().enumerate().map(|(n, wish)| node(n).commit(wish.change(n)))).await;
            check(&one, &wishes, &outcomes).await;
            one.close().await;
            other.close().await;
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_hundred_that_take_one_from_a_hundred_exactly_a_hundred_succeed() {
    let directory = tempfile::tempdir().unwrap();
    two_hundred(
        Db::sqlite(
            SqliteOptions::new(directory.path().join("t.db")),
            MIGRATIONS,
            &World::real(),
        )
        .unwrap(),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_hundred_that_take_one_from_a_hundred_on_a_server_exactly_a_hundred_succeed() {
    two_hundred(
        Db::postgres(Server::shared().options(None), MIGRATIONS, &World::real())
            .await
            .unwrap(),
    )
    .await;
}

async fn two_hundred(db: Db) {
    db.commit(open_account("a", 100)).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..200 {
        let db = db.clone();
        tasks.spawn(async move {
            let mut taking = take("a", 1, &format!("{number:03}"));
            // Half of them share batches with others of the same account.
            taking.aggregate = taking.aggregate.wrapping_add(number % 2 * number);
            db.commit(taking).await
        });
    }
    let outcomes = tasks.join_all().await;
    let done = outcomes
        .iter()
        .filter(|outcome| **outcome == Ok(Committed::Done))
        .count();
    let refused = outcomes
        .iter()
        .filter(|outcome| **outcome == Ok(Committed::Conflict { statement: 0 }))
        .count();
    assert_eq!((done, refused), (100, 100));
    assert_eq!((amount(&db, "a").await, ledger(&db).await.len()), (0, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_busy_and_writes_nothing_of_what_it_refused() {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions {
        queue: 8,
        ..SqliteOptions::new(directory.path().join("t.db"))
    };
    let db = Db::sqlite(options, MIGRATIONS, &World::real()).unwrap();
    db.commit(open_account("a", 1000)).await.unwrap();
    // One aggregate: one change a batch, so that the queue fills.
    let outcomes =
        join_all((0..200).map(|number| db.commit(take("a", 1, &format!("{number:03}"))))).await;
    let written: Vec<String> = (0..200)
        .zip(&outcomes)
        .filter(|(_, outcome)| **outcome == Ok(Committed::Done))
        .map(|(number, _)| format!("{number:03}"))
        .collect();
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Ok(Committed::Done) | Err(DbError::Busy)))
    );
    assert!(
        written.len() >= 8 && written.len() < 200,
        "{} were written",
        written.len()
    );
    assert_eq!(ledger(&db).await, written);
}
