//! The value of a condition.

use std::{cmp::Ordering, fmt};

use serde_json::Value;

use crate::facts::{Fact, Facts};

use super::{Expr, FactRef, Key, Match, Order, Path, Root, Sum};

/// A value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Val<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(&'v str),
    /// A list or an object from the facts.
    Json(&'v Value),
    /// A list from the condition.
    List(&'v [Expr]),
}

/// Why there is no value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Failure<'v> {
    /// Nothing is there.
    Missing(&'v Path),
    /// A fact is not known.
    Unknown(FactRef),
    /// The values don't go together.
    Types(&'static str),
    /// A number outside of 64 bits, or a division by zero.
    Number,
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "there is no `{path}`"),
            Self::Unknown(fact) => write!(f, "`{fact:?}` is not known"),
            Self::Types(what) => f.write_str(what),
            Self::Number => f.write_str("a number is too large, or divided by zero"),
        }
    }
}

type Found<'v> = Result<Val<'v>, Failure<'v>>;

/// The value of an expression. A walk over the expression and, where JSON is compared or searched, over that.
pub(super) fn eval<'v>(expr: &'v Expr, facts: &'v Facts<'_>) -> Found<'v> {
    Ok(match expr {
        Expr::Null => Val::Null,
        Expr::Bool(value) => Val::Bool(*value),
        Expr::Int(value) => Val::Int(*value),
        Expr::Double(value) => Val::Double(*value),
        Expr::Text(text) => Val::Text(text),
        Expr::List(items) => {
            // As in CEL, a list with an item that fails has failed, wherever the answer would be.
            items
                .iter()
                .try_for_each(|item| eval(item, facts).map(drop))?;
            Val::List(items)
        }
        Expr::Fact(fact) => known(*fact, facts),
        Expr::Known(fact) => Val::Bool(!matches!(known(*fact, facts), Val::Null)),
        Expr::Json(path) => lookup(path, facts)?,
        Expr::Present(path) => Val::Bool(present(path, facts)),
        Expr::Not(inner) => Val::Bool(!truth(eval(inner, facts)?)?),
        Expr::Negative(inner) => negative(eval(inner, facts)?)?,
        Expr::And(sides) => Val::Bool(joined(sides, facts, false)?),
        Expr::Or(sides) => Val::Bool(joined(sides, facts, true)?),
        Expr::Choose(parts) => {
            let [condition, then, otherwise] = &**parts;
            eval(
                if truth(eval(condition, facts)?)? {
                    then
                } else {
                    otherwise
                },
                facts,
            )?
        }
        Expr::Equal(sides) => Val::Bool(equal_sides(sides, facts)?),
        Expr::Differ(sides) => Val::Bool(!equal_sides(sides, facts)?),
        Expr::Order(order, sides) => Val::Bool(ordered(*order, sides, facts)?),
        Expr::Sum(sum, sides) => calculated(*sum, sides, facts)?,
        Expr::In(sides) => Val::Bool(within(sides, facts)?),
        Expr::Size(inner) => size(eval(inner, facts)?)?,
        Expr::Match(kind, sides) => Val::Bool(matched(*kind, sides, facts)?),
    })
}

fn known<'v>(fact: FactRef, facts: &'v Facts<'_>) -> Val<'v> {
    match (fact.field.get)(facts) {
        Fact::Null => Val::Null,
        Fact::Text(text) => Val::Text(text),
        Fact::Int(number) => Val::Int(number),
    }
}

fn lookup<'v>(path: &'v Path, facts: &'v Facts<'_>) -> Found<'v> {
    let root = match path.root {
        Root::Metadata => facts.metadata,
        Root::Fraud => facts.fraud,
        Root::Body => facts.webhook_body,
    };
    let Some(root) = root else {
        return if path.keys.is_empty() {
            Ok(Val::Null)
        } else {
            Err(Failure::Missing(path))
        };
    };
    let found = path.keys.iter().try_fold(root, |value, key| match key {
        Key::Name(name) => value.as_object()?.get(name),
        Key::Index(index) => value.as_array()?.get(*index),
    });
    found.map(val).ok_or(Failure::Missing(path))
}

/// A name that is there with the value null is there; a variable that is null is not.
fn present(path: &Path, facts: &Facts<'_>) -> bool {
    match lookup(path, facts) {
        Ok(Val::Null) => !path.keys.is_empty(),
        Ok(_) => true,
        Err(_) => false,
    }
}

fn val(value: &Value) -> Val<'_> {
    match value {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(*value),
        Value::String(text) => Val::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Val::Int(number),
            (None, Some(number)) => Val::Double(number),
            (None, None) => Val::Json(value),
        },
        Value::Array(_) | Value::Object(_) => Val::Json(value),
    }
}

fn truth(value: Val<'_>) -> Result<bool, Failure<'_>> {
    match value {
        Val::Bool(value) => Ok(value),
        _ => Err(Failure::Types("`&&`, `||`, `!` and `?` need true or false")),
    }
}

/// `&&` and `||` as CEL has them: a side that decides wins, even when the other one fails.
fn joined<'v>(
    sides: &'v [Expr; 2],
    facts: &'v Facts<'_>,
    decisive: bool,
) -> Result<bool, Failure<'v>> {
    let [left, right] = sides;
    let side = |expr: &'v Expr| eval(expr, facts).and_then(truth);
    let first = side(left);
    if matches!(first, Ok(value) if value == decisive) {
        return Ok(decisive);
    }
    match (first, side(right)) {
        (_, Ok(value)) if value == decisive => Ok(decisive),
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
        _ => Ok(!decisive),
    }
}

