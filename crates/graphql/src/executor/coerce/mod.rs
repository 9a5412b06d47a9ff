//! Arguments: from literals and variables to plain values of the schema's types.
//!
//! The coercion is ours, since the contract wants a value of the wrong type to be a fault of the operation that it was
//! given to, with its path, and remembered under the operation's idempotency key; the usual way refuses the whole request.
//! So nothing is coerced before its root field runs.

mod path;
mod scalar;

use apollo_compiler::{
    Name, Node,
    ast::{Type, Value as Literal},
    executable::{Field, VariableDefinition},
    schema::{ExtendedType, InputObjectType, InputValueDefinition},
};
use domain::{Fault, Faults, spelling::nearest};
use serde_json::{Map, Value};

use self::path::Path;
pub(crate) use self::scalar::whole;
use crate::executor::{document::is_surely_a_name, schema::ApiSchema};

/// Unknown fields of one object that are named.
const UNKNOWN_MAX: usize = 5;

/// Enum values that a reason lists; of longer enums it gives the name.
const MAX_LISTED: usize = 50;

/// Coerces the arguments of one request's fields.
#[derive(Clone, Copy)]
pub(crate) struct Coercer<'a> {
    pub(crate) schema: &'a ApiSchema,
    pub(crate) definitions: &'a [Node<VariableDefinition>],
    pub(crate) variables: &'a Map<String, Value>,
}

