//! Scalars of the schema's own, and the amounts that it declares as `Int`.

use domain::Timestamp;
use serde_json::Value;

use crate::executor::{Coerced, Given, whole};

/// Coerces a value of a scalar of ours.
pub(super) fn scalar(given: Given<'_>) -> Coerced {
    let value = given.value;
    let (coerced, reason) = match given.scalar {
        "Int" => return amount_as_int(given),
        // Amounts are what is given as a Long.
        "Long" if has_fraction(value) => (long(value), FRACTION),
        "Long" => (long(value), "must be a whole number of 64 bits"),
        "DateTime" => (
            date_time(value),
            "must be a time such as 2026-01-31T09:30:00Z",
        ),
        "Date" => (date(value), "must be a day such as 2026-01-31"),
        "Object" => (
            Some(value).filter(|value| value.is_object()).cloned(),
            "must be an object",
        ),
        _ => return Coerced::NoRule,
    };
    coerced.map_or(Coerced::Refused(reason), Coerced::Value)
}

/// Why an amount with a fraction is refused.
const FRACTION: &str = "must be a whole number: amounts are in minor units, 50.99 EUR is 5099";

/// Amounts have 64 bits, also the two that are declared as `Int`, which clients' documents name in their variables.
fn amount_as_int(given: Given<'_>) -> Coerced {
    let Value::Number(number) = given.value else {
        return Coerced::NoRule;
    };
    let is_amount = matches!(given.path.to_string().as_str(), "minAmount" | "maxAmount");
    match whole(number).filter(|_| is_amount) {
        Some(whole) => Coerced::Value(Value::from(whole)),
        None => Coerced::NoRule,
    }
}

fn long(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => whole(number),
        Value::String(text) => whole_text(text),
        _ => None,
    }
    .map(Value::from)
}

fn has_fraction(value: &Value) -> bool {
    let fraction = |text: &str| text.contains(['.', ',']);
    match value {
        Value::Number(number) => number.is_f64(),
        Value::String(text) => fraction(text),
        _ => false,
    }
}

/// `"2000"`, `"-5"`, `"2000.0"`.
fn whole_text(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = !fraction.is_empty()
        && fraction.bytes().all(|digit| digit == b'0')
        && !whole.starts_with('+');
    if plain { whole.parse().ok() } else { None }
}

/// A bare day is accepted too and means its start, as everywhere in lists.
fn date_time(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let known = Timestamp::parse(text)
        .or_else(|| Timestamp::day_start(text))
        .is_some();
    known.then(|| value.clone())
}

fn date(value: &Value) -> Option<Value> {
    Timestamp::day_start(value.as_str()?).map(|_| value.clone())
}
