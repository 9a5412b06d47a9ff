//! From the text of a condition to what we take of it.

use cel::{
    common::ast::{CallExpr, Expr as Ast, IdedExpr, LiteralValue, SelectExpr, operators},
    parser::{ParseError, Parser},
};

use crate::{
    facts::{BODY, DYNAMIC, GROUPS, Group, shortened, variables},
    problem::{did_you_mean, listed},
};

use super::{
    Expr, FactRef, Key, Match, Order, Path, Root, Sum, Type,
    check::{self, Checked, Typed, checked},
};

/// Deepest nesting that the parser and the walk go down. A person loses track long before.
const LEVELS_MAX: u16 = 48;

const FUNCTIONS: [&str; 5] = ["has", "size", "startsWith", "endsWith", "contains"];
const MACROS: [&str; 5] = [
    operators::ALL,
    operators::EXISTS,
    operators::EXISTS_ONE,
    operators::MAP,
    operators::FILTER,
];

pub(super) fn parse(text: &str) -> Result<Expr, String> {
    if nesting(text) > usize::from(LEVELS_MAX) {
        return Err("the condition is nested too deeply".to_owned());
    }
    let ast = Parser::new()
        .max_recursion_depth(LEVELS_MAX)
        .parse(text)
        .map_err(|errors| syntax(text, &errors.errors))?;
    let Typed { expr, kind } = lower(&ast, LEVELS_MAX)?;
    match kind {
        Type::Bool | Type::Dyn => Ok(expr),
        _ => Err(format!(
            "the condition is {}; it must be true or false, as in `payment.amount > 1000`",
            check::named(kind)
        )),
    }
}

/// How deeply brackets and choices nest, so that no parser has to go there first. What stands in quotation marks does not.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut choices) = (0_usize, 0, 0);
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), _) if char == open => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '?') => choices += 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest.max(choices)
}

fn syntax(text: &str, errors: &[ParseError]) -> String {
    let hint = [
        (" and ", "`and` is written `&&`"),
        (" AND ", "`and` is written `&&`"),
        (" or ", "`or` is written `||`"),
        (" OR ", "`or` is written `||`"),
        (" = ", "write `==` to compare"),
        (" not ", "`not` is written `!`"),
    ]
    .into_iter()
    .find_map(|(written, hint)| text.contains(written).then_some(hint));
    let Some(error) = errors.first() else {
        return "this can't be read as a condition".to_owned();
    };
    let place = match error.pos {
        (line, column) if line > 1 => format!(" near character {column} of its line {line}"),
        (1, column) => format!(" near character {column}"),
        _ => String::new(),
    };
    let words = error
        .msg
        .strip_prefix("Syntax error: ")
        .unwrap_or(&error.msg);
    let words = hint.map_or_else(|| shorter(words), str::to_owned);
    format!("this can't be read as a condition{place}: {words}")
}

/// The parser's words in ours. It may list every sign that it knows; only the one that it did not expect helps.
fn shorter(words: &str) -> String {
    let words = words.split(" expecting ").next().unwrap_or_default();
    if words.contains("<EOF>") {
        return "it ends too early; is a bracket or a value missing?".to_owned();
    }
    if words.contains("has() macro") {
        return "`has` is written as in `has(metadata.plan)`".to_owned();
    }
    let quoted = words
        .split_once('\'')
        .and_then(|(_, rest)| rest.rsplit_once('\''))
        .map(|(quoted, _)| quoted);
    let words = quoted
        .unwrap_or(words)
        .chars()
        .filter(|char| !char.is_control())
        .take(40)
        .collect::<String>();
    if quoted.is_some() {
        format!("`{words}` is not expected there")
    } else {
        words
    }
}

