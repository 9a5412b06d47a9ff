//! Text and JSON from outside, with bounds.
//!
//! NUL is refused everywhere: PostgreSQL stores none. So is what looks like a card's number: what is kept here is kept in
//! clear, and a number belongs in the vault alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Fault, card_number::holds_card_number};

/// Longest ordinary text. Unit: characters.
pub const TEXT_MAX: usize = 500;
/// Longest name of a person or a business. Unit: characters.
pub const NAME_MAX: usize = 300;
/// Longest e-mail address (RFC 5321, section 4.5.3.1.3, without the angle brackets: RFC 3696, erratum 1690). Unit: characters.
pub const EMAIL_MAX: usize = 254;

/// Largest JSON value that a merchant may have kept. Unit: bytes of its compact text.
const JSON_MAX_BYTES: usize = 16 * 1024;
/// Deepest nesting of such a value.
const JSON_MAX_DEPTH: usize = 32;

/// Why a text with a card's number is refused.
pub const CARD: &str = "must not hold a card number: send it as a card, or as a vault token";

/// A text of one line: at most `max` characters, none of them a control character.
/// Errors: `error.validation` for `field`.
pub fn bounded(value: String, field: &str, max: usize) -> Result<String, Fault> {
    if value.chars().any(char::is_control) {
        return Err(Fault::invalid(field, "must not contain control characters"));
    }
    within(value, field, max)
}

/// A text of any number of lines: at most `max` characters, no control character but tab, line feed and carriage return.
/// Errors: `error.validation` for `field`.
pub fn bounded_lines(value: String, field: &str, max: usize) -> Result<String, Fault> {
    if value
        .chars()
        .any(|char| char.is_control() && !matches!(char, '\t' | '\n' | '\r'))
    {
        return Err(Fault::invalid(
            field,
            "must not contain control characters other than tabs and line breaks",
        ));
    }
    within(value, field, max)
}

/// The merchant's own name of something, such as an order's id: like [`bounded`], whatever digits it has. Order numbers look like
/// cards' numbers by chance; whether it is one is judged together with the card.
/// Errors: `error.validation` for `field`.
pub fn reference(value: String, field: &str, max: usize) -> Result<String, Fault> {
    if value.chars().any(char::is_control) {
        return Err(Fault::invalid(field, "must not contain control characters"));
    }
    fits(&value, field, max)?;
    Ok(value)
}

/// An e-mail address: one `@` with something on both sides and no blanks. Whether mail arrives there only a mail can tell.
/// Errors: `error.validation` for `field`.
pub fn email(value: String, field: &str) -> Result<String, Fault> {
    let value = bounded(value, field, EMAIL_MAX)?;
    let is_address = value.split_once('@').is_some_and(|(mailbox, domain)| {
        !mailbox.is_empty() && !domain.is_empty() && !domain.contains('@')
    });
    if !is_address || value.chars().any(char::is_whitespace) {
        return Err(Fault::invalid(
            field,
            "must be an e-mail address such as ada@example.com",
        ));
    }
    Ok(value)
}

/// Like [`bounded`], where an empty text means that nothing was given.
pub fn bounded_option(
    value: Option<String>,
    field: &str,
    max: usize,
) -> Result<Option<String>, Fault> {
    value
        .filter(|text| !text.is_empty())
        .map(|text| bounded(text, field, max))
        .transpose()
}

fn within(value: String, field: &str, max: usize) -> Result<String, Fault> {
    fits(&value, field, max)?;
    if holds_card_number(&value) {
        return Err(Fault::invalid(field, CARD));
    }
    Ok(value)
}

fn fits(value: &str, field: &str, max: usize) -> Result<(), Fault> {
    // No text has more characters than bytes, so short ones need no counting.
    if value.len() > max && value.chars().nth(max).is_some() {
        return Err(Fault::invalid(
            field,
            format!("must have at most {max} characters"),
        ));
    }
    Ok(())
}

/// A JSON value that a merchant has us keep: at most 16 KiB as compact text, at most 32 levels deep, without NUL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonBlob(Value);

impl JsonBlob {
    /// Takes any value within the bounds. Errors: `error.validation` for `field`.
    pub fn parse(value: Value, field: &str) -> Result<Self, Fault> {
        check_shape(&value, JSON_MAX_DEPTH).map_err(|reason| Fault::invalid(field, reason))?;
        if value.to_string().len() > JSON_MAX_BYTES {
            return Err(Fault::invalid(field, "must have at most 16 KiB as JSON"));
        }
        Ok(Self(value))
    }

    /// Takes an object within the bounds. Errors: `error.validation` for `field`.
    pub fn parse_object(value: Value, field: &str) -> Result<Self, Fault> {
        if !value.is_object() {
            return Err(Fault::invalid(field, "must be a JSON object"));
        }
        Self::parse(value, field)
    }

    /// The value.
    pub const fn value(&self) -> &Value {
        &self.0
    }

