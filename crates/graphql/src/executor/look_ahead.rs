//! What is selected below a root field, so that a resolver does no work for what nobody reads.

use super::collect::{Collected, Scope};

/// A field of an object type. A view declares one for each of its fields that needs a read, where the field stands; the
/// operation reads for all its objects at once what is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldOf {
    type_name: &'static str,
    name: &'static str,
}

impl FieldOf {
    /// The field `name` of the type `type_name`.
    pub(crate) const fn new(type_name: &'static str, name: &'static str) -> Self {
        Self { type_name, name }
    }
}

/// The selections below one root field.
#[derive(Clone, Copy)]
pub(crate) struct LookAhead<'a> {
    scope: Scope<'a>,
    field: &'a Collected<'a>,
}

impl<'a> LookAhead<'a> {
    pub(crate) fn new(scope: Scope<'a>, field: &'a Collected<'a>) -> Self {
        Self { scope, field }
    }

    /// Whether the field is selected somewhere below.
    pub(crate) fn selects(self, field: FieldOf) -> bool {
        let schema = self.scope.schema;
        debug_assert!(
            schema
                .schema
                .type_field(field.type_name, field.name)
                .is_ok(),
            "the schema has no {field:?}"
        );
        let found = self.scope.find_below(self.field, |owner, selected| {
            (selected.name == field.name && schema.fits(field.type_name, owner)).then_some(())
        });
        found.is_some()
    }
}
