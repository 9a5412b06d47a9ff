//! Lists of payments: any filter, any order, page by page.
//!
//! # How it works
//! A payment's id is a UUID of version 7 made from its date, which has whole milliseconds, so the order of ids is that of
//! dates: a condition on the date is a range of ids, and the list by date is read from an index whose last column is the
//! id. A page begins at the values that its cursor holds, never at a count of rows to skip, so that it costs the same
//! wherever it lies and rows that are added move nothing.
//!
//! # What is promised
//! - The rows and their order are those that [`domain::filter::Predicate::matches`] and the sort's keys say, the same on
//!   every database: a text that is absent sorts as the empty text.
//! - [`Wanted::reach`] tells whether an index holds the rows together in their order. Where none does, the query looks
//!   at every payment of its window of dates: bound it. It looks at them in an index that holds all that can be asked for, and
//!   reads only the documents that it returns.

mod ids;
mod order;
mod selection;
#[cfg(test)]
mod tests;

use db::{Db, DbError, Row, Value};
use domain::{
    Timestamp,
    cursor::Cursor,
    filter::{Condition, FieldName, Predicate, Sort},
    id::{PaymentId, TeamId},
    page::Direction,
    payment::Payment,
};

use crate::{
    part::{Listed, Part},
    query::Conditions,
};
use ids::IdRange;
use order::{DOWN, Heading, Order, Side};
use selection::{Look, Selection, Split};

/// Which payments, in which order.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What must hold for each of them.
    pub conditions: Vec<Condition>,
    /// Only the payment with this id.
    pub id: Option<PaymentId>,
    /// The order.
    pub sort: Sort,
}

/// How much a query has to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Little more than what it returns, however many payments there are.
    Indexed,
    /// Every payment of its window of dates.
    Scanned,
}

/// The dates between which payments are looked at, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first.
    pub start: Option<Timestamp>,
    /// The last.
    pub end: Option<Timestamp>,
}

impl Wanted {
    /// How much a page of this list has to look at.
    pub fn reach(&self) -> Reach {
        let few =
            self.id.is_some() || Selection::of(self).is_none_or(|selection| selection.is_indexed());
        if few && Order::of(&self.sort).is_by_id() {
            Reach::Indexed
        } else {
            Reach::Scanned
        }
    }

    /// Whether the list is one of dates, the oldest first, to which rows are added at its end.
    pub fn is_followed(&self) -> bool {
        Order::of(&self.sort).is_by_date_ascending()
    }

    /// The dates that the conditions leave.
    pub fn window(&self) -> Window {
        let mut window = Window {
            start: None,
            end: None,
        };
        let dated = |condition: &&Condition| {
            matches!(condition.field(), FieldName::Date | FieldName::DateRange)
        };
        for condition in self.conditions.iter().filter(dated) {
            let Predicate::Within(spans) = condition.predicate() else {
                continue;
            };
            let least = spans
                .iter()
                .map(|span| span.min)
                .min()
                .flatten()
                .map(Timestamp::from_micros);
            let ends: Option<Vec<i64>> = spans.iter().map(|span| span.max).collect();
            let greatest = ends
                .and_then(|ends| ends.into_iter().max())
                .map(Timestamp::from_micros);
            window.start = window.start.max(least);
            window.end = [window.end, greatest].into_iter().flatten().min();
        }
        window
    }
}

/// A part of a team's list.
pub async fn page(
    db: &Db,
    team: TeamId,
    wanted: &Wanted,
    part: &Part,
) -> Result<Listed<Payment>, DbError> {
    let Some(selection) = Selection::of(wanted) else {
        return Ok(Listed::empty());
    };
    let order = Order::of(&wanted.sort);
    let query = Query {
        team,
        selection: &selection,
        order: &order,
        until: part.until.map_or(IdRange::ALL, |until| order.until(until)),
    };
    let (sql, params) = query.rows(part);
    let rows = db.scan(sql, params).await?;
    let rows = rows
        .iter()
        .map(|row| query.read(row))
        .collect::<Result<_, _>>()?;
    let behind = match &part.cursor {
        None => false,
        Some(cursor) => {
            // The cursor's own row is one, as a rule; to look for another may take a look at many.
            let (sql, params) = query.at(cursor, part.direction);
            !db.scan(sql, params).await?.is_empty() || {
                let (sql, params) = query.behind(cursor, part.direction);
                !db.scan(sql, params).await?.is_empty()
            }
        }
    };
    Ok(Listed::of_read(rows, part, behind))
}

