//! The language of lists: filters and sorting.
//!
//! A filter of the interface is `{value, selectedVerb}` for a named field. It is parsed into a [`Condition`], whose
//! operands have the field's type and their one spelling; a condition says what it selects as a [`Predicate`], which is
//! easy to write in SQL, and [`Predicate::matches`] is the meaning that the SQL must have.

mod condition;
mod field;
mod parse;
mod predicate;
mod sort;
#[cfg(test)]
mod tests;
mod verb;

pub use condition::{Condition, Operand};
pub use field::{FieldKind, FieldName, FilterField};
pub use parse::parse;
pub use predicate::{Fact, Predicate, Span};
pub use sort::{Sort, SortField, SortKey, SortOrder, SortableField};
pub use verb::{Arity, Verb};
