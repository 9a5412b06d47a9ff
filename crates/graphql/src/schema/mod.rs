//! The schema that we publish: one SDL file, and what is computed from it once at start.

mod near;

use apollo_compiler::{
    Name, Node, Schema,
    ast::{FieldDefinition, Type},
    collections::{HashMap, HashSet},
    schema::{Component, ExtendedType, Implementers},
    validation::Valid,
};

/// The SDL as it is published (`pointsman schema`, `schema.graphql`).
pub const SDL: &str = include_str!("schema.graphql");

/// The schema's root fields, as words that live as long as the program: metrics are named by them.
pub const ROOT_FIELDS: [&str; 53] = [
    "abandonPayment",
    "attachPaymentMethod",
    "attachSecurityCode",
    "authorizePayment",
    "cancelPayment",
    "capturePayment",
    "completeIntent",
    "createCustomer",
    "decideApproval",
    "deleteConnection",
    "deleteCustomer",
    "deleteFlow",
    "deletePaymentMethod",
    "disableConnection",
    "enableConnection",
    "exportFlow",
    "generateClientToken",
    "getCustomer",
    "getFlow",
    "getIntent",
    "getPayment",
    "getPaymentMethod",
    "getPaymentMethods",
    "getTeam",
    "headlessAuthorizePayment",
    "headlessRequestPaymentProcessorToken",
    "initializeSDK",
    "listClientTokens",
    "listConnections",
    "listCustomerCards",
    "listCustomers",
    "listFlows",
    "listIntents",
    "listPayments",
    "node",
    "optimise",
    "publishFlow",
    "refundPayment",
    "resolvePayment",
    "revokeClientToken",
    "saveConnection",
    "saveFlow",
    "saveWallet",
    "setDefaultFlow",
    "setupWallet",
    "startIntent",
    "tokeniseCard",
    "tokenisePaymentMethod",
    "tryFlow",
    "updateCustomer",
    "updateDefaultPaymentMethod",
    "updateIntent",
    "updateTeam",
];

/// The root field of that name, or `introspection` for one that the schema has without defining it.
pub(crate) fn root_field(name: &str) -> &'static str {
    ROOT_FIELDS
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("introspection")
}

/// The SDL does not parse: a defect of the build, found at start and by a test.
#[derive(Debug, thiserror::Error)]
#[error("the built-in GraphQL schema is not valid")]
pub struct SchemaBroken;

/// The parsed schema, with the tables that every request needs.
pub(crate) struct ApiSchema {
    pub(crate) schema: Valid<Schema>,
    pub(crate) implementers: HashMap<Name, Implementers>,
    /// Every name that the schema defines (types, fields, arguments, directives), enum values left out. Only such names
    /// may appear in messages.
    names: HashSet<Name>,
}

impl ApiSchema {
    /// Parses the built-in SDL.
    pub(crate) fn load() -> Result<Self, SchemaBroken> {
        let schema = Schema::parse_and_validate(SDL, "schema.graphql").map_err(|_| SchemaBroken)?;
        let schema = with_one_of(schema)?;
        let implementers = schema.implementers_map();
        let names = names(&schema);
        Ok(Self {
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
    use super::*;

    #[test]
    fn the_built_in_schema_is_valid() {
        let schema = ApiSchema::load().unwrap();
        assert!(
            schema.defines("authorizePayment")
                && schema.defines("expMonth")
                && schema.defines("Payment")
        );
        assert!(!schema.defines("VISA") && !schema.defines("authorise"));
        assert!(schema.fits("Payment", "Node") && !schema.fits("PaymentMethod", "Node"));
    }

    #[test]
    fn the_words_for_metrics_are_the_root_fields() {
        let schema = ApiSchema::load().unwrap().schema;
        let roots = ["Query", "Mutation"].map(|root| {
            schema
                .get_object(root)
                .unwrap()
                .fields
                .keys()
                .map(ToString::to_string)
        });
        let mut names: Vec<_> = roots.into_iter().flatten().collect();
        names.sort();
        assert_eq!(names, ROOT_FIELDS);
        assert_eq!(root_field("__schema"), "introspection");
    }

    #[test]
    fn the_published_file_is_the_built_in_schema() {
        let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema.graphql");
        assert_eq!(std::fs::read_to_string(published).unwrap(), SDL);
    }

    #[test]
    fn every_operation_type_and_input_field_of_a_nullable_root_is_described() {
        let schema = ApiSchema::load().unwrap().schema;
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
