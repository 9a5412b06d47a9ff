//! Input object fields are unique (GraphQL specification, October 2021, 5.6.3): of two values neither may win.

use std::collections::BTreeSet;

use apollo_compiler::{
    Name, Node,
    ast::{Argument, Definition, Directive, Document, Selection, Value},
};

/// A field that an input object of the document gives for the second time.
pub(super) fn repeated_input_field(document: &Document) -> Option<&Name> {
    document
        .definitions
        .iter()
        .find_map(|definition| match definition {
            Definition::OperationDefinition(operation) => operation
                .variables
                .iter()
                .filter_map(|variable| variable.default_value.as_ref())
                .find_map(|value| repeated(value))
                .or_else(|| in_directives(&operation.directives))
                .or_else(|| in_selections(&operation.selection_set)),
            Definition::FragmentDefinition(fragment) => in_directives(&fragment.directives)
                .or_else(|| in_selections(&fragment.selection_set)),
            _ => None,
        })
}

fn in_selections(selections: &[Selection]) -> Option<&Name> {
    selections.iter().find_map(|selection| match selection {
        Selection::Field(field) => in_arguments(&field.arguments)
            .or_else(|| in_directives(&field.directives))
            .or_else(|| in_selections(&field.selection_set)),
        Selection::FragmentSpread(spread) => in_directives(&spread.directives),
        Selection::InlineFragment(fragment) => {
            in_directives(&fragment.directives).or_else(|| in_selections(&fragment.selection_set))
        }
    })
}

fn in_directives(directives: &[Node<Directive>]) -> Option<&Name> {
    directives
        .iter()
        .find_map(|directive| in_arguments(&directive.arguments))
}

fn in_arguments(arguments: &[Node<Argument>]) -> Option<&Name> {
    arguments
        .iter()
        .find_map(|argument| repeated(&argument.value))
}

fn repeated(value: &Value) -> Option<&Name> {
    match value {
        Value::Object(fields) => {
            let mut seen = BTreeSet::new();
            fields.iter().find_map(|(name, value)| {
                if seen.insert(name.as_str()) {
                    repeated(value)
                } else {
                    Some(name)
                }
            })
        }
        Value::List(items) => items.iter().find_map(|item| repeated(item)),
        _ => None,
    }
}
