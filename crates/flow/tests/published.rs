//! Every example that we publish compiles, and the page names every step, trigger and fact.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::{fs, path::PathBuf};

use flow::{Document, Program};
use serde_json::Value;

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn compile(name: &str, text: &str) {
    let document = Document::parse(text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    Program::compile(&document).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    assert_eq!(
        Document::parse(&document.to_yaml()).unwrap(),
        document,
        "{name}"
    );
}

#[test]
fn every_example_compiles() {
    let mut count = 0;
    for entry in fs::read_dir(docs().join("flows")).unwrap() {
        let path = entry.unwrap().path();
        compile(
            &path.display().to_string(),
            &fs::read_to_string(&path).unwrap(),
        );
        count += 1;
    }
    assert!(count >= 10);
}

#[test]
fn every_flow_on_the_page_compiles() {
    let page = fs::read_to_string(docs().join("flows.md")).unwrap();
    let mut count = 0;
    for block in page.split("```yaml\n").skip(1) {
        let text = block.split("```").next().unwrap();
        if text.contains("trigger:") {
            compile(text, text);
            count += 1;
        }
    }
    assert!(count >= 1);
}

#[test]
fn the_page_names_everything() {
    let page = fs::read_to_string(docs().join("flows.md")).unwrap();
    let schema: Value = serde_json::from_str(flow::JSON_SCHEMA).unwrap();
    for step in schema["$defs"]["step"]["properties"]
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(page.contains(&format!("`{step}`")), "{step}");
    }
    for fact in flow::facts() {
        assert!(page.contains(&format!("`{fact}`")), "{fact}");
    }
}

#[test]
fn the_examples_on_the_page_are_the_files() {
    let page = fs::read_to_string(docs().join("flows.md")).unwrap();
    for entry in fs::read_dir(docs().join("flows")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            page.contains(&format!("flows/{name}")),
            "{name} is not on the page"
        );
    }
}
