//! Every document that is valid against the built part of the contract is valid against `pointsman schema`.
//!
//! The contract's copy is compared type by type: what it has must be there, what it accepts must be accepted, and what it
//! promises not to be null must not be.

use apollo_compiler::schema::{ExtendedType, FieldDefinition, InputValueDefinition, Type};
use apollo_compiler::{ExecutableDocument, Schema};
use testkit::Setup;

const CONTRACT: &str = include_str!("../../contract/schema.graphql");
const DOCUMENTS: &str = include_str!("../../contract/documents.graphql");

fn contract() -> Schema {
    Schema::parse(CONTRACT, "contract.graphql").expect("the contract's copy parses")
}

fn exported() -> Schema {
    let dir = tempfile::tempdir().unwrap();
    let output = Setup::new()
        .command(dir.path(), &["schema"])
        .output()
        .unwrap();
    assert!(output.status.success());
    Schema::parse(
        String::from_utf8(output.stdout).unwrap(),
        "exported.graphql",
    )
    .expect("the exported schema parses")
}

/// What the exported schema lacks to serve every client of the contract; empty when it lacks nothing.
fn lacks(contract: &Schema, exported: &Schema) -> Vec<String> {
    let mut lacks = Vec::new();
    for (name, wanted) in contract
        .types
        .iter()
        .filter(|(name, _)| !name.starts_with("__"))
    {
        let Some(there) = exported.types.get(name) else {
            lacks.push(format!("{name} is missing"));
            continue;
        };
        match (wanted, there) {
            (ExtendedType::Object(wanted), ExtendedType::Object(there)) => {
                for interface in &wanted.implements_interfaces {
                    if !there.implements_interfaces.contains(interface) {
                        lacks.push(format!("{name} does not implement {}", interface.as_str()));
                    }
                }
                for (field, wanted) in &wanted.fields {
                    let path = format!("{name}.{field}");
                    lacks.extend(lacks_of_field(
                        &path,
                        wanted,
                        there.fields.get(field).map(|field| &***field),
                    ));
                }
            }
            (ExtendedType::Interface(wanted), ExtendedType::Interface(there)) => {
                for (field, wanted) in &wanted.fields {
                    let path = format!("{name}.{field}");
                    lacks.extend(lacks_of_field(
                        &path,
                        wanted,
                        there.fields.get(field).map(|field| &***field),
                    ));
                }
            }
            (ExtendedType::InputObject(wanted), ExtendedType::InputObject(there)) => {
                let wanted: Vec<&InputValueDefinition> =
                    wanted.fields.values().map(|field| &***field).collect();
                let there: Vec<&InputValueDefinition> =
                    there.fields.values().map(|field| &***field).collect();
                lacks.extend(lacks_of_inputs(name, &wanted, &there));
            }
            (ExtendedType::Enum(wanted), ExtendedType::Enum(there)) => {
                let missing = wanted
                    .values
                    .keys()
                    .filter(|value| !there.values.contains_key(*value));
                lacks.extend(missing.map(|value| format!("{name}.{value} is missing")));
            }
            (ExtendedType::Scalar(_), ExtendedType::Scalar(_))
            | (ExtendedType::Union(_), ExtendedType::Union(_)) => {}
            _ => lacks.push(format!("{name} is of another kind")),
        }
    }
    lacks
}

fn lacks_of_field(
    path: &str,
    wanted: &FieldDefinition,
    there: Option<&FieldDefinition>,
) -> Vec<String> {
    let Some(there) = there else {
        return vec![format!("{path} is missing")];
    };
    let mut lacks = Vec::new();
    if !gives(&wanted.ty, &there.ty) {
        lacks.push(format!(
            "{path} gives {} instead of {}",
            there.ty, wanted.ty
        ));
    }
    let wanted: Vec<&InputValueDefinition> = wanted
        .arguments
        .iter()
        .map(|argument| &**argument)
        .collect();
    let there: Vec<&InputValueDefinition> =
        there.arguments.iter().map(|argument| &**argument).collect();
    lacks.extend(lacks_of_inputs(path, &wanted, &there));
    lacks
}

