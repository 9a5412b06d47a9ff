//! What is wrong with a document, told without repeating it.
//!
//! The compiler's diagnostics quote the document. Ours keep the sentence and the place, and of the quoted names only
//! those that the schema itself defines; literals, aliases, variables and misspelt names never pass.

use apollo_compiler::{
    diagnostic::Diagnostic, parser::LineColumn, validation::DiagnosticData,
    validation::DiagnosticList,
};
use domain::Code;

use crate::schema::ApiSchema;

/// Faults told at most for one document.
const MAX_FAULTS: usize = 10;

/// One fault of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentFault {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// Line and column, both from 1.
    pub(crate) place: Option<(usize, usize)>,
}

impl DocumentFault {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            place: None,
        }
    }
}

/// Faults of the syntax (or of the parser's limits).
pub(crate) fn syntax(list: &DiagnosticList) -> Vec<DocumentFault> {
    tell(list, |diagnostic| {
        let text = diagnostic.error.to_string();
        match text.strip_prefix("syntax error: ") {
            Some(detail) => (
                Code::GraphqlSyntax,
                format!("The document can't be parsed: {}.", syntax_detail(detail)),
            ),
            None if text.starts_with("token limit") => (
                Code::GraphqlLimit,
                "The document has too many tokens; white space and comments count.".to_owned(),
            ),
            None => (
                Code::GraphqlLimit,
                "The document nests too deeply.".to_owned(),
            ),
        }
    })
}

/// Faults against the schema.
pub(crate) fn validation(list: &DiagnosticList, schema: &ApiSchema) -> Vec<DocumentFault> {
    tell(list, |diagnostic| {
        match diagnostic.error.unstable_error_name() {
            Some("RecursionLimitError" | "RecursionError" | "DeeplyNestedType") => (
                Code::GraphqlLimit,
                "The document nests too deeply.".to_owned(),
            ),
            Some("UniqueDirective") => (
                Code::GraphqlValidation,
                "A directive is used more than once in one place.".to_owned(),
            ),
            Some(_) => {
                let text = safe(&diagnostic.error.to_string(), |name| schema.defines(name));
                (Code::GraphqlValidation, sentence(&text))
            }
            None => (
                Code::GraphqlValidation,
                "The document does not fit the schema.".to_owned(),
            ),
        }
    })
}

fn tell(
    list: &DiagnosticList,
    judge: impl Fn(&Diagnostic<'_, DiagnosticData>) -> (Code, String),
) -> Vec<DocumentFault> {
    // A misspelt field makes its parent look empty too: the cause comes before the consequence.
    let (consequences, causes): (Vec<_>, Vec<_>) = list.iter().partition(|diagnostic| {
        diagnostic.error.unstable_error_name() == Some("MissingSubselection")
    });
    causes
        .into_iter()
        .chain(consequences)
        .take(MAX_FAULTS)
        .map(|diagnostic| {
            let (code, message) = judge(&diagnostic);
            let place = diagnostic.line_column_range().map(|range| range.start);
            DocumentFault {
                code,
                message,
                place: place.map(|LineColumn { line, column }| (line, column)),
            }
        })
        .collect()
}

/// Of the parser's words only those that name what it expected; what it found is the input.
fn syntax_detail(detail: &str) -> &str {
    let expected = detail.split(", got").next().unwrap_or_default();
    let plain = expected
        .chars()
        .all(|letter| letter.is_ascii_alphabetic() || " @'_".contains(letter));
    if plain && expected.starts_with("expected ") {
        expected
    } else {
        "unexpected text"
    }
}

/// Replaces every quoted segment that holds a name which is not the schema's.
fn safe(text: &str, defines: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, segment) in text.split('`').enumerate() {
        let quoted = index % 2 == 1;
        if !quoted {
            out.push_str(segment);
        } else if names_in(segment).all(&defines) {
            out.push('`');
            out.push_str(segment);
            out.push('`');
        } else {
            out.push_str("(name left out)");
        }
    }
    out
}

fn names_in(segment: &str) -> impl Iterator<Item = &str> {
    segment
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|name| !name.is_empty())
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_schema_pass() {
        let defines = |name: &str| matches!(name, "Payment" | "status");
        assert_eq!(
            safe(
                "type `Payment` does not have a field `n4242424242424242`",
                defines
            ),
            "type `Payment` does not have a field (name left out)"
        );
        assert_eq!(
            safe("`[Payment!]` `Payment.status(x:)` `$status`", defines),
            "`[Payment!]` (name left out) `$status`"
        );
    }

    #[test]
    fn what_the_parser_found_is_left_out() {
        assert_eq!(syntax_detail("expected a Name"), "expected a Name");
        assert_eq!(
            syntax_detail("expected R_PAREN, got 4242424242424242"),
            "expected R_PAREN"
        );
        assert_eq!(
            syntax_detail("Unexpected character \"4\""),
            "unexpected text"
        );
        assert_eq!(syntax_detail("expected 4242"), "unexpected text");
    }
}
