//! Whether the idempotency key of a request is good for its operations.

use domain::{Code, Fault};

/// Longest idempotency key. Unit: characters. Source: specification, section 8.
const KEY_MAX: usize = 255;

/// The idempotency key of a request.
pub(crate) enum Key {
    /// None, or none that any of the request's operations takes.
    Absent,
    /// Of the one operation that takes it.
    Good(String),
    /// Nothing is done.
    Bad(Fault),
}

/// `keyed` is how many operations of the request take a key: it counts for one, and can't for several.
pub(super) fn judge(key: Option<String>, keyed: usize) -> Key {
    let Some(key) = key.filter(|_| keyed > 0) else {
        return Key::Absent;
    };
    let bad = |message: &str| Key::Bad(Fault::new(Code::KeyInvalid, message));
    if keyed > 1 {
        return bad("An idempotency key counts for one operation. Send one of them in a request.");
    }
    match key.chars().count() {
        1..=KEY_MAX => Key::Good(key),
        _ => bad(
            "An idempotency key is one header X-Idempotency-Key, or Idempotency-Key, of 1 to 255 ASCII characters; where both are sent \
                 they must say the same.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(key: &str, keyed: usize) -> &'static str {
        match judge(Some(key.to_owned()), keyed) {
            Key::Absent => "absent",
            Key::Good(_) => "good",
            Key::Bad(fault) => fault.code.text(),
        }
    }

    #[test]
    fn a_key_has_1_to_255_characters_and_counts_for_one_operation() {
        assert_eq!(code("k", 1), "good");
        assert_eq!(code(&"é".repeat(255), 1), "good");
        assert_eq!(code(&"k".repeat(256), 1), "error.idempotency.key-invalid");
        assert_eq!(code("", 1), "error.idempotency.key-invalid");
        assert_eq!(code("k", 2), "error.idempotency.key-invalid");
    }

    #[test]
    fn a_key_is_ignored_where_nothing_takes_it() {
        assert_eq!(code("", 0), "absent");
        assert_eq!(code(&"k".repeat(256), 0), "absent");
        assert!(matches!(judge(None, 3), Key::Absent));
    }
}
