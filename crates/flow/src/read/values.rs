//! What every part of a document is made of: texts, words, lists, objects.

use std::{collections::BTreeMap, time::Duration};

use domain::{bounded::bounded_lines, id::ConnectionId};

use crate::{
    facts::shortened,
    problem::{Problem, did_you_mean, listed},
    span,
    tree::{Content, Node},
};

/// Most problems that one look at a document reports.
const PROBLEMS_MAX: usize = 20;

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct At<'n> {
    /// Its place, such as `steps[2].if`.
    pub(super) place: String,
    /// The value.
    pub(super) node: &'n Node,
}

impl<'n> At<'n> {
    pub(super) fn top(node: &'n Node) -> Self {
        Self {
            place: String::new(),
            node,
        }
    }

    /// The place of a member.
    pub(super) fn below(&self, name: &str) -> String {
        let name = shortened(name);
        if self.place.is_empty() {
            name
        } else {
            format!("{}.{name}", self.place)
        }
    }

    /// The items of a list with their places.
    pub(super) fn items(&self, items: &'n [Node]) -> impl Iterator<Item = At<'n>> {
        items.iter().enumerate().map(|(index, node)| At {
            place: format!("{}[{index}]", self.place),
            node,
        })
    }
}

/// The members of an object.
pub(super) type Members<'n> = &'n [(String, Node)];

/// Reads, and remembers what was wrong.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What was wrong so far.
    pub(super) problems: Vec<Problem>,
    /// The line of each step and of what is in it.
    pub(super) lines: BTreeMap<String, u32>,
    /// The steps so far.
    pub(super) count: usize,
}

