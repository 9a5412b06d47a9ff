//! Which part of a list is read, and what comes back.

use db::Value;
use domain::{
    Fault, Timestamp,
    cursor::{Cursor, CursorShape, KeyValue},
    filter::SortOrder,
    page::{Direction, Page},
};

/// A part of a list: so many rows on one side of a place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// How many rows at most.
    pub size: u16,
    /// Which side of the cursor; without one, from which end.
    pub direction: Direction,
    /// The place.
    pub cursor: Option<Cursor>,
    /// Only rows that are dated before this.
    pub until: Option<Timestamp>,
}

/// A cursor's value as a parameter.
pub(crate) fn bound(value: &KeyValue) -> Value {
    match value {
        KeyValue::Int(number) => Value::Int(*number),
        KeyValue::Text(text) => Value::Text(text.clone()),
    }
}

impl Part {
    /// The part that a page asks for.
    ///
    /// # Errors
    /// `error.validation` when its cursor is none of this list in this order.
    pub fn of(page: &Page, shape: &CursorShape) -> Result<Self, Fault> {
        Ok(Self {
            size: page.size(),
            direction: page.direction(),
            cursor: page.cursor(shape)?,
            until: None,
        })
    }

    /// The same part of a list that ends before this date.
    #[must_use]
    pub fn until(mut self, until: Timestamp) -> Self {
        self.until = Some(until);
        self
    }
}

/// The rows of a part, in the order of the list whatever the direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// Each row with its place.
    pub rows: Vec<(Cursor, T)>,
    /// Whether rows follow the last one (or the cursor, when there are none).
    pub has_next: bool,
    /// Whether rows precede the first one (or the cursor, when there are none).
    pub has_previous: bool,
}

impl<T> Listed<T> {
    /// A list without rows.
    pub const fn empty() -> Self {
        Self {
            rows: Vec::new(),
            has_next: false,
            has_previous: false,
        }
    }

    /// Makes a part of rows as they were read: in the direction of reading, one more than asked for when there is one.
    /// `behind` says whether there are rows on the cursor's other side, itself included.
    pub(crate) fn of_read(mut rows: Vec<(Cursor, T)>, part: &Part, behind: bool) -> Self {
        let size = usize::from(part.size);
        let more = rows.len() > size;
        rows.truncate(size);
        match part.direction {
            Direction::Forward => Self {
                rows,
                has_next: more,
                has_previous: behind,
            },
            Direction::Backward => {
                rows.reverse();
                Self {
                    rows,
                    has_next: behind,
                    has_previous: more,
                }
            }
        }
    }
}

/// For a list by ids: what compares an id with a cursor's on the side that is read and on the other one, and the order of reading.
pub(crate) const fn comparisons(
    order: SortOrder,
    direction: Direction,
) -> (&'static str, &'static str, &'static str) {
    match (order, direction) {
        (SortOrder::Descending, Direction::Forward)
        | (SortOrder::Ascending, Direction::Backward) => ("<", ">=", " desc"),
        (SortOrder::Descending, Direction::Backward)
        | (SortOrder::Ascending, Direction::Forward) => (">", "<=", ""),
    }
}

/// The name of an order of a list by ids, which tells its cursors from those of the other one.
pub(crate) const fn name_of(order: SortOrder) -> &'static str {
    match order {
        SortOrder::Ascending => "oldest",
        SortOrder::Descending => "newest",
    }
}
