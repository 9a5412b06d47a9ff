//! `listPayments`.

use domain::{
    Fault, Faults, Timestamp,
    filter::{self, Condition, FieldName, Sort},
    id::CustomerId,
    page::Page,
};
use serde_json::{Map, Value};

use crate::shared::{Blank, Reader, page, sort};

/// Fields that a filter can name.
const FIELDS: [FieldName; 14] = [
    FieldName::Date,
    FieldName::DateRange,
    FieldName::Currency,
    FieldName::Amount,
    FieldName::Type,
    FieldName::Method,
    FieldName::Status,
    FieldName::IntentStatus,
    FieldName::OrderId,
    FieldName::Gateway,
    FieldName::ConnectionId,
    FieldName::Country,
    FieldName::FlowId,
    FieldName::Category,
];

/// A list of payments that is wanted.
pub(crate) struct Wanted {
    pub(crate) page: Page,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) sort: Sort,
    /// Nothing can match: the customer's id can't be one.
    pub(crate) nothing: bool,
    pub(crate) echo: Echo,
}

/// What is echoed as it was given; the engine reads `id` (a payment's) and `team`.
#[derive(Default)]
pub(crate) struct Echo {
    pub(crate) id: Option<String>,
    pub(crate) team: Option<String>,
    pub(crate) customer: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) name: Option<String>,
}

/// Errors: `error.validation`.
pub(crate) fn parse(arguments: Map<String, Value>) -> Result<Wanted, Fault> {
    let mut reader = Reader::new(arguments, Blank::Absent);
    let mut faults = Faults::default();
    let page = faults.good(page(&mut reader));
    let data = reader.object("data").map(data).transpose();
    let mut data = faults.or_default(data).unwrap_or_default();
    let conditions = [
        time(&mut reader, "startDate").map(|from| from.map(Condition::since)),
        time(&mut reader, "endDate").map(|to| to.map(Condition::until)),
        statuses(&mut reader),
        reader
            .long("minAmount")
            .map(|from| from.map(Condition::amount_from)),
        reader
            .long("maxAmount")
            .map(|to| to.map(Condition::amount_to)),
    ];
    for condition in conditions {
        data.conditions.extend(faults.or_default(condition));
    }
    faults.end(page.map(|page| Wanted {
        page,
        conditions: data.conditions,
        sort: data.sort,
        nothing: data.nothing,
        echo: data.echo,
    }))
}

/// What the argument `data` asks for.
#[derive(Default)]
struct Data {
    conditions: Vec<Condition>,
    sort: Sort,
    nothing: bool,
    echo: Echo,
}

fn data(mut data: Reader) -> Result<Data, Fault> {
    let mut faults = Faults::default();
    let mut text = |name| faults.or_default(data.text(name));
    let mut wanted = Data {
        echo: Echo {
            id: text("id"),
            team: text("teamId"),
            customer: text("customerId"),
            user: text("userId"),
            name: text("name"),
        },
        ..Data::default()
    };
    if let Some(given) = wanted.echo.customer.as_deref() {
        match CustomerId::parse(given) {
            Some(id) => wanted.conditions.push(Condition::customer(id)),
            None => wanted.nothing = true,
        }
    }
    if let Some(mut fields) = data.object("filter") {
        for field in FIELDS {
            let Some(mut given) = fields.object(field.code()) else {
                continue;
            };
            let (value, verb) = (given.any("value"), given.raw("selectedVerb"));
            let condition = filter::parse(field, value.as_ref(), verb.as_deref());
            wanted.conditions.extend(faults.or_default(condition));
        }
    }
    wanted.sort = faults.or_default(sort(&mut data));
    faults.end(wanted)
}

fn time(reader: &mut Reader, name: &str) -> Result<Option<Timestamp>, Fault> {
    let Some(text) = reader.raw(name) else {
        return Ok(None);
    };
    let time = Timestamp::parse(&text).or_else(|| Timestamp::day_start(&text));
    time.map(Some).ok_or_else(|| {
        reader.invalid(
            name,
            "must be a time such as 2026-01-31T09:30:00Z, or a day",
        )
    })
}

/// The statuses that any may have; none means that all may.
fn statuses(reader: &mut Reader) -> Result<Option<Condition>, Fault> {
    let mut statuses = reader.list("status");
    statuses.retain(|status| status.as_str() != Some(""));
    let mut distinct: Vec<Value> = Vec::new();
    for status in statuses {
        if !distinct.contains(&status) {
            distinct.push(status);
        }
    }
    if distinct.is_empty() {
        return Ok(None);
    }
    filter::parse(FieldName::Status, Some(&Value::Array(distinct)), None)
}

#[cfg(test)]
mod tests {
    use domain::filter::{SortField, SortOrder, Verb};
    use serde_json::json;

    use super::*;
    use crate::shared::sample::{arguments, refusal};

