//! A filter of one field, parsed.

use serde_json::{Value, json};

use super::predicate::{Predicate, Span};
use super::{FieldName, Verb};
use crate::Timestamp;
use crate::id::CustomerId;

/// A value that a field is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A text, in its one spelling (alpha-2 of a country, the specification's name of a method).
    Text(String),
    /// An integer.
    Int(i64),
    /// A point in time, or a whole day; both ends are included.
    Time {
        /// The first microsecond.
        first: Timestamp,
        /// The last microsecond; of a point in time the same.
        last: Timestamp,
    },
}

impl Operand {
    /// The operand as numbers; `None` for a text.
    fn span(&self) -> Option<(i64, i64)> {
        match self {
            Self::Text(_) => None,
            Self::Int(integer) => Some((*integer, *integer)),
            Self::Time { first, last } => Some((first.micros(), last.micros())),
        }
    }
}

/// A filter of one field whose operands fit the field and the verb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<F = FieldName> {
    field: F,
    verb: Verb,
    operands: Vec<Operand>,
    value: Option<Value>,
}

impl Condition {
    /// Payments made at `start` or later.
    pub fn since(start: Timestamp) -> Self {
        Self::of_time(Verb::GreaterThanEquals, start)
    }

    /// Payments made before `end`.
    pub fn until(end: Timestamp) -> Self {
        Self::of_time(Verb::LessThan, end)
    }

    /// Payments of at least `minor` minor units.
    pub fn amount_from(minor: i64) -> Self {
        Self::new(
            FieldName::Amount,
            Verb::GreaterThanEquals,
            vec![Operand::Int(minor)],
            Some(json!(minor)),
        )
    }

    /// Payments of at most `minor` minor units.
    pub fn amount_to(minor: i64) -> Self {
        Self::new(
            FieldName::Amount,
            Verb::LessThanEquals,
            vec![Operand::Int(minor)],
            Some(json!(minor)),
        )
    }

    /// Payments of a customer.
    pub fn customer(id: CustomerId) -> Self {
        let key = id.key();
        Self::new(
            FieldName::CustomerId,
            Verb::Equals,
            vec![Operand::Text(key.clone())],
            Some(json!(key)),
        )
    }

    fn of_time(verb: Verb, time: Timestamp) -> Self {
        let operand = Operand::Time {
            first: time,
            last: time,
        };
        Self::new(
            FieldName::Date,
            verb,
            vec![operand],
            Some(json!(time.rfc3339())),
        )
    }
}

impl<F: Copy> Condition<F> {
    /// Made by the parser alone, which has checked that all fits.
    pub(super) const fn new(
        field: F,
        verb: Verb,
        operands: Vec<Operand>,
        value: Option<Value>,
    ) -> Self {
        Self {
            field,
            verb,
            operands,
            value,
        }
    }

    /// The field.
    pub const fn field(&self) -> F {
        self.field
    }

    /// The verb.
    pub const fn verb(&self) -> Verb {
        self.verb
    }

    /// The operands: one, two, or as many as the list has.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The value as it was given, to be echoed.
    pub const fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// What the condition selects.
    pub fn predicate(&self) -> Predicate {
        match self.verb {
            Verb::IsEmpty => Predicate::Empty,
            Verb::NotEmpty | Verb::All => Predicate::NotEmpty,
            Verb::Equals
            | Verb::NotEquals
            | Verb::LessThan
            | Verb::LessThanEquals
            | Verb::GreaterThan
            | Verb::GreaterThanEquals
            | Verb::Contains
            | Verb::BetweenInclusive
            | Verb::BetweenExclusive
            | Verb::InList => self.of_numbers().unwrap_or_else(|| self.of_texts()),
        }
    }

    /// The predicate over numbers; `None` when the operands are texts.
    fn of_numbers(&self) -> Option<Predicate> {
        let spans: Vec<(i64, i64)> = self
            .operands
            .iter()
            .map(Operand::span)
            .collect::<Option<_>>()?;
        let (first, last) = spans.first().copied()?;
        let end = spans.last().copied().unwrap_or((first, last));
        let within = |min, max| Predicate::Within(vec![Span { min, max }]);
        let nothing = || Predicate::Within(Vec::new());
        Some(match self.verb {
            Verb::NotEquals => Predicate::Outside(Span {
                min: Some(first),
                max: Some(last),
            }),
            Verb::LessThan => first
                .checked_sub(1)
                .map_or_else(nothing, |max| within(None, Some(max))),
            Verb::LessThanEquals => within(None, Some(last)),
            Verb::GreaterThan => last
                .checked_add(1)
                .map_or_else(nothing, |min| within(Some(min), None)),
            Verb::GreaterThanEquals => within(Some(first), None),
            Verb::BetweenInclusive => within(Some(first), Some(end.1)),
            Verb::BetweenExclusive => match (last.checked_add(1), end.0.checked_sub(1)) {
                (Some(min), Some(max)) if min <= max => within(Some(min), Some(max)),
                _ => nothing(),
            },
            Verb::Equals
            | Verb::InList
            | Verb::Contains
            | Verb::IsEmpty
            | Verb::NotEmpty
            | Verb::All => {
                let span = |(min, max)| Span {
                    min: Some(min),
                    max: Some(max),
                };
                Predicate::Within(spans.into_iter().map(span).collect())
            }
        })
    }

    fn of_texts(&self) -> Predicate {
        let texts = self.operands.iter().filter_map(|operand| match operand {
            Operand::Text(text) => Some(text.clone()),
            Operand::Int(_) | Operand::Time { .. } => None,
        });
        let mut texts: Vec<String> = texts.collect();
        match (self.verb, texts.pop()) {
            (Verb::NotEquals, Some(text)) => Predicate::Not(text),
            (Verb::Contains, Some(text)) => Predicate::Contains(text),
            (_, last) => {
                texts.extend(last);
                Predicate::OneOf(texts)
            }
        }
    }
}
