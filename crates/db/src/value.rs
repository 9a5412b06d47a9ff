//! What a statement is given and what a row holds.

use std::{fmt, num::TryFromIntError};

use domain::Timestamp;

/// A value of a parameter or a column: the three kinds that every database of ours knows.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number; also a time in microseconds UTC, and 0 or 1 for no and yes.
    Int(i64),
    /// Text.
    Text(String),
}

/// Texts show their length only: they may belong to a customer.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Int(number) => write!(f, "Int({number})"),
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(i64::from(number))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(i64::from(number))
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Int(i64::from(yes))
    }
}

impl From<Timestamp> for Value {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.micros())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl TryFrom<u64> for Value {
    type Error = TryFromIntError;

    fn try_from(number: u64) -> Result<Self, TryFromIntError> {
        i64::try_from(number).map(Self::Int)
    }
}

/// The parameters of a statement, in the order of `$1…$n`: `params![team, id, 5]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { ::std::vec![$($crate::Value::from($value)),*] };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_made_from_what_callers_have() {
        let at = Timestamp::from_micros(7);
        let some = String::from("b");
        assert_eq!(
            params!["a", &some, 5, at, true, None::<i64>, Some("c")],
            vec![
                Value::Text("a".into()),
                Value::Text("b".into()),
                Value::Int(5),
                Value::Int(7),
                Value::Int(1),
                Value::Null,
                Value::Text("c".into())
            ]
        );
        assert_eq!(Value::try_from(5_u64), Ok(Value::Int(5)));
        assert!(Value::try_from(u64::MAX).is_err());
    }

    #[test]
    fn a_text_is_not_shown() {
        assert_eq!(
            format!("{:?}", params!["secret", 3]),
            "[Text(6 bytes), Int(3)]"
        );
    }
}