impl Coercer<'_> {
    /// The arguments of a field, in the order of the schema: absent ones absent (or their default), explicit nulls kept.
    ///
    /// An empty text for an optional value of another type than text is kept as it is: the operation decides whether it
    /// counts as absent. Errors: `error.validation` with the path and a reason, for all values that do not fit.
    pub(crate) fn arguments(&self, field: &Field) -> Result<Map<String, Value>, Fault> {
        let mut faults = Faults::default();
        let mut arguments = Map::new();
        for definition in &field.definition.arguments {
            let value = self.argument(field, definition);
            if let Some(value) = faults.or_default(value) {
                arguments.insert(definition.name.to_string(), value);
            }
        }
        faults.end(arguments)
    }

    fn argument(
        &self,
        field: &Field,
        definition: &InputValueDefinition,
    ) -> Result<Option<Value>, Fault> {
        let path = Path::argument(definition.name.as_str());
        let given = match field.specified_argument_by_name(&definition.name) {
            Some(literal) => self.literal(&definition.ty, literal, &path)?,
            None => None,
        };
        match (given, &definition.default_value) {
            (Some(value), _) => Ok(Some(value)),
            (None, Some(default)) => self.literal(&definition.ty, default, &path),
            (None, None) if definition.ty.is_non_null() => Err(required(&path)),
            (None, None) => Ok(None),
        }
    }

    /// The arguments as they were given, with nothing coerced: what identifies a request whose coercion failed.
    pub(crate) fn uncoerced(&self, field: &Field) -> Value {
        let plain =
            |literal: &Literal| substitute(literal, &mut |name| self.variables.get(name).cloned());
        let arguments = field.arguments.iter();
        Value::Object(
            arguments
                .filter_map(|given| Some((given.name.to_string(), plain(&given.value)?)))
                .collect(),
        )
    }

    /// The value of a variable that a directive reads.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let definition = self
            .definitions
            .iter()
            .find(|definition| definition.name == name)?;
        match self.variables.get(name) {
            Some(value) => value.as_bool(),
            None => definition.default_value.as_ref()?.to_bool(),
        }
    }

    /// `None` when the literal is a variable that was not given and has no default.
    fn literal(
        &self,
        ty: &Type,
        literal: &Literal,
        path: &Path<'_>,
    ) -> Result<Option<Value>, Fault> {
        if let Literal::Variable(name) = literal {
            let value = self.variable(name, path)?;
            if self.is_of(name, ty) {
                // It is coerced to this very type already.
                return Ok(value);
            }
            return match value {
                Some(Value::Null) if ty.is_non_null() => Err(not_null(path)),
                Some(value) => self.value(ty, &value, path).map(Some),
                None => Ok(None),
            };
        }
        let mut fault = None;
        let substituted = substitute(literal, &mut |name| {
            self.variable(name, path).unwrap_or_else(|found| {
                fault.get_or_insert(found);
                None
            })
        });
        match (fault, substituted) {
            (Some(fault), _) => Err(fault),
            (None, Some(value)) => self.value(ty, &value, path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// A variable's value in its declared type.
    fn variable(&self, name: &str, path: &Path<'_>) -> Result<Option<Value>, Fault> {
        let Some(definition) = self
            .definitions
            .iter()
            .find(|definition| definition.name == name)
        else {
            return Ok(None);
        };
        match (self.variables.get(name), &definition.default_value) {
            (Some(value), _) => self.value(&definition.ty, value, path).map(Some),
            (None, Some(default)) => self.literal(&definition.ty, default, path),
            (None, None) if definition.ty.is_non_null() => Err(required(path)),
            (None, None) => Ok(None),
        }
    }

    /// Whether a variable is declared with this type.
    fn is_of(&self, name: &str, ty: &Type) -> bool {
        self.definitions
            .iter()
            .any(|definition| definition.name == name && *definition.ty == *ty)
    }

    /// A value in the type `ty`.
    fn value(&self, ty: &Type, value: &Value, path: &Path<'_>) -> Result<Value, Fault> {
        if value.is_null() {
            return if ty.is_non_null() {
                Err(not_null(path))
            } else {
                Ok(Value::Null)
            };
        }
        match ty {
            Type::List(item) | Type::NonNullList(item) => self.list(item, value, path),
            Type::Named(name) | Type::NonNullNamed(name) => {
                match self.schema.schema.types.get(name) {
                    Some(ExtendedType::InputObject(input)) => self.object(input, value, path),
                    _ if is_blank(value) && !ty.is_non_null() => Ok(value.clone()),
                    Some(ExtendedType::Enum(definition)) => {
                        let values = &definition.values;
                        let known = value
                            .as_str()
                            .is_some_and(|given| values.keys().any(|known| known == given));
                        if known {
                            Ok(value.clone())
                        } else {
                            Err(not_listed(path, name, value, values.keys()))
                        }
                    }
                    _ => scalar::scalar(&self.schema.product, name, value, path),
                }
            }
        }
    }

    /// A list; a single value stands for a list of one.
    fn list(&self, item: &Type, value: &Value, path: &Path<'_>) -> Result<Value, Fault> {
        let Value::Array(items) = value else {
            return Ok(Value::Array(vec![self.value(item, value, path)?]));
        };
        let mut faults = Faults::default();
        let mut coerced = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            coerced.extend(faults.good(self.value(item, value, &path.item(index))));
            if faults.is_full() {
                break;
            }
        }
        faults.end(Value::Array(coerced))
    }

    fn object(
        &self,
        input: &InputObjectType,
        value: &Value,
        path: &Path<'_>,
    ) -> Result<Value, Fault> {
        let Value::Object(given) = value else {
            return Err(invalid(path, "must be an object"));
        };
        let mut faults = Faults::default();
        let is_unknown = |name: &&String| !input.fields.contains_key(name.as_str());
        for unknown in given.keys().filter(is_unknown).take(UNKNOWN_MAX) {
            faults.add(invalid(path, &not_a_field(input, unknown, given)));
        }
        let mut object = Map::new();
        for (name, definition) in &input.fields {
            let path = path.field(name);
            let value = match (given.get(name.as_str()), &definition.default_value) {
                (Some(value), _) => self.value(&definition.ty, value, &path).map(Some),
                (None, Some(default)) => self.literal(&definition.ty, default, &path),
                (None, None) if definition.ty.is_non_null() => Err(required(&path)),
                (None, None) => Ok(None),
            };
            if let Some(value) = faults.or_default(value) {
                object.insert(name.to_string(), value);
            }
        }
        faults.end(Value::Object(object))
    }
}

/// Why a field is refused that its object does not have. What it was called is repeated only when that is nearly the name
/// of a field, or made of letters alone: anything else may be a value that was put in a wrong place. The others that were given lead to it.
fn not_a_field(input: &InputObjectType, unknown: &str, given: &Map<String, Value>) -> String {
    let owner = &input.name;
    let known: Vec<&str> = input.fields.keys().map(Name::as_str).collect();
    if let Some(near) = nearest(unknown, known.iter().copied())
        && is_surely_a_name(unknown)
    {
        return format!(
            "has a field `{unknown}`, which {owner} does not have (did you mean `{near}`?)"
        );
    }
    let fits = |name: &&&str| given.contains_key(**name);
    let right: Vec<&str> = known.iter().filter(fits).copied().collect();
    let known = known.join(", ");
    let is_words = unknown.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_words && is_surely_a_name(unknown) {
        return format!("has a field `{unknown}`, which {owner} does not have; it has {known}");
    }
    if right.is_empty() {
        format!("has a field that {owner} does not have; it has {known}")
    } else {
        let right = right.join(", ");
        format!("has a field besides {right} that {owner} does not have; it has {known}")
    }
}

/// A literal as JSON, with its variables put in; absent variables leave object fields out.
fn substitute(literal: &Literal, variable: &mut dyn FnMut(&str) -> Option<Value>) -> Option<Value> {
    Some(match literal {
        Literal::Variable(name) => return variable(name),
        Literal::Null => Value::Null,
        Literal::Boolean(flag) => Value::Bool(*flag),
        Literal::String(text) => Value::from(text.as_str()),
        Literal::Enum(name) => Value::from(name.as_str()),
        Literal::Int(number) => number_or_text(number.as_str()),
        Literal::Float(number) => number_or_text(number.as_str()),
        Literal::List(items) => Value::Array(
            items
                .iter()
                .map(|item| substitute(item, variable).unwrap_or(Value::Null))
                .collect(),
        ),
        Literal::Object(fields) => {
            let mut object = Map::new();
            for (name, literal) in fields {
                if let Some(value) = substitute(literal, variable) {
                    object.insert(name.to_string(), value);
                }
            }
            Value::Object(object)
        }
    })
}

/// A number; one beyond what JSON can hold stays a text, which no numeric type takes.
fn number_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

fn is_blank(value: &Value) -> bool {
    value.as_str() == Some("")
}

fn invalid(path: &Path<'_>, reason: &str) -> Fault {
    Fault::invalid(path.to_string(), reason)
}

fn required(path: &Path<'_>) -> Fault {
    invalid(path, "is required")
}

fn not_null(path: &Path<'_>) -> Fault {
    invalid(path, "must not be null")
}

fn not_listed<'n>(
    path: &Path<'_>,
    name: &str,
    given: &Value,
    values: impl Iterator<Item = &'n Name>,
) -> Fault {
    let values: Vec<&str> = values.map(Name::as_str).collect();
    let near = given
        .as_str()
        .and_then(|given| nearest(given, values.iter().copied()));
    let reason = match near {
        Some(near) => format!("must be a value of {name} (did you mean {near}?)"),
        None if values.len() > MAX_LISTED => format!("must be a value of {name}"),
        None => format!("must be one of {}", values.join(", ")),
    };
    invalid(path, &reason)
}

#[cfg(test)]
mod tests;
