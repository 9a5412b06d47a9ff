//! `listDisputes`.

use domain::{
    Fault, Faults,
    dispute::{DisputeField, DisputeSort},
    filter::{self, Condition},
    page::Page,
};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, page, sort};

/// A list of disputes that is wanted.
pub(crate) struct Wanted {
    pub(crate) page: Page,
    pub(crate) conditions: Vec<Condition<DisputeField>>,
    pub(crate) sort: DisputeSort,
}

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Wanted, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let page = faults.good(page(&mut reader));
    let mut conditions = Vec::new();
    let mut sorted = DisputeSort::default();
    if let Some(mut data) = reader.object("data") {
        if let Some(mut fields) = data.object("filter") {
            for field in DisputeField::ALL.iter().copied() {
                let Some(mut given) = fields.object(field.code()) else {
                    continue;
                };
                let (value, verb) = (given.any("value"), given.raw("selectedVerb"));
                let condition = filter::parse(field, value.as_ref(), verb.as_deref());
                conditions.extend(faults.or_default(condition));
            }
        }
        sorted = faults.or_default(sort(&mut data));
    }
    faults.end(page.map(|page| Wanted {
        page,
        conditions,
        sort: sorted,
    }))
}

#[cfg(test)]
mod tests {
    use domain::dispute::DisputeSortField;
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    fn list(given: Value) -> Result<Wanted, Fault> {
        parse(arguments(given))
    }

    #[test]
    fn every_filter_of_the_schema_is_read() {
        let schema = crate::schema().schema;
        let names: Vec<_> = schema
            .get_input_object("DisputeFilterDataInput")
            .unwrap()
            .fields
            .keys()
            .cloned()
            .collect();
        let fields: Vec<_> = DisputeField::ALL.iter().map(|field| field.code()).collect();
        assert_eq!(names, fields);
    }

    #[test]
    fn filters_and_sorts_are_read_and_misfits_refused_by_path() {
        let wanted = list(json!({"data": {
            "filter": {"status": {"value": ["WON", "LOST"]}, "amount": {"value": 5, "selectedVerb": "LESS_THAN"}},
            "sort": [{"fieldName": "amount", "order": "DESC"}, {"fieldName": "date"}],
        }}))
        .unwrap();
        assert_eq!(wanted.conditions.len(), 2);
        assert_eq!(wanted.sort.keys()[0].field, DisputeSortField::Amount);
        for (data, path) in [
            (
                json!({"filter": {"status": {"value": "OPEN"}}}),
                "data.filter.status.value",
            ),
            (
                json!({"filter": {"reason": {"value": "x"}}}),
                "data.filter.reason.value",
            ),
            (
                json!({"filter": {"paymentId": {"value": "x"}}}),
                "data.filter.paymentId.value",
            ),
            (
                json!({"filter": {"disputeDate": {"value": "x"}}}),
                "data.filter.disputeDate.value",
            ),
            (
                json!({"filter": {"currency": {"value": "EUR", "selectedVerb": "LESS_THAN"}}}),
                "data.filter.currency.selectedVerb",
            ),
            (
                json!({"sort": [{"fieldName": "country"}]}),
                "data.sort.0.fieldName",
            ),
        ] {
            let refused = refusal(list(json!({ "data": data })).map(|_| ()).unwrap_err());
            assert_eq!(refused.0, path);
        }
        assert_eq!(
            refusal(list(json!({"first": 0})).map(|_| ()).unwrap_err()).0,
            "first"
        );
    }
}
