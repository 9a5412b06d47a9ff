//! The schemas of an installation on a PostgreSQL server.

use std::{collections::BTreeMap, fmt::Write, ops::Range};

use futures_util::SinkExt;
use tokio_postgres::{Client, NoTls, types::Type};

use super::{Cell, FillTarget, Row, Table};

/// A connection to the server.
pub(crate) struct Server(Client);

impl Server {
    pub(crate) async fn open(url: &str) -> anyhow::Result<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        Ok(Self(client))
    }
}

const fn schema(table: Table) -> &'static str {
    match table {
        Table::Entry => "pointsman_simulator",
        Table::Team | Table::Customer | Table::Payment | Table::Event | Table::Intent => {
            "pointsman"
        }
    }
}

impl FillTarget for Server {
    async fn find(
        &mut self,
        table: Table,
        column: &str,
        range: Range<&str>,
    ) -> anyhow::Result<Vec<Row>> {
        let (schema, table) = (schema(table), table.name());
        let sql = format!(
            "select * from {schema}.{table} where {column} collate \"C\" >= $1 and {column} collate \"C\" < $2"
        );
        let rows = self.0.query(&sql, &[&range.start, &range.end]).await?;
        let read = |row: &tokio_postgres::Row| {
            let cell = |(n, column): (usize, &tokio_postgres::Column)| {
                let value = if *column.type_() == Type::INT8 {
                    row.try_get::<_, Option<i64>>(n)?.map(Cell::Int)
                } else {
                    row.try_get::<_, Option<String>>(n)?.map(Cell::Text)
                };
                Ok((column.name().to_owned(), value.unwrap_or(Cell::Null)))
            };
            row.columns().iter().enumerate().map(cell).collect()
        };
        rows.iter().map(read).collect()
    }

    async fn add(&mut self, rows: &[(Table, &[String], Vec<Cell>)]) -> anyhow::Result<()> {
        let mut texts: BTreeMap<Table, (String, String)> = BTreeMap::new();
        for (table, names, cells) in rows {
            let (_, text) = texts.entry(*table).or_insert_with(|| {
                let into = format!(
                    "copy {}.{} ({}) from stdin",
                    schema(*table),
                    table.name(),
                    names.join(", ")
                );
                (into, String::new())
            });
            for (n, cell) in cells.iter().enumerate() {
                if n > 0 {
                    text.push('\t');
                }
                match cell {
                    Cell::Null => text.push_str("\\N"),
                    Cell::Int(value) => write!(text, "{value}")?,
                    Cell::Text(value) => {
                        text.push_str(&value.replace('\\', "\\\\").replace('\n', "\\n"));
                    }
                }
            }
            text.push('\n');
        }
        let transaction = self.0.transaction().await?;
        for (into, text) in texts.into_values() {
            let mut sink = Box::pin(transaction.copy_in(&into).await?);
            sink.send(bytes::Bytes::from(text)).await?;
            sink.close().await?;
        }
        Ok(transaction.commit().await?)
    }

    async fn finish(self) -> anyhow::Result<()> {
        // What the server does by itself after a while.
        for table in Table::ALL {
            self.0
                .batch_execute(&format!(
                    "vacuum analyze {}.{}",
                    schema(table),
                    table.name()
                ))
                .await?;
        }
        Ok(())
    }
}