fn lower(ast: &IdedExpr, levels: u16) -> Checked {
    let below = levels
        .checked_sub(1)
        .ok_or("the condition is nested too deeply")?;
    match &ast.expr {
        Ast::Literal(literal) => self::literal(literal),
        Ast::Ident(name) => variable(name),
        Ast::Select(select) => field(select, below),
        Ast::Call(call) => self::call(call, below),
        Ast::List(list) => {
            let items: Result<Vec<_>, String> = list
                .elements
                .iter()
                .map(|item| Ok(lower(item, below)?.expr))
                .collect();
            checked(Expr::List(items?), Type::List)
        }
        Ast::Comprehension(_) => Err(format!(
            "{} are not available: compare with `in`, or decide it in your system and send the answer as metadata",
            listed(MACROS)
        )),
        Ast::Map(_) | Ast::Struct(_) | Ast::Unspecified => {
            Err("objects can't be written in a condition".to_owned())
        }
    }
}

fn literal(literal: &LiteralValue) -> Checked {
    match literal {
        LiteralValue::Boolean(value) => checked(Expr::Bool(*value.inner()), Type::Bool),
        LiteralValue::Int(value) => checked(Expr::Int(*value.inner()), Type::Int),
        LiteralValue::Double(value) => checked(Expr::Double(*value.inner()), Type::Double),
        LiteralValue::String(value) => checked(Expr::Text(value.inner().to_owned()), Type::Text),
        LiteralValue::Null => checked(Expr::Null, Type::Null),
        LiteralValue::UInt(_) => Err("write whole numbers without a `u`".to_owned()),
        LiteralValue::Bytes(_) => Err("bytes can't be used; write a text".to_owned()),
    }
}

fn variable(name: &str) -> Checked {
    match root(name) {
        Some(root) => {
            let keys = Vec::new();
            checked(Expr::Json(Path { root, keys }), Type::Dyn)
        }
        None => Err(not_a_value(name)),
    }
}

fn root(name: &str) -> Option<Root> {
    let [metadata, fraud] = DYNAMIC;
    match name {
        _ if name == metadata => Some(Root::Metadata),
        _ if name == fraud => Some(Root::Fraud),
        _ => None,
    }
}

fn group(name: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.name == name)
}

fn not_a_value(name: &str) -> String {
    if let Some(group) = group(name) {
        return format!(
            "`{name}` is no value by itself; name one of {}",
            listed(facts(group))
        );
    }
    let near = did_you_mean(name, variables());
    let name = shortened(name);
    format!(
        "there is no variable `{name}`{near}; there are {}. A text needs quotation marks: \"{name}\"",
        listed(variables())
    )
}

/// The names of a group's facts.
fn facts(group: &Group) -> impl Iterator<Item = &'static str> {
    let body = (group.name == "webhook").then_some(BODY);
    group.fields.iter().map(|field| field.name).chain(body)
}

fn field(select: &SelectExpr, levels: u16) -> Checked {
    if let Ast::Ident(name) = &select.operand.expr
        && let Some(group) = group(name)
    {
        return fact(group, &select.field, select.test);
    }
    into_json(
        lower(&select.operand, levels)?,
        Key::Name(select.field.clone()),
        select.test,
    )
}

fn fact(group: &'static Group, name: &str, test: bool) -> Checked {
    if group.name == "webhook" && name == BODY {
        let path = Path {
            root: Root::Body,
            keys: Vec::new(),
        };
        return json(path, test);
    }
    let Some(field) = group.fields.iter().find(|field| field.name == name) else {
        let near = did_you_mean(name, facts(group));
        let (group_name, name) = (group.name, shortened(name));
        return Err(format!(
            "there is no `{group_name}.{name}`{near}; there are {}",
            listed(facts(group))
        ));
    };
    let fact = FactRef {
        group: group.name,
        field,
    };
    if test {
        checked(Expr::Known(fact), Type::Bool)
    } else {
        checked(Expr::Fact(fact), fact.kind())
    }
}

/// What is at a path; with `test`, whether anything is there.
fn json(path: Path, test: bool) -> Checked {
    if test {
        checked(Expr::Present(path), Type::Bool)
    } else {
        checked(Expr::Json(path), Type::Dyn)
    }
}

fn into_json(operand: Typed, key: Key, test: bool) -> Checked {
    let Expr::Json(mut path) = operand.expr else {
        return Err("only `metadata`, `fraud` and `webhook.body` have something inside".to_owned());
    };
    path.keys.push(key);
    json(path, test)
}

