//! Lists in the order of dates of things whose id is a UUID of version 7, so that the order of ids is that of time.

use db::{Db, DbError, Row, Value};
use domain::{
    cursor::{Cursor, CursorShape},
    dated::id_floor,
    filter::SortOrder,
};
use uuid::Uuid;

use crate::{
    part::{Listed, Part, comparisons, name_of},
    query::Conditions,
};

/// The texts with which a list's queries begin. Each ends with the team's condition, so that others can follow.
pub(crate) struct Texts {
    /// Whole rows: the id, then the document.
    pub(crate) rows: &'static str,
    /// Ids alone.
    pub(crate) ids: &'static str,
    /// How many rows.
    pub(crate) count: &'static str,
    /// The column of the id.
    pub(crate) id: &'static str,
}

/// What is listed by its date.
pub(crate) trait Dated: Sized {
    /// The list's name in its cursors.
    const NAME: &'static str;
    /// The texts of its queries.
    const TEXTS: Texts;

    /// Reads it from a row of [`Texts::rows`].
    fn read(row: &Row) -> Result<Self, DbError>;

    /// Its id.
    fn uuid(&self) -> Uuid;
}

/// The shape of the list's cursors in this order.
pub(crate) fn shape<T: Dated>(order: SortOrder) -> CursorShape {
    CursorShape::new(T::NAME, name_of(order), Vec::new())
}

/// A part of a team's list.
pub(crate) async fn page<T: Dated>(
    db: &Db,
    conditions: Conditions,
    order: SortOrder,
    part: &Part,
) -> Result<Listed<T>, DbError> {
    let (sql, params) = rows_query::<T>(conditions.clone(), order, part);
    let rows = db.scan(sql, params).await?;
    let rows = rows.iter().map(|row| {
        let one = T::read(row)?;
        let cursor = Cursor {
            keys: Vec::new(),
            id: one.uuid(),
        };
        Ok((cursor, one))
    });
    let rows = rows.collect::<Result<_, DbError>>()?;
    let behind = match &part.cursor {
        None => false,
        Some(cursor) => {
            let (_, behind, by) = comparisons(order, part.direction);
            let (sql, params) = behind_query::<T>(conditions, cursor, behind, by);
            !db.scan(sql, params).await?.is_empty()
        }
    };
    Ok(Listed::of_read(rows, part, behind))
}

/// How many rows a team's list has.
pub(crate) async fn count<T: Dated>(db: &Db, conditions: Conditions) -> Result<i64, DbError> {
    let sql = format!("{}{}", T::TEXTS.count, conditions.text());
    db.scan(sql, conditions.into_params())
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))
}

fn rows_query<T: Dated>(
    mut conditions: Conditions,
    order: SortOrder,
    part: &Part,
) -> (String, Vec<Value>) {
    let Texts { rows, id, .. } = T::TEXTS;
    let (beyond, _, by) = comparisons(order, part.direction);
    if let Some(cursor) = &part.cursor {
        let from = conditions.bind(cursor.id.hyphenated().to_string());
        conditions.and(&format!("{id} {beyond} {from}"));
    }
    if let Some(until) = part.until {
        let until = conditions.bind(id_floor(until));
        conditions.and(&format!("{id} < {until}"));
    }
    let limit = conditions.bind(i64::from(part.size) + 1);
    let sql = format!(
        "{rows}{} order by {id}{by} limit {limit}",
        conditions.text()
    );
    (sql, conditions.into_params())
}

/// The query of the cursor's own row, or one on its other side.
fn behind_query<T: Dated>(
    mut conditions: Conditions,
    cursor: &Cursor,
    behind: &str,
    by: &str,
) -> (String, Vec<Value>) {
    let Texts { ids, id, .. } = T::TEXTS;
    let from = conditions.bind(cursor.id.hyphenated().to_string());
    conditions.and(&format!("{id} {behind} {from}"));
    // The nearest first: most likely the cursor's own.
    let back = if by.is_empty() { " desc" } else { "" };
    let sql = format!("{ids}{} order by {id}{back} limit 1", conditions.text());
    (sql, conditions.into_params())
}
