//! The schema that we publish: one SDL file, and what is computed from it once at start.

mod near;

use apollo_compiler::{
    Name, Node, Schema,
    ast::{FieldDefinition, Type},
    collections::{HashMap, HashSet},
    schema::{Component, ExtendedType, Implementers},
    validation::Valid,
};

use super::product::Product;

/// The SDL does not parse: a defect of the build, found at start and by a test.
#[derive(Debug, thiserror::Error)]
#[error("the built-in GraphQL schema is not valid")]
pub struct SchemaBroken;

/// The parsed schema, with the tables that every request needs.
pub(crate) struct ApiSchema {
    pub(crate) product: Product,
    pub(crate) schema: Valid<Schema>,
    pub(crate) implementers: HashMap<Name, Implementers>,
    /// Every name that the schema defines (types, fields, arguments, directives), enum values left out. Only such names
    /// may appear in messages.
    names: HashSet<Name>,
}

impl ApiSchema {
    /// Parses the product's schema.
    pub(crate) fn load(product: Product) -> Result<Self, SchemaBroken> {
        let schema = Schema::parse_and_validate(product.sdl, "schema.graphql");
        let schema = schema.map_err(|_| SchemaBroken)?;
        let schema = with_one_of(schema)?;
        let implementers = schema.implementers_map();
        let names = names(&schema);
        Ok(Self {
            product,
            schema,
            implementers,
            names,
        })
    }

    /// Whether the schema itself defines this name.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether an object of type `object` fits a fragment on `condition`.
    pub(crate) fn fits(&self, object: &str, condition: &str) -> bool {
        object == condition || self.schema.is_subtype(condition, object)
    }
}

/// Adds `__Type.isOneOf` (GraphQL specification, September 2025, 4.2), which the compiler does not know yet. Tools ask for
/// it with the rest of the schema.
fn with_one_of(schema: Valid<Schema>) -> Result<Valid<Schema>, SchemaBroken> {
    let mut schema = schema.into_inner();
    let Some(ExtendedType::Object(meta)) = schema.types.get_mut("__Type") else {
        return Err(SchemaBroken);
    };
    let name = Name::new_static(ONE_OF).map_err(|_| SchemaBroken)?;
    let boolean = Name::new_static("Boolean").map_err(|_| SchemaBroken)?;
    let field = FieldDefinition {
        description: None,
        name: name.clone(),
        arguments: Vec::new(),
        ty: Type::Named(boolean),
        directives: apollo_compiler::ast::DirectiveList::default(),
    };
    meta.make_mut()
        .fields
        .insert(name, Component::from(Node::new(field)));
    Ok(Valid::assume_valid(schema))
}

/// Whether exactly one field of an input object must be given.
pub(crate) const ONE_OF: &str = "isOneOf";

fn names(schema: &Schema) -> HashSet<Name> {
    let mut names = HashSet::default();
    for (name, definition) in &schema.types {
        names.insert(name.clone());
        match definition {
            ExtendedType::Object(object) => {
                for (field, definition) in &object.fields {
                    names.insert(field.clone());
                    names.extend(
                        definition
                            .arguments
                            .iter()
                            .map(|argument| argument.name.clone()),
                    );
                }
            }
            ExtendedType::InputObject(input) => names.extend(input.fields.keys().cloned()),
            ExtendedType::Interface(_)
            | ExtendedType::Scalar(_)
            | ExtendedType::Union(_)
            | ExtendedType::Enum(_) => {}
        }
    }
    for (name, definition) in &schema.directive_definitions {
        names.insert(name.clone());
        names.extend(
            definition
                .arguments
                .iter()
                .map(|argument| argument.name.clone()),
        );
    }
    names
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_schema_is_valid() {
        let schema = crate::schema();
        assert!(
            schema.defines("authorizePayment")
                && schema.defines("expMonth")
                && schema.defines("Payment")
        );
        assert!(!schema.defines("VISA") && !schema.defines("authorise"));
        assert!(schema.fits("Payment", "Node") && !schema.fits("PaymentMethod", "Node"));
    }
}
