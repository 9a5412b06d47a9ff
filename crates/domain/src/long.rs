//! The interface's `Long`: a 64-bit integer that clients write in several ways.

use serde_json::{Number, Value};

/// Reads a number (`50`, `50.0`, `5e1`) or the text of an integral number (`"2000"`, `"2000.0"`). `None` for a fraction,
/// for anything outside 64 bits and for any other text or value. Exact: no digit goes through a floating point number
/// that JSON did not already put there.
pub fn parse_long(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => from_number(number),
        Value::String(text) => from_text(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn from_number(number: &Number) -> Option<i64> {
    if let Some(integer) = number.as_i64() {
        return Some(integer);
    }
    let float = number
        .as_f64()
        .filter(|float| number.is_f64() && float.is_finite())?;
    // Without decimals Rust writes all digits of a float, and adds a fraction only where there is one.
    from_digits(&float.to_string())
}

fn from_text(text: &str) -> Option<i64> {
    let integral = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {
            whole
        }
        Some(_) => return None,
        None => text,
    };
    from_digits(integral)
}

fn from_digits(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<i64> {
        parse_long(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn integers_are_read_however_they_are_written() {
        for json in [
            "2000",
            "2000.0",
            "2e3",
            "\"2000\"",
            "\"2000.0\"",
            "\"2000.000\"",
            "\"002000\"",
        ] {
            assert_eq!(read(json), Some(2000), "{json}");
        }
        assert_eq!(read("-5"), Some(-5));
        assert_eq!(read("\"-5.0\""), Some(-5));
        assert_eq!(read("-0.0"), Some(0));
        assert_eq!(read("9223372036854775807"), Some(i64::MAX));
        assert_eq!(read("\"9223372036854775807\""), Some(i64::MAX));
        assert_eq!(read("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(read("1e18"), Some(1_000_000_000_000_000_000));
    }

    #[test]
    fn anything_else_is_refused() {
        let refused = [
            "2000.5",
            "1e-3",
            "1e300",
            "9223372036854775808",
            "1e19",
            "-9223372036854775809",
            "\"\"",
            "\"2000.\"",
            "\".0\"",
            "\"2e3\"",
            "\" 2000\"",
            "\"2,000\"",
            "\"+5\"",
            "\"-\"",
            "\"--5\"",
            "\"0x10\"",
            "\"2000.5\"",
            "\"9223372036854775808\"",
            "\"２０\"",
            "true",
            "null",
            "[]",
            "{}",
            "[1]",
        ];
        for json in refused {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
