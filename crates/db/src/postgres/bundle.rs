//! Statements of many changes as one.
//!
//! A statement costs the server more than the row that it writes: a message, a portal, an answer and a wake-up for each. Changes that
//! wait at the same moment are mostly alike, so their statements of one text become one statement over arrays of their
//! parameters. It is built from the parts of the statements ([`crate::parts`]), never from their texts; what has no known parts goes as it is.
//!
//! **Why this is the same.** Only changes of one shape are bundled: the same texts in the same order, each of a table of its
//! own, and none that reads another table. Such changes run statement by statement through all of them, which no statement can tell from
//! change by change. Every change must be right as it is: whatever is refused or does not meet its count undoes all
//! of it, and the changes are played and judged one by one.

use std::fmt::Write as _;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::{Expect, Insert, Parts, Statement, Update, Value, dates};

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
    let mut tables: Vec<&str> = first.iter().map(table).collect::<Option<_>>()?;
    tables.sort_unstable();
    if tables.windows(2).any(|pair| pair.first() == pair.last()) {
        return None;
    }
    let bundle = |index| {
        let statements: Vec<&'a Statement> = group
            .iter()
            .filter_map(|change| change.get(index))
            .collect();
        bundle(&statements)
    };
    (0..first.len()).map(bundle).collect()
}

/// The table that a statement of known parts writes; that of no table for the guard of a date.
fn table(statement: &Statement) -> Option<&'static str> {
    match statement.parts {
        Parts::Insert(insert) => Some(insert.table),
        Parts::Update(update) => Some(update.table),
        Parts::DateGuard => Some(""),
        Parts::Text | Parts::Select(_) => None,
    }
}

/// Statements of one text as one.
fn bundle<'v>(statements: &[&'v Statement]) -> Option<Bundle<'v>> {
    let first = statements.first()?;
    let wanted = match first.expect {
        Expect::Rows(1) => Some(u64::try_from(statements.len()).ok()?),
        Expect::Rows(_) => return None,
        Expect::Any => None,
    };
    let mut columns = Columns::of(statements);
    let sql = match first.parts {
        Parts::Insert(insert) => inserts(insert, &mut columns)?,
        Parts::Update(update) => {
            if wanted.is_none() && !touch_rows_apart(update, statements) {
                return None;
            }
            updates(update, &mut columns)?
        }
        Parts::DateGuard => {
            columns.add(1)?;
            dates::GUARDS.to_owned()
        }
        Parts::Text | Parts::Select(_) => return None,
    };
    (!columns.casts.is_empty()).then_some(Bundle {
        sql,
        params: columns.params,
        wanted,
    })
}

fn inserts(insert: &Insert, columns: &mut Columns<'_, '_>) -> Option<String> {
    let own = insert.columns.len();
    let values: Vec<String> = (1..=own)
        .map(|number| columns.add(number))
        .collect::<Option<_>>()?;
    // What stands behind the values counts for all of them.
    let behind: Vec<String> = (0..insert.tail_params())
        .map(|place| columns.shared(own + 1 + place))
        .collect::<Option<_>>()?;
    let tail = insert.tail_with(|place| behind.get(place).cloned().unwrap_or_default());
    let Columns { casts, names, .. } = &columns;
    Some(format!(
        "{} select {}{} from unnest({casts}) as u({names}){tail}",
        insert.head(),
        values.join(", "),
        insert.stamp()
    ))
}

fn updates(update: &Update, columns: &mut Columns<'_, '_>) -> Option<String> {
    let count = update.key.len() + update.set.len() + update.expected.len();
    let params: Vec<String> = (1..=count)
        .map(|number| columns.add(number))
        .collect::<Option<_>>()?;
    let param = |number: usize| {
        params
            .get(number.wrapping_sub(1))
            .cloned()
            .unwrap_or_default()
    };
    let (set, conditions) = (update.set_to(param), update.conditions(param));
    let (Columns { casts, names, .. }, table) = (&columns, update.table);
    // Each must touch one row: not this one two and that one none.
    Some(format!(
        "with done as (update {table} set {set} from unnest({casts}) with ordinality as u({names}, arg_no) \
         where {conditions} returning u.arg_no) select from done group by arg_no having count(*) = 1"
    ))
}

