//! Values and verbs that do not fit their field.

use serde_json::{Value, json};

use super::{FieldName, refused};

/// A condition that does not fit.
struct Wrong {
    field: FieldName,
    value: Value,
    verb: Option<&'static str>,
}

/// It is refused at this place, and its value is not repeated.
#[track_caller]
fn assert_refused_there(wrong: Wrong, path: &str) {
    let Wrong { field, value, verb } = wrong;
    let fault = refused(field, &value, verb);
    assert_eq!(fault.field.as_deref(), Some(path), "{value} {verb:?}");
    assert!(
        fault
            .reason
            .is_some_and(|reason| !reason.contains("NEAR") && !reason.contains("Ireland"))
    );
}

#[test]
fn a_single_amount_that_does_not_fit_is_refused_there() {
    for (field, value, verb, path) in [
        (
            FieldName::Amount,
            json!("ten"),
            None,
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(1.5),
            Some("EQUALS"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!([1, "x"]),
            None,
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("CONTAINS"),
            "data.filter.amount.selectedVerb",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("equals"),
            "data.filter.amount.selectedVerb",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("NEAR"),
            "data.filter.amount.selectedVerb",
        ),
        (
            FieldName::Amount,
            json!([1, 2]),
            Some("EQUALS"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("IN_LIST"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!([]),
            Some("IN_LIST"),
            "data.filter.amount.value",
        ),
    ] {
        assert_refused_there(Wrong { field, value, verb }, path);
    }
}

#[test]
fn amounts_that_do_not_fit_their_verb_are_refused_there() {
    let too_many: Vec<i64> = (0..101).collect();
    for (field, value, verb, path) in [
        (
            FieldName::Amount,
            json!(too_many),
            Some("IN_LIST"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("BETWEEN_INCLUSIVE"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!([1]),
            Some("BETWEEN_INCLUSIVE"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!([1, 2, 3]),
            Some("BETWEEN_EXCLUSIVE"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!([2, 1]),
            Some("BETWEEN_INCLUSIVE"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!({}),
            None,
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(1),
            Some("IS_EMPTY"),
            "data.filter.amount.value",
        ),
        (
            FieldName::Amount,
            json!(null),
            Some("EQUALS"),
            "data.filter.amount.value",
        ),
    ] {
        assert_refused_there(Wrong { field, value, verb }, path);
    }
}

#[test]
fn dates_and_statuses_that_do_not_fit_are_refused_there() {
    for (field, value, verb, path) in [
        (
            FieldName::Date,
            json!("yesterday"),
            None,
            "data.filter.date.value",
        ),
        (
            FieldName::Date,
            json!("2026-02-30"),
            None,
            "data.filter.date.value",
        ),
        (FieldName::Date, json!(1), None, "data.filter.date.value"),
        (
            FieldName::DateRange,
            json!(["2026-02-01", "2026-01-01"]),
            Some("BETWEEN_INCLUSIVE"),
            "data.filter.dateRange.value",
        ),
        (
            FieldName::Status,
            json!("PAID"),
            None,
            "data.filter.status.value",
        ),
        (
            FieldName::Status,
            json!("SUCCEEDED"),
            Some("LESS_THAN"),
            "data.filter.status.selectedVerb",
        ),
        (
            FieldName::Status,
            json!(true),
            None,
            "data.filter.status.value",
        ),
        (
            FieldName::Currency,
            json!("eur"),
            None,
            "data.filter.currency.value",
        ),
    ] {
        assert_refused_there(Wrong { field, value, verb }, path);
    }
}

#[test]
fn other_values_that_do_not_fit_are_refused_there() {
    for (field, value, verb, path) in [
        (
            FieldName::Country,
            json!("Ireland"),
            None,
            "data.filter.country.value",
        ),
        (
            FieldName::Method,
            json!("CHEQUE"),
            None,
            "data.filter.method.value",
        ),
        (
            FieldName::Type,
            json!("REFUND"),
            None,
            "data.filter.type.value",
        ),
        (
            FieldName::IntentStatus,
            json!("DONE"),
            None,
            "data.filter.intentStatus.value",
        ),
        (
            FieldName::Gateway,
            json!(""),
            None,
            "data.filter.gateway.value",
        ),
        (
            FieldName::Gateway,
            json!("a\0"),
            Some("CONTAINS"),
            "data.filter.gateway.value",
        ),
        (
            FieldName::FlowId,
            json!("x".repeat(256)),
            None,
            "data.filter.flowId.value",
        ),
        (FieldName::CustomerId, json!("1"), None, "data.customerId"),
    ] {
        assert_refused_there(Wrong { field, value, verb }, path);
    }
}
