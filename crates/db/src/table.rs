//! The tables that migrations make, as data: what moves rows from one database to another need not know them by name.

use rusqlite::Connection;

use crate::{DbError, Migration, Row, Statement, Value, sqlite};

/// A table, as the migrations leave it. Rows are moved in the order of its key, which is the same in every database of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Every column, in the order in which it was made.
    pub columns: Vec<String>,
    /// The columns of the primary key, in the key's order.
    pub key: Vec<String>,
}

/// Every table that these migrations make, one that is referred to before those that refer to it.
///
/// Errors: a migration that can't be played, or a table without a key.
pub fn tables(migrations: &[Migration]) -> Result<Vec<Table>, DbError> {
    const NAMES: &str = "select name from pragma_table_list where schema = 'main' and type = 'table' \
        and name not in ('sqlite_schema', 'sqlite_sequence')";
    const ORDER: &str = "select name from sqlite_schema where type = 'table' order by rowid";
    const COLUMNS: &str = "select name, pk from pragma_table_info(?1) order by cid";
    let look = || -> rusqlite::Result<Vec<Table>> {
        let connection = Connection::open_in_memory()?;
        for migration in migrations {
            connection.execute_batch(migration.sql)?;
        }
        let own: Vec<String> = connection
            .prepare(NAMES)?
            .query_map((), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        // A reference can't be made before what it refers to, so the order of making is the order of moving.
        let ordered: Vec<String> = connection
            .prepare(ORDER)?
            .query_map((), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut columns_of = connection.prepare(COLUMNS)?;
        let mut found = Vec::with_capacity(ordered.len());
        for name in ordered.into_iter().filter(|name| own.contains(name)) {
            let listed: Vec<(String, i64)> = columns_of
                .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?;
            let mut key: Vec<(i64, String)> = listed
                .iter()
                .filter(|(_, place)| *place > 0)
                .map(|(column, place)| (*place, column.clone()))
                .collect();
            key.sort_unstable();
            found.push(Table {
                name,
                columns: listed.into_iter().map(|(column, _)| column).collect(),
                key: key.into_iter().map(|(_, column)| column).collect(),
            });
        }
        Ok(found)
    };
    let found = look().map_err(|error| sqlite::failure(&error, NAMES))?;
    match found.iter().find(|table| table.key.is_empty()) {
        Some(table) => Err(DbError::Schema(format!("table {} has no key", table.name))),
        None => Ok(found),
    }
}

impl Table {
    /// The rows behind a key, in the key's order, with every column; from the first one on without a key.
    pub fn page(&self, after: Option<&[Value]>, limit: u32) -> Statement {
        let (columns, key, name) = (self.columns.join(", "), self.key.join(", "), &self.name);
        let mut params = after.unwrap_or_default().to_vec();
        let behind = if params.is_empty() {
            String::new()
        } else {
            format!(" where ({key}) > ({})", placeholders(params.len()))
        };
        params.push(limit.into());
        let sql = format!(
            "select {columns} from {name}{behind} order by {key} limit ${}",
            params.len()
        );
        Statement::any(sql, params)
    }

    /// The highest key: a row of the key's columns, or none.
    pub fn last_key(&self) -> Statement {
        let (key, name) = (self.key.join(", "), &self.name);
        let down: Vec<String> = self
            .key
            .iter()
            .map(|column| format!("{column} desc"))
            .collect();
        Statement::any(
            format!(
                "select {key} from {name} order by {} limit 1",
                down.join(", ")
            ),
            Vec::new(),
        )
    }

    /// How many rows it has: a row with one number.
    pub fn count(&self) -> Statement {
        Statement::any(format!("select count(*) from {}", self.name), Vec::new())
    }

    /// How many rows it has up to a key, which counts too: a row with one number.
    pub fn count_up_to(&self, key: &[Value]) -> Statement {
        let sql = format!(
            "select count(*) from {} where ({}) <= ({})",
            self.name,
            self.key.join(", "),
            placeholders(key.len())
        );
        Statement::any(sql, key.to_vec())
    }

    /// Adds a row as [`Table::page`] gave it.
    pub fn insert(&self, row: Row) -> Statement {
        let (name, columns) = (&self.name, self.columns.join(", "));
        let values = row.into_values();
        Statement::one(
            format!(
                "insert into {name} ({columns}) values ({})",
                placeholders(values.len())
            ),
            values,
        )
    }

    /// The key of a row that [`Table::page`] gave.
    ///
    /// Errors: [`DbError::Corrupt`] for a row of another table.
    pub fn key_of(&self, row: &Row) -> Result<Vec<Value>, DbError> {
        let place = |column: &String| self.columns.iter().position(|one| one == column);
        let value = |column| row.values().get(place(column)?).cloned();
        let found: Option<Vec<Value>> = self.key.iter().map(value).collect();
        found.ok_or_else(|| {
            DbError::Corrupt(format!("a row of {} lacks a part of its key", self.name))
        })
    }
}

fn placeholders(count: usize) -> String {
    let all: Vec<String> = (1..=count).map(|number| format!("${number}")).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    const MIGRATIONS: &[Migration] = &[
        Migration {
            number: 1,
            name: "start",
            sql: "create table zoo (id text not null primary key);
                  create table animal (name text not null, zoo_id text not null, legs bigint,
                      primary key (zoo_id, name), foreign key (zoo_id) references zoo (id));
                  create index animal_legs on animal (legs);",
        },
        Migration {
            number: 2,
            name: "noise",
            sql: "alter table animal add column noise text",
        },
    ];

    fn animal() -> Table {
        tables(MIGRATIONS).unwrap().pop().unwrap()
    }

    #[test]
    fn tables_come_in_the_order_of_their_references_with_every_column() {
        let names: Vec<String> = tables(MIGRATIONS)
            .unwrap()
            .into_iter()
            .map(|table| table.name)
            .collect();
        assert_eq!(names, ["zoo", "animal"]);
        assert_eq!(animal().columns, ["name", "zoo_id", "legs", "noise"]);
        assert_eq!(animal().key, ["zoo_id", "name"]);
    }

    #[test]
    fn a_table_without_a_key_is_refused() {
        let loose = Migration {
            number: 1,
            name: "loose",
            sql: "create table loose (a text)",
        };
        assert_eq!(
            tables(&[loose]),
            Err(DbError::Schema("table loose has no key".into()))
        );
    }

    #[test]
    fn statements_name_every_column_and_go_by_the_key() {
        let first = animal().page(None, 10);
        assert_eq!(
            first.sql,
            "select name, zoo_id, legs, noise from animal order by zoo_id, name limit $1"
        );
        assert_eq!(first.params, params![10]);
        let next = animal().page(Some(&params!["z", "n"]), 10);
        assert!(
            next.sql
                .contains("where (zoo_id, name) > ($1, $2) order by zoo_id, name limit $3"),
            "{}",
            next.sql
        );
        assert_eq!(
            animal().last_key().sql,
            "select zoo_id, name from animal order by zoo_id desc, name desc limit 1"
        );
        let row = Row::new(params!["n", "z", 4, None::<i64>]);
        assert_eq!(animal().key_of(&row), Ok(params!["z", "n"]));
        assert_eq!(
            animal().insert(row).sql,
            "insert into animal (name, zoo_id, legs, noise) values ($1, $2, $3, $4)"
        );
        assert!(animal().key_of(&Row::new(params!["n"])).is_err());
    }
}
