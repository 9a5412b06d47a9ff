//! The form of a line: JSON for machines, text for people.

use std::{fmt, fmt::Write as _};

use tracing::Level;
use tracing_subscriber::fmt::{
    format::Writer,
    time::{FormatTime, SystemTime},
};

use crate::config::LogFormat;

/// A line's own words; a field of such a name gets `_` behind it.
const RESERVED: [&str; 5] = ["timestamp", "level", "message", "target", "repeated"];

/// Fields as they stand in a line, each name once.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    text: String,
    names: Vec<&'static str>,
}

impl Fields {
    /// Begins again, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.names.clear();
    }

    /// Whether there is a field of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// A number or a truth value.
    pub(super) fn plain(
        &mut self,
        format: LogFormat,
        name: &'static str,
        value: impl fmt::Display,
    ) {
        if self.begin(format, name) {
            // Writing to a text does not fail.
            let _ = write!(self.text, "{value}");
        }
    }

    /// A text.
    pub(super) fn text(
        &mut self,
        format: LogFormat,
        name: &'static str,
        value: fmt::Arguments<'_>,
    ) {
        if self.begin(format, name) {
            match format {
                LogFormat::Json => quoted(&mut self.text, value),
                LogFormat::Text => readable(&mut self.text, value),
            }
        }
    }

    fn begin(&mut self, format: LogFormat, name: &'static str) -> bool {
        if self.has(name) {
            return false;
        }
        self.names.push(name);
        let mark = if RESERVED.contains(&name) { "_" } else { "" };
        let (before, behind) = match format {
            LogFormat::Json => (",\"", "\":"),
            LogFormat::Text => (" ", "="),
        };
        // Names are written in our source: nothing in them needs an escape.
        for part in [before, name, mark, behind] {
            self.text.push_str(part);
        }
        true
    }
}

/// What a line begins with.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) level: Level,
    pub(super) target: &'a str,
    pub(super) message: &'a str,
}

/// How lines are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) format: LogFormat,
    /// Whether levels have colours.
    pub(super) colour: bool,
}

impl Form {
    /// Writes a whole line with its line break: its own fields, then those around it that it does not have itself.
    pub(super) fn line<'a>(
        self,
        out: &mut String,
        head: Head<'_>,
        own: &Fields,
        around: impl Iterator<Item = &'a Fields>,
    ) {
        match self.format {
            LogFormat::Json => {
                out.push_str("{\"timestamp\":\"");
                time(out);
                out.push_str("\",\"level\":\"");
                out.push_str(head.level.as_str());
                out.push_str("\",\"message\":");
                quoted(out, format_args!("{}", head.message));
                out.push_str(",\"target\":\"");
                out.push_str(head.target);
                out.push('"');
            }
            LogFormat::Text => {
                time(out);
                let (before, after) = if self.colour {
                    colours(head.level)
                } else {
                    ("", "")
                };
                let _ = write!(out, " {before}{:>5}{after} ", head.level.as_str());
                // A message of ours has no line breaks, but a panic's or a library's may.
                escaped(out, format_args!("{}", head.message));
            }
        }
        out.push_str(&own.text);
        for fields in around {
            // A span's fields are few, and seldom named as one of the event's.
            if !fields.names.iter().any(|name| own.has(name)) {
                out.push_str(&fields.text);
            }
        }
        out.push_str(match self.format {
            LogFormat::Json => "}\n",
            LogFormat::Text => "\n",
        });
    }
}

fn time(out: &mut String) {
    // Writing to a text does not fail.
    let _ = SystemTime.format_time(&mut Writer::new(out));
}

fn colours(level: Level) -> (&'static str, &'static str) {
    let before = match level {
        Level::ERROR => "\u{1b}[31m",
        Level::WARN => "\u{1b}[33m",
        Level::INFO => "\u{1b}[32m",
        _ => "\u{1b}[2m",
    };
    (before, "\u{1b}[0m")
}

/// A JSON string.
fn quoted(out: &mut String, value: fmt::Arguments<'_>) {
    out.push('"');
    let _ = Escaper { out, quotes: true }.write_fmt(value);
    out.push('"');
}

