//! Conditions mean what the interpreter of CEL says they mean.

use flow::{Document, Program};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;

use super::{facts, holds};

/// Conditions that fit their types, and some that the facts will fail.
fn conditions() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        Just("card.exp_year".to_owned()),
        Just("attempt.number".to_owned()),
        Just("card.exp_month".to_owned()),
        Just("metadata.items[0]".to_owned()),
        Just("metadata.score".to_owned()),
        Just("size(metadata.items)".to_owned()),
        (-3_i64..2_000).prop_map(|number| number.to_string()),
        Just("0.5".to_owned()),
    ];
    let text = prop_oneof![
        Just("payment.description".to_owned()),
        Just("card.wallet".to_owned()),
        Just("metadata.plan".to_owned()),
        Just("metadata.missing".to_owned()),
        Just("\"tea\"".to_owned()),
        Just("\"gold\"".to_owned()),
    ];
    let order = prop_oneof![
        Just("<"),
        Just("<="),
        Just(">"),
        Just(">="),
        Just("=="),
        Just("!=")
    ];
    let equality = prop_oneof![Just("=="), Just("!="), Just("<")];
    let leaf = prop_oneof![
        (number.clone(), order, number.clone())
            .prop_map(|(left, order, right)| format!("{left} {order} {right}")),
        (text.clone(), equality, text.clone())
            .prop_map(|(left, order, right)| format!("{left} {order} {right}")),
        (text.clone(), text.clone(), text.clone())
            .prop_map(|(item, one, two)| format!("{item} in [{one}, {two}]")),
        (text.clone(), text.clone()).prop_map(|(text, part)| format!("{text}.startsWith({part})")),
        number.prop_map(|number| format!("{number} in metadata.items")),
        Just("metadata.vip".to_owned()),
        Just("has(metadata.vip)".to_owned()),
        Just("has(metadata.missing)".to_owned()),
        Just("\"plan\" in metadata".to_owned()),
        Just("metadata.nothing == null".to_owned()),
        Just("true".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| format!("({left}) && ({right})")),
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| format!("({left}) || ({right})")),
            inner.clone().prop_map(|inner| format!("!({inner})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
        ]
    })
}

fn cel_value(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| number.as_f64().unwrap().into(), Into::into),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(cel_value).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let members: HashMap<String, cel::Value> = members
                .iter()
                .map(|(name, value)| (name.clone(), cel_value(value)))
                .collect();
            members.into()
        }
    }
}

/// What `cel`'s own interpreter says.
fn oracle(condition: &str, facts: &Value) -> Option<bool> {
    let program = cel::Program::compile(condition).unwrap();
    let mut context = cel::Context::default();
    for name in ["payment", "card", "attempt", "metadata"] {
        context.add_variable_from_value(name, cel_value(&facts[name]));
    }
    match program.execute(&context) {
        Ok(cel::Value::Bool(holds)) => Some(holds),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn our_walk_agrees_with_the_interpreter_of_cel(condition in conditions()) {
        prop_assume!(condition.chars().count() <= 1_000);
        let facts = facts();
        // To the interpreter, facts that are not known are null.
        let mut known = facts.clone();
        known["card"]["wallet"] = Value::Null;
        known["card"]["exp_month"] = Value::Null;
        prop_assert_eq!(holds(&condition, &facts).ok(), oracle(&condition, &known), "{}", condition);
    }

    #[test]
    fn no_text_makes_the_check_panic(condition in "[ -~]{1,80}|[a-z.()!&|=<>0-9\"\\[\\]?: ]{1,120}|\\PC{1,40}") {
        if let Ok(document) = Document::from_value(&json!({
            "name": "n", "trigger": "payment", "steps": [{ "if": condition, "then": [{ "note": "a" }] }]
        })) {
            let _ = Program::compile(&document);
        }
    }
}
