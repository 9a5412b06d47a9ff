//! What is asked for.

use serde_json::{Map, Value, json};

use crate::fill::{Filled, LARGE_ORDER};

/// How much the service may look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// An index holds the page: it takes as long whatever the number of payments.
    Indexed,
    /// The payments of a window of dates.
    Window,
}

/// A list.
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) bound: Bound,
    /// The arguments of `listPayments` but for the page's.
    pub(crate) arguments: Map<String, Value>,
    /// What else must hold for a payment in the midst of it.
    pub(crate) midst: Map<String, Value>,
}

pub(crate) const LIST: &str = "query ($first: Int, $after: String, $last: Int, $before: String, $data: PaymentFilterInput, \
     $startDate: DateTime, $endDate: DateTime, $status: [PaymentStatus], $minAmount: Int, $maxAmount: Int) { \
     listPayments(first: $first, after: $after, last: $last, before: $before, data: $data, startDate: $startDate, \
     endDate: $endDate, status: $status, minAmount: $minAmount, maxAmount: $maxAmount) { \
     pageInfo { hasNextPage hasPreviousPage } edges { cursor node { id status } } } }";

/// `listPayments` that counts.
pub(crate) const COUNT: &str = "query ($data: PaymentFilterInput) { listPayments(first: 20, data: $data) { pageInfo { totalSize } } }";

const DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// Everything that is asked for of an installation.
pub(crate) fn all(filled: &Filled, now: i64) -> Vec<Question> {
    let mut all = indexed(filled);
    all.extend(within_a_window(filled, now));
    all
}

/// The value of a field.
fn is(field: &str, value: &str) -> Value {
    json!({ "data": { "filter": { field: { "value": value } } } })
}

fn verb(field: &str, verb: &str, value: &Value) -> Value {
    json!({ "data": { "filter": { field: { "value": value, "selectedVerb": verb } } } })
}

fn by(keys: &[(&str, &str)]) -> Value {
    let keys: Vec<Value> = keys
        .iter()
        .map(|(name, order)| json!({ "fieldName": name, "order": order }))
        .collect();
    json!({ "data": { "sort": keys } })
}

/// Lists that an index holds.
fn indexed(filled: &Filled) -> Vec<Question> {
    let indexed = |name: &str, arguments: Value| Question {
        name: name.to_owned(),
        bound: Bound::Indexed,
        arguments: object(arguments),
        midst: object(json!({ "endDate": date(filled.middle) })),
    };
    let customer = |id: &str| json!({ "data": { "customerId": id } });
    let around = json!([
        date(filled.middle - 15 * DAY),
        date(filled.middle + 15 * DAY)
    ]);
    let month = json!({ "value": around, "selectedVerb": "BETWEEN_INCLUSIVE" });
    vec![
        indexed("nothing", json!({})),
        indexed("nothing, oldest first", by(&[("date", "ASC")])),
        indexed(
            "date in a month",
            json!({ "data": { "filter": { "date": month } } }),
        ),
        indexed(
            "startDate",
            json!({ "startDate": date(filled.middle - 15 * DAY) }),
        ),
        indexed("status SUCCEEDED", is("status", "SUCCEEDED")),
        indexed("status DECLINED", is("status", "DECLINED")),
        indexed("status CANCELLED", is("status", "CANCELLED")),
        indexed(
            "status in FAILED, DECLINED",
            json!({ "status": ["FAILED", "DECLINED"] }),
        ),
        indexed(
            "status not SUCCEEDED",
            verb("status", "NOT_EQUALS", &json!("SUCCEEDED")),
        ),
        indexed(
            "status DECLINED, date in a month",
            json!({ "data": { "filter": { "date": month, "status": { "value": "DECLINED" } } } }),
        ),
        indexed("customer with 1 % of all", customer(&filled.large_customer)),
        indexed("customer with 24", customer(&filled.customer)),
        indexed(
            "customer with 1 %, status SUCCEEDED",
            json!({ "status": ["SUCCEEDED"], "data": { "customerId": filled.large_customer } }),
        ),
        indexed(
            "customer with 1 %, status DECLINED",
            json!({ "status": ["DECLINED"], "data": { "customerId": filled.large_customer } }),
        ),
        indexed(
            "customer with 1 %, date in a month",
            json!({ "data": { "customerId": filled.large_customer, "filter": { "date": month } } }),
        ),
        indexed("order with 0.5 % of all", is("orderId", LARGE_ORDER)),
        indexed("order of one or two", is("orderId", &filled.order)),
        indexed(
            "order of three",
            verb(
                "orderId",
                "IN_LIST",
                &json!([filled.order, "order-0000003", "order-0000009"]),
            ),
        ),
        indexed("id", json!({ "data": { "id": filled.payment } })),
    ]
}

