//! The published schema and the parser say the same about the shape of documents.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::collections::BTreeMap;

use domain::{decline::DeclineCode, method::Method};
use flow::{Document, JSON_SCHEMA};
use regex::Regex;
use serde_json::{Map, Value, json};

/// The parts of JSON Schema (draft 2020-12) that our schema uses. A keyword that is not here fails the test.
struct Schema {
    root: Value,
    patterns: BTreeMap<String, Regex>,
}

impl Schema {
    fn is_valid(&self, value: &Value) -> bool {
        self.fits(&self.root, value)
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        schema
            .as_object()
            .unwrap()
            .iter()
            .all(|(keyword, rule)| self.keyword(schema, keyword, rule, value))
    }

    fn keyword(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value) -> bool {
        let bound = || rule.as_i64().unwrap();
        let length = |text: &str| i64::try_from(text.chars().count()).unwrap();
        match keyword {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                self.fits(&self.root["$defs"][name], value)
            }
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "integer" => value.is_i64() || value.is_u64(),
                other => panic!("{other}"),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "const" => rule == value,
            "oneOf" => {
                rule.as_array()
                    .unwrap()
                    .iter()
                    .filter(|one| self.fits(one, value))
                    .count()
                    == 1
            }
            "pattern" => value
                .as_str()
                .is_none_or(|text| self.patterns[rule.as_str().unwrap()].is_match(text)),
            "minLength" => value.as_str().is_none_or(|text| length(text) >= bound()),
            "maxLength" => value.as_str().is_none_or(|text| length(text) <= bound()),
            "minimum" => value.as_i64().is_none_or(|number| number >= bound()),
            "maximum" => value.as_i64().is_none_or(|number| number <= bound()),
            "minItems" | "maxItems" | "uniqueItems" | "items" => value
                .as_array()
                .is_none_or(|items| self.list_keyword(keyword, rule, items)),
            "required" | "properties" | "additionalProperties" | "dependentRequired" => value
                .as_object()
                .is_none_or(|members| self.object_keyword(schema, keyword, rule, members)),
            other => panic!("the keyword {other}"),
        }
    }

    fn list_keyword(&self, keyword: &str, rule: &Value, items: &[Value]) -> bool {
        let bound = || usize::try_from(rule.as_i64().unwrap()).unwrap();
        match keyword {
            "minItems" => items.len() >= bound(),
            "maxItems" => items.len() <= bound(),
            "uniqueItems" => items
                .iter()
                .enumerate()
                .all(|(index, item)| !items[..index].contains(item)),
            "items" => items.iter().all(|item| self.fits(rule, item)),
            other => panic!("the keyword {other}"),
        }
    }

    fn object_keyword(
        &self,
        schema: &Value,
        keyword: &str,
        rule: &Value,
        members: &Map<String, Value>,
    ) -> bool {
        let has_all = |names: &Value| {
            let mut names = names.as_array().unwrap().iter();
            names.all(|name| members.contains_key(name.as_str().unwrap()))
        };
        match keyword {
            "required" => has_all(rule),
            "properties" => members
                .iter()
                .all(|(name, member)| rule.get(name).is_none_or(|rule| self.fits(rule, member))),
            "additionalProperties" => {
                assert_eq!(rule, false);
                members
                    .keys()
                    .all(|name| schema["properties"].get(name).is_some())
            }
            "dependentRequired" => rule
                .as_object()
                .unwrap()
                .iter()
                .all(|(name, needed)| !members.contains_key(name) || has_all(needed)),
            other => panic!("the keyword {other}"),
        }
    }
}

/// Every pattern below a value.
fn patterns(value: &Value, found: &mut BTreeMap<String, Regex>) {
    if let Some(pattern) = value.get("pattern").and_then(Value::as_str) {
        found.insert(pattern.to_owned(), Regex::new(pattern).unwrap());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        Value::Object(members) => members.values().for_each(|member| patterns(member, found)),
        _ => {}
    }
}

fn schema() -> Schema {
    let root: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
    let mut found = BTreeMap::new();
    patterns(&root, &mut found);
    Schema {
        root,
        patterns: found,
    }
}

fn with_step(step: &Value) -> Value {
    json!({ "name": "n", "trigger": "payment", "steps": [step] })
}

fn good_steps() -> Vec<Value> {
    let mut steps = vec![
        json!({ "offer": ["CARD", "WALLETC"] }),
        json!({ "if": "true", "then": [{ "note": "a" }] }),
        json!({ "id": "a-b_c", "if": "true", "then": [{ "note": "a" }], "else": [{ "note": "b" }] }),
        json!({ "three_d_secure": "as_issuer" }),
        json!({ "authorise": { "connection": "a" } }),
        json!({ "authorise": { "split": [{ "connection": "a", "weight": 1 }, { "connection": "b", "weight": 1_000_000 }] } }),
        json!({ "authorise": { "connection": "a", "fallback": { "to": ["b"], "after": ["fault"] } } }),
        json!({ "capture": "now" }),
        json!({ "capture": "api" }),
        json!({ "capture": { "after": "2s" } }),
        json!({ "capture": { "webhook": "shipped" } }),
        json!({ "refund": { "amount": 500 } }),
        json!({ "refund": { "amount": "all", "reason": "r" } }),
        json!({ "refund": { "amount": { "percent": 100 } } }),
        json!({ "cancel": {} }),
        json!({ "decline": { "code": "CUSTOM_RULE", "message": "m" } }),
        json!({ "delay": "365d" }),
        json!({ "approval": { "title": "t", "within": "2d" } }),
        json!({ "await_webhook": { "name": "n", "within": "2d" } }),
        json!({ "call_webhook": { "url": "https://example.com/a@b?c#d" } }),
        json!({ "note": "text" }),
    ];
    steps.extend(
        Method::ALL
            .iter()
            .map(|method| json!({ "offer": [method] })),
    );
    steps.extend(
        DeclineCode::ALL
            .iter()
            .map(|code| json!({ "decline": { "code": code } })),
    );
    steps
}

