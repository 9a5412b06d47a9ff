//! Rows are moved from one kind of database to another by what migrations say of their tables.

use db::{Committed, Db, SqliteOptions, Table, tables};
use world::World;

use crate::{
    books::{MIGRATIONS, change, open_account, take},
    postgres_server::Server,
};

/// Moves a table page by page, each page in one change, from the place that the target has reached.
async fn moved(table: &Table, from: &Db, to: &Db, page: u32) -> usize {
    let mut pages = 0;
    loop {
        let reached = table.last_key();
        let after = to
            .read(reached.sql, reached.params)
            .await
            .unwrap()
            .pop()
            .map(db::Row::into_values);
        let look = table.page(after.as_deref(), page);
        let rows = from.scan(look.sql, look.params).await.unwrap();
        if rows.is_empty() {
            return pages;
        }
        pages += 1;
        let mut all = change("moving");
        for row in rows {
            all.push(table.insert(row));
        }
        assert_eq!(to.commit(all).await, Ok(Committed::Done));
    }
}

async fn content(table: &Table, db: &Db) -> Vec<db::Row> {
    let look = table.page(None, 1000);
    db.scan(look.sql, look.params).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_row_arrives_on_the_other_kind_of_database_and_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::real();
    let sqlite = |name: &str| {
        Db::sqlite(
            SqliteOptions::new(directory.path().join(name)),
            MIGRATIONS,
            &world,
        )
        .unwrap()
    };
    let (first, last) = (sqlite("first.db"), sqlite("last.db"));
    let server = Db::postgres(Server::shared().options(None), MIGRATIONS, &world)
        .await
        .unwrap();
    // Names whose order by bytes is another than that of a language.
    let names = ["a", "B", "ä", "Z", "z", "_", "0", "é𝄞"];
    for (number, name) in (0..).zip(names) {
        assert_eq!(
            first.commit(open_account(name, 100 + number)).await,
            Ok(Committed::Done)
        );
        assert_eq!(
            first.commit(take(name, 7, &format!("{name}'s"))).await,
            Ok(Committed::Done)
        );
    }
    let tables = tables(MIGRATIONS).unwrap();
    assert_eq!(
        tables
            .iter()
            .map(|table| table.name.as_str())
            .collect::<Vec<_>>(),
        ["account", "ledger"]
    );
    for table in &tables {
        assert_eq!(moved(table, &first, &server, 3).await, 3);
        assert_eq!(
            moved(table, &first, &server, 3).await,
            0,
            "the second time there is nothing left"
        );
        assert_eq!(moved(table, &server, &last, 5).await, 2);
        let rows = content(table, &first).await;
        assert_eq!(rows.len(), names.len());
        assert_eq!(content(table, &server).await, rows);
        assert_eq!(content(table, &last).await, rows);
        let count = table.count();
        assert_eq!(
            server.scan(count.sql, count.params).await.unwrap()[0].int(0),
            Ok(8)
        );
        let last = table.last_key();
        let last = server
            .read(last.sql, last.params)
            .await
            .unwrap()
            .pop()
            .unwrap()
            .into_values();
        assert_eq!(last, table.key_of(rows.last().unwrap()).unwrap());
        let count = table.count_up_to(&last);
        assert_eq!(
            server.scan(count.sql, count.params).await.unwrap()[0].int(0),
            Ok(8)
        );
    }
}
