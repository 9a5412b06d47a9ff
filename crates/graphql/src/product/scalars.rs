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
        "Long" => (long(value), no_long(value)),
        "DateTime" => (date_time(value), no_time(value)),
        "Date" => (date(value), no_day(value)),
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
    if !matches!(given.path.to_string().as_str(), "minAmount" | "maxAmount") {
        return Coerced::NoRule;
    }
    match given.value {
        value if long(value).is_none() && has_fraction(value) => Coerced::Refused(FRACTION),
        value if is_too_large(value) => Coerced::Refused(TOO_LARGE),
        Value::Number(number) => {
            whole(number).map_or(Coerced::NoRule, |whole| Coerced::Value(Value::from(whole)))
        }
        _ => Coerced::NoRule,
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

/// Why a value is no whole number of 64 bits.
fn no_long(value: &Value) -> &'static str {
    if is_too_large(value) {
        TOO_LARGE
    } else {
        "must be a whole number"
    }
}

/// Why a whole number of more than 64 bits is refused.
const TOO_LARGE: &str = "is too large: the largest is 9223372036854775807";

fn has_fraction(value: &Value) -> bool {
    let fraction = |text: &str| text.contains(['.', ',']);
    match value {
        // A float without a fraction is too large to be exact.
        Value::Number(number) => number.is_f64() && fraction(&written_out(number)),
        Value::String(text) => fraction(text),
        _ => false,
    }
}

/// Whether a value is a whole number beyond 64 bits, or one that is written as a float and no longer exact.
fn is_too_large(value: &Value) -> bool {
    let text = match value {
        Value::Number(number) => written_out(number),
        Value::String(text) => text.clone(),
        _ => return false,
    };
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && long(value).is_none()
}

/// A number with all of its digits, without an exponent.
fn written_out(number: &serde_json::Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => float.to_string(),
        None => number.to_string(),
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

/// Why a value is no time.
fn no_time(value: &Value) -> &'static str {
    let Some(text) = value.as_str() else {
        return "must be a text with a time such as 2026-01-31T09:30:00Z, or a day such as 2026-01-31";
    };
    let has_no_zone = || {
        let with_zone = format!("{text}Z");
        text.len() > DAY && Timestamp::parse(&with_zone).is_some()
    };
    if has_no_zone() {
        "needs a time zone at its end: Z, or an offset such as +02:00"
    } else if is_like(text, "0000-00-00") {
        "is no day of the calendar, or no time of the day: write 2026-01-31T09:30:00Z, or 2026-01-31"
    } else {
        "must be a time such as 2026-01-31T09:30:00Z, or a day such as 2026-01-31"
    }
}

/// Why a value is no day.
fn no_day(value: &Value) -> &'static str {
    match value.as_str() {
        Some(text) if text.len() == DAY && is_like(text, "0000-00-00") => {
            "is no day of the calendar: write 2026-01-31"
        }
        _ => "must be a day such as 2026-01-31",
    }
}

/// The length of a day such as 2026-01-31.
const DAY: usize = 10;

/// Whether the text begins like the pattern, in which `0` stands for any digit.
fn is_like(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text
            .bytes()
            .zip(pattern.bytes())
            .all(|(letter, wanted)| match wanted {
                b'0' => letter.is_ascii_digit(),
                other => letter == other,
            })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(scalar_name: &str, path: &str, value: &Value) -> &'static str {
        let given = Given {
            scalar: scalar_name,
            value,
            path: &path,
        };
        match scalar(given) {
            Coerced::Refused(reason) => reason,
            Coerced::Value(_) | Coerced::NoRule => "",
        }
    }

    #[test]
    fn a_bad_time_is_refused_by_what_is_wrong_with_it() {
        let why = |text: &str| refused("DateTime", "startDate", &json!(text));
        assert_eq!(why("2026-01-31T09:30:00Z"), "");
        assert_eq!(why("2026-01-31"), "");
        for text in ["2026-01-31T09:30:00", "2026-01-31 09:30"] {
            assert!(why(text).starts_with("needs a time zone"), "{text}");
        }
        for text in ["2026-02-31", "2026-13-01T00:00:00Z", "2026-01-31T25:00:00Z"] {
            assert!(why(text).starts_with("is no day of the calendar"), "{text}");
        }
        for text in ["31/01/2026", "yesterday", "", "1767225600"] {
            assert!(why(text).starts_with("must be a time such as"), "{text}");
        }
        let number = refused("DateTime", "startDate", &json!(1_767_225_600));
        assert!(number.starts_with("must be a text with a time"));
        let day = |text: &str| refused("Date", "date", &json!(text));
        assert!(day("2026-02-31").starts_with("is no day of the calendar"));
        assert!(day("2026-02-01T00:00:00Z").starts_with("must be a day"));
    }

    #[test]
    fn an_amount_with_a_fraction_is_refused_with_an_example_in_minor_units() {
        for (scalar_name, path, value) in [
            ("Long", "amount", json!("10.50")),
            ("Long", "amount", json!("10,50")),
            ("Long", "amount", json!(10.5)),
            ("Int", "minAmount", json!(10.5)),
            ("Int", "maxAmount", json!("10.50")),
        ] {
            assert_eq!(refused(scalar_name, path, &value), FRACTION, "{path}");
        }
        assert_eq!(refused("Int", "first", &json!(10.5)), "");
    }

    #[test]
    fn an_amount_beyond_the_largest_is_refused_with_the_largest() {
        for value in [
            r"99999999999999999999",
            r#""99999999999999999999""#,
            "9223372036854775808",
            "1e30",
            "-99999999999999999999",
        ] {
            let given: Value = serde_json::from_str(value).unwrap();
            for (scalar_name, path) in [("Long", "amount"), ("Int", "minAmount")] {
                let said = refused(scalar_name, path, &given);
                assert_eq!(said, TOO_LARGE, "{path}: {value}");
            }
        }
        for value in [json!("ten"), json!("10 EUR"), json!(true), json!("-")] {
            let said = refused("Long", "amount", &value);
            assert_eq!(said, "must be a whole number", "{value}");
        }
    }
}
