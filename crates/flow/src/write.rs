//! Writing a document: as JSON, and as YAML that people like to read.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::{
    document::{
        Action, Authorise, CaptureWhen, Destination, Document, Fallback, RefundAmount, Step,
        Trigger,
    },
    span, wish, yaml,
};

impl Document {
    /// The document as JSON.
    pub fn to_value(&self) -> Value {
        json!({ "name": self.name, "trigger": trigger(&self.trigger), "steps": steps(&self.steps) })
    }

    /// The document as YAML.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        if let Value::Object(members) = self.to_value() {
            block_map(&mut text, &members, 0, true);
        }
        text
    }
}

fn trigger(trigger: &Trigger) -> Value {
    match trigger {
        Trigger::Payment => json!("payment"),
        Trigger::IntentInactive => json!("intent_inactive"),
        Trigger::Outcome(outcomes) => {
            json!({ "outcome": outcomes.iter().map(|outcome| outcome.word()).collect::<Vec<_>>() })
        }
        Trigger::Dispute(moments) => {
            json!({ "dispute": moments.iter().map(|moment| moment.word()).collect::<Vec<_>>() })
        }
        Trigger::Webhook { name } => json!({ "webhook": { "name": name } }),
    }
}

fn steps(steps: &[Step]) -> Value {
    steps.iter().map(step).collect()
}

fn step(step: &Step) -> Value {
    let mut members = Map::new();
    if let Some(id) = &step.id {
        members.insert("id".to_owned(), json!(id));
    }
    let (name, value) = match &step.action {
        Action::If {
            condition,
            then,
            otherwise,
        } => {
            members.insert("if".to_owned(), json!(condition));
            members.insert("then".to_owned(), steps(then));
            if !otherwise.is_empty() {
                members.insert("else".to_owned(), steps(otherwise));
            }
            return Value::Object(members);
        }
        Action::Offer(methods) => ("offer", json!(methods)),
        Action::ThreeDSecure(wish) => ("three_d_secure", json!(wish::word(*wish))),
        Action::Authorise(authorise) => ("authorise", self::authorise(authorise)),
        Action::Capture(when) => ("capture", capture(when)),
        Action::Refund { amount, reason } => (
            "refund",
            with(
                "reason",
                reason.as_ref(),
                json!({ "amount": refund(*amount) }),
            ),
        ),
        Action::Cancel { reason } => ("cancel", with("reason", reason.as_ref(), json!({}))),
        Action::Decline { code, message } => (
            "decline",
            with("message", message.as_ref(), json!({ "code": code })),
        ),
        Action::Delay(span) => ("delay", json!(span::write(*span))),
        Action::Approval { title, within } => (
            "approval",
            with(
                "within",
                within.map(span::write).as_ref(),
                json!({ "title": title }),
            ),
        ),
        Action::AwaitWebhook { name, within } => (
            "await_webhook",
            with(
                "within",
                within.map(span::write).as_ref(),
                json!({ "name": name }),
            ),
        ),
        Action::CallWebhook { url } => ("call_webhook", json!({ "url": url })),
        Action::Note(text) => ("note", json!(text)),
    };
    members.insert(name.to_owned(), value);
    Value::Object(members)
}

/// The object with one member more, when there is something to say.
fn with(name: &str, text: Option<&String>, mut object: Value) -> Value {
    if let (Some(text), Value::Object(members)) = (text, &mut object) {
        members.insert(name.to_owned(), json!(text));
    }
    object
}

fn authorise(authorise: &Authorise) -> Value {
    let mut members = Map::new();
    match &authorise.at {
        Destination::Connection(connection) => {
            members.insert("connection".to_owned(), json!(connection))
        }
        Destination::Split(shares) => {
            let share = |share: &crate::Share| json!({ "connection": share.connection, "weight": share.weight });
            members.insert("split".to_owned(), shares.iter().map(share).collect())
        }
    };
    if let Some(fallback) = &authorise.fallback {
        let mut object = Map::new();
        object.insert("to".to_owned(), json!(fallback.to));
        if fallback.after != Fallback::ALWAYS {
            object.insert("after".to_owned(), json!(causes(fallback.after)));
        }
        members.insert("fallback".to_owned(), Value::Object(object));
    }
    Value::Object(members)
}

