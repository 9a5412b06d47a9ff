//! Scalars of arguments. Those of the language are here; a product brings its own.

use domain::Fault;
use serde_json::{Number, Value};

use super::path::Path;
use crate::executor::product::{Coerced, Given, Product};

/// A scalar of the schema. Errors: `error.validation` with a reason that never shows the value.
pub(super) fn scalar(
    product: &Product,
    name: &str,
    value: &Value,
    path: &Path<'_>,
) -> Result<Value, Fault> {
    let own = match name {
        "Int" => int(value).ok_or_else(|| no_int(value)),
        "Float" => kept(value, Value::is_number, "must be a number"),
        "String" => kept(value, Value::is_string, "must be a text"),
        "Boolean" => kept(value, Value::is_boolean, "must be true or false"),
        "ID" => id(value).ok_or("must be a text"),
        _ => Err(""),
    };
    let coerced = own.or_else(|reason| {
        let given = Given {
            scalar: name,
            value,
            path,
        };
        match (product.scalar)(given) {
            Coerced::Value(value) => Ok(value),
            Coerced::Refused(reason) => Err(reason),
            Coerced::NoRule if reason.is_empty() => Ok(value.clone()),
            Coerced::NoRule => Err(reason),
        }
    });
    coerced.map_err(|reason| Fault::invalid(path.to_string(), reason))
}

fn kept(
    value: &Value,
    fits: impl Fn(&Value) -> bool,
    reason: &'static str,
) -> Result<Value, &'static str> {
    if fits(value) {
        Ok(value.clone())
    } else {
        Err(reason)
    }
}

fn int(value: &Value) -> Option<Value> {
    let Value::Number(number) = value else {
        return None;
    };
    let number = i32::try_from(whole(number)?).ok()?;
    Some(Value::from(number))
}

/// Why a value is no `Int`.
fn no_int(value: &Value) -> &'static str {
    match value {
        Value::String(text) if is_written_as_number(text) => {
            "must be a whole number without quotation marks: 12, not \"12\""
        }
        Value::Number(number) if whole(number).is_some() || number.is_u64() => {
            "must be a whole number from -2147483648 to 2147483647"
        }
        _ => "must be a whole number",
    }
}

/// Whether a text is nothing but a number that fits once its quotation marks are left out.
fn is_written_as_number(text: &str) -> bool {
    text.parse::<i32>().is_ok()
}

/// The whole number that a JSON number is; `50.0` is one.
pub(crate) fn whole(number: &Number) -> Option<i64> {
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

fn id(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            Some(Value::String(number.to_string()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn coerce(name: &str, value: &Value) -> Option<Value> {
        let product = crate::schema().product;
        scalar(&product, name, value, &Path::argument("x")).ok()
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
    fn a_number_in_quotation_marks_or_out_of_range_is_refused_as_such() {
        let product = crate::schema().product;
        let why = |value: Value| {
            let fault = scalar(&product, "Int", &value, &Path::argument("x")).unwrap_err();
            fault.reason.unwrap()
        };
        assert_eq!(
            why(json!("12")),
            "must be a whole number without quotation marks: 12, not \"12\""
        );
        for far in [json!(2_147_483_648_i64), json!(u64::MAX)] {
            assert_eq!(
                why(far),
                "must be a whole number from -2147483648 to 2147483647"
            );
        }
        for other in [
            json!("4242424242424242"),
            json!("December"),
            json!(1.5),
            json!([]),
        ] {
            assert_eq!(why(other), "must be a whole number");
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