    const CUSTOMER: &str = "01929f6e-0000-7000-8000-000000000001";

    fn list(given: Value) -> Result<Wanted, Fault> {
        parse(arguments(given))
    }

    fn conditions(given: Value) -> Vec<(FieldName, Verb)> {
        list(given)
            .unwrap()
            .conditions
            .iter()
            .map(|condition| (condition.field(), condition.verb()))
            .collect()
    }

    fn refused(given: Value) -> String {
        refusal(list(given).map(|_| ()).unwrap_err()).0
    }

    #[test]
    fn without_arguments_the_newest_twenty_of_all() {
        let wanted = list(json!({})).unwrap();
        assert_eq!(
            (wanted.page.size(), wanted.conditions.len(), wanted.nothing),
            (20, 0, false)
        );
        assert!(wanted.sort.is_by_date());
    }

    #[test]
    fn every_argument_becomes_a_condition() {
        let given = json!({
            "startDate": "2026-01-01", "endDate": "2026-02-01T00:00:00Z", "status": ["SUCCEEDED", null, "SUCCEEDED"],
            "minAmount": 1, "maxAmount": 9, "data": {"customerId": CUSTOMER, "filter": {
                "currency": {"value": "EUR"}, "date": {"selectedVerb": "ALL", "value": ""},
                "amount": {"value": [1, 2], "selectedVerb": "BETWEEN_INCLUSIVE"}, "country": {"selectedVerb": "IS_EMPTY"},
            }},
        });
        assert_eq!(
            conditions(given),
            [
                (FieldName::CustomerId, Verb::Equals),
                (FieldName::Currency, Verb::Equals),
                (FieldName::Amount, Verb::BetweenInclusive),
                (FieldName::Country, Verb::IsEmpty),
                (FieldName::Date, Verb::GreaterThanEquals),
                (FieldName::Date, Verb::LessThan),
                (FieldName::Status, Verb::InList),
                (FieldName::Amount, Verb::GreaterThanEquals),
                (FieldName::Amount, Verb::LessThanEquals),
            ]
        );
        assert!(conditions(json!({"status": []})).is_empty());
    }

    #[test]
    fn what_can_be_no_customers_id_matches_nothing() {
        let nothing = |customer: &str| {
            list(json!({"data": {"customerId": customer}}))
                .unwrap()
                .nothing
        };
        assert!(nothing("7"));
        assert!(!nothing(CUSTOMER) && !nothing(""));
    }

    #[test]
    fn ids_are_handed_on_as_they_were_sent_and_empty_ones_are_absent() {
        let echo = list(json!({"data": {"id": "payments:7", "teamId": "", "name": "mine"}}))
            .unwrap()
            .echo;
        assert_eq!(
            (echo.id.as_deref(), echo.team, echo.name.as_deref()),
            (Some("payments:7"), None, Some("mine"))
        );
    }

    #[test]
    fn every_filter_of_the_schema_is_read() {
        let schema = crate::schema().schema;
        let names: Vec<_> = schema
            .get_input_object("PaymentFilterDataInput")
            .unwrap()
            .fields
            .keys()
            .cloned()
            .collect();
        assert_eq!(names, FIELDS.map(FieldName::code));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_path() {
        let filter =
            |field: &str, filter: Value| refused(json!({"data": {"filter": {(field): filter}}}));
        assert_eq!(
            filter("amount", json!({"value": "x"})),
            "data.filter.amount.value"
        );
        assert_eq!(
            filter(
                "currency",
                json!({"value": "EUR", "selectedVerb": "LESS_THAN"})
            ),
            "data.filter.currency.selectedVerb"
        );
        assert_eq!(
            filter(
                "date",
                json!({"value": ["2026-01-01"], "selectedVerb": "BETWEEN_INCLUSIVE"})
            ),
            "data.filter.date.value"
        );
        assert_eq!(
            refused(json!({"data": {"sort": [{"fieldName": "name"}]}})),
            "data.sort.0.fieldName"
        );
        assert_eq!(
            refused(json!({"data": {"name": "x".repeat(501)}})),
            "data.name"
        );
        assert_eq!(refused(json!({"first": 0})), "first");
        assert_eq!(refused(json!({"first": 1, "last": 1})), "first");
        assert_eq!(refused(json!({"last": -1})), "last");
    }

    #[test]
    fn sorts_are_read_in_order() {
        let data = json!({"data": {"sort": [{"fieldName": "amount", "order": "DESC"}, {"fieldName": "date"}]}});
        let keys: Vec<_> = list(data)
            .unwrap()
            .sort
            .keys()
            .iter()
            .map(|key| (key.field, key.order))
            .collect();
        assert_eq!(
            keys,
            [
                (SortField::Amount, SortOrder::Descending),
                (SortField::Date, SortOrder::Ascending)
            ]
        );
    }
}