fn causes(after: Fallback) -> Vec<&'static str> {
    [
        (after.soft_decline, "soft_decline"),
        (after.fault, "fault"),
        (after.outage, "outage"),
    ]
    .into_iter()
    .filter_map(|(wanted, word)| wanted.then_some(word))
    .collect()
}

fn capture(when: &CaptureWhen) -> Value {
    match when {
        CaptureWhen::Now => json!("now"),
        CaptureWhen::Api => json!("api"),
        CaptureWhen::After(span) => json!({ "after": span::write(*span) }),
        CaptureWhen::Webhook(name) => json!({ "webhook": name }),
    }
}

fn refund(amount: RefundAmount) -> Value {
    match amount {
        RefundAmount::All => json!("all"),
        RefundAmount::Minor(minor) => json!(minor),
        RefundAmount::Percent(percent) => json!({ "percent": percent }),
    }
}

/// The members of an object, each on a line of its own. The first one may stand behind a list's dash.
fn block_map(text: &mut String, members: &Map<String, Value>, indent: usize, mut begun: bool) {
    for (name, value) in members {
        if !std::mem::replace(&mut begun, false) {
            pad(text, indent);
        }
        text.push_str(name);
        text.push(':');
        match value {
            Value::Object(inner) if !is_short(value) => {
                text.push('\n');
                block_map(text, inner, indent + 2, false);
            }
            Value::Array(items) if !is_short(value) => {
                text.push('\n');
                block_list(text, items, indent + 2);
            }
            _ => {
                text.push(' ');
                flow(text, value);
                text.push('\n');
            }
        }
    }
}

fn block_list(text: &mut String, items: &[Value], indent: usize) {
    for item in items {
        pad(text, indent);
        text.push_str("- ");
        match item {
            Value::Object(members) if !members.is_empty() => {
                block_map(text, members, indent + 2, true);
            }
            _ => {
                flow(text, item);
                text.push('\n');
            }
        }
    }
}

/// Whether a value fits on its name's line: scalars, and short objects and lists of scalars.
fn is_short(value: &Value) -> bool {
    let scalar = |value: &Value| !value.is_object() && !value.is_array();
    match value {
        Value::Array(items) => items.iter().all(scalar) && value.to_string().len() < 80,
        Value::Object(members) => members.values().all(scalar) && value.to_string().len() < 80,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn flow(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                flow(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                text.push_str(name);
                text.push_str(": ");
                flow(text, value);
            }
            text.push('}');
        }
        Value::String(string) if is_plain(string) => text.push_str(string),
        // A text in JSON's quotation marks is a text in YAML's, but for a character that YAML does not take as it is.
        Value::String(string) => quoted(text, string),
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
    }
}

fn quoted(text: &mut String, string: &str) {
    // A condition such as `payment.currency == "EUR"` is easier to read without backslashes.
    if string.contains('"') && string.chars().all(|char| (' '..='~').contains(&char)) {
        let _ = write!(text, "'{}'", string.replace('\'', "''"));
        return;
    }
    for char in Value::from(string).to_string().chars() {
        if char.is_control()
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}')
            || ('\u{fffe}'..='\u{ffff}').contains(&char)
        {
            let _ = write!(text, "\\u{:04x}", u32::from(char));
        } else {
            text.push(char);
        }
    }
}

/// Whether a text means itself without quotation marks: words of letters and digits that look like nothing else.
fn is_plain(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && text.ends_with(|char: char| char.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, ' ' | '-' | '_' | '.'))
        && !yaml::is_number(text)
        && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str())
}

fn pad(text: &mut String, indent: usize) {
    text.extend(std::iter::repeat_n(' ', indent));
}
