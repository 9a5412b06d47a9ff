//! Input object fields are unique (GraphQL specification, October 2021, 5.6.3): of two amounts neither may win.

use std::collections::BTreeSet;

use apollo_compiler::{
    Node,
    ast::{Argument, Definition, Directive, Document, Selection, Value},
};

/// Whether an input object of the document gives a field twice.
pub(super) fn has_repeated_input_field(document: &Document) -> bool {
    document
        .definitions
        .iter()
        .any(|definition| match definition {
            Definition::OperationDefinition(operation) => {
                let defaults = operation
                    .variables
                    .iter()
                    .filter_map(|variable| variable.default_value.as_ref());
                defaults.clone().any(|value| repeats(value))
                    || in_directives(&operation.directives)
                    || in_selections(&operation.selection_set)
            }
            Definition::FragmentDefinition(fragment) => {
                in_directives(&fragment.directives) || in_selections(&fragment.selection_set)
            }
            _ => false,
        })
}

fn in_selections(selections: &[Selection]) -> bool {
    selections.iter().any(|selection| match selection {
        Selection::Field(field) => {
            in_arguments(&field.arguments)
                || in_directives(&field.directives)
                || in_selections(&field.selection_set)
        }
        Selection::FragmentSpread(spread) => in_directives(&spread.directives),
        Selection::InlineFragment(fragment) => {
            in_directives(&fragment.directives) || in_selections(&fragment.selection_set)
        }
    })
}

fn in_directives(directives: &[Node<Directive>]) -> bool {
    directives
        .iter()
        .any(|directive| in_arguments(&directive.arguments))
}

fn in_arguments(arguments: &[Node<Argument>]) -> bool {
    arguments.iter().any(|argument| repeats(&argument.value))
}

fn repeats(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let mut seen = BTreeSet::new();
            fields
                .iter()
                .any(|(name, value)| !seen.insert(name.as_str()) || repeats(value))
        }
        Value::List(items) => items.iter().any(|item| repeats(item)),
        _ => false,
    }
}
