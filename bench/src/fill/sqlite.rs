//! The files of an installation in a data directory.

use std::{collections::BTreeMap, ops::Range, path::Path};

use anyhow::Context;
use rusqlite::{Connection, params_from_iter, types::ValueRef};

use super::{Cell, FillTarget, Row, Table};

/// The store's file and the simulator's, open for a program that is alone with them.
pub(crate) struct Files {
    store: Connection,
    books: Connection,
}

impl Files {
    pub(crate) fn open(data: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            store: open(&data.join("store.db"))?,
            books: open(&data.join("simulator.db"))?,
        })
    }

    fn of(&self, table: Table) -> &Connection {
        if table == Table::Entry {
            &self.books
        } else {
            &self.store
        }
    }
}

fn open(path: &Path) -> anyhow::Result<Connection> {
    anyhow::ensure!(path.exists(), "{} is not there", path.display());
    let connection = Connection::open(path)?;
    // Nothing is lost that can't be made again; the service opens them in its own way afterwards.
    for (name, value) in [
        ("journal_mode", "off"),
        ("synchronous", "off"),
        ("cache_size", "-262144"),
    ] {
        connection
            .pragma_update_and_check(None, name, value, |_| Ok(()))
            .or_else(|error| match error {
                rusqlite::Error::QueryReturnedNoRows => Ok(()),
                other => Err(other),
            })?;
    }
    Ok(connection)
}

impl FillTarget for Files {
    async fn find(
        &mut self,
        table: Table,
        column: &str,
        range: Range<&str>,
    ) -> anyhow::Result<Vec<Row>> {
        let sql = format!(
            "select * from {} where {column} >= ?1 and {column} < ?2",
            table.name()
        );
        let mut statement = self.of(table).prepare(&sql)?;
        let names: Vec<String> = statement
            .column_names()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let rows = statement.query_map((range.start, range.end), |row| {
            let cell = |(n, name): (usize, &String)| {
                Ok((
                    name.clone(),
                    match row.get_ref(n)? {
                        ValueRef::Integer(value) => Cell::Int(value),
                        ValueRef::Text(text) => {
                            Cell::Text(String::from_utf8_lossy(text).into_owned())
                        }
                        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Cell::Null,
                    },
                ))
            };
            names.iter().enumerate().map(cell).collect()
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    async fn add(&mut self, rows: &[(Table, &[String], Vec<Cell>)]) -> anyhow::Result<()> {
        let mut texts: BTreeMap<Table, String> = BTreeMap::new();
        self.store.execute_batch("begin")?;
        self.books.execute_batch("begin")?;
        for (table, names, cells) in rows {
            let sql = texts.entry(*table).or_insert_with(|| {
                let places: Vec<String> = (1..=names.len()).map(|n| format!("?{n}")).collect();
                format!(
                    "insert into {} ({}) values ({})",
                    table.name(),
                    names.join(", "),
                    places.join(", ")
                )
            });
            let values = cells.iter().map(|cell| match cell {
                Cell::Null => ValueRef::Null,
                Cell::Int(value) => ValueRef::Integer(*value),
                Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            });
            let values = values.map(rusqlite::types::ToSqlOutput::Borrowed);
            let connection = if *table == Table::Entry {
                &self.books
            } else {
                &self.store
            };
            connection
                .prepare_cached(sql)?
                .execute(params_from_iter(values))
                .with_context(|| sql.clone())?;
        }
        self.store.execute_batch("commit")?;
        self.books.execute_batch("commit")?;
        Ok(())
    }

    async fn finish(self) -> anyhow::Result<()> {
        for connection in [self.store, self.books] {
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
            connection.close().map_err(|(_, error)| error)?;
        }
        Ok(())
    }
}
