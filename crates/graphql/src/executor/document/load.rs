//! What variables make of a small document: each use of one is a copy of its value.

use std::collections::BTreeSet;

use apollo_compiler::{
    Name, Node,
    ast::Value as Literal,
    executable::{Argument, ExecutableDocument, Operation, Selection, SelectionSet},
};
use serde_json::{Map, Value};

/// The most that all uses of variables in one operation may weigh together. Unit: bytes, roughly.
const MOST: usize = 2 * 1024 * 1024;

/// What a value weighs besides its text.
const NODE: usize = 16;

/// Fields below the root are computed for each row of a list.
const ROWS: usize = 100;

/// Whether the copies that the operation would make of its variables stay within bounds.
pub(crate) fn is_bearable(
    document: &ExecutableDocument,
    operation: &Node<Operation>,
    variables: &Map<String, Value>,
) -> bool {
    let mut load = Load {
        document,
        variables,
        left: MOST,
        seen: BTreeSet::new(),
    };
    load.selections(&operation.selection_set, 1).is_some()
}

struct Load<'a> {
    document: &'a ExecutableDocument,
    variables: &'a Map<String, Value>,
    left: usize,
    seen: BTreeSet<(&'a Name, usize)>,
}

impl<'a> Load<'a> {
    /// `None` when the bound is passed.
    fn selections(&mut self, set: &'a SelectionSet, times: usize) -> Option<()> {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    self.arguments(&field.arguments, times)?;
                    self.selections(&field.selection_set, ROWS)?;
                }
                Selection::InlineFragment(fragment) => {
                    self.selections(&fragment.selection_set, times)?;
                }
                // Once is enough: fields of one name are merged wherever they come from.
                Selection::FragmentSpread(spread) => {
                    if self.seen.insert((&spread.fragment_name, times))
                        && let Some(fragment) = self.document.fragments.get(&spread.fragment_name)
                    {
                        self.selections(&fragment.selection_set, times)?;
                    }
                }
            }
        }
        Some(())
    }

    fn arguments(&mut self, arguments: &'a [Node<Argument>], times: usize) -> Option<()> {
        arguments
            .iter()
            .try_for_each(|argument| self.literal(&argument.value, times))
    }

    fn literal(&mut self, literal: &'a Literal, times: usize) -> Option<()> {
        match literal {
            Literal::Variable(name) => match self.variables.get(name.as_str()) {
                Some(value) => self.value(value, times),
                None => Some(()),
            },
            Literal::List(items) => items.iter().try_for_each(|item| self.literal(item, times)),
            Literal::Object(fields) => fields
                .iter()
                .try_for_each(|(_, field)| self.literal(field, times)),
            Literal::Null
            | Literal::Enum(_)
            | Literal::String(_)
            | Literal::Float(_)
            | Literal::Int(_)
            | Literal::Boolean(_) => Some(()),
        }
    }

    fn value(&mut self, value: &Value, times: usize) -> Option<()> {
        let own = NODE.saturating_add(value.as_str().map_or(0, str::len));
        self.left = self.left.checked_sub(own.saturating_mul(times))?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.value(item, times)),
            Value::Object(fields) => fields
                .values()
                .try_for_each(|field| self.value(field, times)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(()),
        }
    }
}
