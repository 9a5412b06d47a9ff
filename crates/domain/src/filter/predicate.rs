//! What a condition selects, in the few forms that a query needs.

use crate::Timestamp;

/// A span of integers or of microseconds, both ends included; an open end is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The least value in it.
    pub min: Option<i64>,
    /// The greatest value in it.
    pub max: Option<i64>,
}

impl Span {
    /// Whether the value is in it.
    pub fn holds(self, value: i64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// What a condition selects. Numbers are the field's own or microseconds of a time. A field that is absent is selected
/// by `Outside`, `Not` and `Empty` alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// A number in one of the spans; none means that nothing is selected.
    Within(Vec<Span>),
    /// A number outside the span, or no value.
    Outside(Span),
    /// One of the texts.
    OneOf(Vec<String>),
    /// Another text, or no value.
    Not(String),
    /// A text with this one in it; capitals and small letters differ.
    Contains(String),
    /// No value; an empty text is none.
    Empty,
    /// Some value.
    NotEmpty,
}

/// The value of a payment's field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact<'a> {
    /// An integer.
    Int(i64),
    /// A point in time.
    Time(Timestamp),
    /// A text.
    Text(&'a str),
}

impl Predicate {
    /// Whether a field with this value, or absent, is selected: what every query must agree with.
    pub fn matches(&self, fact: Option<Fact<'_>>) -> bool {
        let number = match fact {
            Some(Fact::Int(integer)) => Some(integer),
            Some(Fact::Time(time)) => Some(time.micros()),
            Some(Fact::Text(_)) | None => None,
        };
        let text = match fact {
            Some(Fact::Text(text)) => Some(text),
            Some(Fact::Int(_) | Fact::Time(_)) | None => None,
        };
        match self {
            Self::Within(spans) => {
                number.is_some_and(|number| spans.iter().any(|span| span.holds(number)))
            }
            Self::Outside(span) => number.is_none_or(|number| !span.holds(number)),
            Self::OneOf(texts) => text.is_some_and(|text| texts.iter().any(|one| one == text)),
            Self::Not(other) => text.is_none_or(|text| text != other),
            Self::Contains(part) => text.is_some_and(|text| text.contains(part.as_str())),
            Self::Empty => matches!(fact, None | Some(Fact::Text(""))),
            Self::NotEmpty => !matches!(fact, None | Some(Fact::Text(""))),
        }
    }
}
