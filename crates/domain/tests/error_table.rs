//! The table of errors for people has every code, and no other.

use std::collections::BTreeSet;

use domain::Code;

#[test]
fn every_code_is_explained_in_the_table_of_errors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|row| row.0));
    let explained: BTreeSet<&str> = rows.collect();
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.text()).collect();
    assert_eq!(explained, known);
}
