//! Whether a text is GraphQL, by the letter of the grammar (GraphQL specification, September 2025, appendix C).
//!
//! The parser that makes the document mends some mistakes instead of refusing them: it drops an argument or a field of
//! an input object that has a name and no value. That can be dear: `send(to: "…", sum)` would
//! send everything. So every text is read once by this recogniser, which follows the grammar and makes nothing, before
//! the parser sees it. It stops at the first mistake, names what it expected, and of what it found only the kind: never
//! a value.

mod definitions;
mod executable;
mod reader;

use std::{borrow::Cow, ops::Range};

use self::reader::Reader;
use super::{DocumentFault, limits::Limits};

/// Refuses a text that is not GraphQL, or exceeds the bounds of tokens or nesting.
///
/// Gives the text for the parser: that of operations with blanks in place of descriptions, which are in the grammar since
/// September 2025 and which the parser does not know.
pub(super) fn check<'a>(text: &'a str, limits: &Limits) -> Result<Cow<'a, str>, DocumentFault> {
    Reader::new(text, limits)
        .and_then(|mut reader| {
            reader.document()?;
            Ok(without(text, &reader.descriptions))
        })
        .map_err(|broken| DocumentFault {
            code: broken.code,
            message: broken.message,
            place: Some(line_and_column(text, broken.index)),
        })
}

/// The text with blanks in these places, as long as before and with the same lines.
fn without<'a>(text: &'a str, places: &[Range<usize>]) -> Cow<'a, str> {
    let mut out = Cow::Borrowed(text);
    for place in places {
        let Some(part) = text.get(place.clone()) else {
            continue;
        };
        let blank = |byte| {
            if matches!(byte, b'\n' | b'\r') {
                char::from(byte)
            } else {
                ' '
            }
        };
        let blanks: String = part.bytes().map(blank).collect();
        out.to_mut().replace_range(place.clone(), &blanks);
    }
    out
}

/// Line and column of a byte, both from 1; columns are counted in characters.
fn line_and_column(text: &str, index: usize) -> (usize, usize) {
    let before = text.get(..index).unwrap_or(text);
    let before_lines = before.replace("\r\n", "\n").replace('\r', "\n");
    let last = before_lines.rsplit('\n').next().unwrap_or_default();
    let lines = before_lines.matches('\n').count();
    (
        lines.saturating_add(1),
        last.chars().count().saturating_add(1),
    )
}

#[cfg(test)]
mod tests;
