//! What filters mean, by example.

use serde_json::{Value, json};

use super::*;
use crate::{Fault, Timestamp};

mod misfits;

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better where it is called"
)]
fn condition(field: FieldName, value: Value, verb: &str) -> Condition {
    parse(field, Some(&value), Some(verb)).unwrap().unwrap()
}

fn refused(field: FieldName, value: &Value, verb: Option<&str>) -> Fault {
    parse(field, Some(value), verb).unwrap_err()
}

#[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
fn at(text: &str) -> Option<Fact<'static>> {
    Some(Fact::Time(Timestamp::parse(text).unwrap()))
}

/// Which of the amounts 1, 2, 3, 4 and an absent one are selected.
fn amounts(value: Value, verb: &str) -> Vec<Option<i64>> {
    let predicate = condition(FieldName::Amount, value, verb).predicate();
    let amounts = [None, Some(1), Some(2), Some(3), Some(4)];
    amounts
        .into_iter()
        .filter(|amount| predicate.matches(amount.map(Fact::Int)))
        .collect()
}

/// Which of a few texts and an absent one are selected.
fn texts(value: Value, verb: &str) -> Vec<Option<&'static str>> {
    let predicate = condition(FieldName::Gateway, value, verb).predicate();
    let texts = [
        None,
        Some(""),
        Some("one"),
        Some("One"),
        Some("two"),
        Some("one.two"),
    ];
    texts
        .into_iter()
        .filter(|text| predicate.matches(text.map(Fact::Text)))
        .collect()
}

#[test]
fn integers_are_compared_as_each_verb_says() {
    assert_eq!(amounts(json!(2), "EQUALS"), [Some(2)]);
    assert_eq!(amounts(json!("2.0"), "EQUALS"), [Some(2)]);
    assert_eq!(
        amounts(json!(2), "NOT_EQUALS"),
        [None, Some(1), Some(3), Some(4)]
    );
    assert_eq!(amounts(json!(2), "LESS_THAN"), [Some(1)]);
    assert_eq!(amounts(json!(2), "LESS_THAN_EQUALS"), [Some(1), Some(2)]);
    assert_eq!(amounts(json!(2), "GREATER_THAN"), [Some(3), Some(4)]);
    assert_eq!(
        amounts(json!(2), "GREATER_THAN_EQUALS"),
        [Some(2), Some(3), Some(4)]
    );
    assert_eq!(
        amounts(json!([2, 3]), "BETWEEN_INCLUSIVE"),
        [Some(2), Some(3)]
    );
    assert_eq!(
        amounts(json!([1, 4]), "BETWEEN_EXCLUSIVE"),
        [Some(2), Some(3)]
    );
    assert_eq!(amounts(json!([2, 3]), "BETWEEN_EXCLUSIVE"), []);
    assert_eq!(amounts(json!([2, 2]), "BETWEEN_EXCLUSIVE"), []);
    assert_eq!(amounts(json!([4, 1, 7]), "IN_LIST"), [Some(1), Some(4)]);
    assert_eq!(amounts(Value::Null, "IS_EMPTY"), [None]);
    assert_eq!(
        amounts(Value::Null, "NOT_EMPTY"),
        [Some(1), Some(2), Some(3), Some(4)]
    );
}

#[test]
fn texts_are_compared_as_each_verb_says() {
    assert_eq!(texts(json!("one"), "EQUALS"), [Some("one")]);
    assert_eq!(
        texts(json!("one"), "NOT_EQUALS"),
        [None, Some(""), Some("One"), Some("two"), Some("one.two")]
    );
    assert_eq!(
        texts(json!("one"), "CONTAINS"),
        [Some("one"), Some("one.two")]
    );
    assert_eq!(texts(json!("%"), "CONTAINS"), []);
    assert_eq!(
        texts(json!(["two", "one", "six"]), "IN_LIST"),
        [Some("one"), Some("two")]
    );
    assert_eq!(texts(json!(null), "IS_EMPTY"), [None, Some("")]);
    assert_eq!(texts(json!(null), "NOT_EMPTY").len(), 4);
}

#[test]
fn a_day_is_compared_as_a_whole() {
    let day = json!("2026-01-31");
    let (before, first, last, after) = (
        at("2026-01-30T23:59:59.999999Z"),
        at("2026-01-31T00:00:00Z"),
        at("2026-01-31T23:59:59.999999Z"),
        at("2026-02-01T00:00:00Z"),
    );
    for (verb, expected) in [
        ("EQUALS", [false, true, true, false]),
        ("NOT_EQUALS", [true, false, false, true]),
        ("LESS_THAN", [true, false, false, false]),
        ("LESS_THAN_EQUALS", [true, true, true, false]),
        ("GREATER_THAN", [false, false, false, true]),
        ("GREATER_THAN_EQUALS", [false, true, true, true]),
    ] {
        let predicate = condition(FieldName::Date, day.clone(), verb).predicate();
        assert_eq!(
            [before, first, last, after].map(|time| predicate.matches(time)),
            expected,
            "{verb}"
        );
    }
    let inclusive = condition(
        FieldName::DateRange,
        json!(["2026-01-31", "2026-01-31"]),
        "BETWEEN_INCLUSIVE",
    )
    .predicate();
    assert_eq!(
        [before, first, last, after].map(|time| inclusive.matches(time)),
        [false, true, true, false]
    );
    let exclusive = condition(
        FieldName::DateRange,
        json!(["2026-01-30", "2026-02-01"]),
        "BETWEEN_EXCLUSIVE",
    )
    .predicate();
    assert_eq!(
        [before, first, last, after].map(|time| exclusive.matches(time)),
        [false, true, true, false]
    );
}

