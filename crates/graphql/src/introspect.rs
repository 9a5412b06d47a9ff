//! Introspection: `__schema` and `__type`, answered by the compiler.

use apollo_compiler::{
    Node,
    executable::{Field, Operation},
    introspection,
    request::coerce_variable_values,
    response::JsonMap,
};
use domain::Code;
use serde_json::{Map, Value};

use crate::{
    document::{Document, DocumentFault},
    schema::ApiSchema,
};

/// Whether documents may ask for the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Introspection {
    /// They may: test mode, or configured.
    On,
    /// They are refused: live mode.
    Off,
}

/// Whether a root field asks for the schema.
pub(crate) fn is_introspection(field: &Node<Field>) -> bool {
    matches!(field.name.as_str(), "__schema" | "__type")
}

/// The values of the operation's `__schema` and `__type`, by response key; empty when it has none.
///
/// Errors: `error.graphql.validation` when introspection is off or a variable does not fit, `error.graphql.limit` when
/// lists nest too deeply.
pub(crate) fn introspect(
    schema: &ApiSchema,
    document: &Document,
    operation: &Node<Operation>,
    variables: &Map<String, Value>,
    setting: Introspection,
) -> Result<Map<String, Value>, DocumentFault> {
    if !operation.is_query() || !operation.root_fields(document).any(is_introspection) {
        return Ok(Map::new());
    }
    if setting == Introspection::Off {
        return Err(DocumentFault::new(
            Code::GraphqlValidation,
            "Introspection is switched off here.",
        ));
    }
    introspection::check_max_depth(document, operation).map_err(|_| {
        DocumentFault::new(Code::GraphqlLimit, "The introspection nests too deeply.")
    })?;
    execute(schema, document, operation, variables).ok_or_else(|| {
        DocumentFault::new(
            Code::GraphqlValidation,
            "The variables do not fit the introspection.",
        )
    })
}

fn execute(
    schema: &ApiSchema,
    document: &Document,
    operation: &Node<Operation>,
    variables: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let variables: JsonMap = serde_json::from_value(Value::Object(variables.clone())).ok()?;
    let variables = coerce_variable_values(&schema.schema, operation, &variables).ok()?;
    let response = introspection::partial_execute(
        &schema.schema,
        &schema.implementers,
        document,
        operation,
        &variables,
    )
    .ok()?;
    match serde_json::to_value(response.data?).ok()? {
        Value::Object(data) => Some(data),
        _ => None,
    }
}
