//! Reading a document: what each thing must be, with a message for the author who wrote it otherwise.

mod conditions;
mod steps;
mod values;

use serde_json::Value;

use crate::{
    document::{DisputeMoment, Document, Lines, Outcome, Trigger},
    problem::{Problem, did_you_mean, listed},
    tree::{Content, Node},
    yaml::{self, Refusal},
};

use values::{At, Reader};

/// Largest document. Unit: bytes of its text.
const BYTES_MAX: usize = 64 * 1024;
/// Longest name of a flow. Unit: characters.
const NAME_MAX: usize = 100;

const KEYS: [&str; 3] = ["name", "trigger", "steps"];
const TRIGGERS: [&str; 5] = [
    "payment",
    "outcome",
    "dispute",
    "intent_inactive",
    "webhook",
];

impl Document {
    /// Reads a document from JSON or YAML. What is wrong comes with its place and its line.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > BYTES_MAX {
            return Err(vec![too_large()]);
        }
        match yaml::read(text) {
            Ok(node) => read(&node),
            Err(Refusal::Rule(problem)) => Err(vec![problem]),
            // JSON that YAML does not take, such as an escape of a surrogate pair, or no document at all.
            Err(Refusal::Syntax(problem)) => match serde_json::from_str::<Value>(text) {
                Ok(value) => Self::from_value(&value),
                Err(_) => Err(vec![problem]),
            },
        }
    }

    /// Reads a document that is JSON already. What is wrong comes with its place.
    pub fn from_value(value: &Value) -> Result<Self, Vec<Problem>> {
        let Some(node) = Node::from_value(value) else {
            return Err(vec![problem("the document is nested too deeply")]);
        };
        if value.to_string().len() > BYTES_MAX {
            return Err(vec![too_large()]);
        }
        read(&node)
    }
}

fn too_large() -> Problem {
    problem("the document is larger than 64 KiB; split it into several flows")
}

fn problem(message: &str) -> Problem {
    Problem {
        place: String::new(),
        line: None,
        message: message.to_owned(),
    }
}

fn read(node: &Node) -> Result<Document, Vec<Problem>> {
    let mut reader = Reader::default();
    let document = reader.document(&At::top(node));
    match document {
        Some(document) if reader.problems.is_empty() => Ok(document),
        _ => {
            reader.judge_unread(&At::top(node));
            Err(reader.problems)
        }
    }
}

impl Reader {
    fn document(&mut self, at: &At<'_>) -> Option<Document> {
        let members = self.object(at, "with `name`, `trigger` and `steps`", &KEYS)?;
        let name = self
            .required(at, members, "name")
            .and_then(|name| self.text(&name, NAME_MAX));
        let trigger = self
            .required(at, members, "trigger")
            .and_then(|trigger| self.trigger(&trigger));
        let steps = self
            .required(at, members, "steps")
            .and_then(|steps| self.steps(&steps, 1));
        let lines = Lines(std::mem::take(&mut self.lines));
        Some(Document {
            name: name?,
            trigger: trigger?,
            steps: steps?,
            lines,
        })
    }

    fn trigger(&mut self, at: &At<'_>) -> Option<Trigger> {
        let (word, argument) = self.one_of(at, "trigger", &TRIGGERS)?;
        match (word, argument) {
            ("payment", None) => Some(Trigger::Payment),
            ("intent_inactive", None) => Some(Trigger::IntentInactive),
            ("outcome", Some(at)) => self
                .words(&at, Outcome::ALL, Outcome::parse, Outcome::word)
                .map(Trigger::Outcome),
            ("dispute", Some(at)) => self
                .words(
                    &at,
                    DisputeMoment::ALL,
                    DisputeMoment::parse,
                    DisputeMoment::word,
                )
                .map(Trigger::Dispute),
            ("webhook", Some(at)) => {
                let members = self.object(&at, "such as {name: shipped}", &["name"])?;
                let name = self.required(&at, members, "name")?;
                Some(Trigger::Webhook {
                    name: self.slug(&name)?,
                })
            }
            ("payment" | "intent_inactive", Some(at)) => {
                self.refuse(&at, format!("`{word}` stands alone: `trigger: {word}`"))
            }
            ("webhook", None) => {
                self.refuse(at, "a webhook needs its name: {webhook: {name: shipped}}")
            }
            ("outcome", None) => {
                self.refuse(at, "say which outcomes: {outcome: [declined, failed]}")
            }
            _ => self.refuse(at, "say which moments: {dispute: [created, lost]}"),
        }
    }

    /// A word, or an object with one such word as its only name.
    fn one_of<'n>(
        &mut self,
        at: &At<'n>,
        what: &str,
        words: &'static [&'static str],
    ) -> Option<(&'static str, Option<At<'n>>)> {
        let (written, argument) = match &at.node.content {
            Content::Text(word) => (word, None),
            Content::Map(members) => match members.as_slice() {
                [(word, node)] => (
                    word,
                    Some(At {
                        place: at.below(word),
                        node,
                    }),
                ),
                _ => {
                    return self.refuse(
                        at,
                        format!("a {what} is one of {}", listed(words.iter().copied())),
                    );
                }
            },
            Content::Null
            | Content::Bool
            | Content::Int(_)
            | Content::Number
            | Content::List(_) => {
                return self.refuse(
                    at,
                    format!("a {what} is one of {}", listed(words.iter().copied())),
                );
            }
        };
        let Some(word) = words.iter().copied().find(|word| word == written) else {
            let near = did_you_mean(written, words.iter().copied());
            return self.refuse(
                at,
                format!(
                    "no such {what}{near}; there are {}",
                    listed(words.iter().copied())
                ),
            );
        };
        Some((word, argument))
    }
}
