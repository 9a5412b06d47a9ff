//! What this product's schema means: its scalars, the names of its enums, and the form of its faults.

mod faults;
mod scalars;

use domain::method::Method;

pub use self::faults::refusal;
use crate::{executor::Product, operations::operation, shared::check_zone};

/// The schema as it is published (`pointsman schema`): the file `schema.graphql` at the root of the project.
pub const SDL: &str = include_str!("../../../schema.graphql");

/// The enum whose values have public names besides the specified ones.
const METHODS: &str = "PaymentMethodEnum";

/// Under which names methods of payment are written. Both are always accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MethodNames {
    /// The specification's: `WALLETA_PAY`.
    #[default]
    Specified,
    /// Those that everybody knows: `GOOGLE_PAY`.
    Public,
}

/// What the executor needs to know.
pub(crate) fn product(names: MethodNames) -> Product {
    Product {
        sdl: SDL,
        root_field: |name| operation(name).map(|known| known.name),
        scalar: scalars::scalar,
        judge_nested: check_zone,
        written: match names {
            MethodNames::Specified => |_, _| None,
            MethodNames::Public => public_name,
        },
        extensions: faults::extensions,
    }
}

fn public_name(type_name: &str, value: &str) -> Option<&'static str> {
    if type_name != METHODS {
        return None;
    }
    Method::parse(value).map(|method| method.public().code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_public_names() {
        assert_eq!(public_name(METHODS, "WALLETA_PAY"), Some("GOOGLE_PAY"));
        assert_eq!(public_name("CurrencyEnum", "WALLETA_PAY"), None);
    }

    #[test]
    fn every_operation_type_and_input_field_of_a_nullable_root_is_described() {
        let schema = crate::schema().schema;
        for (name, definition) in schema
            .types
            .iter()
            .filter(|(_, definition)| !definition.is_built_in())
        {
            assert!(
                definition.description().is_some(),
                "{name} has no description"
            );
        }
        for root in ["Query", "Mutation"] {
            for (name, field) in &schema.get_object(root).unwrap().fields {
                assert!(
                    field.description.is_some(),
                    "{root}.{name} has no description"
                );
                assert!(!field.ty.is_non_null(), "{root}.{name} must be nullable");
            }
        }
    }
}
