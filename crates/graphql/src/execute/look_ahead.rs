//! What is selected below a root field, so that a resolver does no work for what nobody reads.

use apollo_compiler::executable::SelectionSet;

use super::collect::{Collected, Scope};

/// The selections below one root field.
#[derive(Clone, Copy)]
pub struct LookAhead<'a> {
    scope: Scope<'a>,
    field: &'a Collected<'a>,
}

impl<'a> LookAhead<'a> {
    pub(crate) fn new(scope: Scope<'a>, field: &'a Collected<'a>) -> Self {
        Self { scope, field }
    }

    /// Whether a field is selected, by its dotted path in the schema's names, such as `pageInfo.totalSize`.
    pub fn selects(&self, path: &str) -> bool {
        let mut sets: Vec<&'a SelectionSet> = self.field.selection_sets().collect();
        for name in path.split('.') {
            let Some(type_name) = sets.first().map(|set| set.ty.as_str()) else {
                return false;
            };
            let fields = self.scope.collect(type_name, sets.iter().copied());
            let mut found = false;
            sets.clear();
            for field in fields.iter().filter(|field| field.first.name == name) {
                found = true;
                sets.extend(field.selection_sets());
            }
            if !found {
                return false;
            }
        }
        true
    }
}