fn equal_sides<'v>(sides: &'v [Expr; 2], facts: &'v Facts<'_>) -> Result<bool, Failure<'v>> {
    let [left, right] = sides;
    equal(eval(left, facts)?, eval(right, facts)?, facts)
}

fn equal<'v>(left: Val<'v>, right: Val<'v>, facts: &'v Facts<'_>) -> Result<bool, Failure<'v>> {
    Ok(match (left, right) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(left), Val::Bool(right)) => left == right,
        (Val::Text(left), Val::Text(right)) => left == right,
        (Val::Json(left), Val::Json(right)) => left == right,
        (Val::List(items), Val::Json(Value::Array(values)))
        | (Val::Json(Value::Array(values)), Val::List(items)) => {
            let mut same = items.len() == values.len();
            for (item, value) in items.iter().zip(values) {
                same = same && equal(eval(item, facts)?, val(value), facts)?;
            }
            same
        }
        (left, right) => compared(left, right) == Some(Ordering::Equal),
    })
}

fn ordered<'v>(
    order: Order,
    sides: &'v [Expr; 2],
    facts: &'v Facts<'_>,
) -> Result<bool, Failure<'v>> {
    let [left, right] = sides;
    let (left_value, right_value) = (eval(left, facts)?, eval(right, facts)?);
    let Some(ordering) = compared(left_value, right_value) else {
        return Err(absent(left, left_value)
            .or_else(|| absent(right, right_value))
            .unwrap_or(Failure::Types(
                "`<`, `<=`, `>` and `>=` compare two numbers or two texts",
            )));
    };
    Ok(match order {
        Order::Less => ordering.is_lt(),
        Order::LessEqual => ordering.is_le(),
        Order::Greater => ordering.is_gt(),
        Order::GreaterEqual => ordering.is_ge(),
    })
}

/// The better reason when an operation does not take a value: the fact is not known.
fn absent(expr: &Expr, value: Val<'_>) -> Option<Failure<'static>> {
    match (expr, value) {
        (Expr::Fact(fact), Val::Null) => Some(Failure::Unknown(*fact)),
        _ => None,
    }
}

/// The order of two numbers or two texts; `None` for anything else, and for what is no number.
fn compared(left: Val<'_>, right: Val<'_>) -> Option<Ordering> {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => Some(left.cmp(&right)),
        (Val::Double(left), Val::Double(right)) => left.partial_cmp(&right),
        (Val::Int(left), Val::Double(right)) => double(left).partial_cmp(&right),
        (Val::Double(left), Val::Int(right)) => left.partial_cmp(&double(right)),
        (Val::Text(left), Val::Text(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a number beyond 2^53 is compared with a fraction as CEL compares them"
)]
fn double(number: i64) -> f64 {
    number as f64
}

fn negative(value: Val<'_>) -> Result<Val<'_>, Failure<'static>> {
    match value {
        Val::Int(number) => number.checked_neg().map(Val::Int).ok_or(Failure::Number),
        _ => Err(Failure::Types("`-` needs a whole number")),
    }
}

fn calculated<'v>(sum: Sum, sides: &'v [Expr; 2], facts: &'v Facts<'_>) -> Found<'v> {
    let [left, right] = sides;
    let (left_value, right_value) = (eval(left, facts)?, eval(right, facts)?);
    let (Val::Int(first), Val::Int(second)) = (left_value, right_value) else {
        return Err(absent(left, left_value)
            .or_else(|| absent(right, right_value))
            .unwrap_or(Failure::Types("only whole numbers are calculated with")));
    };
    let result = match sum {
        Sum::Add => first.checked_add(second),
        Sum::Subtract => first.checked_sub(second),
        Sum::Multiply => first.checked_mul(second),
        Sum::Divide => first.checked_div(second),
        Sum::Remainder => first.checked_rem(second),
    };
    result.map(Val::Int).ok_or(Failure::Number)
}

fn within<'v>(sides: &'v [Expr; 2], facts: &'v Facts<'_>) -> Result<bool, Failure<'v>> {
    let [left, right] = sides;
    let wanted = eval(left, facts)?;
    match eval(right, facts)? {
        Val::List(items) => {
            for item in items {
                if equal(wanted, eval(item, facts)?, facts)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Val::Json(Value::Array(values)) => {
            for value in values {
                if equal(wanted, val(value), facts)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Val::Json(Value::Object(members)) => {
            Ok(matches!(wanted, Val::Text(name) if members.contains_key(name)))
        }
        _ => Err(Failure::Types(
            "`in` needs a list or an object on its right",
        )),
    }
}

fn size(value: Val<'_>) -> Result<Val<'_>, Failure<'static>> {
    let size = match value {
        Val::Text(text) => text.chars().count(),
        Val::List(items) => items.len(),
        Val::Json(Value::Array(values)) => values.len(),
        Val::Json(Value::Object(members)) => members.len(),
        _ => return Err(Failure::Types("`size` needs a text, a list or an object")),
    };
    i64::try_from(size)
        .map(Val::Int)
        .map_err(|_| Failure::Number)
}

fn matched<'v>(
    kind: Match,
    sides: &'v [Expr; 2],
    facts: &'v Facts<'_>,
) -> Result<bool, Failure<'v>> {
    let [left, right] = sides;
    let (left_value, right_value) = (eval(left, facts)?, eval(right, facts)?);
    let (Val::Text(text), Val::Text(part)) = (left_value, right_value) else {
        return Err(absent(left, left_value)
            .or_else(|| absent(right, right_value))
            .unwrap_or(Failure::Types(
                "`startsWith`, `endsWith` and `contains` need texts",
            )));
    };
    Ok(match kind {
        Match::Start => text.starts_with(part),
        Match::End => text.ends_with(part),
        Match::Contain => text.contains(part),
    })
}
