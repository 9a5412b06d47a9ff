//! YAML as we take it: the core schema of YAML 1.2, one document, no anchors and no tags, each name once.
//!
//! Anchors are refused as the parser meets them, so that none can be repeated a million times in a few lines.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use crate::{
    problem::Problem,
    tree::{Content, LEVELS_MAX, Node},
};

/// Why a text was not read.
pub(crate) enum Refusal {
    /// It is no YAML.
    Syntax(Problem),
    /// It is YAML that we don't take.
    Rule(Problem),
}

/// Reads a text. JSON is YAML too, but for a few escapes.
pub(crate) fn read(text: &str) -> Result<Node, Refusal> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
    };
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (Event::StreamEnd | Event::DocumentEnd, span) => {
                return Err(refused(&span, "the document is empty"));
            }
            (event, span) => {
                let node = reader.node(event, &span, LEVELS_MAX)?;
                reader.end()?;
                return Ok(node);
            }
        }
    }
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Refusal> {
        match self.events.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn end(&mut self) -> Result<(), Refusal> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(_), span) => {
                    return Err(refused(&span, "a second document begins here; give one"));
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, event: Event<'t>, span: &Span, levels: usize) -> Result<Node, Refusal> {
        let Some(below) = levels.checked_sub(1) else {
            return Err(refused(span, "this is nested too deeply"));
        };
        let content = match event {
            Event::Scalar(text, style, 0, None) => scalar(&text, style),
            Event::SequenceStart(0, None) => self.list(below)?,
            Event::MappingStart(0, None) => self.map(below)?,
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return Err(refused(
                    span,
                    "a tag (`!…`) is not taken; put a condition that begins with `!` in quotation marks",
                ));
            }
            _ => {
                return Err(refused(
                    span,
                    "anchors and aliases (`&…`, `*…`) are not taken: write it out",
                ));
            }
        };
        Ok(Node {
            content,
            line: line(span),
        })
    }

    fn list(&mut self, levels: usize) -> Result<Content, Refusal> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Content::List(items)),
                (event, span) => items.push(self.node(event, &span, levels)?),
            }
        }
    }

    fn map(&mut self, levels: usize) -> Result<Content, Refusal> {
        let mut members: Vec<(String, Node)> = Vec::new();
        loop {
            let (name, span) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Content::Map(members)),
                (Event::Scalar(name, _, 0, None), span) => (name.into_owned(), span),
                (_, span) => return Err(refused(&span, "a name must be a plain word")),
            };
            if members.iter().any(|(known, _)| *known == name) {
                return Err(refused(&span, "this name stands here twice; keep one"));
            }
            let (event, value) = self.next()?;
            let mut node = self.node(event, &value, levels)?;
            // What is wrong with a value is looked for at its name.
            node.line = line(&span);
            members.push((name, node));
        }
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Content {
    if style != ScalarStyle::Plain {
        return Content::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Content::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Content::Bool,
        _ if is_number(text) => text.parse().map_or(Content::Number, Content::Int),
        _ => Content::Text(text.to_owned()),
    }
}

/// Whether a plain word is a number in the core schema. Also asked when a text is written, which then gets quotes.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let special = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"];
    let based = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0o"));
    special.contains(&unsigned)
        || based.is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
        || (unsigned.bytes().any(|byte| byte.is_ascii_digit())
            && unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.')
            && text.parse::<f64>().is_ok())
}

/// The line of a span's begin, from 1.
fn line(span: &Span) -> Option<u32> {
    u32::try_from(span.start.line())
        .ok()
        .filter(|line| *line > 0)
}

fn refused(span: &Span, message: &str) -> Refusal {
    Refusal::Rule(Problem {
        place: String::new(),
        line: line(span),
        message: message.to_owned(),
    })
}

fn syntax(error: &ScanError) -> Refusal {
    let line = u32::try_from(error.marker().line())
        .ok()
        .filter(|line| *line > 0);
    let message = format!("this can't be read as YAML: {}", error.info());
    Refusal::Syntax(Problem {
        place: String::new(),
        line,
        message,
    })
}
