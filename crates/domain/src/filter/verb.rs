//! Verbs of filters.

use crate::text_enum::text_enum;

text_enum!(
    /// How a filter compares a field with its value. Source: behaviour contract, section 7 "Lists".
    Verb {
        Equals = "EQUALS",
        NotEquals = "NOT_EQUALS",
        LessThan = "LESS_THAN",
        LessThanEquals = "LESS_THAN_EQUALS",
        GreaterThan = "GREATER_THAN",
        GreaterThanEquals = "GREATER_THAN_EQUALS",
        /// The field's text has the value in it; capitals and small letters differ.
        Contains = "CONTAINS",
        BetweenInclusive = "BETWEEN_INCLUSIVE",
        BetweenExclusive = "BETWEEN_EXCLUSIVE",
        InList = "IN_LIST",
        IsEmpty = "IS_EMPTY",
        NotEmpty = "NOT_EMPTY",
        /// No filter.
        All = "ALL",
    }
);

/// What a verb takes as its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// One value.
    Scalar,
    /// A list of two values.
    Pair,
    /// A list of one or more values.
    List,
    /// None.
    Nothing,
}

impl Verb {
    /// What the verb takes as its value.
    pub const fn arity(self) -> Arity {
        match self {
            Self::Equals
            | Self::NotEquals
            | Self::LessThan
            | Self::LessThanEquals
            | Self::GreaterThan
            | Self::GreaterThanEquals
            | Self::Contains => Arity::Scalar,
            Self::BetweenInclusive | Self::BetweenExclusive => Arity::Pair,
            Self::InList => Arity::List,
            Self::IsEmpty | Self::NotEmpty | Self::All => Arity::Nothing,
        }
    }
}
