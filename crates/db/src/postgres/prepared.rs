//! Prepared statements and the values that go in and out.

use std::collections::HashMap;

use bytes::BytesMut;
use tokio_postgres::{
    Row as Found, Statement as Prepared,
    types::{FromSql, IsNull, ToSql, Type, to_sql_checked},
};

use crate::{DbError, Row, Value, row::unfit};

/// Texts kept per connection: more than the service has on its hot paths. Then the cache starts again.
const TEXTS: usize = 512;

/// The statements that a connection has prepared, by their text. Never iterated.
#[derive(Default)]
pub(crate) struct Cache(HashMap<String, Vec<Prepared>>, HashMap<String, Prepared>);

impl Cache {
    /// A statement prepared for parameters of these kinds. A null fits every type.
    pub(crate) fn find(&self, sql: &str, params: &[Value]) -> Option<Prepared> {
        self.0
            .get(sql)?
            .iter()
            .find(|prepared| fits(prepared, params))
            .cloned()
    }

    pub(crate) fn keep(&mut self, sql: String, prepared: Prepared) {
        if self.0.len() >= TEXTS {
            self.0.clear();
        }
        self.0.entry(sql).or_default().push(prepared);
    }

    /// A bundle's statement, whose text says the types.
    pub(crate) fn find_bundle(&self, sql: &str) -> Option<Prepared> {
        self.1.get(sql).cloned()
    }

    pub(crate) fn keep_bundle(&mut self, sql: String, prepared: Prepared) {
        if self.1.len() >= TEXTS {
            self.1.clear();
        }
        self.1.insert(sql, prepared);
    }
}

fn fits(prepared: &Prepared, params: &[Value]) -> bool {
    let fits = |(wanted, given): (&Type, &Value)| match given {
        Value::Null => true,
        Value::Int(_) => *wanted == Type::INT8,
        Value::Text(_) => *wanted == Type::TEXT,
    };
    prepared.params().len() == params.len() && prepared.params().iter().zip(params).all(fits)
}

/// The types to prepare for. That of a null is left to the server.
pub(crate) fn types(params: &[Value]) -> Vec<Type> {
    let type_of = |value: &Value| match value {
        Value::Null => Type::UNKNOWN,
        Value::Int(_) => Type::INT8,
        Value::Text(_) => Type::TEXT,
    };
    params.iter().map(type_of).collect()
}

impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A row as we know it.
pub(crate) fn row(found: &Found) -> Result<Row, DbError> {
    let values = found
        .columns()
        .iter()
        .enumerate()
        .map(|(index, column)| match *column.type_() {
            Type::INT8 => value::<i64>(found, index),
            Type::INT4 => value::<i32>(found, index),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::BPCHAR | Type::UNKNOWN => {
                value::<String>(found, index)
            }
            _ => Err(unfit(index, "is neither a number nor a text")),
        });
    values.collect::<Result<_, _>>().map(Row::new)
}

fn value<'a, T: FromSql<'a> + Into<Value>>(
    found: &'a Found,
    index: usize,
) -> Result<Value, DbError> {
    found
        .try_get::<_, Option<T>>(index)
        .map(Value::from)
        .map_err(|_| unfit(index, "can't be read"))
}