/// A text on one line, without control characters.
fn escaped(out: &mut String, value: fmt::Arguments<'_>) {
    let _ = Escaper { out, quotes: false }.write_fmt(value);
}

/// A text as people read it: in quotes where it would not be seen where it ends.
fn readable(out: &mut String, value: fmt::Arguments<'_>) {
    let start = out.len();
    escaped(out, value);
    let written = out.get(start..).unwrap_or_default();
    if written.is_empty() || written.contains([' ', '"', '=', '\\']) {
        out.truncate(start);
        quoted(out, value);
    }
}

/// Writes with JSON's escapes.
struct Escaper<'a> {
    out: &'a mut String,
    /// Whether quotes and backslashes are escaped too.
    quotes: bool,
}

impl fmt::Write for Escaper<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Nearly all texts, at a line for each request.
        if text.bytes().all(|byte| self.is_plain(byte)) {
            self.out.push_str(text);
            return Ok(());
        }
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| self.needs_escape(c)) {
            let (plain, from) = rest.split_at(at);
            self.out.push_str(plain);
            let mut chars = from.chars();
            match chars.next() {
                Some('\n') => self.out.push_str("\\n"),
                Some('\t') => self.out.push_str("\\t"),
                Some('\r') => self.out.push_str("\\r"),
                Some(quote @ ('"' | '\\')) => {
                    self.out.push('\\');
                    self.out.push(quote);
                }
                // All of them are in the first plane: four digits are enough.
                Some(other) => write!(self.out, "\\u{:04x}", u32::from(other))?,
                None => {}
            }
            rest = chars.as_str();
        }
        self.out.push_str(rest);
        Ok(())
    }
}

impl Escaper<'_> {
    /// Whether a byte is a letter of ASCII that stands as it is.
    fn is_plain(&self, byte: u8) -> bool {
        matches!(byte, b' '..=b'~') && !(self.quotes && matches!(byte, b'"' | b'\\'))
    }

    fn needs_escape(&self, c: char) -> bool {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}')
            || (self.quotes && matches!(c, '"' | '\\'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(format: LogFormat, fill: impl Fn(&mut Fields)) -> String {
        let (mut own, mut around, mut out) = (Fields::default(), Fields::default(), String::new());
        fill(&mut own);
        around.text(format, "request_id", format_args!("req-1"));
        let head = Head {
            level: Level::WARN,
            target: "db",
            message: "it \"warns\"\nof much",
        };
        let form = Form {
            format,
            colour: false,
        };
        form.line(&mut out, head, &own, [&around].into_iter());
        out
    }

    #[test]
    fn json_has_each_name_once_and_any_text() {
        let odd = "a \"b\" \\ \u{0}\u{1b}\u{7f}\u{2028}é\r\n\t";
        let text = line(LogFormat::Json, |own| {
            own.text(LogFormat::Json, "message", format_args!("{odd}"));
            own.plain(LogFormat::Json, "changes", 3);
            own.plain(LogFormat::Json, "changes", 4);
        });
        let read: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(read["message"], "it \"warns\"\nof much");
        assert_eq!(read["message_"], odd);
        assert_eq!(read["changes"], 3);
        assert_eq!(read["request_id"], "req-1");
        for name in read.keys() {
            assert_eq!(text.matches(&format!("\"{name}\":")).count(), 1, "{text}");
        }
    }

    #[test]
    fn text_is_one_line_and_shows_where_values_end() {
        let text = line(LogFormat::Text, |own| {
            own.text(LogFormat::Text, "error", format_args!("two words"));
            own.text(LogFormat::Text, "why", format_args!("\u{1b}[31mred\n"));
            own.plain(LogFormat::Text, "changes", 3);
        });
        assert!(
            text.ends_with(
                "Z  WARN it \"warns\"\\nof much error=\"two words\" why=\"\\u001b[31mred\\n\" changes=3 request_id=req-1\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_an_event_has_itself_is_not_taken_from_around() {
        let text = line(LogFormat::Json, |own| {
            own.text(LogFormat::Json, "request_id", format_args!("own"));
        });
        assert_eq!(text.matches("request_id").count(), 1, "{text}");
    }
}