fn bad_steps() -> Vec<Value> {
    vec![
        json!("capture"),
        json!({}),
        json!({ "id": "a" }),
        json!({ "captrue": "now" }),
        json!({ "capture": "now", "note": "a" }),
        json!({ "capture": "now", "then": [{ "note": "a" }] }),
        json!({ "if": "true" }),
        json!({ "if": "true", "then": [] }),
        json!({ "if": true, "then": [{ "note": "a" }] }),
        json!({ "if": "x".repeat(1_001), "then": [{ "note": "a" }] }),
        json!({ "id": "a b", "note": "a" }),
        json!({ "offer": [] }),
        json!({ "offer": ["CARD", "CARD"] }),
        json!({ "offer": ["card"] }),
        json!({ "three_d_secure": true }),
        json!({ "authorise": {} }),
        json!({ "authorise": { "connection": "" } }),
        json!({ "authorise": { "connection": "a", "split": [{ "connection": "a", "weight": 1 }] } }),
        json!({ "authorise": { "split": [] } }),
        json!({ "authorise": { "split": [{ "connection": "a", "weight": 0 }] } }),
        json!({ "authorise": { "split": [{ "connection": "a", "weight": 1.5 }] } }),
        json!({ "authorise": { "connection": "a", "fallback": {} } }),
        json!({ "authorise": { "connection": "a", "fallback": { "to": ["b"], "after": ["timeout"] } } }),
        json!({ "capture": "later" }),
        json!({ "capture": { "after": 2 } }),
        json!({ "capture": { "after": "2s", "webhook": "a" } }),
        json!({ "refund": { "amount": 0 } }),
        json!({ "refund": { "amount": { "percent": 0 } } }),
        json!({ "refund": {} }),
        json!({ "cancel": null }),
        json!({ "decline": { "code": "NO_IDEA" } }),
        json!({ "decline": { "code": "FRAUD", "message": " " } }),
        json!({ "delay": "0s" }),
        json!({ "delay": "1w" }),
        json!({ "approval": {} }),
        json!({ "approval": { "title": "t", "until": "2d" } }),
        json!({ "await_webhook": { "name": "a/b" } }),
        json!({ "call_webhook": { "url": "ftp://example.com" } }),
        json!({ "call_webhook": { "url": "https://me@example.com" } }),
        json!({ "call_webhook": { "url": "https://:80" } }),
        json!({ "call_webhook": { "url": "https://example.com/a b" } }),
        json!({ "note": "" }),
        json!({ "note": "x".repeat(501) }),
        json!({ "note": 7 }),
    ]
}

#[test]
fn the_schema_and_the_parser_take_the_same_documents() {
    let schema = schema();
    let mut good: Vec<Value> = good_steps().iter().map(with_step).collect();
    for trigger in [
        json!("intent_inactive"),
        json!({ "outcome": ["authorised", "succeeded", "declined", "failed", "cancelled", "refunded", "disputed"] }),
        json!({ "dispute": ["created", "updated", "needs_response", "under_review", "won", "lost", "closed"] }),
        json!({ "webhook": { "name": "shipped" } }),
    ] {
        good.push(json!({ "name": "n", "trigger": trigger, "steps": [{ "note": "a" }] }));
    }
    for document in &good {
        assert!(schema.is_valid(document), "schema: {document}");
        assert!(Document::from_value(document).is_ok(), "parser: {document}");
    }
}

#[test]
fn the_schema_and_the_parser_refuse_the_same_documents() {
    let schema = schema();
    let mut bad: Vec<Value> = bad_steps().iter().map(with_step).collect();
    for trigger in [
        json!("payments"),
        json!({ "outcome": [] }),
        json!({ "webhook": {} }),
        json!({ "outcome": ["won"] }),
        json!(null),
    ] {
        bad.push(json!({ "name": "n", "trigger": trigger, "steps": [{ "note": "a" }] }));
    }
    bad.push(json!([]));
    bad.push(json!({ "name": "n", "trigger": "payment" }));
    bad.push(json!({ "name": "n", "trigger": "payment", "steps": [] }));
    bad.push(json!({ "name": "", "trigger": "payment", "steps": [{ "note": "a" }] }));
    bad.push(json!({ "name": "x".repeat(101), "trigger": "payment", "steps": [{ "note": "a" }] }));
    bad.push(
        json!({ "name": "n", "trigger": "payment", "steps": [{ "note": "a" }], "version": 1 }),
    );
    for document in &bad {
        assert!(!schema.is_valid(document), "schema: {document}");
        assert!(
            Document::from_value(document).is_err(),
            "parser: {document}"
        );
    }
}
