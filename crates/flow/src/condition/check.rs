//! What goes together in a condition, as far as it is known before the facts are.

use super::{Expr, Match, Order, Sum, Type, constant};

/// A part of a condition, and what it comes to.
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) kind: Type,
}

pub(super) type Checked = Result<Typed, String>;

/// A part that goes together.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it is the good end of functions that can fail"
)]
pub(super) const fn checked(expr: Expr, kind: Type) -> Checked {
    Ok(Typed { expr, kind })
}

/// The type in words.
pub(super) const fn named(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "true or false",
        Type::Int => "a whole number",
        Type::Double => "a number",
        Type::Text => "a text",
        Type::Null => "null",
        Type::List => "a list",
        Type::Dyn => "any value",
    }
}

/// `payment.amount` is a whole number: the operand as it may be shown, with its type.
fn described(Typed { expr, kind }: &Typed) -> String {
    match expr {
        Expr::Fact(fact) => format!("`{fact:?}` is {}", named(*kind)),
        Expr::Text(text) if text.chars().count() <= 40 => format!("\"{text}\" is a text"),
        Expr::Int(number) => format!("{number} is a whole number"),
        _ => format!("the other side is {}", named(*kind)),
    }
}

const fn is_number(kind: Type) -> bool {
    matches!(kind, Type::Int | Type::Double)
}

pub(super) fn not(operand: Typed) -> Checked {
    boolean("!", &operand)?;
    checked(Expr::Not(Box::new(operand.expr)), Type::Bool)
}

fn boolean(sign: &str, operand: &Typed) -> Result<(), String> {
    match operand.kind {
        Type::Bool | Type::Dyn => Ok(()),
        _ => Err(format!(
            "`{sign}` needs true or false, but {}",
            described(operand)
        )),
    }
}

pub(super) fn joined(sign: &str, left: Typed, right: Typed) -> Checked {
    boolean(sign, &left)?;
    boolean(sign, &right)?;
    let sides = Box::new([left.expr, right.expr]);
    let expr = if sign == "&&" {
        Expr::And(sides)
    } else {
        Expr::Or(sides)
    };
    checked(expr, Type::Bool)
}

pub(super) fn choose(condition: Typed, then: Typed, otherwise: Typed) -> Checked {
    boolean("?", &condition)?;
    let kind = if then.kind == otherwise.kind {
        then.kind
    } else {
        Type::Dyn
    };
    let parts = [condition.expr, then.expr, otherwise.expr];
    checked(Expr::Choose(Box::new(parts)), kind)
}

pub(super) fn negative(operand: Typed) -> Checked {
    match operand.kind {
        Type::Int | Type::Dyn => checked(Expr::Negative(Box::new(operand.expr)), Type::Int),
        _ => Err(format!(
            "`-` needs a whole number, but {}",
            described(&operand)
        )),
    }
}

/// Whether two values can be equal at all. Null can be compared with anything: it asks whether a fact is known.
fn can_equal(left: Type, right: Type) -> bool {
    left == right
        || [left, right]
            .iter()
            .any(|kind| matches!(kind, Type::Dyn | Type::Null))
        || (is_number(left) && is_number(right))
}

pub(super) fn equal(left: Typed, right: Typed, make: fn(Box<[Expr; 2]>) -> Expr) -> Checked {
    if !can_equal(left.kind, right.kind) {
        return Err(format!(
            "these can never be equal: {}, and {}",
            described(&left),
            described(&right)
        ));
    }
    if left.kind == Type::List && right.kind == Type::List {
        return Err(
            "two written lists are not compared; ask with `in`, as in `card.brand in [\"VISA\", \"AMEX\"]`".to_owned()
        );
    }
    constant::fits(&left.expr, &right.expr)?;
    checked(make(Box::new([left.expr, right.expr])), Type::Bool)
}

pub(super) fn ordered(order: Order, left: Typed, right: Typed) -> Checked {
    let fits = match (left.kind, right.kind) {
        (Type::Dyn, other) | (other, Type::Dyn) => {
            matches!(other, Type::Dyn | Type::Int | Type::Double | Type::Text)
        }
        (Type::Text, Type::Text) => true,
        (left, right) => is_number(left) && is_number(right),
    };
    if !fits {
        return Err(format!(
            "only two numbers or two texts can be put in order: {}, and {}",
            described(&left),
            described(&right)
        ));
    }
    if is_number(left.kind) || is_number(right.kind) {
        constant::fits(&left.expr, &right.expr)?;
    }
    checked(
        Expr::Order(order, Box::new([left.expr, right.expr])),
        Type::Bool,
    )
}

pub(super) fn calculated(sum: Sum, left: Typed, right: Typed) -> Checked {
    for side in [&left, &right] {
        if !matches!(side.kind, Type::Int | Type::Dyn) {
            return Err(format!(
                "only whole numbers are calculated with, but {}",
                described(side)
            ));
        }
    }
    checked(Expr::Sum(sum, Box::new([left.expr, right.expr])), Type::Int)
}

pub(super) fn within(left: Typed, right: Typed) -> Checked {
    match &right.expr {
        Expr::List(items) => {
            for item in items {
                let item_type = literal_type(item);
                if !can_equal(left.kind, item_type) {
                    let item = Typed {
                        expr: item.clone(),
                        kind: item_type,
                    };
                    return Err(format!(
                        "these can never be equal: {}, and in the list {}",
                        described(&left),
                        described(&item)
                    ));
                }
                constant::fits(&left.expr, item)?;
            }
        }
        _ if right.kind == Type::Dyn => {}
        _ => {
            return Err(
                "`in` needs a list on its right, as in `card.brand in [\"VISA\", \"AMEX\"]`"
                    .to_owned(),
            );
        }
    }
    checked(Expr::In(Box::new([left.expr, right.expr])), Type::Bool)
}

fn literal_type(expr: &Expr) -> Type {
    match expr {
        Expr::Null => Type::Null,
        Expr::Bool(_) => Type::Bool,
        Expr::Int(_) => Type::Int,
        Expr::Double(_) => Type::Double,
        Expr::Text(_) => Type::Text,
        Expr::Fact(fact) => fact.kind(),
        _ => Type::Dyn,
    }
}

pub(super) fn size(operand: Typed) -> Checked {
    match operand.kind {
        Type::Text | Type::List | Type::Dyn => {
            checked(Expr::Size(Box::new(operand.expr)), Type::Int)
        }
        _ => Err(format!(
            "`size` needs a text or a list, but {}",
            described(&operand)
        )),
    }
}

pub(super) fn matched(kind: Match, left: Typed, right: Typed) -> Checked {
    for side in [&left, &right] {
        if !matches!(side.kind, Type::Text | Type::Dyn) {
            return Err(format!(
                "`startsWith`, `endsWith` and `contains` need texts, but {}",
                described(side)
            ));
        }
    }
    checked(
        Expr::Match(kind, Box::new([left.expr, right.expr])),
        Type::Bool,
    )
}
