//! Sweeps write over a connection of their own: what hangs there delays nothing else.

use std::time::Duration;

use db::{Change, Committed, Db, Lane, Lanes, PostgresOptions, Statement, params};
use tokio::sync::oneshot;
use tokio_postgres::NoTls;
use world::World;

use crate::{
    books::{MIGRATIONS, TAKE, amount, change, ledger, open_account, take},
    postgres_server::Server,
};

/// A claim without a limit, which waits for a row that another transaction holds.
const TOUCH: &str = "update account set amount = amount + 1 where id = $1 returning id";
/// A claim with a limit, which passes by such rows.
const CLAIM: &str = "update account set amount = $1 where id in \
                     (select id from account where amount > $1 order by id limit $2) and amount > $1 returning id";

/// Long enough for what is not delayed, on a busy machine too.
const GENEROUS: Duration = Duration::from_secs(30);

/// With one connection that commits, and with statements that wait for a lock for much longer than [`GENEROUS`].
fn options() -> PostgresOptions {
    PostgresOptions {
        writers: 1,
        statement_timeout: Duration::from_mins(10),
        ..Server::shared().options(None)
    }
}

async fn open(options: PostgresOptions) -> Db {
    let db = Db::postgres(options, MIGRATIONS, &World::real())
        .await
        .unwrap();
    for account in ["a", "b"] {
        db.commit(open_account(account, 100)).await.unwrap();
    }
    db
}

async fn connect() -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&Server::shared().url(None), NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { connection.await.unwrap_or_default() });
    client
}

/// Does `prompt` while the account `a` is locked and `sweep` waits for it. Then lets `sweep` go on, and returns its result.
async fn while_it_hangs<S, P>(schema: &str, sweep: S, prompt: P) -> S::Output
where
    S: Future + Send + 'static,
    S::Output: Send + 'static,
    P: Future,
{
    let mut holder = connect().await;
    let held = holder.transaction().await.unwrap();
    let lock = format!("select id from {schema}.account where id = 'a' for update");
    held.execute(&lock, &[]).await.unwrap();
    let (done, mut ended) = oneshot::channel();
    World::real().spawn(async move {
        let _ = done.send(sweep.await);
    });
    waits_for_a_lock(schema).await;
    let prompt = std::pin::pin!(prompt);
    World::real()
        .timeout(GENEROUS, prompt)
        .await
        .expect("it does not wait for the sweep");
    assert!(ended.try_recv().is_err(), "the sweep waits");
    held.rollback().await.unwrap();
    ended.await.unwrap()
}

/// Waits until a statement on a table of the schema waits for a lock.
async fn waits_for_a_lock(schema: &str) {
    let client = connect().await;
    let sql = "select count(*) from pg_locks waiting join pg_locks held on held.pid = waiting.pid \
               join pg_class on pg_class.oid = held.relation join pg_namespace on pg_namespace.oid = relnamespace \
               where not waiting.granted and nspname = $1";
    let waiting = async {
        loop {
            let found = client.query_one(sql, &[&schema]).await.unwrap();
            if found.get::<_, i64>(0) > 0 {
                return;
            }
            World::real().sleep(Duration::from_millis(5)).await;
        }
    };
    World::real().timeout(GENEROUS, waiting).await.unwrap();
}

/// What other jobs and payments do.
async fn prompt(db: &Db) {
    let claimed = db.claim(TOUCH, params!["b"]).await.unwrap();
    assert_eq!(claimed.len(), 1);
    let done = db.commit(take("b", 1, "prompt")).await;
    assert_eq!(done, Ok(Committed::Done));
}

fn swept(change: Change) -> Change {
    change.in_lane(Lane::Sweep)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_a_sweep_that_hangs_delays_neither_claims_nor_changes() {
    let options = options();
    let schema = options.schema.clone();
    let db = open(options).await;
    let sweeping = db.clone();
    let sweep = async move { sweeping.claim_for_sweep(TOUCH, params!["a"]).await };
    let claimed = while_it_hangs(&schema, sweep, prompt(&db)).await.unwrap();
    assert_eq!(claimed[0].text(0), Ok("a"));
    assert_eq!((amount(&db, "a").await, amount(&db, "b").await), (101, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_a_sweep_that_hangs_delays_neither_claims_nor_changes() {
    let options = options();
    let schema = options.schema.clone();
    let db = open(options).await;
    let sweeping = db.clone();
    let sweep = async move { sweeping.commit(swept(take("a", 1, "sweep"))).await };
    let done = while_it_hangs(&schema, sweep, prompt(&db)).await;
    assert_eq!(done, Ok(Committed::Done));
    assert_eq!(ledger(&db).await, ["prompt", "sweep"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_only_sweeps_claim_they_have_the_one_connection_for_claims() {
    let options = PostgresOptions {
        lanes: Lanes::SweepsClaim,
        ..options()
    };
    let schema = options.schema.clone();
    let db = open(options).await;
    let sweeping = db.clone();
    let sweep = async move { sweeping.claim_for_sweep(TOUCH, params!["a"]).await };
    let committed = async {
        let done = db.commit(take("b", 1, "prompt")).await;
        assert_eq!(done, Ok(Committed::Done));
    };
    assert_eq!(
        while_it_hangs(&schema, sweep, committed)
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(db.claim(TOUCH, params!["b"]).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_claims_what_nobody_holds_and_learns_what_is_wrong() {
    let options = options();
    let schema = options.schema.clone();
    let db = open(options).await;
    let mut holder = connect().await;
    let held = holder.transaction().await.unwrap();
    let lock = format!("select id from {schema}.account where id = 'a' for update");
    held.execute(&lock, &[]).await.unwrap();
    let claimed = db.claim_for_sweep(CLAIM, params![0, 5]).await.unwrap();
    let claimed: Vec<&str> = claimed.iter().map(|row| row.text(0).unwrap()).collect();
    assert_eq!(claimed, ["b"], "it passes by the other");
    held.rollback().await.unwrap();
    let wrong = "update account set nothing = $1 returning id";
    assert!(db.claim_for_sweep(wrong, params![0]).await.is_err());
    let divided = "update account set amount = amount / $1 returning id";
    assert!(db.claim_for_sweep(divided, params![0]).await.is_err());
    // Neither has spoiled what comes after it.
    let done = db.commit(swept(take("a", 1, "after"))).await;
    assert_eq!(done, Ok(Committed::Done));
    let refused = swept(change("a").with(Statement::one(TAKE, params!["a", 1000])));
    assert_eq!(
        db.commit(refused).await,
        Ok(Committed::Conflict { statement: 0 })
    );
    let claimed = db.claim_for_sweep(CLAIM, params![0, 5]).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!((amount(&db, "a").await, amount(&db, "b").await), (0, 0));
}
