//! Statements that say what they are made of.
//!
//! Changes that wait at the same moment are mostly alike. On a server their statements become one over arrays of their
//! parameters (`postgres::bundle`), which is built from these parts and never from a text that would have to be taken apart. Only
//! statements that run often need them.
//!
//! Each is declared once, as a `static`; its text is made at its first use.

use std::sync::OnceLock;

use crate::{Expect, Statement, Value, stamp};

/// Inserts a row: a parameter for each column, in their order.
#[derive(Debug, PartialEq, Eq)]
pub struct Insert {
    /// Where.
    pub(crate) table: &'static str,
    /// The columns that are given.
    pub(crate) columns: &'static [&'static str],
    /// What stands behind the values, with a parameter between any two pieces; these parameters follow those of the columns.
    pub(crate) tail: &'static [&'static str],
    /// The column that gets the stamp of the commit.
    pub(crate) stamp: Option<&'static str>,
    text: OnceLock<String>,
}

/// Updates the row with a key, perhaps only when other columns are as they are expected to be. The parameters: the key's
/// columns, those that are set, those that are expected.
#[derive(Debug, PartialEq, Eq)]
pub struct Update {
    /// Where.
    pub(crate) table: &'static str,
    /// The columns of the primary key.
    pub(crate) key: &'static [&'static str],
    /// The columns that get a value.
    pub(crate) set: &'static [&'static str],
    /// The columns that must have a value for the row to be updated.
    pub(crate) expected: &'static [&'static str],
    /// A condition without parameters.
    pub(crate) condition: Option<&'static str>,
    text: OnceLock<String>,
}

/// Reads rows by the values of columns: a parameter for each, in their order.
#[derive(Debug, PartialEq, Eq)]
pub struct Select {
    /// What is read.
    pub(crate) columns: &'static [&'static str],
    /// Where.
    pub(crate) table: &'static str,
    /// The columns that are compared.
    pub(crate) by: &'static [&'static str],
    /// A condition without parameters.
    pub(crate) condition: Option<&'static str>,
    text: OnceLock<String>,
}

/// What a statement is made of, when that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// A text as it is.
    Text,
    /// An insert.
    Insert(&'static Insert),
    /// An update.
    Update(&'static Update),
    /// A read.
    Select(&'static Select),
    /// The guard of a date ([`crate::Change::dated`]).
    DateGuard,
}

impl Insert {
    /// Inserts a row.
    pub const fn new(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self::or(table, columns, &[])
    }

    /// The same with what stands behind the values, such as `on conflict …`: pieces of text with a parameter between any two.
    pub const fn or(
        table: &'static str,
        columns: &'static [&'static str],
        tail: &'static [&'static str],
    ) -> Self {
        Self {
            table,
            columns,
            tail,
            stamp: None,
            text: OnceLock::new(),
        }
    }

    /// The same with a last column that gets the stamp of the commit ([`crate::Db::latest_stamp`]); a reader takes the rows with
    /// `stamp < settled_stamp()`.
    #[must_use]
    pub const fn stamped(mut self, column: &'static str) -> Self {
        self.stamp = Some(column);
        self
    }

    /// The statement with its parameters. It must insert one row.
    pub fn with(&'static self, params: Vec<Value>) -> Statement {
        let text = self.text.get_or_init(|| {
            let values = numbered(1, self.columns, |_, number| format!("${number}"), ", ");
            let tail = self.tail_with(|place| format!("${}", self.columns.len() + 1 + place));
            format!("{} values ({values}{}){tail}", self.head(), self.stamp())
        });
        made(text, params, Parts::Insert(self))
    }

    /// `insert into table (columns)`
    pub(crate) fn head(&self) -> String {
        let columns: Vec<&str> = self.columns.iter().copied().chain(self.stamp).collect();
        format!("insert into {} ({})", self.table, columns.join(", "))
    }

    /// What stands behind the other values: the stamp.
    pub(crate) fn stamp(&self) -> String {
        self.stamp
            .map(|_| format!(", {}", stamp::STAMP))
            .unwrap_or_default()
    }

    /// What stands behind the values; `param` writes the parameter with this place among those of the tail, from 0.
    pub(crate) fn tail_with(&self, mut param: impl FnMut(usize) -> String) -> String {
        let mut tail = String::new();
        for (place, piece) in self.tail.iter().enumerate() {
            if let Some(before) = place.checked_sub(1) {
                tail += &param(before);
            } else {
                tail.push(' ');
            }
            tail += piece;
        }
        tail
    }

    /// How many parameters the tail has.
    pub(crate) fn tail_params(&self) -> usize {
        self.tail.len().saturating_sub(1)
    }
}

