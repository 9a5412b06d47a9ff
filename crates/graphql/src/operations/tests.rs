use std::collections::BTreeSet;

use domain::rights;

use super::*;

fn root_fields() -> BTreeSet<String> {
    let schema = crate::schema().schema;
    ["Query", "Mutation", "Subscription"]
        .into_iter()
        .flat_map(|root| schema.get_object(root).unwrap().fields.keys())
        .map(ToString::to_string)
        .collect()
}

#[test]
fn every_root_field_is_one_operation_and_every_operation_a_root_field() {
    let names: Vec<String> = operations().map(|known| known.name.to_owned()).collect();
    let different: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(names.len(), different.len(), "a name stands twice");
    assert_eq!(different, root_fields());
}

#[test]
fn every_root_field_has_a_row_in_the_table_of_rights_and_nothing_else_has() {
    let rows = rights::OPERATIONS.iter().map(|operation| operation.name);
    let rows: BTreeSet<String> = rows
        .filter(|name| !name.starts_with('/'))
        .map(str::to_owned)
        .collect();
    assert_eq!(root_fields(), rows);
}

#[test]
fn every_operation_that_takes_a_key_is_a_mutation_and_says_so_in_the_schema() {
    let schema = crate::schema().schema;
    let mutations = &schema.get_object("Mutation").unwrap().fields;
    for known in operations() {
        let field = mutations.get(known.name);
        let says = field
            .and_then(|field| field.description.as_deref())
            .is_some_and(|text| text.contains("X-Idempotency-Key"));
        assert!(
            says == known.takes_key || known.name == "tokeniseCard",
            "{}",
            known.name
        );
        assert!(field.is_some() || !known.takes_key, "{}", known.name);
    }
}

#[test]
fn what_a_browser_may_not_do_is_not_counted_for_it() {
    for known in operations() {
        let holders = rights::operation(known.name).map(|row| row.holders);
        let is_counted = known.counted != Counted::Done;
        assert!(
            !is_counted || holders != Some(rights::Holders::SecretKeys),
            "{}",
            known.name
        );
    }
}
