//! What a product tells the executor about its schema.

use std::fmt;

use domain::Fault;
use serde_json::{Map, Value};

/// A schema and what it means, besides the resolvers of its root fields.
#[derive(Clone, Copy)]
pub(crate) struct Product {
    /// The schema, in the schema definition language.
    pub(crate) sdl: &'static str,
    /// A root field's name as a word that lives as long as the program: metrics are named by it.
    pub(crate) root_field: fn(&str) -> Option<&'static str>,
    /// Coerces a value of a scalar of the product's own, or one that does not fit a scalar of the language.
    pub(crate) scalar: fn(Given<'_>) -> Coerced,
    /// Judges the arguments of a field below a root field, before the root field runs: what is found while the answer is
    /// written would hide what was done.
    pub(crate) judge_nested: fn(&Map<String, Value>) -> Result<(), Fault>,
    /// The name under which a value of an enum (first its type, then the value) is written, when it has another one.
    pub(crate) written: fn(&str, &str) -> Option<&'static str>,
    /// What `extensions` of an error says about a fault.
    pub(crate) extensions: fn(&Fault) -> Map<String, Value>,
}

/// A value of an argument, to be coerced.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The scalar's name.
    pub(crate) scalar: &'a str,
    /// The value.
    pub(crate) value: &'a Value,
    /// Where it stands in the operation's arguments.
    pub(crate) path: &'a dyn fmt::Display,
}

/// What the product makes of a value.
pub(crate) enum Coerced {
    /// The value that resolvers see.
    Value(Value),
    /// It does not fit; the reason never shows the value.
    Refused(&'static str),
    /// The product has no rule for it.
    NoRule,
}
