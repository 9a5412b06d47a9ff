//! What goes together in a condition, as far as it is known before the facts are.

use super::{Expr, Match, Order, Sum, Type, constant};

type Typed = (Expr, Type);
type Checked = Result<Typed, String>;

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
fn described((expr, kind): &Typed) -> String {
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
    Ok((Expr::Not(Box::new(operand.0)), Type::Bool))
}

fn boolean(sign: &str, operand: &Typed) -> Result<(), String> {
    match operand.1 {
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
    let sides = Box::new([left.0, right.0]);
    Ok((
        if sign == "&&" {
            Expr::And(sides)
        } else {
            Expr::Or(sides)
        },
        Type::Bool,
    ))
}

pub(super) fn choose(condition: Typed, then: Typed, otherwise: Typed) -> Checked {
    boolean("?", &condition)?;
    let kind = if then.1 == otherwise.1 {
        then.1
    } else {
        Type::Dyn
    };
    Ok((
        Expr::Choose(Box::new([condition.0, then.0, otherwise.0])),
        kind,
    ))
}

pub(super) fn negative(operand: Typed) -> Checked {
    match operand.1 {
        Type::Int | Type::Dyn => Ok((Expr::Negative(Box::new(operand.0)), Type::Int)),
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
    if !can_equal(left.1, right.1) {
        return Err(format!(
            "these can never be equal: {}, and {}",
            described(&left),
            described(&right)
        ));
    }
    if left.1 == Type::List && right.1 == Type::List {
        return Err(
            "two written lists are not compared; ask with `in`, as in `card.brand in [\"VISA\", \"AMEX\"]`".to_owned()
        );
    }
    constant::fits(&left.0, &right.0)?;
    Ok((make(Box::new([left.0, right.0])), Type::Bool))
}

pub(super) fn ordered(order: Order, left: Typed, right: Typed) -> Checked {
    let fits = match (left.1, right.1) {
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
    if is_number(left.1) || is_number(right.1) {
        constant::fits(&left.0, &right.0)?;
    }
    Ok((Expr::Order(order, Box::new([left.0, right.0])), Type::Bool))
}

pub(super) fn calculated(sum: Sum, left: Typed, right: Typed) -> Checked {
    for side in [&left, &right] {
        if !matches!(side.1, Type::Int | Type::Dyn) {
            return Err(format!(
                "only whole numbers are calculated with, but {}",
                described(side)
            ));
        }
    }
    Ok((Expr::Sum(sum, Box::new([left.0, right.0])), Type::Int))
}

pub(super) fn within(left: Typed, right: Typed) -> Checked {
    match &right.0 {
        Expr::List(items) => {
            for item in items {
                let item_type = literal_type(item);
                if !can_equal(left.1, item_type) {
                    let item = (item.clone(), item_type);
                    return Err(format!(
                        "these can never be equal: {}, and in the list {}",
                        described(&left),
                        described(&item)
                    ));
                }
                constant::fits(&left.0, item)?;
            }
        }
        _ if right.1 == Type::Dyn => {}
        _ => {
            return Err(
                "`in` needs a list on its right, as in `card.brand in [\"VISA\", \"AMEX\"]`"
                    .to_owned(),
            );
        }
    }
    Ok((Expr::In(Box::new([left.0, right.0])), Type::Bool))
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
    match operand.1 {
        Type::Text | Type::List | Type::Dyn => Ok((Expr::Size(Box::new(operand.0)), Type::Int)),
        _ => Err(format!(
            "`size` needs a text or a list, but {}",
            described(&operand)
        )),
    }
}

pub(super) fn matched(kind: Match, left: Typed, right: Typed) -> Checked {
    for side in [&left, &right] {
        if !matches!(side.1, Type::Text | Type::Dyn) {
            return Err(format!(
                "`startsWith`, `endsWith` and `contains` need texts, but {}",
                described(side)
            ));
        }
    }
    Ok((Expr::Match(kind, Box::new([left.0, right.0])), Type::Bool))
}