#[test]
fn a_time_is_compared_to_the_microsecond_in_any_zone() {
    let predicate = condition(
        FieldName::Date,
        json!("2026-01-31T10:30:00+01:00"),
        "EQUALS",
    )
    .predicate();
    assert!(predicate.matches(at("2026-01-31T09:30:00Z")));
    assert!(!predicate.matches(at("2026-01-31T09:30:00.000001Z")));
}

#[test]
fn comparisons_hold_at_the_ends_of_64_bits() {
    assert_eq!(amounts(json!(i64::MIN), "LESS_THAN"), []);
    assert_eq!(amounts(json!(i64::MAX), "GREATER_THAN"), []);
    assert_eq!(
        amounts(json!([i64::MIN, i64::MAX]), "BETWEEN_EXCLUSIVE").len(),
        4
    );
    assert_eq!(
        amounts(json!([i64::MAX, i64::MAX]), "BETWEEN_EXCLUSIVE"),
        []
    );
}

#[test]
fn without_a_verb_a_list_means_in_list_and_a_value_equals() {
    let verb = |value: Value| {
        parse(FieldName::Status, Some(&value), None)
            .unwrap()
            .map(|condition| condition.verb())
    };
    assert_eq!(verb(json!("SUCCEEDED")), Some(Verb::Equals));
    assert_eq!(verb(json!(["SUCCEEDED", "REFUNDED"])), Some(Verb::InList));
    assert_eq!(verb(Value::Null), None);
    assert_eq!(parse(FieldName::Status, None, None).unwrap(), None);
}

#[test]
fn all_filters_nothing() {
    for field in FieldName::ALL {
        assert_eq!(parse(*field, None, Some("ALL")).unwrap(), None);
        assert_eq!(
            parse(*field, Some(&Value::Null), Some("ALL")).unwrap(),
            None
        );
        assert_eq!(parse(*field, None, None).unwrap(), None);
    }
}

#[test]
fn values_have_one_spelling() {
    let text = |field, value: &str| match condition(field, json!(value), "EQUALS").operands() {
        [Operand::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(text(FieldName::Country, "IRL"), "IE");
    assert_eq!(text(FieldName::Country, "ie"), "IE");
    assert_eq!(text(FieldName::Method, "GOOGLE_PAY"), "WALLETA_PAY");
    let id = "0192AAAA-0000-7000-8000-000000000001";
    assert_eq!(text(FieldName::CustomerId, id), id.to_lowercase());
}

#[test]
fn the_value_is_kept_to_be_echoed() {
    let value = json!(["IRL", "FR"]);
    assert_eq!(
        condition(FieldName::Country, value.clone(), "IN_LIST").value(),
        Some(&value)
    );
    assert_eq!(
        condition(FieldName::Country, Value::Null, "IS_EMPTY").value(),
        None
    );
}

#[test]
fn every_field_takes_exactly_the_verbs_that_it_shows() {
    for field in FieldName::ALL {
        for verb in Verb::ALL {
            let one = match field.kind() {
                FieldKind::Int => json!(5),
                FieldKind::Time => json!("2026-01-31"),
                FieldKind::Text => sample(*field),
            };
            let value = match verb.arity() {
                Arity::Scalar => one,
                Arity::Pair => json!([one, one]),
                Arity::List => json!([one]),
                Arity::Nothing => Value::Null,
            };
            let accepted = parse(*field, Some(&value), Some(verb.code())).is_ok();
            assert_eq!(accepted, field.verbs().contains(verb), "{field} {verb}");
        }
    }
}

fn sample(field: FieldName) -> Value {
    json!(match field {
        FieldName::Currency => "EUR",
        FieldName::Country => "IE",
        FieldName::Method => "VISA",
        FieldName::Status => "SUCCEEDED",
        FieldName::IntentStatus => "ACTIVE",
        FieldName::Type => "PAYMENT",
        FieldName::CustomerId => "01929f6e-0000-7000-8000-000000000001",
        _ => "text",
    })
}

#[test]
fn the_arguments_alongside_the_filter_are_conditions_too() {
    let time = Timestamp::parse("2026-01-31T09:30:00Z").unwrap();
    let earlier = Timestamp::from_micros(time.micros() - 1);
    let fact = |time| Some(Fact::Time(time));
    assert!(Condition::since(time).predicate().matches(fact(time)));
    assert!(!Condition::since(time).predicate().matches(fact(earlier)));
    assert!(!Condition::until(time).predicate().matches(fact(time)));
    assert!(Condition::until(time).predicate().matches(fact(earlier)));
    assert_eq!(
        Condition::since(time).value(),
        Some(&json!("2026-01-31T09:30:00Z"))
    );
    assert!(
        Condition::amount_from(5)
            .predicate()
            .matches(Some(Fact::Int(5)))
    );
    assert!(
        !Condition::amount_from(5)
            .predicate()
            .matches(Some(Fact::Int(4)))
    );
    assert!(
        Condition::amount_to(5)
            .predicate()
            .matches(Some(Fact::Int(5)))
    );
    assert!(
        !Condition::amount_to(5)
            .predicate()
            .matches(Some(Fact::Int(6)))
    );
}
