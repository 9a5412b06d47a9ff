//! Documents that have been judged.

use domain::{Fault, card_number::holds_card_number, id::ConnectionId};
use flow::{Document, Problem, Program, Trigger};
use serde_json::Value;

/// Problems that are reported at once; the rest shows when these are mended.
const MOST_REPORTED: usize = 20;

/// A document as somebody wrote it.
pub(crate) enum Written<'a> {
    /// JSON or YAML.
    Text(&'a str),
    /// JSON that was read already.
    Value(&'a Value),
}

/// A document without a fault.
pub(crate) struct Checked {
    pub(crate) document: Document,
    pub(crate) program: Program,
}

impl Checked {
    /// Reads and compiles a document whose connections are all among `connections`.
    ///
    /// # Errors
    /// `error.validation` for `field`; the reason names the places.
    pub(crate) fn of(
        written: &Written<'_>,
        connections: &[ConnectionId],
        field: &str,
    ) -> Result<Self, Fault> {
        let read = match written {
            Written::Text(text) => Document::parse(text),
            Written::Value(value) => Document::from_value(value),
        };
        let document = read.map_err(|found| problems(field, &found))?;
        let unknown = document.unknown_connections(connections);
        match Program::compile(&document) {
            Ok(program) if unknown.is_empty() => Ok(Self { document, program }),
            Ok(_) => Err(problems(field, &unknown)),
            Err(mut found) => {
                found.extend(unknown);
                Err(problems(field, &found))
            }
        }
    }

    /// Whether payments can be made under it.
    pub(crate) fn is_for_payments(&self) -> bool {
        matches!(self.program.trigger(), Trigger::Payment)
    }
}

/// A problem in words. Names that the document uses are repeated to be found again, but never what looks like a card's
/// number.
fn words(problem: &Problem) -> String {
    let text = problem.to_string();
    if holds_card_number(&text) {
        "something in the document looks like a card number".to_owned()
    } else {
        text
    }
}

/// What is wrong with a document, as a fault.
pub(crate) fn problems(field: &str, found: &[Problem]) -> Fault {
    let mut reported: Vec<String> = found.iter().take(MOST_REPORTED).map(words).collect();
    if found.len() > MOST_REPORTED {
        reported.push(format!("and {} more", found.len() - MOST_REPORTED));
    }
    Fault::invalid(field, reported.join("; "))
}
