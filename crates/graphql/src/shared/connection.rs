//! Lists in pages: one kind of connection for nodes of every type.

use domain::{Fault, Timestamp};
use serde_json::{Map, Value};

use crate::executor::{FieldOf, LookAhead, Object, Out, object, unknown_field};

/// How many rows match in all. Counting them is a query of its own.
const TOTAL: FieldOf = FieldOf::new("PageInfo", "totalSize");

/// Nothing dated before this is added any more. On a database server it is asked for by a query of its own.
const SETTLED: FieldOf = FieldOf::new("PageInfo", "settledUntil");

/// An object that stands in lists.
pub(crate) trait Node: Object {
    /// The type of a page of them.
    const PAGE: &'static str;
    /// The type of one of them with its cursor.
    const EDGE: &'static str;
}

/// Where a page lies.
pub(crate) struct PageFacts {
    pub(crate) has_next: bool,
    pub(crate) has_previous: bool,
    /// How many rows match in all; counted only when it was asked for.
    pub(crate) total: Option<i64>,
    /// Nothing dated before this is added any more.
    pub(crate) settled_until: Option<Timestamp>,
    /// What the page follows: where a page without rows ends.
    pub(crate) after: Option<String>,
}

/// What of a page's facts costs a read of its own, and is selected.
pub(crate) struct Wanted {
    /// Whether the rows are to be counted.
    pub(crate) total: bool,
    /// Whether the time up to which the list is settled is to be found.
    pub(crate) settled: bool,
}

impl Wanted {
    /// What is selected below a root field.
    pub(crate) fn of(look: LookAhead<'_>) -> Self {
        Self {
            total: look.selects(TOTAL),
            settled: look.selects(SETTLED),
        }
    }
}

/// A page of nodes, each with its cursor.
pub(crate) struct Connection<T> {
    pub(crate) facts: PageFacts,
    pub(crate) rows: Vec<(String, T)>,
}

impl<T: Node> Object for Connection<T> {
    fn type_name(&self) -> &'static str {
        T::PAGE
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(PageInfo {
                facts: &self.facts,
                start: self.rows.first().map(|(cursor, _)| cursor),
                end: self.rows.last().map(|(cursor, _)| cursor),
            }),
            "edges" => Out::List(
                self.rows
                    .iter()
                    .map(|(cursor, node)| object(Edge { cursor, node }))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// A node with its cursor.
struct Edge<'a, T> {
    cursor: &'a str,
    node: &'a T,
}

impl<T: Node> Object for Edge<'_, T> {
    fn type_name(&self) -> &'static str {
        T::EDGE
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "cursor" => self.cursor.into(),
            "node" => object(self.node),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PageInfo`.
struct PageInfo<'a> {
    facts: &'a PageFacts,
    start: Option<&'a String>,
    end: Option<&'a String>,
}

impl Object for PageInfo<'_> {
    fn type_name(&self) -> &'static str {
        "PageInfo"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "hasNextPage" => self.facts.has_next.into(),
            "hasPreviousPage" => self.facts.has_previous.into(),
            "startCursor" => self.start.into(),
            "endCursor" => self.end.or(self.facts.after.as_ref()).into(),
            "totalSize" => self.facts.total.into(),
            "settledUntil" => self
                .facts
                .settled_until
                .map(Timestamp::rfc3339_millis)
                .into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
