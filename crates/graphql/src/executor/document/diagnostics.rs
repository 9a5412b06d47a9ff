//! What is wrong with a document, said without repeating its values.
//!
//! The compiler's diagnostics quote the document. Ours keep the sentence and the place. Of what is quoted, names that the
//! schema defines pass, and so do misspelt names of fields, arguments, types, fragments, variables and directives, as
//! long as they can be nothing but names: letters, with two digits at most. Values never pass, those of enums included.

use apollo_compiler::{
    diagnostic::{Diagnostic, ToCliReport},
    parser::LineColumn,
    validation::DiagnosticData,
    validation::DiagnosticList,
};
use domain::{Code, spelling::nearest};

use crate::executor::schema::ApiSchema;

/// Faults reported at most for one document.
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

/// The parser's own faults. Whatever breaks the grammar was found before, so these are its limits.
pub(super) fn parser(list: &DiagnosticList) -> Vec<DocumentFault> {
    collect(list, |diagnostic| {
        let text = diagnostic.error.to_string();
        if text.starts_with("syntax error") {
            let message = "The document can't be parsed.";
            (Code::GraphqlSyntax, message.to_owned())
        } else if text.starts_with("token limit") {
            let message = "The document has too many tokens; white space and comments count.";
            (Code::GraphqlLimit, message.to_owned())
        } else {
            (Code::GraphqlLimit, TOO_DEEP.to_owned())
        }
    })
}

/// The bound of nesting is passed.
pub(super) const TOO_DEEP: &str = "The document nests too deeply.";

/// Faults against the schema.
pub(super) fn validation(list: &DiagnosticList, schema: &ApiSchema) -> Vec<DocumentFault> {
    collect(list, |diagnostic| {
        let name = diagnostic.error.unstable_error_name().unwrap_or_default();
        let text = diagnostic.error.to_string();
        match name {
            "RecursionLimitError" | "RecursionError" | "DeeplyNestedType" => {
                (Code::GraphqlLimit, TOO_DEEP.to_owned())
            }
            "" => (
                Code::GraphqlValidation,
                "The document does not fit the schema.".to_owned(),
            ),
            "MissingSubselection" => (Code::GraphqlValidation, no_selection(diagnostic, schema)),
            _ => (Code::GraphqlValidation, mismatch(name, &text, schema)),
        }
    })
}

/// A field that is an object stands alone. The compiler's main sentence does not name it, its other one does.
fn no_selection(diagnostic: &Diagnostic<'_, DiagnosticData>, schema: &ApiSchema) -> String {
    let text = diagnostic.error.unstable_compat_message();
    let field = text.as_deref().and_then(|text| text.split('"').nth(1));
    let field = field.filter(|field| schema.defines(field));
    let field = field.map_or_else(|| "This field".to_owned(), |field| format!("`{field}`"));
    format!("{field} needs a selection of fields, such as `{{ id }}`.")
}

/// How the document does not fit the schema: the compiler's error of this name and text, in a sentence or two.
fn mismatch(error: &str, text: &str, schema: &ApiSchema) -> String {
    match error {
        "SubselectionOnScalarType" | "SubselectionOnEnumType" => {
            let (owner, _) = quoted_pair(text);
            let owner = if schema.defines(owner) {
                owner
            } else {
                "a value"
            };
            format!("This field is `{owner}`, no object: it takes no selection of fields.")
        }
        "UniqueDirective" => "A directive is used more than once in one place.".to_owned(),
        "UndefinedEnumValue" => {
            let (value, owner) = quoted_pair(text);
            let hint = did_you_mean(schema.nearest_value(owner, value));
            format!("A value does not exist on `{owner}`.{hint}")
        }
        "UndefinedField" | "UndefinedArgument" | "UndefinedInputValue" | "UndefinedDefinition" => {
            let (first, second) = quoted_pair(text);
            let near = match error {
                "UndefinedField" => schema.nearest_member(first, second),
                "UndefinedInputValue" => schema.nearest_member(second, first),
                "UndefinedArgument" => schema.nearest_argument(second, first),
                _ => nearest(
                    first,
                    schema
                        .schema
                        .types
                        .keys()
                        .map(apollo_compiler::Name::as_str),
                ),
            };
            let refusal = sentence(&safe(text, |name| schema.defines(name)));
            format!("{refusal}{}", did_you_mean(near))
        }
        _ => sentence(&safe(text, |name| schema.defines(name))),
    }
}

fn did_you_mean(word: Option<&str>) -> String {
    word.map(|word| format!(" Did you mean `{word}`?"))
        .unwrap_or_default()
}

/// The first two quoted segments of a text.
fn quoted_pair(text: &str) -> (&str, &str) {
    let mut quoted = text.split('`').skip(1).step_by(2);
    (
        quoted.next().unwrap_or_default(),
        quoted.next().unwrap_or_default(),
    )
}

fn collect(
    list: &DiagnosticList,
    judge: impl Fn(&Diagnostic<'_, DiagnosticData>) -> (Code, String),
) -> Vec<DocumentFault> {
    list.iter()
        .filter(|diagnostic| !is_consequence(diagnostic, list))
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

/// A field whose selections are all misspelt looks as if it had none, and one whose arguments are misspelt as if it lacked
/// them. One mistake is reported once.
fn is_consequence(diagnostic: &Diagnostic<'_, DiagnosticData>, list: &DiagnosticList) -> bool {
    let causes: &[&str] = match diagnostic.error.unstable_error_name() {
        Some("MissingSubselection") => &[
            "UndefinedField",
            "SubselectionOnScalarType",
            "SubselectionOnEnumType",
        ],
        Some("RequiredArgument") => &["UndefinedArgument"],
        Some("RequiredField") => &["UndefinedInputValue"],
        _ => return false,
    };
    let Some(own) = diagnostic.error.location() else {
        return false;
    };
    list.iter()
        .filter(|other| {
            let name = other.error.unstable_error_name();
            name.is_some_and(|name| causes.contains(&name))
        })
        .filter_map(|other| other.error.location())
        .any(|cause| cause.offset() >= own.offset() && cause.end_offset() <= own.end_offset())
}

/// Leaves out every quoted segment that holds something which may be a value.
fn safe(text: &str, defines: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, segment) in text.split('`').enumerate() {
        let quoted = index % 2 == 1;
        if !quoted {
            out.push_str(segment);
        } else if names_in(segment).all(|name| defines(name) || is_surely_a_name(name)) {
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

/// No secret number, code or token: letters, with few digits.
pub(crate) fn is_surely_a_name(name: &str) -> bool {
    /// The shortest secrets are codes of three digits.
    const DIGITS: usize = 2;
    const LONGEST: usize = 40;
    let letters = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(letters)
        && name.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
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
    fn what_may_be_a_value_is_left_out() {
        let defines = |name: &str| matches!(name, "Payment" | "sha256");
        assert_eq!(
            safe(
                "type `Payment` does not have a field `n4242424242424242`",
                defines
            ),
            "type `Payment` does not have a field (name left out)"
        );
        assert_eq!(
            safe("`[Payment!]` `Payment.idd(x:)` `$sha256` `$c123`", defines),
            "`[Payment!]` `Payment.idd(x:)` `$sha256` (name left out)"
        );
    }
}
