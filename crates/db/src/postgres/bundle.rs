//! Statements of many changes as one.
//!
//! A statement costs the server more than the row that it writes: a message, a portal, an answer and a wake-up for each. Changes that
//! wait at the same moment are mostly alike, so their statements of one text become one statement over arrays of their
//! parameters.
//!
//! **Why this is the same.** Only changes of one shape are bundled: the same texts in the same order, each of a table of its
//! own, and none that reads another table. Such changes run statement by statement through all of them, which no statement can tell from
//! change by change. Every change must be right as it is: whatever is refused or does not meet its count undoes all
//! of it, and the changes are played and judged one by one.

use std::{borrow::Cow, fmt::Write as _};

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::{Expect, Statement, Value, dates};

/// What is sent for a batch.
pub(super) enum Part<'a> {
    /// A statement of several changes.
    Bundle(Bundle<'a>),
    /// A change as it is, by its index.
    Change(usize),
}

/// One statement over the parameters of several.
pub(super) struct Bundle<'a> {
    pub(super) sql: String,
    pub(super) params: Vec<Param<'a>>,
    /// How many rows it must touch, when it must.
    pub(super) wanted: Option<u64>,
}

/// A parameter of a bundle.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Param<'a> {
    Texts(Vec<Option<&'a str>>),
    Ints(Vec<Option<i64>>),
    /// The same for all.
    One(&'a Value),
}

impl Param<'_> {
    /// The type that it is prepared for.
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::One(Value::Int(_)) => Type::INT8,
            Self::One(Value::Text(_)) => Type::TEXT,
            Self::One(Value::Null) => Type::UNKNOWN,
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Texts(texts) => texts.to_sql(ty, out),
            Self::Ints(numbers) => numbers.to_sql(ty, out),
            Self::One(value) => value.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Changes as they are sent: those that can be bundled, and the others as they are. `None` when none can.
pub(super) fn bundled<'a>(changes: &[&'a [Statement]]) -> Option<Vec<Part<'a>>> {
    let mut shapes: Vec<(&[Statement], Vec<usize>)> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        match shapes
            .iter_mut()
            .find(|(first, _)| same_texts(first, change))
        {
            Some((_, members)) => members.push(index),
            None => shapes.push((change, vec![index])),
        }
    }
    let mut parts = Vec::with_capacity(2 * shapes.len());
    let mut any = false;
    for (first, members) in shapes {
        let group: Vec<&[Statement]> = members
            .iter()
            .filter_map(|index| changes.get(*index).copied())
            .collect();
        match levels(first, &group) {
            Some(bundles) => {
                any = true;
                parts.extend(bundles.into_iter().map(Part::Bundle));
            }
            None => parts.extend(members.into_iter().map(Part::Change)),
        }
    }
    any.then_some(parts)
}

fn same_texts(one: &[Statement], other: &[Statement]) -> bool {
    let same =
        |(one, other): (&Statement, &Statement)| one.sql == other.sql && one.expect == other.expect;
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// A bundle for each statement of the shape.
fn levels<'a>(first: &[Statement], group: &[&'a [Statement]]) -> Option<Vec<Bundle<'a>>> {
    if group.len() < 2 {
        return None;
    }
    let texts: Vec<Text<'_>> = first
        .iter()
        .map(|statement| Text::parse(&statement.sql))
        .collect::<Option<_>>()?;
    let apart = |(index, text): (usize, &Text<'_>)| {
        texts
            .iter()
            .skip(index + 1)
            .all(|other| other.table != text.table)
    };
    if !texts.iter().enumerate().all(apart) {
        return None;
    }
    let bundle = |(index, text): (usize, &Text<'_>)| {
        let statements: Vec<&'a Statement> = group
            .iter()
            .filter_map(|change| change.get(index))
            .collect();
        text.bundle(&statements)
    };
    texts.iter().enumerate().map(bundle).collect()
}

/// A statement that can be bundled, in its parts.
#[derive(Debug, PartialEq, Eq)]
struct Text<'a> {
    table: &'a str,
    form: Form<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum Form<'a> {
    /// `insert into table (columns) values (…) tail`
    Insert {
        head: &'a str,
        values: &'a str,
        tail: &'a str,
    },
    /// `update table set … where …`
    Update {
        head: &'a str,
        set: &'a str,
        conditions: &'a str,
    },
    /// The guard of a date.
    Dated,
}