/// The same look for several: each row with the number of whom it is for, from 1, in its last column. `None` when the parts of
/// the text are not known.
pub(super) fn bundled_read<'a>(statements: &[&'a Statement]) -> Option<Bundle<'a>> {
    let first = statements.first().filter(|_| statements.len() > 1)?;
    let Parts::Select(select) = first.parts else {
        return None;
    };
    let mut columns = Columns::of(statements);
    let params: Vec<String> = (1..=select.by.len())
        .map(|number| columns.add(number))
        .collect::<Option<_>>()?;
    let asked = select.asked(|number| {
        params
            .get(number.wrapping_sub(1))
            .cloned()
            .unwrap_or_default()
    });
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

/// Whether updates surely touch different rows: their keys differ. Else one row could be meant by two, and a bundle would write
/// it once.
fn touch_rows_apart(update: &Update, statements: &[&Statement]) -> bool {
    let key = |statement: &Statement| -> Vec<Value> {
        let key = statement.params.iter().take(update.key.len());
        key.cloned().collect()
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
    /// The team that all of them are of: it is written as one parameter, so that the statement is of one shard.
    is_of_one_team: bool,
}

/// The column that says whose a row is: always the first one.
const TEAM: &str = "team_id";

/// Whether a statement's first parameter is a team.
fn begins_with_team(parts: Parts) -> bool {
    let first = match parts {
        Parts::Insert(insert) => insert.columns.first(),
        Parts::Update(update) => update.key.first(),
        Parts::Select(select) => select.by.first(),
        Parts::Text | Parts::DateGuard => None,
    };
    first == Some(&TEAM)
}

impl<'s, 'v> Columns<'s, 'v> {
    /// Of these statements.
    fn of(statements: &'s [&'v Statement]) -> Self {
        let mut columns = Self {
            statements,
            params: Vec::new(),
            casts: String::new(),
            names: String::new(),
            is_of_one_team: false,
        };
        columns.is_of_one_team = columns.same(1).is_some()
            && statements
                .first()
                .is_some_and(|first| begins_with_team(first.parts));
        columns
    }

    /// Adds the parameter with this number, which must be the same for all. Returns how it is written.
    fn shared(&mut self, number: usize) -> Option<String> {
        let value = self.same(number)?;
        self.params.push(Param::One(value));
        Some(format!("${}", self.params.len()))
    }

    /// The value of a parameter, when all have the same.
    fn same(&self, number: usize) -> Option<&'v Value> {
        let index = number.checked_sub(1)?;
        let (first, rest) = self.statements.split_first()?;
        let value = first.params.get(index)?;
        let same = |statement: &&Statement| statement.params.get(index) == Some(value);
        rest.iter().all(same).then_some(value)
    }

    /// Adds the parameter with this number. Returns how it is written.
    fn add(&mut self, number: usize) -> Option<String> {
        if number == 1 && self.is_of_one_team {
            return self.shared(number);
        }
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
            (false, false) => return Some("null".to_owned()),
            (true, true) => return None,
            (true, false) => Param::Texts(values().map(text).collect()),
            (false, true) => Param::Ints(values().map(int).collect()),
        };
        let name = format!("arg_{number}");
        let kind = if is_text { "text" } else { "bigint" };
        self.params.push(param);
        let comma = if self.casts.is_empty() { "" } else { ", " };
        write!(self.casts, "{comma}${}::{kind}[]", self.params.len()).ok()?;
        write!(self.names, "{comma}{name}").ok()?;
        Some(format!("u.{name}"))
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

#[cfg(test)]
mod tests;
