//! Conditions: expressions of the Common Expression Language (CEL) over the facts.
//!
//! # How it works
//! The crate `cel` parses. What it gives is checked and made into a small typed tree ([`Expr`]) of the part of CEL that
//! we take, and that tree is walked by [`eval`]. A walk of our own because of what it can't do: it builds no context, and
//! without comprehensions, concatenation and regular expressions it allocates nothing and ends in the time that the
//! condition's length and the facts' size allow. A test holds it against `cel`'s own interpreter.
//!
//! # What is promised
//! Conditions mean what CEL says. In two cases they are milder: `has()` is false, not an error, when what holds the field
//! is not there either, and a condition that fails as a whole counts as false, with the reason.

mod check;
mod constant;
mod eval;
mod parse;

use crate::facts::{FactType, Facts, Field};

/// A condition that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Condition(Expr);

impl Condition {
    /// Reads and checks a condition. Errors: what is wrong, as a clause.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        parse::parse(text).map(Self)
    }

    /// What stands in for a condition that could not be read, until the problem is reported.
    pub(crate) const fn never() -> Self {
        Self(Expr::Bool(false))
    }

    /// Whether it holds. Errors: why it can't be said, as a clause.
    pub(crate) fn holds(&self, facts: &Facts<'_>) -> Result<bool, String> {
        match eval::eval(&self.0, facts).map_err(|failure| failure.to_string())? {
            eval::Val::Bool(holds) => Ok(holds),
            _ => Err("the result is neither true nor false".to_owned()),
        }
    }
}

/// What is known about a value before the facts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Bool,
    Int,
    Double,
    Text,
    Null,
    List,
    /// Only the facts will tell.
    Dyn,
}

#[derive(Debug, Clone)]
enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    /// A list that is written out. Only `in`, `size` and comparisons take one.
    List(Vec<Expr>),
    Fact(FactRef),
    Json(Path),
    /// `has(…)` of a fact.
    Known(FactRef),
    /// `has(…)` of something in JSON.
    Present(Path),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Box<[Expr; 2]>),
    Or(Box<[Expr; 2]>),
    Choose(Box<[Expr; 3]>),
    Equal(Box<[Expr; 2]>),
    Differ(Box<[Expr; 2]>),
    Order(Order, Box<[Expr; 2]>),
    Sum(Sum, Box<[Expr; 2]>),
    In(Box<[Expr; 2]>),
    Size(Box<Expr>),
    Match(Match, Box<[Expr; 2]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sum {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Start,
    End,
    Contain,
}

/// A typed fact.
#[derive(Clone, Copy)]
struct FactRef {
    group: &'static str,
    field: &'static Field,
}

impl std::fmt::Debug for FactRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.group, self.field.name)
    }
}

impl FactRef {
    fn kind(self) -> Type {
        match self.field.kind {
            FactType::Text => Type::Text,
            FactType::Int => Type::Int,
        }
    }
}

/// A way into JSON.
#[derive(Debug, Clone)]
struct Path {
    root: Root,
    keys: Vec<Key>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Metadata,
    Fraud,
    Body,
}

impl Root {
    const fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Fraud => "fraud",
            Self::Body => "webhook.body",
        }
    }
}

#[derive(Debug, Clone)]
enum Key {
    Name(String),
    Index(usize),
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.root.name())?;
        self.keys.iter().try_for_each(|key| match key {
            Key::Name(name) => write!(f, ".{name}"),
            Key::Index(index) => write!(f, "[{index}]"),
        })
    }
}