fn lacks_of_inputs(
    path: &str,
    wanted: &[&InputValueDefinition],
    there: &[&InputValueDefinition],
) -> Vec<String> {
    let mut lacks = Vec::new();
    for input in wanted {
        match there.iter().find(|other| other.name == input.name) {
            None => lacks.push(format!("{path}({}) is missing", input.name)),
            Some(other) if !accepts(&input.ty, &other.ty) => {
                lacks.push(format!(
                    "{path}({}) takes {} instead of {}",
                    input.name, other.ty, input.ty
                ));
            }
            Some(_) => {}
        }
    }
    let known = |input: &InputValueDefinition| wanted.iter().any(|other| other.name == input.name);
    let demanded = there
        .iter()
        .filter(|input| !known(input) && input.is_required());
    lacks.extend(demanded.map(|input| {
        format!(
            "{path}({}) is demanded and the contract has it not",
            input.name
        )
    }));
    lacks
}

/// Is whatever fits `wanted` accepted by `there`?
fn accepts(wanted: &Type, there: &Type) -> bool {
    match (wanted, there) {
        (Type::NonNullNamed(a), Type::NonNullNamed(b) | Type::Named(b))
        | (Type::Named(a), Type::Named(b)) => a == b,
        (Type::NonNullList(a), Type::NonNullList(b) | Type::List(b))
        | (Type::List(a), Type::List(b)) => accepts(a, b),
        _ => false,
    }
}

/// Does `there` give what `wanted` promises? It may promise more.
fn gives(wanted: &Type, there: &Type) -> bool {
    match (wanted, there) {
        (Type::Named(a), Type::Named(b) | Type::NonNullNamed(b))
        | (Type::NonNullNamed(a), Type::NonNullNamed(b)) => a == b,
        (Type::List(a), Type::List(b) | Type::NonNullList(b))
        | (Type::NonNullList(a), Type::NonNullList(b)) => gives(a, b),
        _ => false,
    }
}

#[test]
fn the_exported_schema_has_everything_of_the_contracts_built_part() {
    let lacks = lacks(&contract(), &exported());
    assert!(lacks.is_empty(), "{}", lacks.join("\n"));
}

#[test]
fn root_fields_stay_nullable_so_that_a_failure_is_null_alongside_its_error() {
    let schema = exported();
    for root in ["Query", "Mutation"] {
        let ExtendedType::Object(root) = &schema.types[root] else {
            panic!("{root} is an object")
        };
        for (name, field) in &root.fields {
            assert!(!field.ty.is_non_null(), "{name} can't fail");
        }
    }
}

#[test]
fn the_documents_of_clients_are_valid_against_both() {
    for schema in [contract(), exported()] {
        let schema = schema
            .validate()
            .unwrap_or_else(|invalid| panic!("{}", invalid.errors));
        ExecutableDocument::parse_and_validate(&schema, DOCUMENTS, "documents.graphql")
            .unwrap_or_else(|invalid| panic!("{}", invalid.errors));
    }
}

#[test]
fn the_comparison_finds_what_is_missing() {
    let parse = |text: &str| Schema::parse(text, "small.graphql").unwrap();
    let wanted = parse(
        "type Query { a(x: Int, y: [String]): Int! b: B } enum B { ONE TWO } input I { f: Int }",
    );
    assert!(lacks(&wanted, &wanted).is_empty());
    let poor = parse(
        "type Query { a(x: Int!, z: Int!): Int } enum B { ONE } input I { f: String g: Int! }",
    );
    let found = lacks(&wanted, &poor);
    for missing in [
        "Query.a gives Int instead of Int!",
        "Query.a(x) takes Int! instead of Int",
        "Query.a(y) is missing",
        "Query.a(z) is demanded and the contract has it not",
        "Query.b is missing",
        "B.TWO is missing",
        "I(f) takes String instead of Int",
        "I(g) is demanded and the contract has it not",
    ] {
        assert!(
            found.iter().any(|line| line == missing),
            "{missing}: {found:?}"
        );
    }
    let rich = parse(
        "type Query { a(x: Int, y: [String], z: Int): Int! b: B! c: Int } enum B { ONE TWO THREE } input I { f: Int g: Int }",
    );
    assert!(lacks(&wanted, &rich).is_empty());
}