/// How many payments a team's list has.
pub async fn count(db: &Db, team: TeamId, wanted: &Wanted) -> Result<i64, DbError> {
    let Some(selection) = Selection::of(wanted) else {
        return Ok(0);
    };
    let look = if selection.is_indexed() {
        Look::ByIndex
    } else {
        Look::AtAll
    };
    let conditions = selection.conditions(team, &IdRange::ALL, look);
    let sql = format!(
        "select count(*) from payment where team_id = $1{}",
        conditions.text()
    );
    db.scan(sql, conditions.into_params())
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))
}

/// Whether a team has more than `limit` payments. Looks at no more than that.
pub async fn are_more_than(db: &Db, team: TeamId, limit: i64) -> Result<bool, DbError> {
    let sql = "select count(*) from (select payment_id from payment where team_id = $1 limit $2) as some_of_them";
    let params = vec![team.key().into(), limit.saturating_add(1).into()];
    let counted = db
        .scan(sql, params)
        .await?
        .first()
        .map_or(Ok(0), |row| row.int(0))?;
    Ok(counted > limit)
}

/// A list whose queries are written here.
struct Query<'a> {
    team: TeamId,
    selection: &'a Selection,
    order: &'a Order,
    /// The ids of payments that may be shown already.
    until: IdRange,
}

/// Which rows are read, and in which order.
struct Reading<'a> {
    /// Where in the list; without it, from the list's end in the direction.
    cursor: Option<&'a Cursor>,
    /// The direction of the part, and the side of the cursor as seen in it.
    heading: Heading,
    /// How many rows at most.
    limit: i64,
}

