//! What the documents say of the code is so.

use std::collections::BTreeSet;

use tidy::{root, text};

/// The most functions that the walk of a payment may go through.
const WALK_MAX: usize = 60;

/// A line of the walk: ``12. `run` in `executor/run.rs`: …``, below a heading that names the folder.
struct Stop {
    function: String,
    file: String,
}

/// The lines of the walk, from a document; none when there is no walk.
fn walk(document: &str) -> Vec<Stop> {
    let (_, rest) = document.split_once("## The walk of").unwrap_or_default();
    let walk = rest.split("\nIf the process dies").next();
    let walk = walk.unwrap_or_default();
    let mut folder = String::new();
    let mut stops = Vec::new();
    for line in walk.lines() {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        if line.starts_with("**") {
            quoted
                .first()
                .copied()
                .unwrap_or_default()
                .clone_into(&mut folder);
            continue;
        }
        let is_stop = line.starts_with(|letter: char| letter.is_ascii_digit());
        if let (true, [function, file, ..]) = (is_stop, quoted.as_slice()) {
            let file = if file.starts_with("crates/") {
                (*file).to_owned()
            } else {
                format!("{folder}{file}")
            };
            let function = (*function).to_owned();
            stops.push(Stop { function, file });
        }
    }
    stops
}

/// What is wrong with a walk, by the text of each file.
fn wrong(stops: &[Stop], source: impl Fn(&str) -> String) -> Vec<String> {
    let mut found = Vec::new();
    let (mut visited, mut here) = (BTreeSet::new(), "");
    for Stop { function, file } in stops {
        if here != file {
            here = file;
            if !visited.insert(file.clone()) {
                found.push(format!("{file} is visited twice"));
            }
        }
        let source = source(file);
        let starts = [format!("fn {function}("), format!("fn {function}<")];
        if !starts.iter().any(|start| source.contains(start)) {
            found.push(format!("{file} has no function `{function}`"));
        }
    }
    if stops.len() > WALK_MAX {
        found.push(format!("{} functions, at most {WALK_MAX}", stops.len()));
    }
    found
}

#[test]
fn the_walk_of_a_payment_is_as_the_architecture_says() {
    let stops = walk(&text(&root().join("ARCHITECTURE.md")));
    assert!(stops.len() > 40, "{} functions", stops.len());
    let found = wrong(&stops, |file| text(&root().join(file)));
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_walk_that_is_not_so_is_found() {
    let document = "## The walk of x\n\n**A** (`crates/a/`)\n\n1. `one` in `b.rs`: x.\n2. `two` in `c.rs`: y\n\
        3. `gone` in `b.rs`: z\n\nIf the process dies";
    let stops = walk(document);
    assert_eq!(stops.len(), 3);
    let found = wrong(&stops, |_| "fn one() {}\nfn two<T>() {}".to_owned());
    assert_eq!(
        found,
        [
            "crates/a/b.rs is visited twice",
            "crates/a/b.rs has no function `gone`"
        ]
    );
}