impl Reader {
    /// Notes a problem; always `None`, to be given back.
    pub(super) fn refuse<T>(&mut self, at: &At<'_>, message: impl Into<String>) -> Option<T> {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem {
                place: at.place.clone(),
                line: at.node.line,
                message: message.into(),
            });
        }
        None
    }

    /// An object of which no member is unknown.
    pub(super) fn object<'n>(
        &mut self,
        at: &At<'n>,
        example: &str,
        known: &[&str],
    ) -> Option<Members<'n>> {
        let Content::Map(members) = &at.node.content else {
            return self.refuse(at, format!("must be an object {example}"));
        };
        for (name, node) in members {
            if !known.contains(&name.as_str()) {
                let near = did_you_mean(name, known.iter().copied());
                let message = format!(
                    "this name is not known here{near}; there are {}",
                    listed(known.iter().copied())
                );
                self.refuse::<()>(
                    &At {
                        place: at.below(name),
                        node,
                    },
                    message,
                );
            }
        }
        Some(members)
    }

    /// A member, or nothing.
    pub(super) fn optional<'n>(at: &At<'n>, members: Members<'n>, name: &str) -> Option<At<'n>> {
        let (_, node) = members.iter().find(|(known, _)| known == name)?;
        Some(At {
            place: at.below(name),
            node,
        })
    }

    /// A member that must be there.
    pub(super) fn required<'n>(
        &mut self,
        at: &At<'n>,
        members: Members<'n>,
        name: &str,
    ) -> Option<At<'n>> {
        let found = Self::optional(at, members, name);
        if found.is_none() {
            self.refuse::<()>(at, format!("`{name}` is missing"));
        }
        found
    }

    /// A text of at least one character.
    pub(super) fn text(&mut self, at: &At<'_>, max: usize) -> Option<String> {
        let text = match &at.node.content {
            Content::Text(text) => text,
            Content::Bool | Content::Int(_) | Content::Number => {
                return self.refuse(at, "must be a text: put it in quotation marks");
            }
            Content::Null | Content::List(_) | Content::Map(_) => {
                return self.refuse(at, "must be a text");
            }
        };
        if text.trim().is_empty() {
            return self.refuse(at, "must not be empty");
        }
        match bounded_lines(text.clone(), "", max) {
            Ok(text) => Some(text),
            Err(fault) => self.refuse(at, fault.reason.unwrap_or(fault.message)),
        }
    }

    /// An optional text. What is wrong is noted, which refuses the document whatever is given back.
    pub(super) fn text_option(&mut self, at: Option<At<'_>>, max: usize) -> Option<String> {
        at.and_then(|at| self.text(&at, max))
    }

    /// A name for addresses and the like.
    pub(super) fn slug(&mut self, at: &At<'_>) -> Option<String> {
        const RULE: &str = "must be 1 to 64 letters, digits, hyphens, underscores, dots or colons";
        let text = self.text(at, 64)?;
        // The rule is the one of our own ids.
        match ConnectionId::parse(&text) {
            Some(_) => Some(text),
            None => self.refuse(at, RULE),
        }
    }

    pub(super) fn connection(&mut self, at: &At<'_>) -> Option<ConnectionId> {
        let text = self.slug(at)?;
        ConnectionId::parse(&text)
    }

    pub(super) fn span(&mut self, at: &At<'_>) -> Option<Duration> {
        const RULE: &str = "must be a time of 1s to 365d such as 30s, 15m, 36h or 7d";
        let span = match &at.node.content {
            Content::Text(text) => span::parse(text),
            Content::Null
            | Content::Bool
            | Content::Int(_)
            | Content::Number
            | Content::List(_)
            | Content::Map(_) => None,
        };
        if span.is_some() {
            span
        } else {
            self.refuse(at, RULE)
        }
    }

    /// An optional duration, likewise.
    pub(super) fn span_option(&mut self, at: Option<At<'_>>) -> Option<Duration> {
        at.and_then(|at| self.span(&at))
    }

    /// A whole number within bounds.
    pub(super) fn int(&mut self, at: &At<'_>, min: i64, max: i64) -> Option<i64> {
        match at.node.content {
            Content::Int(number) if (min..=max).contains(&number) => Some(number),
            _ if max == i64::MAX => {
                self.refuse(at, format!("must be a whole number of at least {min}"))
            }
            _ => self.refuse(at, format!("must be a whole number from {min} to {max}")),
        }
    }

    /// A list of at least one item.
    pub(super) fn list<'n>(&mut self, at: &At<'n>) -> Option<Vec<At<'n>>> {
        match &at.node.content {
            Content::List(items) if !items.is_empty() => Some(at.items(items).collect()),
            Content::List(_) => self.refuse(at, "must not be empty"),
            Content::Null
            | Content::Bool
            | Content::Int(_)
            | Content::Number
            | Content::Text(_)
            | Content::Map(_) => self.refuse(at, "must be a list such as [a, b]"),
        }
    }

    /// One of a set of words.
    pub(super) fn word<T: Copy>(
        &mut self,
        at: &At<'_>,
        all: &[T],
        parse: fn(&str) -> Option<T>,
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        let written = match &at.node.content {
            Content::Text(text) => text.as_str(),
            Content::Null
            | Content::Bool
            | Content::Int(_)
            | Content::Number
            | Content::List(_)
            | Content::Map(_) => "",
        };
        let found = parse(written);
        if found.is_none() {
            let words = || all.iter().map(|value| word(*value));
            let near = did_you_mean(written, words());
            return self.refuse(at, format!("must be one of {}{near}", listed(words())));
        }
        found
    }

    /// A list of words of a set, each once.
    pub(super) fn words<T: Copy + PartialEq>(
        &mut self,
        at: &At<'_>,
        all: &[T],
        parse: fn(&str) -> Option<T>,
        word: fn(T) -> &'static str,
    ) -> Option<Vec<T>> {
        let mut values = Vec::new();
        let mut good = true;
        for item in self.list(at)? {
            match self.word(&item, all, parse, word) {
                Some(value) if values.contains(&value) => {
                    good = self
                        .refuse(&item, "stands here twice; keep one")
                        .unwrap_or(false);
                }
                Some(value) => values.push(value),
                None => good = false,
            }
        }
        good.then_some(values)
    }
}