impl Query<'_> {
    /// The rows of a part, and one more.
    fn rows(&self, part: &Part) -> (String, Vec<Value>) {
        let columns = format!("payment_id, body{}", self.order.keys_text());
        let heading = Heading {
            direction: part.direction,
            side: Side::Beyond,
        };
        let reading = Reading {
            cursor: part.cursor.as_ref(),
            heading,
            limit: i64::from(part.size) + 1,
        };
        if let Some(split) = self.split() {
            return self.united(&columns, split, &reading);
        }
        let by = self.order.by_text(heading);
        let (mut conditions, held) = self.conditions(&reading);
        let limit = conditions.bind(reading.limit);
        if self.is_indexed() {
            let sql = format!(
                "select {columns} from payment where team_id = $1{held} order by {by} limit {limit}"
            );
            return (sql, conditions.into_params());
        }
        // The ids first, from an index that has no documents.
        let sql = format!(
            "select {columns} from payment where team_id = $1 and payment_id in \
             (select payment_id from payment where team_id = $1{held} order by {by} limit {limit}) \
             order by {by} limit {limit}"
        );
        (sql, conditions.into_params())
    }

    /// The cursor's own row, when it is still on the other side.
    fn at(&self, cursor: &Cursor, direction: Direction) -> (String, Vec<Value>) {
        let reading = Reading {
            cursor: Some(cursor),
            heading: Heading {
                direction,
                side: Side::Behind,
            },
            limit: 1,
        };
        // One range of ids: of two, the database takes one for its search, and might walk to the row from the window's begin.
        let only = self
            .ids(&reading)
            .and(IdRange::only(&cursor.id.hyphenated().to_string()));
        let mut conditions = self.selection.conditions(self.team, &only, Look::AtAll);
        self.order
            .restrict(&mut conditions, cursor, reading.heading);
        let limit = conditions.bind(reading.limit);
        let held = conditions.text();
        let sql = format!("select payment_id from payment where team_id = $1{held} limit {limit}");
        (sql, conditions.into_params())
    }

    /// The cursor's own row, or one on its other side: the nearest, where an index has it.
    fn behind(&self, cursor: &Cursor, direction: Direction) -> (String, Vec<Value>) {
        let reading = Reading {
            cursor: Some(cursor),
            heading: Heading {
                direction,
                side: Side::Behind,
            },
            limit: 1,
        };
        if let Some(split) = self.split() {
            return self.united("payment_id", split, &reading);
        }
        let (mut conditions, held) = self.conditions(&reading);
        let limit = conditions.bind(reading.limit);
        // Where ids don't make the order any row will do.
        let by = if self.order.is_by_id() {
            format!(" order by {}", self.order.by_text(reading.heading))
        } else {
            String::new()
        };
        let sql =
            format!("select payment_id from payment where team_id = $1{held}{by} limit {limit}");
        (sql, conditions.into_params())
    }

    /// The column whose values are looked for one by one. Where ids make the order, each value of an indexed column is read from
    /// its index in that order.
    fn split(&self) -> Option<Split<'_>> {
        self.selection.split().filter(|_| self.order.is_by_id())
    }

    /// Whether an index holds the rows in their order.
    fn is_indexed(&self) -> bool {
        self.selection.is_indexed() && self.order.is_by_id()
    }

    /// What must hold for the rows on the side of the cursor, and its text.
    fn conditions(&self, reading: &Reading<'_>) -> (Conditions, String) {
        let mut conditions = self
            .selection
            .conditions(self.team, &self.ids(reading), Look::AtAll);
        if let Some(cursor) = reading.cursor {
            self.order
                .restrict(&mut conditions, cursor, reading.heading);
        }
        let text = conditions.text().to_owned();
        (conditions, text)
    }

    /// The ids on the side of the cursor.
    fn ids(&self, reading: &Reading<'_>) -> IdRange {
        reading
            .cursor
            .map_or(IdRange::ALL, |cursor| {
                self.order.place(cursor, reading.heading)
            })
            .and(self.until.clone())
    }

    /// The first rows of a query for each of the values, every one read from the index no further than needed.
    fn united(
        &self,
        columns: &str,
        split: Split<'_>,
        reading: &Reading<'_>,
    ) -> (String, Vec<Value>) {
        let Split { column, values } = split;
        let ids = self.selection.range(&self.ids(reading));
        let mut conditions = self
            .selection
            .conditions_but(self.team, column, Look::ByIndex);
        let (limit, by) = (
            conditions.bind(reading.limit),
            self.order.by_text(reading.heading),
        );
        let down = if by.ends_with(DOWN) { DOWN } else { "" };
        let common = conditions.text().to_owned();
        let mut branch = |value: &String| {
            conditions.back_to(&common);
            ids.hold_with(column, value, &mut conditions);
            let held = conditions.text();
            format!(
                "select {columns} from payment where team_id = $1{held} order by {column}{down}, {by} limit {limit}"
            )
        };
        let sql = match values {
            [only] => branch(only),
            several => {
                let named = several.iter().zip(0..).map(|(value, n)| (branch(value), n));
                // Each of the branches names its team.
                let parts: Vec<String> = named
                    .map(|(branch, n)| format!("select {columns} from ({branch}) as branch_{n}"))
                    .collect();
                format!("{} order by {by} limit {limit}", parts.join(" union all "))
            }
        };
        (sql, conditions.into_params())
    }

    fn read(&self, row: &Row) -> Result<(Cursor, Payment), DbError> {
        let payment = crate::payment::read(row)?;
        // The keys follow `payment_id, body`.
        let keys = self.order.read_keys(row, 2)?;
        Ok((
            Cursor {
                keys,
                id: payment.id().uuid(),
            },
            payment,
        ))
    }
}
