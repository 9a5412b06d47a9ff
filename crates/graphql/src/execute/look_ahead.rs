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
        self.selected(None, path)
    }

    /// The same for a root field of an abstract type whose value is of type `object`.
    pub fn selects_on(&self, object: &str, path: &str) -> bool {
        self.selected(Some(object), path)
    }

    fn selected(&self, object: Option<&str>, path: &str) -> bool {
        let mut sets: Vec<&'a SelectionSet> = self.field.selection_sets().collect();
        for (index, name) in path.split('.').enumerate() {
            let declared = sets.first().map(|set| set.ty.as_str());
            let Some(type_name) = object.filter(|_| index == 0).or(declared) else {
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
