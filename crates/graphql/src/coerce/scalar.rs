//! Input scalars.

use domain::{Fault, Timestamp};
use serde_json::{Number, Value};

use super::path::Path;

/// A scalar of the schema. Errors: `error.validation` with a reason that never shows the value.
pub(super) fn scalar(name: &str, value: &Value, path: &Path<'_>) -> Result<Value, Fault> {
    let coerced = match name {
        "Int" => int(value)
            .or_else(|| amount_as_int(value, path))
            .ok_or("must be a whole number of 32 bits"),
        // Amounts are what is given as a Long.
        "Long" => long(value).ok_or_else(|| {
            if has_fraction(value) {
                "must be a whole number: amounts are in minor units, 50.99 EUR is 5099"
            } else {
                "must be a whole number of 64 bits"
            }
        }),
        "Float" => value
            .is_number()
            .then(|| value.clone())
            .ok_or("must be a number"),
        "String" => value
            .is_string()
            .then(|| value.clone())
            .ok_or("must be a text"),
        "Boolean" => value
            .is_boolean()
            .then(|| value.clone())
            .ok_or("must be true or false"),
        "ID" => id(value).ok_or("must be a text"),
        "DateTime" => date_time(value).ok_or("must be a time such as 2026-01-31T09:30:00Z"),
        "Date" => date(value).ok_or("must be a day such as 2026-01-31"),
        "Object" => value
            .is_object()
            .then(|| value.clone())
            .ok_or("must be an object"),
        _ => Ok(value.clone()),
    };
    coerced.map_err(|reason| Fault::invalid(path.to_string(), reason))
}

fn int(value: &Value) -> Option<Value> {
    let Value::Number(number) = value else {
        return None;
    };
    let number = i32::try_from(whole(number)?).ok()?;
    Some(Value::from(number))
}

/// Amounts have 64 bits, also the two that are declared as `Int`, which clients' documents name in their variables.
fn amount_as_int(value: &Value, path: &Path<'_>) -> Option<Value> {
    let Value::Number(number) = value else {
        return None;
    };
    let whole = whole(number)?;
    matches!(path.to_string().as_str(), "minAmount" | "maxAmount").then(|| Value::from(whole))
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

/// The whole number that a JSON number is; `50.0` is one.
fn whole(number: &Number) -> Option<i64> {
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    // A float is written out in full, without an exponent, so a fraction shows as one.
    // From 2^53 on a float no longer is the number that was written, so none is taken.
    let float = number
        .as_f64()
        .filter(|float| number.is_f64() && float.abs() < 9_007_199_254_740_992.0)?;
    format!("{float}").parse().ok()
}

/// `"2000"`, `"-5"`, `"2000.0"`.
fn whole_text(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = !fraction.is_empty()
        && fraction.bytes().all(|digit| digit == b'0')
        && !whole.starts_with('+');
    if plain { whole.parse().ok() } else { None }
}

fn id(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            Some(Value::String(number.to_string()))
        }
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn coerce(name: &str, value: &Value) -> Option<Value> {
        scalar(name, value, &Path::argument("x")).ok()
    }

    #[test]
    fn long_takes_numbers_integral_floats_and_their_texts() {
        for (given, whole) in [
            (json!(2000), 2000),
            (json!(50.0), 50),
            (json!(-0.0), 0),
            (json!("2000"), 2000),
            (json!("2000.0"), 2000),
            (json!("2000.000"), 2000),
            (json!("-7"), -7),
            (json!("0"), 0),
            (json!(i64::MAX), i64::MAX),
            (json!(i64::MIN), i64::MIN),
            (json!("9223372036854775807"), i64::MAX),
            (json!("-9223372036854775808.0"), i64::MIN),
            (json!(1e15), 1_000_000_000_000_000),
        ] {
            assert_eq!(coerce("Long", &given), Some(json!(whole)), "{given}");
        }
    }

    #[test]
    fn long_refuses_fractions_overflow_and_other_spellings() {
        for given in [
            json!(50.5),
            json!("50.5"),
            json!("50."),
            json!(".0"),
            json!("+5"),
            json!("1e3"),
            json!(" 5"),
            json!("5 "),
            json!("0x10"),
            json!(""),
            json!("-"),
            json!("٣"),
            json!("1_000"),
            json!("1,000"),
            json!("NaN"),
            json!("9223372036854775808"),
            json!(u64::MAX),
            json!(1e19),
            json!(9.3e18),
            json!(1e308),
            json!(5e-324),
            json!(true),
            json!([1]),
            json!({}),
        ] {
            assert_eq!(coerce("Long", &given), None, "{given}");
        }
    }

    #[test]
    fn int_takes_numbers_of_32_bits_only() {
        assert_eq!(coerce("Int", &json!(12)), Some(json!(12)));
        assert_eq!(coerce("Int", &json!(12.0)), Some(json!(12)));
        for given in [
            json!(2_147_483_648_i64),
            json!(-2_147_483_649_i64),
            json!("12"),
            json!(1.5),
            json!(true),
        ] {
            assert_eq!(coerce("Int", &given), None, "{given}");
        }
    }

    #[test]
    fn the_other_scalars_take_what_they_are() {
        assert_eq!(coerce("ID", &json!(7)), Some(json!("7")));
        assert_eq!(coerce("ID", &json!("a")), Some(json!("a")));
        assert_eq!(coerce("ID", &json!(7.0)), None);
        assert_eq!(coerce("String", &json!(7)), None);
        assert_eq!(coerce("Boolean", &json!("true")), None);
        assert_eq!(coerce("Float", &json!(1)), Some(json!(1)));
        assert_eq!(coerce("Float", &json!("1")), None);
        assert_eq!(coerce("Object", &json!([])), None);
        assert_eq!(coerce("Object", &json!({"a": 1})), Some(json!({"a": 1})));
        assert_eq!(coerce("JSON", &json!([1, null])), Some(json!([1, null])));
        assert!(coerce("DateTime", &json!("2026-01-31T09:30:00Z")).is_some());
        assert!(coerce("DateTime", &json!("2026-01-31")).is_some());
        assert_eq!(coerce("DateTime", &json!("2026-02-31")), None);
        assert_eq!(coerce("DateTime", &json!(5)), None);
        assert_eq!(coerce("Date", &json!("2026-13-01")), None);
    }
}
