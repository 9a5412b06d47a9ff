//! Several nodes on one server.

use db::{
    Committed, Db, DbError, Migration, PostgresOptions, SqliteOptions, Statement, Tables, params,
};
use futures_util::future::{join, join_all};
use world::World;

use crate::{
    books::{MIGRATIONS, amount, change, ledger, open_account, take},
    postgres_server::Server,
};

async fn open(options: &PostgresOptions) -> Db {
    Db::postgres(options.clone(), MIGRATIONS, &World::real())
        .await
        .unwrap()
}

/// A plain connection beside those of the door.
async fn plain(server: &Server) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { connection.await.unwrap_or_default() });
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn many_nodes_may_start_at_once() {
    let options = Server::shared().options(None);
    let nodes = join_all((0..8).map(|_| open(&options))).await;
    for (number, node) in nodes.iter().enumerate() {
        assert_eq!(
            node.commit(open_account(&number.to_string(), 1)).await,
            Ok(Committed::Done)
        );
    }
    let book = nodes[0]
        .scan("select number, name from schema_migration", params![])
        .await
        .unwrap();
    assert_eq!(book.len(), 1);
    assert_eq!(
        nodes[7]
            .scan("select id from account", params![])
            .await
            .unwrap()
            .len(),
        8
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_does_not_fit_is_refused_and_says_why() {
    let server = Server::shared();
    let options = server.options(None);
    open(&options).await.close().await;
    let world = World::real();
    let second = Migration {
        number: 2,
        name: "more",
        sql: "create table more (id text not null, primary key (id))",
    };
    let both = [MIGRATIONS[0], second];
    let half = Migration {
        sql: "create table half (id text not null); create table",
        ..second
    };
    let failed = Db::postgres(options.clone(), &[MIGRATIONS[0], half], &world)
        .await
        .unwrap_err();
    assert!(
        matches!(&failed, DbError::Schema(why) if why.starts_with("migration 2 failed")),
        "{failed}"
    );
    let db = Db::postgres(options.clone(), &both, &world).await.unwrap();
    assert!(
        db.read("select id from half", params![]).await.is_err(),
        "half of a migration is there"
    );
    let newer = Db::postgres(options.clone(), MIGRATIONS, &world)
        .await
        .unwrap_err();
    assert!(
        newer.to_string().contains("only a newer release knows"),
        "{newer}"
    );
    let edited = [
        Migration {
            sql: "create table x (id text)",
            ..MIGRATIONS[0]
        },
        second,
    ];
    let edited = Db::postgres(options.clone(), &edited, &world)
        .await
        .unwrap_err();
    assert!(
        edited.to_string().contains("not the one that was applied"),
        "{edited}"
    );

    // Two releases side by side, where the newer one only added.
    let lenient = "-- code from: 1\ncreate table more (id text not null, primary key (id))";
    let (beside, both_lenient) = (
        server.options(None),
        [
            MIGRATIONS[0],
            Migration {
                sql: lenient,
                ..second
            },
        ],
    );
    let old = open(&beside).await;
    let new = Db::postgres(beside.clone(), &both_lenient, &world)
        .await
        .unwrap();
    assert_eq!(
        old.commit(open_account("of the old", 1)).await,
        Ok(Committed::Done)
    );
    assert_eq!(
        new.commit(open_account("of the new", 2)).await,
        Ok(Committed::Done)
    );
    let old_again = open(&beside).await;
    assert_eq!(
        (
            amount(&old_again, "of the new").await,
            amount(&new, "of the old").await
        ),
        (2, 1)
    );

    // A column that somebody added by hand is ordered by the database's own locale.
    let sql = format!(
        "alter table {}.more add column by_hand text",
        options.schema
    );
    plain(server).await.batch_execute(&sql).await.unwrap();
    let unordered = Db::postgres(options, &both, &world).await.unwrap_err();
    assert!(
        unordered
            .to_string()
            .contains("its column more.by_hand is not ordered by bytes"),
        "{unordered}"
    );
    let nowhere = PostgresOptions {
        schema: "no\"where".to_owned(),
        ..server.options(None)
    };
    assert!(matches!(
        Db::postgres(nowhere, MIGRATIONS, &world).await,
        Err(DbError::Schema(_))
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_role_has_a_schema_of_its_own() {
    let server = Server::shared();
    let schema = server.options(None).schema;
    let setup = format!(
        "create role keeper_of_{schema} login; create schema {schema} authorization keeper_of_{schema}; \
         revoke create on database postgres from public"
    );
    plain(server).await.batch_execute(&setup).await.unwrap();
    let url = |role: &str| server.url(None).replace("postgres@", &format!("{role}@"));
    // The role may not create a schema, and need not.
    let own = PostgresOptions {
        url: url(&format!("keeper_of_{schema}")),
        ..PostgresOptions::new("", &schema)
    };
    let keeper = open(&own).await;
    assert_eq!(
        keeper.commit(open_account("a", 1)).await,
        Ok(Committed::Done)
    );
    let other = server.options(None);
    open(&other)
        .await
        .commit(open_account("a", 1))
        .await
        .unwrap();
    let sql = format!("select amount from {}.account", other.schema);
    let refused = keeper.read(sql, params![]).await.unwrap_err();
    assert!(
        refused.to_string().contains("permission denied"),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_a_role_lacks_is_told_as_that() {
    let server = Server::shared();
    let options = server.options(None);
    open(&options).await.close().await;
    let (schema, none) = (&options.schema, server.options(None).schema);
    let roles = format!(
        "create role stranger_to_{schema} login; create role guest_of_{schema} login; \
         grant usage on schema {schema} to guest_of_{schema}; revoke create on database postgres from public"
    );
    plain(server).await.batch_execute(&roles).await.unwrap();
    let refused = async |role: &str, schema: &str| {
        let url = server.url(None).replace("postgres@", &format!("{role}@"));
        let options = PostgresOptions {
            url,
            schema: schema.to_owned(),
            ..options.clone()
        };
        let look = PostgresOptions {
            tables: Tables::LookedAt,
            ..options.clone()
        };
        let looked = Db::postgres(look, MIGRATIONS, &World::real())
            .await
            .unwrap_err()
            .to_string();
        assert!(
            looked.contains("lacks a right") || looked.contains("permission denied for table"),
            "{looked}"
        );
        Db::postgres(options, MIGRATIONS, &World::real())
            .await
            .unwrap_err()
    };
    let (stranger, guest) = (
        format!("stranger_to_{schema}"),
        format!("guest_of_{schema}"),
    );
    for error in [
        refused(&stranger, &none).await,
        refused(&stranger, schema).await,
        refused(&guest, schema).await,
    ] {
        let told = error.to_string();
        assert!(
            told.contains("lacks a right") && !told.contains("does not fit"),
            "{told}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_changes_no_table_and_says_what_is_missing() {
    let server = Server::shared();
    let world = World::real();
    let second = Migration {
        number: 2,
        name: "more",
        sql: "create table more (id text not null, primary key (id))",
    };
    let both = [MIGRATIONS[0], second];
    let options = server.options(None);
    let look = PostgresOptions {
        tables: Tables::LookedAt,
        ..options.clone()
    };
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("books.db");
    for wanted in [Some(DbError::Unfounded), Some(DbError::Pending(2)), None] {
        for _ in 0..2 {
            let looks = [
                Db::postgres(look.clone(), &both, &world).await,
                Db::sqlite_looked_at(&file, &both, &world),
            ];
            for looked in looks {
                if wanted.is_some() {
                    assert_eq!(looked.err(), wanted);
                } else {
                    let db = looked.unwrap();
                    assert_eq!((db.check().await, amount(&db, "a").await), (Ok(()), 1));
                }
            }
        }
        let made: &[Migration] = if wanted == Some(DbError::Unfounded) {
            MIGRATIONS
        } else {
            &both
        };
        for db in [
            Db::postgres(options.clone(), made, &world).await.unwrap(),
            Db::sqlite(SqliteOptions::new(&file), made, &world).unwrap(),
        ] {
            if made.len() == 1 {
                db.commit(open_account("a", 1)).await.unwrap();
            }
            db.close().await;
        }
    }
    let written = Db::sqlite_looked_at(&file, &both, &world)
        .unwrap()
        .commit(open_account("b", 1))
        .await;
    assert!(written.is_err(), "{written:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_a_connection_to_write_on_is_not_well_until_it_has_one() {
    let server = Server::shared();
    let schema = server.options(None).schema;
    let role = format!("few_of_{schema}");
    let admin = plain(server).await;
    let made = format!("create role {role} login; create schema {schema} authorization {role}");
    admin.batch_execute(&made).await.unwrap();
    let url = server.url(None).replace("postgres@", &format!("{role}@"));
    let db = open(&PostgresOptions {
        url,
        schema,
        readers: 1,
        ..server.options(None)
    })
    .await;
    for account in 0..16 {
        db.commit(open_account(&account.to_string(), 1))
            .await
            .unwrap();
    }
    assert_eq!(db.check().await, Ok(()));
    // Its writers lose their connections and get no others; the reader keeps its own.
    let limit = |most: i32| format!("alter role {role} connection limit {most}");
    let cut = format!(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = '{role}' and query = 'commit'"
    );
    admin.batch_execute(&limit(0)).await.unwrap();
    assert_eq!(admin.execute(&cut, &[]).await.unwrap(), 3);
    let mut checked = Ok(());
    // A connection takes a moment to notice that it was cut.
    for _ in 0..1_500 {
        checked = db.check().await;
        if checked.is_err() {
            break;
        }
        World::real()
            .sleep(std::time::Duration::from_millis(20))
            .await;
    }
    assert!(
        matches!(checked, Err(DbError::Unreachable(_))),
        "{checked:?}"
    );
    assert_eq!(amount(&db, "3").await, 1, "it can be read all the while");
    admin.batch_execute(&limit(-1)).await.unwrap();
    assert_eq!(db.commit(open_account("b", 1)).await, Ok(Committed::Done));
    let mut checked = db.check().await;
    for _ in 0..1_500 {
        if checked.is_ok() {
            break;
        }
        World::real()
            .sleep(std::time::Duration::from_millis(20))
            .await;
        checked = db.check().await;
    }
    assert_eq!(checked, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_wait_share_commits() {
    let server = Server::shared();
    let options = PostgresOptions {
        writers: 1,
        ..server.options(None)
    };
    let db = open(&options).await;
    let changes = (0..200).map(|number| db.commit(open_account(&format!("{number}"), 1)));
    assert!(
        join_all(changes)
            .await
            .iter()
            .all(|one| *one == Ok(Committed::Done))
    );
    let transactions = db
        .scan(
            "select count(distinct cast(xmin as text)) from account",
            params![],
        )
        .await
        .unwrap();
    // Two or three, but the writer may be quicker than the makers of the changes on a busy machine.
    assert!(transactions[0].int(0).unwrap() <= 100, "{transactions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_hurts_no_neighbour_and_is_judged_by_the_committed_state() {
    let db = open(&PostgresOptions {
        writers: 1,
        ..Server::shared().options(None)
    })
    .await;
    db.commit(open_account("a", 10)).await.unwrap();
    db.commit(open_account("b", 10)).await.unwrap();
    // One batch, since they are polled together: a defect, a guard that is not met, and twenty times the same key.
    let wrong = Statement::any(
        "update account set amount = amount / $2 where id = $1",
        params!["a", 0],
    );
    let mut all = vec![take("a", 3, "x").with(wrong), take("b", 11, "y")];
    for number in 0..20 {
        let mut same = take("b", 1, "same");
        same.aggregate = number;
        all.push(same);
    }
    all.push(change("c").with(Statement::one(
        "insert into ledger (id, account_id, amount) values ($1, $1, $2)",
        params!["z", 1],
    )));
    let outcomes = join_all(all.into_iter().map(|one| db.commit(one))).await;
    assert!(
        matches!(&outcomes[0], Err(DbError::Sql { message, .. }) if message == "division by zero"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1], Ok(Committed::Conflict { statement: 0 }));
    let done = outcomes[2..22]
        .iter()
        .filter(|one| **one == Ok(Committed::Done))
        .count();
    let taken = outcomes[2..22]
        .iter()
        .filter(|one| **one == Ok(Committed::Conflict { statement: 1 }))
        .count();
    assert_eq!((done, taken), (1, 19));
    assert_eq!(outcomes[22], Ok(Committed::Done));
    assert_eq!((amount(&db, "a").await, amount(&db, "b").await), (10, 9));
    assert_eq!(ledger(&db).await, ["same", "z"]);
}

/// Takes from one account and gives to another, under a key that says nothing about either.
fn transfer(number: usize, from: &str, to: &str) -> db::Change {
    let give = Statement::one(
        "update account set amount = amount + $2 where id = $1",
        params![to, 1],
    );
    let mut made = take(from, 1, &format!("{number:04}")).with(give);
    made.aggregate = u64::try_from(number).unwrap();
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_lock_crosswise_all_come_to_an_end_and_lose_nothing() {
    let options = Server::shared().options(None);
    let (one, other) = join(open(&options), open(&options)).await;
    for account in ["a", "b", "c"] {
        one.commit(open_account(account, 1000)).await.unwrap();
    }
    let transfers = (0..300).map(|number| {
        let (from, to) = [("a", "b"), ("b", "a"), ("c", "a"), ("b", "c")][number % 4];
        if number % 8 < 4 {
            one.commit(transfer(number, from, to))
        } else {
            other.commit(transfer(number, from, to))
        }
    });
    let outcomes = join_all(transfers).await;
    let other: Vec<_> = outcomes
        .iter()
        .filter(|outcome| **outcome != Ok(Committed::Done))
        .collect();
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(ledger(&one).await.len(), 300);
    // Of four transfers, a loses one and gains two, b loses two and gains one, c loses one and gains one.
    let amounts = (
        amount(&one, "a").await,
        amount(&one, "b").await,
        amount(&one, "c").await,
    );
    assert_eq!(amounts, (1075, 925, 1000));
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_change_the_same_aggregates_never_deadlock() {
    let server = Server::shared();
    let schema = server.options(None).schema;
    let admin = plain(server).await;
    // Deadlocks are counted for each database.
    admin
        .batch_execute(&format!("create database calm_{schema}"))
        .await
        .unwrap();
    let url = server
        .url(None)
        .replace("/postgres?", &format!("/calm_{schema}?"));
    let options = PostgresOptions {
        writers: 2,
        ..PostgresOptions::new(url, &schema)
    };
    let (one, other) = join(open(&options), open(&options)).await;
    let accounts: Vec<String> = (0..24).map(|number| format!("{number}")).collect();
    join_all(
        accounts
            .iter()
            .map(|account| one.commit(open_account(account, 0))),
    )
    .await;
    let add = "update account set amount = amount + 1 where id = $1";
    let step = |account: &String| change(account).with(Statement::one(add, params![account]));
    for round in 0..40 {
        let (mut first, mut second) = (accounts.clone(), accounts.clone());
        first.rotate_left(round % 24);
        second.reverse();
        let all = (first.iter().map(|account| one.commit(step(account))))
            .chain(second.iter().map(|account| other.commit(step(account))));
        assert!(
            join_all(all)
                .await
                .iter()
                .all(|outcome| *outcome == Ok(Committed::Done))
        );
    }
    let sums = one
        .scan("select min(amount), max(amount) from account", params![])
        .await
        .unwrap();
    assert_eq!((sums[0].int(0), sums[0].int(1)), (Ok(80), Ok(80)));
    one.close().await;
    other.close().await;
    // A connection tells what it has counted when it ends.
    let database = format!("calm_{schema}");
    let left = "select count(*) from pg_stat_activity where datname = $1::text";
    while admin
        .query_one(left, &[&database])
        .await
        .unwrap()
        .get::<_, i64>(0)
        > 0
    {
        World::real()
            .sleep(std::time::Duration::from_millis(5))
            .await;
    }
    let deadlocks = "select deadlocks from pg_stat_database where datname = $1::text";
    assert_eq!(
        admin
            .query_one(deadlocks, &[&database])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn claimers_of_several_nodes_never_get_the_same_and_wait_for_nobody() {
    let server = Server::shared();
    let options = server.options(None);
    let (one, other) = join(open(&options), open(&options)).await;
    for number in 0..60 {
        one.commit(open_account(&format!("{number:02}"), number))
            .await
            .unwrap();
    }
    // Somebody is at work on one of them.
    let mut busy = plain(server).await;
    let held = busy.transaction().await.unwrap();
    let sql = format!(
        "update {}.account set amount = amount where id = '00'",
        options.schema
    );
    assert_eq!(held.execute(&sql, &[]).await.unwrap(), 1);
    let claim = "update account set amount = $2 where id in \
                 (select id from account where amount <= $1 order by amount limit $3) and amount <= $1 returning id";
    let claims = (0..20).map(|number| {
        let node = if number % 2 == 0 { &one } else { &other };
        node.claim(claim, params![1000, 5000, 4])
    });
    let claimed = join_all(claims).await;
    let mut ids: Vec<String> = claimed
        .into_iter()
        .flat_map(|rows| rows.unwrap())
        .map(|row| row.text(0).unwrap().to_owned())
        .collect();
    ids.sort();
    assert_eq!(
        ids,
        (1..60)
            .map(|number| format!("{number:02}"))
            .collect::<Vec<_>>()
    );
}
