//! Pages of payments, with the filter that made them.

use domain::{
    Fault,
    filter::{Condition, FieldName, Sort, SortKey},
};
use serde_json::{Map, Value, json};

use super::payment::PaymentObject;
use crate::{
    executor::{Object, Out, object, unknown_field},
    shared::{Connection, Node},
};

impl Node for PaymentObject {
    const PAGE: &'static str = "PaymentsWithFilter";
    const EDGE: &'static str = "PaymentEdge";
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
    pub(crate) filter: FilterFacts,
    pub(crate) page: Connection<PaymentObject>,
}

impl Object for PaymentsPageObject {
    fn type_name(&self) -> &'static str {
        self.page.type_name()
    }

    fn field<'s>(&'s self, name: &str, arguments: &Map<String, Value>) -> Result<Out<'s>, Fault> {
        match name {
            "data" => Ok(object(Filter(&self.filter))),
            _ => self.page.field(name, arguments),
        }
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
