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
    schema::{ApiSchema, ONE_OF},
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
    let mut data = serde_json::to_value(response.data?).ok()?;
    answer_one_of(&mut data);
    match data {
        Value::Object(data) => Some(data),
        _ => None,
    }
}

/// The compiler knows no `isOneOf`, and leaves it null. Input objects have it, and none of ours is of that kind.
fn answer_one_of(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(answer_one_of),
        Value::Object(fields) => {
            let is_input = fields.get("kind").and_then(Value::as_str) == Some("INPUT_OBJECT")
                || fields.get("inputFields").is_some_and(Value::is_array);
            if is_input && let Some(answer) = fields.get_mut(ONE_OF) {
                *answer = Value::Bool(false);
            }
            fields.values_mut().for_each(answer_one_of);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
