//! Fields of a token, read with bounds before anything is computed with them.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::Timestamp;
use serde_json::{Map, Value};

use crate::WalletError;

/// Largest token as a text; real ones have two to six thousand. Unit: bytes.
const TOKEN_MAX: usize = 64 * 1024;

/// The object that a token is, or that its text holds. Errors: `NotAToken`, `TooLarge`.
pub(crate) fn object(token: &Value) -> Result<Cow<'_, Map<String, Value>>, WalletError> {
    match token {
        Value::Object(object) => Ok(Cow::Borrowed(object)),
        Value::String(text) => Ok(Cow::Owned(object_in(text, TOKEN_MAX)?)),
        _ => Err(WalletError::NotAToken),
    }
}

/// The object in a text of at most `max` bytes. The parser itself refuses deep nesting. Errors: `NotAToken`, `TooLarge`.
pub(crate) fn object_in(text: &str, max: usize) -> Result<Map<String, Value>, WalletError> {
    if text.len() > max {
        return Err(WalletError::TooLarge);
    }
    serde_json::from_str(text).map_err(|_| WalletError::NotAToken)
}

/// A text of 1 to `max` bytes. Errors: `Field`.
pub(crate) fn text<'a>(
    object: &'a Map<String, Value>,
    name: &'static str,
    max: usize,
) -> Result<&'a str, WalletError> {
    let text = object.get(name).and_then(Value::as_str);
    text.filter(|text| (1..=max).contains(&text.len()))
        .ok_or(WalletError::Field(name))
}

/// The bytes of a field in base64 (canonical, with padding), 1 to `max` of them. Errors: `Field`.
pub(crate) fn bytes(
    object: &Map<String, Value>,
    name: &'static str,
    max: usize,
) -> Result<Vec<u8>, WalletError> {
    base64(text(object, name, encoded_length(max))?).ok_or(WalletError::Field(name))
}

/// The bytes of a field in hexadecimal, 1 to `max` of them. Errors: `Field`.
pub(crate) fn hex(
    object: &Map<String, Value>,
    name: &'static str,
    max: usize,
) -> Result<Vec<u8>, WalletError> {
    let text = text(object, name, max.saturating_mul(2))?;
    hex::decode(text).map_err(|_| WalletError::Field(name))
}

/// Bytes from canonical base64.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// A time given in milliseconds since the epoch, as a number or as its text.
pub(crate) fn time(value: &Value) -> Option<Timestamp> {
    let millis = domain::long::parse_long(value).filter(|millis| *millis > 0)?;
    millis.checked_mul(1000).map(Timestamp::from_micros)
}

const fn encoded_length(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_token_is_an_object_or_the_text_of_one() {
        assert!(object(&json!({})).is_ok());
        assert!(object(&json!("{}")).is_ok());
        for other in [
            json!("[]"),
            json!("x"),
            json!(""),
            json!(1),
            json!([]),
            json!(null),
        ] {
            assert_eq!(object(&other).err(), Some(WalletError::NotAToken));
        }
        let large = Value::from(" ".repeat(TOKEN_MAX) + "{}");
        assert_eq!(object(&large).err(), Some(WalletError::TooLarge));
        let deep = Value::from("{\"a\":".repeat(2000) + "1" + &"}".repeat(2000));
        assert_eq!(object(&deep).err(), Some(WalletError::NotAToken));
    }

    #[test]
    fn fields_are_bounded_and_canonical() {
        let token = json!({ "a": "AAAA", "padded": "AA==", "loose": "AB==", "bare": "AA", "n": 1, "empty": "", "hex": "00fF" });
        let token = token.as_object().unwrap();
        assert_eq!(bytes(token, "a", 3), Ok(vec![0, 0, 0]));
        assert_eq!(bytes(token, "padded", 3), Ok(vec![0]));
        assert_eq!(hex(token, "hex", 2), Ok(vec![0, 255]));
        assert_eq!(hex(token, "hex", 1), Err(WalletError::Field("hex")));
        for name in ["loose", "bare", "n", "empty", "missing"] {
            assert_eq!(bytes(token, name, 3), Err(WalletError::Field(name)));
        }
        assert_eq!(text(token, "a", 3), Err(WalletError::Field("a")));
    }

    #[test]
    fn times_are_milliseconds() {
        assert_eq!(
            time(&json!("1769851800000")),
            Timestamp::parse("2026-01-31T09:30:00Z")
        );
        assert_eq!(
            time(&json!(1_769_851_800_000_i64)),
            Timestamp::parse("2026-01-31T09:30:00Z")
        );
        for wrong in [
            json!("soon"),
            json!(0),
            json!("-1"),
            json!(i64::MAX),
            json!(null),
        ] {
            assert_eq!(time(&wrong), None);
        }
    }
}