    /// The value, given away.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// Walks down no further than `levels`, so that depth is refused before it can exhaust the stack.
fn check_shape(value: &Value, levels: usize) -> Result<(), &'static str> {
    const NUL: &str = "must not contain the character NUL";
    match value {
        Value::String(text) if text.contains('\0') => Err(NUL),
        Value::String(text) if holds_card_number(text) => Err(CARD),
        // A fraction has sixteen digits as a rule, and is no number of a card.
        Value::Number(number)
            if number
                .to_string()
                .split('.')
                .next()
                .is_some_and(holds_card_number) =>
        {
            Err(CARD)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(items) => {
            let below = level_below(levels)?;
            items.iter().try_for_each(|item| check_shape(item, below))
        }
        Value::Object(members) => {
            let below = level_below(levels)?;
            members.iter().try_for_each(|(name, member)| {
                if name.contains('\0') {
                    Err(NUL)
                } else if holds_card_number(name) {
                    Err(CARD)
                } else {
                    check_shape(member, below)
                }
            })
        }
    }
}

fn level_below(levels: usize) -> Result<usize, &'static str> {
    levels
        .checked_sub(1)
        .ok_or("must be at most 32 levels deep")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, level| {
            if level % 2 == 0 {
                json!([inner])
            } else {
                json!({ "a": inner })
            }
        })
    }

    #[test]
    fn texts_are_bounded_in_characters_not_bytes() {
        assert_eq!(bounded("ééééé".to_owned(), "name", 5).unwrap(), "ééééé");
        let fault = bounded("éééééé".to_owned(), "name", 5).unwrap_err();
        assert_eq!(fault.field.as_deref(), Some("name"));
        assert_eq!(
            fault.reason.as_deref(),
            Some("must have at most 5 characters")
        );
        assert!(!fault.message.contains('é'));
    }

    #[test]
    fn control_characters_are_refused() {
        for text in ["a\0b", "a\nb", "a\u{7f}", "a\u{85}"] {
            assert!(bounded(text.to_owned(), "name", 10).is_err(), "{text:?}");
        }
        assert_eq!(
            bounded_lines("a\tb\r\nc".to_owned(), "description", 10).unwrap(),
            "a\tb\r\nc"
        );
        assert!(bounded_lines("a\0b".to_owned(), "description", 10).is_err());
        assert!(bounded_lines("abc".to_owned(), "description", 2).is_err());
    }

    #[test]
    fn an_e_mail_address_has_one_at_sign_and_no_blanks() {
        let longest = format!("{}@example.com", "x".repeat(242));
        for fine in [
            "a@b",
            "ada.byron+shop@mail.example.com",
            "zoë@bücher.example",
            "\"x\"@[192.0.2.1]",
            &longest,
        ] {
            assert_eq!(email(fine.to_owned(), "email").unwrap(), fine);
        }
        let longer = format!("x{longest}");
        for wrong in [
            "nope",
            "@",
            "a@",
            "@b",
            "a@b@c",
            "a b@c",
            "a@b\u{a0}",
            "a\n@b",
            "",
            &longer,
        ] {
            let fault = email(wrong.to_owned(), "email").unwrap_err();
            assert_eq!(fault.field.as_deref(), Some("email"), "{wrong}");
        }
    }

    #[test]
    fn an_empty_optional_text_is_absent() {
        assert_eq!(
            bounded_option(Some(String::new()), "name", 5).unwrap(),
            None
        );
        assert_eq!(bounded_option(None, "name", 5).unwrap(), None);
        assert_eq!(
            bounded_option(Some("a".to_owned()), "name", 5)
                .unwrap()
                .as_deref(),
            Some("a")
        );
        assert!(bounded_option(Some("123456".to_owned()), "name", 5).is_err());
    }

    #[test]
    fn json_is_bounded_in_size_and_depth() {
        // The text of a string has two quotation marks more than characters.
        let largest = Value::from("x".repeat(16 * 1024 - 2));
        assert!(JsonBlob::parse(largest, "metadata").is_ok());
        let larger = Value::from("x".repeat(16 * 1024 - 1));
        assert_eq!(
            JsonBlob::parse(larger, "metadata")
                .unwrap_err()
                .field
                .as_deref(),
            Some("metadata")
        );
        assert!(JsonBlob::parse(nested(32), "metadata").is_ok());
        assert!(JsonBlob::parse(nested(33), "metadata").is_err());
    }

    #[test]
    fn nul_is_refused_in_texts_and_names_at_any_depth() {
        for value in [json!("\0"), json!({ "a": ["\0"] }), json!([{ "a\0": 1 }])] {
            let fault = JsonBlob::parse(value, "metadata").unwrap_err();
            assert_eq!(
                fault.reason.as_deref(),
                Some("must not contain the character NUL")
            );
        }
        assert!(JsonBlob::parse(json!({ "a": ["\n"] }), "metadata").is_ok());
    }

    #[test]
    fn only_objects_are_objects() {
        assert!(JsonBlob::parse_object(json!({}), "fraud").is_ok());
        for value in [json!([]), json!("{}"), json!(1), json!(null)] {
            assert!(JsonBlob::parse_object(value, "fraud").is_err());
        }
    }

    #[test]
    fn json_keeps_the_order_of_its_members() {
        let text = r#"{"z":1,"a":[true,null,1.5]}"#;
        let blob = JsonBlob::parse(serde_json::from_str(text).unwrap(), "metadata").unwrap();
        assert_eq!(serde_json::to_string(&blob).unwrap(), text);
        assert_eq!(blob.value(), &blob.clone().into_value());
    }
}