impl<'a> Text<'a> {
    fn parse(sql: &'a str) -> Option<Self> {
        if sql == dates::GUARD {
            return Some(Self {
                table: "",
                form: Form::Dated,
            });
        }
        let simple = is_plain(sql) && !sql.contains("select") && !sql.contains("returning");
        let sql = Some(sql).filter(|_| simple)?;
        let table = |rest: &'a str| {
            rest.split([' ', '('])
                .next()
                .filter(|name| !name.is_empty())
        };
        if let Some(rest) = sql.strip_prefix("insert into ") {
            let (head, values) = sql.split_once(" values (")?;
            let end = closing(values)?;
            let (values, tail) = (values.get(..end)?, values.get(end + 1..)?);
            return Some(Self {
                table: table(rest)?,
                form: Form::Insert { head, values, tail },
            });
        }
        let rest = sql.strip_prefix("update ")?;
        let (head, rest_of_it) = sql.split_once(" set ")?;
        let (set, conditions) = rest_of_it.split_once(" where ")?;
        Some(Self {
            table: table(rest)?,
            form: Form::Update {
                head,
                set,
                conditions,
            },
        })
    }

    fn bundle<'v>(&self, statements: &[&'v Statement]) -> Option<Bundle<'v>> {
        let first = statements.first()?;
        let wanted = match first.expect {
            Expect::Rows(1) => Some(u64::try_from(statements.len()).ok()?),
            Expect::Rows(_) => return None,
            Expect::Any => None,
        };
        let mut columns = Columns {
            statements,
            params: Vec::new(),
            casts: String::new(),
            names: String::new(),
        };
        let columns_of = |columns: &mut Columns<'_, 'v>, text| columns.named(text);
        let sql = match self.form {
            Form::Dated => {
                columns.column(1)?;
                dates::GUARDS.to_owned()
            }
            Form::Insert { head, values, tail } => {
                let values = columns_of(&mut columns, values)?;
                let tail = columns.shared(tail)?;
                let Columns { casts, names, .. } = &columns;
                format!("{head} select {values} from unnest({casts}) as u({names}){tail}")
            }
            Form::Update {
                head,
                set,
                conditions,
            } => {
                if wanted.is_none() && !touch_rows_apart(conditions, statements) {
                    return None;
                }
                let set = columns_of(&mut columns, set)?;
                let conditions = columns_of(&mut columns, conditions)?;
                let Columns { casts, names, .. } = &columns;
                // Each must touch one row: not this one two and that one none.
                format!(
                    "with done as ({head} set {set} from unnest({casts}) with ordinality as u({names}, arg_no) \
                     where {conditions} returning u.arg_no) select from done group by arg_no having count(*) = 1"
                )
            }
        };
        (!columns.casts.is_empty()).then_some(Bundle {
            sql,
            params: columns.params,
            wanted,
        })
    }
}

/// The same look for several: each row with the number of whom it is for, from 1, in its last column. `None` when the text is not that of
/// a simple read.
pub(super) fn bundled_read<'a>(statements: &[&'a Statement]) -> Option<Bundle<'a>> {
    let sql = statements
        .first()
        .filter(|_| statements.len() > 1)?
        .sql
        .as_ref();
    // Rows of one reader come as they are found, so an order can't be asked for.
    let simple = is_plain(sql)
        && sql.starts_with("select ")
        && !sql.contains(" order by ")
        && !sql.contains(" for ");
    let sql = Some(sql).filter(|_| simple)?;
    let mut columns = Columns {
        statements,
        params: Vec::new(),
        casts: String::new(),
        names: String::new(),
    };
    let asked = columns.named(sql)?;
    let Columns {
        casts,
        names,
        params,
        ..
    } = columns;
    let sql = format!(
        "select q.*, u.arg_no from unnest({casts}) with ordinality as u({names}, arg_no), lateral ({asked}) as q"
    );
    (!casts.is_empty()).then_some(Bundle {
        sql,
        params,
        wanted: None,
    })
}

/// Texts with quotes or comments would have to be split first; none of those that are run often has any.
fn is_plain(sql: &str) -> bool {
    !sql.contains(['\'', '"', ';']) && !sql.contains("--") && !sql.contains("/*")
}

