//! Nodes that start on a server: schemas, roles and rights.

use crate::{
    books::{MIGRATIONS, amount, open_account},
    postgres_server::Server,
};
use db::{Committed, Db, DbError, Migration, PostgresOptions, SqliteOptions, Tables, params};
use futures_util::future::join_all;
use world::World;

use super::{open, plain};

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

/// A migration that follows the first one.
const SECOND: Migration = Migration {
    number: 2,
    name: "more",
    sql: "create table more (id text not null, primary key (id))",
};

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_fails_leaves_nothing_of_itself() {
    let options = Server::shared().options(None);
    open(&options).await.close().await;
    let world = World::real();
    let half = Migration {
        sql: "create table half (id text not null); create table",
        ..SECOND
    };
    let failed = Db::postgres(options.clone(), &[MIGRATIONS[0], half], &world)
        .await
        .unwrap_err();
    assert!(
        matches!(&failed, DbError::Schema(why) if why.starts_with("migration 2 failed")),
        "{failed}"
    );
    let db = Db::postgres(options, &[MIGRATIONS[0], SECOND], &world)
        .await
        .unwrap();
    assert!(
        db.read("select id from half", params![]).await.is_err(),
        "half of a migration is there"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_other_migrations_are_refused_and_the_refusal_says_why() {
    let options = Server::shared().options(None);
    let world = World::real();
    let both = [MIGRATIONS[0], SECOND];
    let db = Db::postgres(options.clone(), &both, &world).await.unwrap();
    db.close().await;
    let newer = Db::postgres(options.clone(), MIGRATIONS, &world)
        .await
        .unwrap_err();
    assert!(
        newer.to_string().contains("only a newer release knows"),
        "{newer}"
    );
    let edited = Migration {
        sql: "create table x (id text)",
        ..MIGRATIONS[0]
    };
    let edited = Db::postgres(options, &[edited, SECOND], &world)
        .await
        .unwrap_err();
    assert!(
        edited.to_string().contains("not the one that was applied"),
        "{edited}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_release_serves_where_a_newer_one_only_added() {
    let options = Server::shared().options(None);
    let world = World::real();
    let lenient = Migration {
        sql: "-- code from: 1\ncreate table more (id text not null, primary key (id))",
        ..SECOND
    };
    let old = open(&options).await;
    let new = Db::postgres(options.clone(), &[MIGRATIONS[0], lenient], &world)
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
    let old_again = open(&options).await;
    assert_eq!(
        (
            amount(&old_again, "of the new").await,
            amount(&new, "of the old").await
        ),
        (2, 1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_column_that_is_not_ordered_by_bytes_is_refused() {
    let server = Server::shared();
    let options = server.options(None);
    let world = World::real();
    let both = [MIGRATIONS[0], SECOND];
    let db = Db::postgres(options.clone(), &both, &world).await.unwrap();
    db.close().await;
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
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_whose_name_has_a_quotation_mark_is_refused() {
    let nowhere = PostgresOptions {
        schema: "no\"where".to_owned(),
        ..Server::shared().options(None)
    };
    assert!(matches!(
        Db::postgres(nowhere, MIGRATIONS, &World::real()).await,
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
async fn a_right_that_a_role_lacks_is_reported_as_that() {
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
        let reported = error.to_string();
        assert!(
            reported.contains("lacks a right") && !reported.contains("does not fit"),
            "{reported}"
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
