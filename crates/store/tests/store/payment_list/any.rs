//! Any filter and any order.

use crate::samples::{self, NEW_YEAR, at};
use domain::{
    filter::{Arity, Condition, FieldKind, FieldName, Sort, SortField, SortOrder, Verb, parse},
    id::{CustomerId, PaymentId},
};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use store::payment_list::Wanted;
use uuid::Uuid;

use super::{CUSTOMERS, TIMES};

/// A value that fits the field and the verb.
pub(super) fn operand(field: FieldName, verb: Verb) -> BoxedStrategy<Value> {
    let texts =
        |texts: &[&str]| select(texts.iter().map(|text| json!(text)).collect::<Vec<_>>()).boxed();
    if field.kind() == FieldKind::Text && verb == Verb::Contains {
        return texts(&[
            "a", "b", "A", "-", "ö", "%", "_", "S", "R", "E", "I", "ab", "zzz",
        ]);
    }
    match field {
        FieldName::Date | FieldName::DateRange => {
            let mut times = vec![
                json!("2026-01-01"),
                json!("2026-01-02"),
                json!("2025-12-31"),
                json!("2030-01-01"),
            ];
            times.extend(
                TIMES
                    .iter()
                    .map(|time| json!(at(NEW_YEAR + time).rfc3339())),
            );
            times.push(json!("2026-01-01T00:00:00.000500Z"));
            select(times).boxed()
        }
        FieldName::Amount => select(vec![
            json!(1),
            json!(2),
            json!(499),
            json!(500),
            json!(i64::MAX),
            json!(i64::MIN),
        ])
        .boxed(),
        FieldName::Currency => texts(&["EUR", "JPY", "GBP"]),
        FieldName::Type => texts(&["PAYMENT", "PAYOUT"]),
        FieldName::Method => texts(&["VISA", "GOOGLE_PAY", "AMEX"]),
        FieldName::Status => texts(&["ACTIVE", "AUTHORISED", "SUCCEEDED", "DRAFT"]),
        FieldName::IntentStatus => texts(&["ACTIVE", "COMPLETE"]),
        FieldName::Country => texts(&["IE", "DEU", "FR"]),
        FieldName::CustomerId => select(
            CUSTOMERS
                .map(|id| json!(CustomerId::new(Uuid::from_u128(id)).key()))
                .to_vec(),
        )
        .boxed(),
        FieldName::Gateway
        | FieldName::ConnectionId
        | FieldName::FlowId
        | FieldName::Category
        | FieldName::OrderId => texts(&["a", "ab", "A-b", "ö%_b", "none"]),
    }
}

pub(super) fn condition() -> impl Strategy<Value = Option<Condition>> {
    let field_and_verb =
        select(FieldName::ALL).prop_flat_map(|field| (Just(field), select(field.verbs())));
    let with_value = field_and_verb.prop_flat_map(|(field, verb)| {
        let value = match verb.arity() {
            Arity::Nothing => Just(Value::Null).boxed(),
            Arity::Scalar => operand(field, verb),
            Arity::Pair => prop::collection::vec(operand(field, verb), 2)
                .prop_map(Value::Array)
                .boxed(),
            Arity::List => prop::collection::vec(operand(field, verb), 1..4)
                .prop_map(Value::Array)
                .boxed(),
        };
        (Just(field), Just(verb), value)
    });
    // A pair with its greater value first is refused by the parser, and filters nothing here.
    with_value.prop_map(|(field, verb, value)| {
        parse(field, Some(&value), Some(verb.code())).unwrap_or(None)
    })
}

pub(super) fn sort() -> impl Strategy<Value = Sort> {
    let key = (select(SortField::ALL), select(SortOrder::ALL));
    let by_date = select(SortOrder::ALL).prop_map(|order| vec![(SortField::Date, order)]);
    // Lists by date are read in a way of their own.
    prop_oneof![by_date, prop::collection::vec(key, 0..4)].prop_map(
        |keys: Vec<(SortField, SortOrder)>| {
            let mut named = BTreeSet::new();
            let once = keys.into_iter().filter(|(field, _)| named.insert(*field));
            Sort::parse(once.map(|(field, order)| (Some(field.code()), Some(order)))).unwrap()
        },
    )
}

pub(super) fn wanted() -> impl Strategy<Value = Wanted> {
    let id = prop::option::weighted(0.05, Just(PaymentId::new(samples::uuid_at(NEW_YEAR, 3))));
    (prop::collection::vec(condition(), 0..4), id, sort()).prop_map(|(conditions, id, sort)| {
        Wanted {
            conditions: conditions.into_iter().flatten().collect(),
            id,
            sort,
        }
    })
}