/// The place of the bracket that closes one that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.bytes().position(|byte| match byte {
        b'(' => {
            depth += 1;
            false
        }
        b')' if depth > 0 => {
            depth -= 1;
            false
        }
        other => other == b')',
    })
}

/// Whether updates surely touch different rows: their conditions are equalities with parameters, and these differ. Else one row
/// could be meant by two, and a bundle would write it once.
fn touch_rows_apart(conditions: &str, statements: &[&Statement]) -> bool {
    let number = |condition: &str| {
        condition
            .split_once(" = $")
            .and_then(|(_, number)| number.parse::<usize>().ok())
    };
    let Some(numbers) = conditions
        .split(" and ")
        .map(number)
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let key = |statement: &Statement| -> Vec<Option<Value>> {
        numbers
            .iter()
            .map(|number| statement.params.get(number.wrapping_sub(1)).cloned())
            .collect()
    };
    let keys: Vec<_> = statements.iter().map(|statement| key(statement)).collect();
    keys.iter()
        .enumerate()
        .all(|(index, key)| !keys.iter().skip(index + 1).any(|other| other == key))
}

/// The parameters of a bundle as they are gathered.
struct Columns<'s, 'v> {
    statements: &'s [&'v Statement],
    params: Vec<Param<'v>>,
    /// `$1::text[], $2::bigint[]`
    casts: String,
    /// `arg_1, arg_2`
    names: String,
}

impl Columns<'_, '_> {
    /// A part of a text in which each parameter is a column of the arrays.
    fn named(&mut self, text: &str) -> Option<String> {
        replaced(text, |number| self.column(number))
    }

    /// A part of a text in which each parameter must be the same for all.
    fn shared(&mut self, text: &str) -> Option<String> {
        replaced(text, |number| {
            let (first, rest) = self.statements.split_first()?;
            let value = first.params.get(number.checked_sub(1)?)?;
            if !rest
                .iter()
                .all(|statement| statement.params.get(number - 1) == Some(value))
            {
                return None;
            }
            self.params.push(Param::One(value));
            Some(format!("${}", self.params.len()).into())
        })
    }

    fn column(&mut self, number: usize) -> Option<Cow<'static, str>> {
        let index = number.checked_sub(1)?;
        let values = || {
            self.statements
                .iter()
                .map(|statement| statement.params.get(index))
        };
        if values().any(|value| value.is_none()) {
            return None;
        }
        let is_text = values().any(|value| matches!(value, Some(Value::Text(_))));
        let is_int = values().any(|value| matches!(value, Some(Value::Int(_))));
        let param = match (is_text, is_int) {
            // A null without a type fits every column.
            (false, false) => return Some("null".into()),
            (true, true) => return None,
            (true, false) => Param::Texts(values().map(text).collect()),
            (false, true) => Param::Ints(values().map(int).collect()),
        };
        let name = format!("arg_{number}");
        if self.names.split(", ").all(|known| known != name) {
            let kind = if is_text { "text" } else { "bigint" };
            self.params.push(param);
            let comma = if self.casts.is_empty() { "" } else { ", " };
            write!(self.casts, "{comma}${}::{kind}[]", self.params.len()).ok()?;
            write!(self.names, "{comma}{name}").ok()?;
        }
        Some(format!("u.{name}").into())
    }
}

fn text(value: Option<&Value>) -> Option<&str> {
    match value {
        Some(Value::Text(text)) => Some(text),
        Some(Value::Null | Value::Int(_)) | None => None,
    }
}

fn int(value: Option<&Value>) -> Option<i64> {
    match value {
        Some(Value::Int(number)) => Some(*number),
        Some(Value::Null | Value::Text(_)) | None => None,
    }
}

/// A text with something in the place of each `$n`.
fn replaced(
    text: &str,
    mut with: impl FnMut(usize) -> Option<Cow<'static, str>>,
) -> Option<String> {
    let mut parts = text.split('$');
    let mut out = String::with_capacity(text.len() * 2);
    out.push_str(parts.next()?);
    for part in parts {
        let digits = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        out.push_str(&with(number.parse().ok()?)?);
        out.push_str(rest);
    }
    Some(out)
}

#[cfg(test)]
mod tests;
