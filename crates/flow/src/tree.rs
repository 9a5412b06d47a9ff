//! A document as a tree of plain values that know their lines, whichever notation it came in.

use serde_json::Value;

/// Deepest nesting of a document. Ten levels of steps and what is in them fit with room to spare.
pub(crate) const LEVELS_MAX: usize = 64;

/// One value.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The value.
    pub(crate) content: Content,
    /// The line on which it begins, from 1.
    pub(crate) line: Option<u32>,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Nothing.
    Null,
    /// True or false.
    Bool,
    /// A whole number.
    Int(i64),
    /// Any other number: no document needs one.
    Number,
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Values by name, each name once.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The tree of a JSON value. `None` when it is nested too deeply.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        Self::within(value, LEVELS_MAX)
    }

    fn within(value: &Value, levels: usize) -> Option<Self> {
        let below = levels.checked_sub(1)?;
        let content = match value {
            Value::Null => Content::Null,
            Value::Bool(_) => Content::Bool,
            Value::Number(number) => number.as_i64().map_or(Content::Number, Content::Int),
            Value::String(text) => Content::Text(text.clone()),
            Value::Array(items) => Content::List(
                items
                    .iter()
                    .map(|item| Self::within(item, below))
                    .collect::<Option<_>>()?,
            ),
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| {
                    Some((name.clone(), Self::within(value, below)?))
                };
                Content::Map(members.iter().map(member).collect::<Option<_>>()?)
            }
        };
        Some(Self {
            content,
            line: None,
        })
    }
}
