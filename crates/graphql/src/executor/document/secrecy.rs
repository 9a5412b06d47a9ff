//! Which documents may be kept: none that could hold a secret number.
//!
//! A well-behaved client sends secrets in variables, which are never kept. One that writes it into the document puts it
//! into literals of a mutation, or, oddly, anywhere else; so a mutation with any string or number in it is not kept, nor
//! is any text with twelve digits in a row.

use apollo_compiler::{
    Node,
    ast::{Argument, Value},
    executable::{ExecutableDocument, Selection, SelectionSet},
};

/// Digits of the shortest number that may be a secret.
const SHORTEST_NUMBER: usize = 12;

/// Whether the document and its text may stay in memory after the request.
pub(crate) fn may_be_kept(text: &str, document: &ExecutableDocument) -> bool {
    !has_long_number(text) && (!has_mutation(document) || !has_literal(document))
}

fn has_mutation(document: &ExecutableDocument) -> bool {
    document
        .operations
        .iter()
        .any(|operation| operation.is_mutation())
}

fn has_literal(document: &ExecutableDocument) -> bool {
    let in_operations = document.operations.iter().any(|operation| {
        let defaults = operation
            .variables
            .iter()
            .filter_map(|variable| variable.default_value.as_ref());
        defaults.into_iter().any(|value| is_literal(value))
            || selects_literal(&operation.selection_set)
    });
    in_operations
        || document
            .fragments
            .values()
            .any(|fragment| selects_literal(&fragment.selection_set))
}

fn selects_literal(set: &SelectionSet) -> bool {
    set.selections.iter().any(|selection| {
        let in_directives = selection
            .directives()
            .iter()
            .any(|directive| arguments_literal(&directive.arguments));
        in_directives
            || match selection {
                Selection::Field(field) => {
                    arguments_literal(&field.arguments) || selects_literal(&field.selection_set)
                }
                Selection::InlineFragment(fragment) => selects_literal(&fragment.selection_set),
                Selection::FragmentSpread(_) => false,
            }
    })
}

fn arguments_literal(arguments: &[Node<Argument>]) -> bool {
    arguments.iter().any(|argument| is_literal(&argument.value))
}

fn is_literal(value: &Value) -> bool {
    match value {
        Value::String(_) | Value::Int(_) | Value::Float(_) => true,
        Value::List(items) => items.iter().any(|item| is_literal(item)),
        Value::Object(fields) => fields.iter().any(|(_, value)| is_literal(value)),
        Value::Null | Value::Enum(_) | Value::Variable(_) | Value::Boolean(_) => false,
    }
}

/// Whether such a number could stand somewhere in the text (in a comment or a name too), spaced or not.
fn has_long_number(text: &str) -> bool {
    let mut digits = 0_usize;
    for letter in text.bytes() {
        match letter {
            b'0'..=b'9' => digits = digits.saturating_add(1),
            b' ' | b'-' | b'_' => {}
            _ => digits = 0,
        }
        if digits >= SHORTEST_NUMBER {
            return true;
        }
    }
    false
}
