//! The order of a list, and what lies on either side of a place in it.

use db::{DbError, Row};
use domain::{
    Timestamp,
    cursor::{Cursor, KeyValue},
    filter::{Sort, SortField, SortOrder},
    page::Direction,
};

use super::{ids::IdRange, selection::TYPE};
use crate::{part::bound, query::Conditions};

/// Which side of a cursor, seen in the direction of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// What is read: the cursor's own row is not.
    Beyond,
    /// What is not read: the cursor's own row, and those before it.
    Behind,
}

/// The direction of reading, and a side of the cursor as seen in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) direction: Direction,
    pub(super) side: Side,
}

/// The column of dates.
const CREATED: &str = "created_at";

/// Follows a column whose greatest value comes first.
pub(super) const DOWN: &str = " desc";

/// Where a sort key's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A column of numbers.
    Int(&'static str),
    /// A text, the empty one where it is absent.
    Text(&'static str),
    /// The same in every payment.
    Same(&'static str),
}

/// The order of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    keys: Vec<(Source, SortOrder)>,
    id: SortOrder,
    by_id: bool,
}

impl Order {
    pub(super) fn of(sort: &Sort) -> Self {
        let id = sort.id_order();
        let mut telling = sort
            .keys()
            .iter()
            .filter(|key| key.field != SortField::Type);
        // Ids alone make the order when nothing but the date counts, in the same direction.
        let by_id = match (telling.next(), telling.next()) {
            (None, _) => true,
            (Some(first), None) => first.field == SortField::Date && first.order == id,
            (Some(_), Some(_)) => false,
        };
        Self {
            keys: sort
                .keys()
                .iter()
                .map(|key| (source(key.field), key.order))
                .collect(),
            id,
            by_id,
        }
    }

    /// Whether it is the order of ids.
    pub(super) fn is_by_id(&self) -> bool {
        self.by_id
    }

    /// The keys as columns that follow others: each begins with `, `.
    pub(super) fn keys_text(&self) -> String {
        let columns = self.keys.iter().filter_map(|(source, _)| source.column());
        columns.fold(String::new(), |text, column| text + ", " + column)
    }

    /// What follows `order by`.
    pub(super) fn by_text(&self, heading: Heading) -> String {
        let keys = self.counting().map(|(column, order)| (column, *order));
        let each: Vec<String> = keys
            .chain([("payment_id", self.id)])
            .map(|(column, order)| match ahead(order, heading) {
                SortOrder::Ascending => column.to_owned(),
                SortOrder::Descending => format!("{column}{DOWN}"),
            })
            .collect();
        each.join(", ")
    }

    /// The ids on the side of the cursor; all of them when ids alone don't make the order.
    pub(super) fn place(&self, cursor: &Cursor, heading: Heading) -> IdRange {
        if !self.by_id {
            return IdRange::ALL;
        }
        let id = cursor.id.hyphenated().to_string();
        let itself = heading.side == Side::Behind;
        match ahead(self.id, heading) {
            SortOrder::Ascending => IdRange::above(&id, itself),
            SortOrder::Descending => IdRange::below(&id, itself),
        }
    }

    /// Adds the condition that a row is on the side of the cursor, unless [`Order::place`] says it all.
    pub(super) fn restrict(&self, conditions: &mut Conditions, cursor: &Cursor, heading: Heading) {
        if self.by_id {
            return;
        }
        let comparison = |order| match ahead(order, heading) {
            SortOrder::Ascending => ">",
            SortOrder::Descending => "<",
        };
        let id = conditions.bind(cursor.id.hyphenated().to_string());
        let or_itself = if heading.side == Side::Behind {
            "="
        } else {
            ""
        };
        let last = format!("payment_id {}{or_itself} {id}", comparison(self.id));
        let keys: Vec<_> = self.keys.iter().zip(&cursor.keys).collect();
        let text = keys
            .into_iter()
            .rev()
            .fold(last, |rest, ((source, order), value)| {
                let Some(column) = source.column() else {
                    return rest;
                };
                let value = conditions.bind(bound(value));
                let sign = comparison(*order);
                // Not `column = value and …` together with `column > value`: an index can be searched by one comparison alone.
                format!("{column} {sign}= {value} and ({column} {sign} {value} or {rest})")
            });
        conditions.and(&text);
    }

    /// The keys of a row, whose columns begin at `first`.
    pub(super) fn read_keys(&self, row: &Row, first: usize) -> Result<Vec<KeyValue>, DbError> {
        let mut places = first..;
        let mut place = || places.next().unwrap_or_default();
        self.keys
            .iter()
            .map(|(source, _)| {
                Ok(match source {
                    Source::Int(_) => KeyValue::Int(row.int(place())?),
                    Source::Text(_) => KeyValue::Text(row.text(place())?.to_owned()),
                    Source::Same(text) => KeyValue::Text((*text).to_owned()),
                })
            })
            .collect()
    }

    /// Whether dates make the order, the oldest first.
    pub(super) fn is_by_date_ascending(&self) -> bool {
        let mut telling = self
            .keys
            .iter()
            .filter(|(source, _)| source.column().is_some());
        telling
            .next()
            .is_some_and(|first| *first == (Source::Int(CREATED), SortOrder::Ascending))
    }

    /// The ids of payments that a list in this order may show when all that is dated before `until` is settled: where something else
    /// decides within a millisecond, none of one that is not over.
    pub(super) fn until(&self, until: Timestamp) -> IdRange {
        let micros = until.micros();
        IdRange::before(if self.by_id {
            until
        } else {
            Timestamp::from_micros(micros.saturating_sub(micros.rem_euclid(1000)))
        })
    }

    /// The keys that decide something besides the id.
    fn counting(&self) -> impl Iterator<Item = (&'static str, &SortOrder)> {
        let keys = self.keys.iter().filter(|_| !self.by_id);
        keys.filter_map(|(source, order)| source.column().map(|column| (column, order)))
    }
}

impl Source {
    /// The column or expression; `None` when it is the same in every payment.
    const fn column(self) -> Option<&'static str> {
        match self {
            Self::Int(column) | Self::Text(column) => Some(column),
            Self::Same(_) => None,
        }
    }
}

const fn source(field: SortField) -> Source {
    match field {
        SortField::Date => Source::Int(CREATED),
        SortField::Amount => Source::Int("amount"),
        // Not the bare column: its index would be taken for the order, and is none of dates.
        SortField::Status => Source::Text("coalesce(status, '')"),
        SortField::Currency => Source::Text("currency"),
        SortField::Country => Source::Text("coalesce(country, '')"),
        SortField::Gateway => Source::Text("coalesce(gateway, '')"),
        SortField::Method => Source::Text("method"),
        SortField::Type => Source::Same(TYPE),
    }
}

/// In which order a key runs when the list is read in the direction, away from the cursor to the side.
const fn ahead(order: SortOrder, heading: Heading) -> SortOrder {
    let along = match (heading.direction, heading.side) {
        (Direction::Forward, Side::Beyond) | (Direction::Backward, Side::Behind) => true,
        (Direction::Backward, Side::Beyond) | (Direction::Forward, Side::Behind) => false,
    };
    match (order, along) {
        (SortOrder::Ascending, true) | (SortOrder::Descending, false) => SortOrder::Ascending,
        (SortOrder::Descending, true) | (SortOrder::Ascending, false) => SortOrder::Descending,
    }
}