impl Update {
    /// Updates the row with a key.
    pub const fn new(
        table: &'static str,
        key: &'static [&'static str],
        set: &'static [&'static str],
    ) -> Self {
        Self {
            table,
            key,
            set,
            expected: &[],
            condition: None,
            text: OnceLock::new(),
        }
    }

    /// Only when these columns have the values that are given for them.
    #[must_use]
    pub const fn expecting(mut self, expected: &'static [&'static str]) -> Self {
        self.expected = expected;
        self
    }

    /// Only under a condition that has no parameters.
    #[must_use]
    pub const fn only_if(mut self, condition: &'static str) -> Self {
        self.condition = Some(condition);
        self
    }

    /// The statement with its parameters. It must update one row.
    pub fn with(&'static self, params: Vec<Value>) -> Statement {
        let text = self.text.get_or_init(|| {
            let param = |number: usize| format!("${number}");
            let (set, conditions) = (self.set_to(param), self.conditions(param));
            format!("update {} set {set} where {conditions}", self.table)
        });
        made(text, params, Parts::Update(self))
    }

    /// What is set, with the parameters as `param` writes them by their number.
    pub(crate) fn set_to(&self, param: impl Fn(usize) -> String) -> String {
        let equal = |column: &str, number| format!("{column} = {}", param(number));
        numbered(self.key.len() + 1, self.set, equal, ", ")
    }

    /// When it is set, with the parameters as `param` writes them by their number.
    pub(crate) fn conditions(&self, param: impl Fn(usize) -> String) -> String {
        let equal = |column: &str, number| format!("{column} = {}", param(number));
        let behind = self.key.len() + self.set.len() + 1;
        let key = numbered(1, self.key, equal, " and ");
        let expected = numbered(behind, self.expected, equal, " and ");
        let all = [
            key.as_str(),
            expected.as_str(),
            self.condition.unwrap_or_default(),
        ];
        let all: Vec<&str> = all.into_iter().filter(|one| !one.is_empty()).collect();
        all.join(" and ")
    }
}

impl Select {
    /// Reads rows by the values of columns.
    pub const fn new(
        table: &'static str,
        columns: &'static [&'static str],
        by: &'static [&'static str],
    ) -> Self {
        Self {
            columns,
            table,
            by,
            condition: None,
            text: OnceLock::new(),
        }
    }

    /// Only under a condition that has no parameters.
    #[must_use]
    pub const fn only_if(mut self, condition: &'static str) -> Self {
        self.condition = Some(condition);
        self
    }

    /// The statement with its parameters.
    pub fn with(&'static self, params: Vec<Value>) -> Statement {
        let text = self
            .text
            .get_or_init(|| self.asked(|number| format!("${number}")));
        Statement {
            expect: Expect::Any,
            ..made(text, params, Parts::Select(self))
        }
    }

    /// The text, with the parameters as `param` writes them by their number.
    pub(crate) fn asked(&self, param: impl Fn(usize) -> String) -> String {
        let (columns, table) = (self.columns.join(", "), self.table);
        let equal = |column: &str, number| format!("{column} = {}", param(number));
        let by = numbered(1, self.by, equal, " and ");
        let condition = self.condition.map(|condition| format!(" and {condition}"));
        format!(
            "select {columns} from {table} where {by}{}",
            condition.unwrap_or_default()
        )
    }
}

/// A piece for each column, with the numbers of their parameters from `first` on.
fn numbered(
    first: usize,
    columns: &[&str],
    piece: impl Fn(&str, usize) -> String,
    between: &str,
) -> String {
    let pieces: Vec<String> = columns
        .iter()
        .zip(first..)
        .map(|(column, number)| piece(column, number))
        .collect();
    pieces.join(between)
}

fn made(text: &'static str, params: Vec<Value>, parts: Parts) -> Statement {
    Statement {
        sql: text.into(),
        params,
        expect: Expect::Rows(1),
        parts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[test]
    fn texts_number_their_parameters_in_the_order_of_the_parts() {
        static UPDATE: Update = Update::new("t", &["team", "id"], &["a", "version"])
            .expecting(&["version"])
            .only_if("a is null");
        static SELECT: Select = Select::new("t", &["a", "b"], &["id"]).only_if("b is null");
        static PLAIN: Insert = Insert::new("t", &["a", "b"]);
        static OR: Insert = Insert::or(
            "t",
            &["a", "b"],
            &[
                "on conflict (a) do update set b = t.b - ",
                " where t.c < ",
                "",
            ],
        );
        assert_eq!(
            PLAIN.with(params![1, 2]).sql,
            "insert into t (a, b) values ($1, $2)"
        );
        assert_eq!(
            OR.with(params![1, 2, 3, 4]).sql,
            "insert into t (a, b) values ($1, $2) on conflict (a) do update set b = t.b - $3 where t.c < $4"
        );
        let update = UPDATE.with(params![1, 2, 3, 4, 5]);
        assert_eq!(
            update.sql,
            "update t set a = $3, version = $4 where team = $1 and id = $2 and version = $5 and a is null"
        );
        assert_eq!(update.expect, Expect::Rows(1));
        let select = SELECT.with(params![1]);
        assert_eq!(
            (select.sql.as_ref(), select.expect),
            (
                "select a, b from t where id = $1 and b is null",
                Expect::Any
            )
        );
    }
}
