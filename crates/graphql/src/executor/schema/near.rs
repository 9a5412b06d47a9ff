//! The name that was probably meant.

use apollo_compiler::schema::ExtendedType;
use domain::spelling::nearest;

use super::ApiSchema;

impl ApiSchema {
    /// The field of a type that is nearest to what was written.
    pub(crate) fn nearest_member(&self, owner: &str, written: &str) -> Option<&str> {
        let names: Vec<&str> = match self.schema.types.get(owner)? {
            ExtendedType::Object(object) => object
                .fields
                .keys()
                .map(apollo_compiler::Name::as_str)
                .collect(),
            ExtendedType::Interface(interface) => interface
                .fields
                .keys()
                .map(apollo_compiler::Name::as_str)
                .collect(),
            ExtendedType::InputObject(input) => input
                .fields
                .keys()
                .map(apollo_compiler::Name::as_str)
                .collect(),
            ExtendedType::Scalar(_) | ExtendedType::Union(_) | ExtendedType::Enum(_) => {
                return None;
            }
        };
        nearest(written, names)
    }

    /// The argument nearest to what was written; `coordinate` is like `Query.node` or `@include`.
    pub(crate) fn nearest_argument(&self, coordinate: &str, written: &str) -> Option<&str> {
        let coordinate = coordinate.split('(').next().unwrap_or_default();
        let arguments = if let Some(directive) = coordinate.strip_prefix('@') {
            &self.schema.directive_definitions.get(directive)?.arguments
        } else {
            let (owner, field) = coordinate.split_once('.')?;
            &self.schema.type_field(owner, field).ok()?.arguments
        };
        nearest(
            written,
            arguments.iter().map(|argument| argument.name.as_str()),
        )
    }

    /// The value of an enum nearest to what was written.
    pub(crate) fn nearest_value(&self, owner: &str, written: &str) -> Option<&str> {
        let definition = self.schema.get_enum(owner)?;
        nearest(
            written,
            definition.values.keys().map(apollo_compiler::Name::as_str),
        )
    }
}