/// Lists that are looked for in a window of dates.
fn within_a_window(filled: &Filled, now: i64) -> Vec<Question> {
    // In the midst of the last ninety days.
    let recent = json!({ "endDate": date(now - 45 * DAY), "minAmount": 1_400_000 });
    let mut lists = filtered();
    lists.extend(filtered_twice(&filled.large_customer));
    lists.extend(sorted(&filled.large_customer));
    lists
        .into_iter()
        .map(|(name, arguments)| Question {
            name: name.to_owned(),
            bound: Bound::Window,
            arguments: object(arguments),
            midst: object(recent.clone()),
        })
        .collect()
}

/// Lists with a filter that no index serves.
fn filtered() -> Vec<(&'static str, Value)> {
    vec![
        ("currency EUR", is("currency", "EUR")),
        ("currency JPY", is("currency", "JPY")),
        ("currency ISK: none", is("currency", "ISK")),
        (
            "amount 1,000,099 or a few more",
            verb(
                "amount",
                "BETWEEN_INCLUSIVE",
                &json!([1_000_099, 1_000_199]),
            ),
        ),
        ("amount: none", verb("amount", "EQUALS", &json!(77))),
        (
            "minAmount, maxAmount",
            json!({ "minAmount": 9_900_000, "maxAmount": 9_999_999 }),
        ),
        ("method AMEX", is("method", "AMEX")),
        ("gateway: none", is("gateway", "nobody")),
        ("country empty", verb("country", "IS_EMPTY", &Value::Null)),
        ("country: none", is("country", "FR")),
        ("flowId fallback", is("flowId", "fallback")),
        (
            "orderId contains",
            verb("orderId", "CONTAINS", &json!("no such order")),
        ),
        ("orderId empty", verb("orderId", "IS_EMPTY", &Value::Null)),
        ("intentStatus COMPLETE", is("intentStatus", "COMPLETE")),
        ("intentStatus ACTIVE: none", is("intentStatus", "ACTIVE")),
    ]
}

/// Lists with two filters of which an index serves one.
fn filtered_twice(customer: &str) -> Vec<(&'static str, Value)> {
    vec![
        (
            "status SUCCEEDED, amount: none",
            json!({ "data": { "filter": {
            "status": { "value": "SUCCEEDED" }, "amount": { "value": 77 } } } }),
        ),
        (
            "status CANCELLED, currency USD: none",
            json!({ "data": { "filter": {
            "status": { "value": "CANCELLED" }, "currency": { "value": "USD" } } } }),
        ),
        (
            "customer with 1 %, amount: none",
            json!({ "data": { "customerId": customer, "filter": {
            "amount": { "value": 77 } } } }),
        ),
    ]
}

/// Lists in an order that no index has.
fn sorted(customer: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("sorted by amount", by(&[("amount", "ASC")])),
        (
            "sorted by amount, greatest first",
            by(&[("amount", "DESC")]),
        ),
        ("sorted by status", by(&[("status", "ASC")])),
        (
            "sorted by currency, amount",
            by(&[("currency", "DESC"), ("amount", "ASC")]),
        ),
        ("sorted by country", by(&[("country", "ASC")])),
        (
            "sorted by gateway, date",
            by(&[("gateway", "ASC"), ("date", "ASC")]),
        ),
        ("sorted by method", by(&[("method", "DESC")])),
        (
            "status SUCCEEDED, sorted by amount",
            json!({ "status": ["SUCCEEDED"], "data": {
            "sort": [{ "fieldName": "amount", "order": "DESC" }] } }),
        ),
        (
            "customer with 1 %, sorted by amount",
            json!({ "data": { "customerId": customer,
            "sort": [{ "fieldName": "amount", "order": "DESC" }] } }),
        ),
    ]
}

/// Lists whose rows are counted.
pub(crate) fn counted() -> Vec<(&'static str, Value)> {
    vec![
        ("nothing", json!({})),
        ("status SUCCEEDED", is("status", "SUCCEEDED")),
        ("currency EUR", is("currency", "EUR")),
    ]
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A time of an installation, in microseconds, as RFC 3339 in UTC.
fn date(micros: i64) -> String {
    let seconds = micros.div_euclid(1_000_000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to a date of the civil calendar, with years that begin in March. Source: H. Hinnant, "chrono-compatible low-level date
    // algorithms".
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest % 3600 / 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_dates() {
        assert_eq!(date(1_767_225_600_000_000), "2026-01-01T00:00:00Z");
        assert_eq!(date(1_709_211_599_999_999), "2024-02-29T12:59:59Z");
    }
}
