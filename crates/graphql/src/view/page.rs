//! Pages of payments and customers, with the filter that made them.

use domain::{
    Fault, Timestamp,
    customer::Customer,
    filter::{Condition, FieldName, Sort, SortKey},
};
use serde_json::{Map, Value, json};

use super::{customer::CustomerObject, payment::PaymentObject};
use crate::execute::{Object, Out, object, unknown_field};

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

/// The filter and sort of a list as they were understood.
pub(crate) struct FilterFacts {
    pub(crate) id: Option<String>,
    pub(crate) team: Option<String>,
    pub(crate) customer: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) sort: Sort,
}

/// `PaymentsWithFilter`.
pub(crate) struct PaymentsPageObject {
    pub(crate) facts: PageFacts,
    pub(crate) filter: FilterFacts,
    pub(crate) rows: Vec<(String, PaymentObject)>,
}

/// `CustomersPage`.
pub(crate) struct CustomersPageObject {
    pub(crate) facts: PageFacts,
    pub(crate) rows: Vec<(String, Customer)>,
}

impl Object for PaymentsPageObject {
    fn type_name(&self) -> &'static str {
        "PaymentsWithFilter"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "data" => object(Filter(&self.filter)),
            "pageInfo" => object(PageInfo::new(
                &self.facts,
                self.rows.iter().map(|(cursor, _)| cursor),
            )),
            "edges" => Out::List(
                self.rows
                    .iter()
                    .map(|(cursor, payment)| object(PaymentEdge { cursor, payment }))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentEdge`.
struct PaymentEdge<'a> {
    cursor: &'a str,
    payment: &'a PaymentObject,
}

impl Object for PaymentEdge<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "cursor" => self.cursor.into(),
            "node" => object(self.payment),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

impl Object for CustomersPageObject {
    fn type_name(&self) -> &'static str {
        "CustomersPage"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "pageInfo" => object(PageInfo::new(
                &self.facts,
                self.rows.iter().map(|(cursor, _)| cursor),
            )),
            "edges" => Out::List(
                self.rows
                    .iter()
                    .map(|(cursor, customer)| object(CustomerEdge { cursor, customer }))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `CustomerEdge`.
struct CustomerEdge<'a> {
    cursor: &'a str,
    customer: &'a Customer,
}

impl Object for CustomerEdge<'_> {
    fn type_name(&self) -> &'static str {
        "CustomerEdge"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "cursor" => self.cursor.into(),
            "node" => object(CustomerObject::customer(self.customer)),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PageInfo`.
pub(super) struct PageInfo<'a> {
    facts: &'a PageFacts,
    start: Option<&'a String>,
    end: Option<&'a String>,
}

impl<'a> PageInfo<'a> {
    pub(super) fn new(
        facts: &'a PageFacts,
        mut cursors: impl DoubleEndedIterator<Item = &'a String>,
    ) -> Self {
        let start = cursors.next();
        let end = cursors.next_back().or(start);
        Self { facts, start, end }
    }
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

/// `PaymentFilter`.
struct Filter<'a>(&'a FilterFacts);

impl Object for Filter<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentFilter"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "id" => self.0.id.as_ref().into(),
            "teamId" => self.0.team.as_ref().into(),
            "customerId" => self.0.customer.as_ref().into(),
            "userId" => self.0.user.as_ref().into(),
            "name" => self.0.name.as_ref().into(),
            "filter" => object(FilterFields(&self.0.conditions)),
            "sort" => Out::List(
                self.0
                    .sort
                    .keys()
                    .iter()
                    .map(|key| object(SortData(*key)))
                    .collect(),
            ),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentFilterData`.
struct FilterFields<'a>(&'a [Condition]);

impl Object for FilterFields<'_> {
    fn type_name(&self) -> &'static str {
        "PaymentFilterData"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        let Some(field) = FieldName::parse(name) else {
            return Err(unknown_field(self.type_name(), name));
        };
        let condition = self.0.iter().find(|condition| condition.field() == field);
        Ok(object(FieldFilter { field, condition }))
    }
}

/// `FilterData`.
struct FieldFilter<'a> {
    field: FieldName,
    condition: Option<&'a Condition>,
}

impl Object for FieldFilter<'_> {
    fn type_name(&self) -> &'static str {
        "FilterData"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "value" => self.condition.and_then(Condition::value).cloned().into(),
            // Nothing beyond the verbs can be configured.
            "config" => Out::Null,
            "verbs" => json!(
                self.field
                    .verbs()
                    .iter()
                    .map(|verb| verb.code())
                    .collect::<Vec<_>>()
            )
            .into(),
            "selectedVerb" => self
                .condition
                .map_or("ALL", |condition| condition.verb().code())
                .into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}

/// `PaymentSortData`.
struct SortData(SortKey);

impl Object for SortData {
    fn type_name(&self) -> &'static str {
        "PaymentSortData"
    }

    fn field<'s>(&'s self, name: &str, _: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        Ok(match name {
            "fieldName" => self.0.field.code().into(),
            "order" => self.0.order.code().into(),
            _ => return Err(unknown_field(self.type_name(), name)),
        })
    }
}
