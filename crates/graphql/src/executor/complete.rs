//! Writes the selected fields of values, with the propagation of nulls (GraphQL specification, October 2021, 6.4).

use apollo_compiler::{ast::Type, executable::SelectionSet};
use domain::{Code, Fault};
use serde_json::{Map, Value};

use super::{
    collect::{Collected, Scope},
    output::{Object, Out},
    wire,
};

/// The largest answer. Unit: bytes.
const MOST: usize = 8 * 1024 * 1024;

/// A value that must not be null has none; its error is recorded already.
pub(crate) struct Missing;

/// Writes `data` in document order and gathers the errors.
pub(crate) struct Writer<'a> {
    scope: Scope<'a>,
    json: Vec<u8>,
    errors: Vec<Value>,
    first_code: Option<Code>,
    path: Vec<Value>,
    /// The answer has become too large: nothing more is written.
    is_full: bool,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(scope: Scope<'a>) -> Self {
        Self {
            scope,
            json: Vec::with_capacity(1024),
            errors: Vec::new(),
            first_code: None,
            path: Vec::new(),
            is_full: false,
        }
    }

    /// Runs `write` for one entry of an object, between its key and the next.
    pub(crate) fn entry(
        &mut self,
        first: bool,
        key: &str,
        write: impl FnOnce(&mut Self) -> Result<(), Missing>,
    ) -> Result<(), Missing> {
        if !first {
            self.json.push(b',');
        }
        self.text(key);
        self.json.push(b':');
        self.path.push(Value::from(key));
        let written = write(self);
        self.path.pop();
        written
    }

    /// The value of a field of type `ty`. Errors: it, or something in it that must be there, is null in a non-null place.
    pub(crate) fn value(
        &mut self,
        ty: &Type,
        value: Result<Out<'_>, Fault>,
        field: &Collected<'a>,
    ) -> Result<(), Missing> {
        let start = self.json.len();
        if self.json.len() > MOST && !self.is_full {
            self.is_full = true;
            self.error(&Fault::new(
                Code::GraphqlLimit,
                "The answer is too large. Select less, or ask for a smaller page.",
            ));
        }
        let written = match value {
            _ if self.is_full => Err(Missing),
            Err(fault) => {
                self.error(&fault);
                Err(Missing)
            }
            Ok(Out::Null) if ty.is_non_null() => {
                tracing::error!(
                    field = field.first.name.as_str(),
                    "a field that must have a value has none"
                );
                self.error(&Fault::unknown());
                Err(Missing)
            }
            Ok(value) => self.present(ty, value, field),
        };
        match written {
            Err(Missing) if !ty.is_non_null() => {
                self.json.truncate(start);
                self.json.extend_from_slice(b"null");
                Ok(())
            }
            written => written,
        }
    }

    fn present(&mut self, ty: &Type, value: Out<'_>, field: &Collected<'a>) -> Result<(), Missing> {
        match value {
            Out::Null => self.json.extend_from_slice(b"null"),
            Out::Text(text) => self.text(self.named(ty, &text)),
            Out::Scalar(value) => self.scalar(&value),
            Out::Object(object) => return self.object(&*object, field.selection_sets()),
            Out::List(items) => {
                self.json.push(b'[');
                for (index, item) in items.into_iter().enumerate() {
                    if index > 0 {
                        self.json.push(b',');
                    }
                    self.path.push(Value::from(index));
                    let written = self.value(ty.item_type(), Ok(item), field);
                    self.path.pop();
                    written?;
                }
                self.json.push(b']');
            }
        }
        Ok(())
    }

    /// The name under which a value of an enum is written.
    fn named<'t>(&self, ty: &Type, text: &'t str) -> &'t str {
        (self.scope.schema.product.written)(ty.inner_named_type(), text).unwrap_or(text)
    }

    fn object(
        &mut self,
        object: &dyn Object,
        sets: impl Iterator<Item = &'a SelectionSet>,
    ) -> Result<(), Missing> {
        let type_name = object.type_name();
        let scope = self.scope;
        self.open();
        for (index, field) in scope.collect(type_name, sets).iter().enumerate() {
            self.entry(index == 0, field.key, |writer| {
                if field.first.name == "__typename" {
                    writer.text(type_name);
                    return Ok(());
                }
                let definition = &field.first.definition;
                let value = if definition.arguments.is_empty() {
                    object.field(&field.first.name, &Map::new())
                } else {
                    let arguments = scope.coercer.arguments(field.first);
                    arguments.and_then(|arguments| object.field(&field.first.name, &arguments))
                };
                writer.value(&definition.ty, value, field)
            })?;
        }
        self.close();
        Ok(())
    }

    pub(crate) fn open(&mut self) {
        self.json.push(b'{');
    }

    pub(crate) fn close(&mut self) {
        self.json.push(b'}');
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.serialize(text);
    }

    pub(crate) fn scalar(&mut self, value: &Value) {
        self.serialize(value);
    }

    /// Writing JSON into memory can't fail for texts and JSON values.
    fn serialize<T: serde::Serialize + ?Sized>(&mut self, value: &T) {
        if serde_json::to_writer(&mut self.json, value).is_err() {
            tracing::error!("a value could not be written as JSON");
            self.json.extend_from_slice(b"null");
        }
    }

    fn error(&mut self, fault: &Fault) {
        self.first_code.get_or_insert(fault.code);
        let extensions = (self.scope.schema.product.extensions)(fault);
        self.errors.push(wire::error(fault, &self.path, extensions));
    }

    /// The code of the first error.
    pub(crate) const fn first_code(&self) -> Option<Code> {
        self.first_code
    }

    /// The whole answer.
    pub(crate) fn finish(self, data: &Result<(), Missing>) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.json.len().saturating_add(64));
        body.extend_from_slice(b"{\"data\":");
        match data {
            Ok(()) => body.extend_from_slice(&self.json),
            Err(Missing) => body.extend_from_slice(b"null"),
        }
        if !self.errors.is_empty() {
            body.extend_from_slice(b",\"errors\":");
            body.extend_from_slice(
                &serde_json::to_vec(&self.errors).unwrap_or_else(|_| b"[]".to_vec()),
            );
        }
        body.push(b'}');
        body
    }
}