fn call(call: &CallExpr, levels: u16) -> Checked {
    let name = call.func_name.as_str();
    match (&call.target, call.args.as_slice()) {
        (None, [operand]) if name == operators::LOGICAL_NOT => check::not(lower(operand, levels)?),
        (None, [operand]) if name == operators::NEGATE => check::negative(lower(operand, levels)?),
        (None, [operand]) if name == "size" => check::size(lower(operand, levels)?),
        (Some(target), []) if name == "size" => check::size(lower(target, levels)?),
        (None, [condition, then, otherwise]) if name == operators::CONDITIONAL => check::choose(
            lower(condition, levels)?,
            lower(then, levels)?,
            lower(otherwise, levels)?,
        ),
        (None, [operand, key]) if name == operators::INDEX => {
            into_json(lower(operand, levels)?, self::key(key)?, false)
        }
        (None, [left, right]) if name.starts_with(['_', '@']) => {
            let (left, right) = both(lower(left, levels), lower(right, levels))?;
            binary(name, left, right)
        }
        (Some(target), [part]) => match name {
            "startsWith" => {
                check::matched(Match::Start, lower(target, levels)?, lower(part, levels)?)
            }
            "endsWith" => check::matched(Match::End, lower(target, levels)?, lower(part, levels)?),
            "contains" => {
                check::matched(Match::Contain, lower(target, levels)?, lower(part, levels)?)
            }
            _ => Err(no_function(name)),
        },
        _ => Err(no_function(name)),
    }
}

/// Both sides, or what is wrong with either.
fn both<T>(left: Result<T, String>, right: Result<T, String>) -> Result<(T, T), String> {
    match (left, right) {
        (Ok(left), Ok(right)) => Ok((left, right)),
        (Err(left), Err(right)) if left != right => Err(format!("{left}; {right}")),
        (Err(wrong), _) | (_, Err(wrong)) => Err(wrong),
    }
}

fn key(key: &IdedExpr) -> Result<Key, String> {
    match &key.expr {
        Ast::Literal(LiteralValue::String(name)) => Ok(Key::Name(name.inner().to_owned())),
        Ast::Literal(LiteralValue::Int(index)) => usize::try_from(*index.inner())
            .map(Key::Index)
            .map_err(|_| "an index begins at 0".to_owned()),
        _ => Err(
            "what is in brackets must be a written text or number, as in `metadata[\"plan\"]`"
                .to_owned(),
        ),
    }
}

fn binary(name: &str, left: Typed, right: Typed) -> Checked {
    match name {
        operators::LOGICAL_AND => check::joined("&&", left, right),
        operators::LOGICAL_OR => check::joined("||", left, right),
        operators::EQUALS => check::equal(left, right, Expr::Equal),
        operators::NOT_EQUALS => check::equal(left, right, Expr::Differ),
        operators::LESS => check::ordered(Order::Less, left, right),
        operators::LESS_EQUALS => check::ordered(Order::LessEqual, left, right),
        operators::GREATER => check::ordered(Order::Greater, left, right),
        operators::GREATER_EQUALS => check::ordered(Order::GreaterEqual, left, right),
        operators::ADD => check::calculated(Sum::Add, left, right),
        operators::SUBSTRACT => check::calculated(Sum::Subtract, left, right),
        operators::MULTIPLY => check::calculated(Sum::Multiply, left, right),
        operators::DIVIDE => check::calculated(Sum::Divide, left, right),
        operators::MODULO => check::calculated(Sum::Remainder, left, right),
        operators::IN => check::within(left, right),
        _ => Err(no_function(name)),
    }
}

fn no_function(name: &str) -> String {
    if name == "matches" {
        return "`matches` is not available: use `startsWith`, `endsWith` or `contains`".to_owned();
    }
    if FUNCTIONS.contains(&name) {
        let example = match name {
            "has" => "has(metadata.plan)",
            "size" => "size(metadata.items)",
            _ => "customer.email.endsWith(\"@example.com\")",
        };
        return format!("`{name}` is written as in `{example}`");
    }
    let near = did_you_mean(name, FUNCTIONS);
    format!(
        "there is no function `{}`{near}; there are {}",
        shortened(name),
        listed(FUNCTIONS)
    )
}
