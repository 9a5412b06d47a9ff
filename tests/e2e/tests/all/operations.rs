//! The operations of the schema, for stories that are played with each of them.

use apollo_compiler::{
    Node, Schema,
    ast::InputValueDefinition,
    schema::{ExtendedType, Type},
    validation::Valid,
};
use serde_json::{Map, Value, json};
use testkit::{Answer, Shop};

/// How deep an input is followed.
const DEPTH: usize = 5;

/// The published schema.
pub(crate) fn schema() -> Valid<Schema> {
    let text = include_str!("../../../../schema.graphql");
    Schema::parse_and_validate(text, "schema.graphql").unwrap()
}

/// Every root field.
pub(crate) fn operations(schema: &Valid<Schema>) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for root in ["Query", "Mutation"] {
        let fields = &schema.get_object(root).unwrap().fields;
        found.extend(fields.keys().map(|name| Operation { schema, root, name }));
    }
    found
}

/// A root field of the schema.
pub(crate) struct Operation<'a> {
    schema: &'a Valid<Schema>,
    /// Query or Mutation.
    pub(crate) root: &'static str,
    /// Its name.
    pub(crate) name: &'a str,
}

impl Operation<'_> {
    fn arguments(&self) -> &[Node<InputValueDefinition>] {
        let root = self.schema.get_object(self.root).unwrap();
        &root.fields[self.name].arguments
    }

    /// Every leaf with its type, through objects and lists.
    pub(crate) fn leaves(&self) -> Vec<(Vec<String>, String)> {
        let mut found = Vec::new();
        for argument in self.arguments() {
            self.follow(&argument.ty, vec![argument.name.to_string()], &mut found);
        }
        found
    }

    fn follow(&self, ty: &Type, mut path: Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
        if ty.is_list() {
            path.push("0".to_owned());
        }
        if path.len() > DEPTH {
            return;
        }
        let name = ty.inner_named_type();
        match self.schema.types.get(name) {
            Some(ExtendedType::InputObject(object)) => {
                for field in object.fields.values() {
                    let mut path = path.clone();
                    path.push(field.name.to_string());
                    self.follow(&field.ty, path, found);
                }
            }
            Some(ExtendedType::Scalar(_)) => found.push((path, name.to_string())),
            _ => {}
        }
    }

    /// Asks for it with these arguments; those that it has not are left out.
    pub(crate) fn ask(&self, shop: &Shop, given: &Value) -> Answer {
        self.ask_for(shop, given, "{ __typename }")
    }

    /// The same with a selection of its own, which a root field without fields leaves out.
    pub(crate) fn ask_for(&self, shop: &Shop, given: &Value, selection: &str) -> Answer {
        let (mut declared, mut passed) = (Vec::new(), Vec::new());
        let mut variables = Map::new();
        for argument in self.arguments() {
            let name = argument.name.as_str();
            if let Some(value) = given.get(name) {
                declared.push(format!("${name}: {}", argument.ty));
                passed.push(format!("{name}: ${name}"));
                variables.insert(name.to_owned(), value.clone());
            }
        }
        let field = &self.schema.get_object(self.root).unwrap().fields[self.name];
        let has_fields = !matches!(
            self.schema.types.get(field.ty.inner_named_type()),
            Some(ExtendedType::Scalar(_) | ExtendedType::Enum(_))
        );
        let text = format!(
            "{}({}) {{ {}({}) {} }}",
            self.root.to_lowercase(),
            declared.join(", "),
            self.name,
            passed.join(", "),
            if has_fields { selection } else { "" },
        );
        shop.gql(&text, Value::Object(variables))
    }
}

/// Puts a value at a path, with the objects and lists on the way.
pub(crate) fn put(target: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *target = value;
        return;
    };
    if first == "0" {
        if !target.is_array() {
            *target = json!([null]);
        }
        put(&mut target[0], rest, value);
        return;
    }
    if !target.is_object() {
        *target = json!({});
    }
    put(&mut target[first.as_str()], rest, value);
}
