//! Which part of a list is asked for.

use crate::cursor::{Cursor, CursorShape};
use crate::{Fault, Faults};

/// Size of a page when none is asked for.
const SIZE_DEFAULT: i32 = 20;
/// Largest page; more is cut to this.
const SIZE_MAX: i32 = 100;

/// In which direction a page is taken from its cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// What follows the cursor, or the beginning (`first`, `after`).
    Forward,
    /// What precedes the cursor, or the end (`last`, `before`).
    Backward,
}

/// A part of a list: at most `size` rows on one side of a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    size: u16,
    direction: Direction,
    cursor: Option<String>,
}

impl Page {
    /// Reads the four arguments of a list. Without any: the first 20.
    ///
    /// Errors: `error.validation` for the argument that is zero or negative, or that belongs to the other direction.
    pub fn parse(
        first: Option<i32>,
        after: Option<String>,
        last: Option<i32>,
        before: Option<String>,
    ) -> Result<Self, Fault> {
        let mut faults = Faults::default();
        let backward = last.is_some() || before.is_some();
        for (field, given) in [("first", first.is_some()), ("after", after.is_some())] {
            if backward && given {
                faults.add(Fault::invalid(
                    field,
                    "must not be mixed with last or before",
                ));
            }
        }
        let (asked, field, direction, cursor) = if backward {
            (last, "last", Direction::Backward, before)
        } else {
            (first, "first", Direction::Forward, after)
        };
        let size = faults.good(size(asked, field));
        faults.end(size.map(|size| Self {
            size,
            direction,
            cursor,
        }))
    }

    /// What the page follows, as sent: where one who has seen all goes on from a page without rows.
    pub fn after(&self) -> Option<&str> {
        self.cursor
            .as_deref()
            .filter(|_| self.direction == Direction::Forward)
    }

    /// How many rows, 1 to 100.
    pub const fn size(&self) -> u16 {
        self.size
    }

    /// Which side of the cursor.
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// The cursor, when one was given. Errors: `error.validation` when it is none of this list in this order.
    pub fn cursor(&self, shape: &CursorShape) -> Result<Option<Cursor>, Fault> {
        let field = match self.direction {
            Direction::Forward => "after",
            Direction::Backward => "before",
        };
        self.cursor
            .as_deref()
            .map(|text| Cursor::decode(text, shape, field))
            .transpose()
    }
}

fn size(asked: Option<i32>, field: &str) -> Result<u16, Fault> {
    let size = asked.unwrap_or(SIZE_DEFAULT).min(SIZE_MAX);
    let positive = u16::try_from(size).ok().filter(|size| *size > 0);
    positive.ok_or_else(|| Fault::invalid(field, "must be at least 1"))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::cursor::{KeyKind, KeyValue};

    fn text(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    #[test]
    fn sizes_have_a_default_and_a_maximum() {
        for (first, size) in [
            (None, 20),
            (Some(1), 1),
            (Some(100), 100),
            (Some(101), 100),
            (Some(i32::MAX), 100),
        ] {
            let page = Page::parse(first, None, None, None).unwrap();
            assert_eq!((page.size(), page.direction()), (size, Direction::Forward));
        }
        for (last, size) in [(Some(1), 1), (Some(500), 100)] {
            let page = Page::parse(None, None, last, None).unwrap();
            assert_eq!((page.size(), page.direction()), (size, Direction::Backward));
        }
    }

    #[test]
    fn a_cursor_alone_says_the_direction() {
        let page = Page::parse(None, None, None, text("x")).unwrap();
        assert_eq!((page.size(), page.direction()), (20, Direction::Backward));
        let page = Page::parse(None, text("x"), None, None).unwrap();
        assert_eq!((page.size(), page.direction()), (20, Direction::Forward));
    }

    #[test]
    fn zero_negatives_and_mixtures_are_refused_by_name() {
        for (first, after, last, before, field) in [
            (Some(0), "", None, "", "first"),
            (Some(-1), "", None, "", "first"),
            (Some(i32::MIN), "a", None, "", "first"),
            (None, "", Some(0), "", "last"),
            (None, "", Some(-5), "b", "last"),
            (Some(1), "", Some(1), "", "first"),
            (Some(1), "", None, "b", "first"),
            (None, "a", Some(1), "", "after"),
            (None, "a", None, "b", "after"),
            (Some(1), "a", Some(1), "b", "first"),
        ] {
            let fault = Page::parse(first, text(after), last, text(before)).unwrap_err();
            assert_eq!(
                fault.field.as_deref(),
                Some(field),
                "{first:?} {after} {last:?} {before}"
            );
        }
    }

    #[test]
    fn the_cursor_is_read_for_its_list_alone() {
        let shape = CursorShape::new("customers", "newest", vec![KeyKind::Int]);
        let cursor = Cursor {
            keys: vec![KeyValue::Int(5)],
            id: Uuid::from_u128(9),
        };
        let page = Page::parse(None, Some(cursor.encode(&shape)), None, None).unwrap();
        assert_eq!(page.cursor(&shape).unwrap(), Some(cursor.clone()));
        let other = CursorShape::new("payments", "newest", vec![KeyKind::Int]);
        assert_eq!(
            page.cursor(&other).unwrap_err().field.as_deref(),
            Some("after")
        );
        let page = Page::parse(None, None, Some(3), Some(cursor.encode(&other))).unwrap();
        assert_eq!(
            page.cursor(&shape).unwrap_err().field.as_deref(),
            Some("before")
        );
        assert_eq!(
            Page::parse(None, None, None, None)
                .unwrap()
                .cursor(&shape)
                .unwrap(),
            None
        );
        // An empty text is no cursor; leaving it out or null is how to begin.
        let empty = Page::parse(None, Some(String::new()), None, None).unwrap();
        assert!(empty.cursor(&shape).is_err());
    }
}
