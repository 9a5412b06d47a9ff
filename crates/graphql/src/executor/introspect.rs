//! Introspection: `__schema` and `__type`, answered by the compiler.

use apollo_compiler::{
    ExecutableDocument, Name, Node,
    executable::{Field, Operation, Selection, SelectionSet},
    introspection,
    request::coerce_variable_values,
    response::JsonMap,
    validation::Valid,
};
use domain::Code;
use serde_json::{Map, Value};

use super::{
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
    let marked = with_kinds(schema, document);
    let operation = marked
        .operations
        .get(operation.name.as_ref().map(Name::as_str));
    let data = operation
        .ok()
        .and_then(|operation| execute(schema, &marked, operation, variables));
    data.ok_or_else(|| {
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

/// What stands before the response key of an `isOneOf` in the alias under which its type's kind is asked for.
const KIND_OF: &str = "__kind_of_";

/// The document with each `isOneOf` joined by the kind of its type. The compiler knows no `isOneOf` and leaves it null.
fn with_kinds(schema: &ApiSchema, document: &Document) -> Document {
    let mut marked = ExecutableDocument::clone(document);
    let operations = &mut marked.operations;
    for operation in operations
        .anonymous
        .iter_mut()
        .chain(operations.named.values_mut())
    {
        mark(schema, &mut operation.make_mut().selection_set);
    }
    for fragment in marked.fragments.values_mut() {
        mark(schema, &mut fragment.make_mut().selection_set);
    }
    Valid::assume_valid(marked)
}

fn mark(schema: &ApiSchema, set: &mut SelectionSet) {
    let mut kinds = Vec::new();
    for selection in &mut set.selections {
        match selection {
            Selection::Field(field) if field.name == ONE_OF => {
                kinds.push(field.response_key().clone());
            }
            Selection::Field(field) => mark(schema, &mut field.make_mut().selection_set),
            Selection::InlineFragment(fragment) => {
                mark(schema, &mut fragment.make_mut().selection_set);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
    for key in kinds {
        let alias = Name::new(&format!("{KIND_OF}{key}"));
        let kind = set.new_field(&schema.schema, Name::new_static_unchecked("kind"));
        if let (Ok(alias), Ok(kind)) = (alias, kind) {
            set.push(kind.with_alias(alias));
        }
    }
}

/// Input objects have an answer to `isOneOf`, and none of ours is of that kind.
fn answer_one_of(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(answer_one_of),
        Value::Object(fields) => {
            let inputs: Vec<String> = fields
                .iter()
                .filter(|(_, kind)| kind.as_str() == Some("INPUT_OBJECT"))
                .filter_map(|(alias, _)| alias.strip_prefix(KIND_OF).map(str::to_owned))
                .collect();
            fields.retain(|name, _| !name.starts_with(KIND_OF));
            for key in inputs {
                if let Some(answer) = fields.get_mut(&key) {
                    *answer = Value::Bool(false);
                }
            }
            fields.values_mut().for_each(answer_one_of);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
