//! The examples of the document, and the libraries of Standard Webhooks, verify what is really sent.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use testkit::{Order, Receiver, cards};

use super::{await_taken, endpoint};
use crate::shared;

const DOCUMENT: &str = include_str!("../../../../../docs/webhooks.md");

/// The example in this language.
fn example(language: &str) -> &'static str {
    let start = DOCUMENT.split_once(&format!("```{language}\n")).unwrap().1;
    start.split_once("\n```").unwrap().0
}

/// Whether a program is installed.
fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").output();
    run.is_ok_and(|output| output.status.success())
}

/// What a program prints that gets the delivery on standard input.
#[track_caller]
fn said(command: &mut Command, delivery: &Value) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = delivery.to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A delivery as it came, and altered ones that must be refused.
struct Deliveries {
    real: Value,
    altered: Vec<Value>,
}

fn real_and_altered() -> Deliveries {
    let (shop, receiver) = (shared::shop(), Receiver::start());
    let made = endpoint(&shop, &receiver.url("/hooks"), &["payment.captured"]);
    let paid = shop.order(&Order::card(cards::VISA)).id();
    await_taken(&receiver, "/hooks", &paid, 1);
    let arrived = receiver.taken("/hooks").pop().unwrap();
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(arrived.header(name))))
        .collect();
    let real = json!({"secret": made.secret, "headers": headers, "body": arrived.body});
    let altered = |path: &str, value: &str| {
        let mut one = real.clone();
        *one.pointer_mut(path).unwrap() = json!(value);
        one
    };
    let altered = vec![
        altered("/secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        altered("/body", &format!("{} ", arrived.body)),
        altered("/headers/webhook-id", "another"),
        altered("/headers/webhook-timestamp", "1614265330"),
        altered("/headers/webhook-signature", "v1,AAAA"),
        altered("/headers/webhook-signature", "v1,ß"),
        altered("/headers/webhook-timestamp", "soon"),
        json!({"secret": made.secret, "headers": {}, "body": arrived.body}),
    ];
    Deliveries { real, altered }
}

#[track_caller]
fn assert_verifies(name: &str, command: impl Fn() -> Command, given: &Deliveries) {
    assert_eq!(said(&mut command(), &given.real), "true", "{name}");
    for altered in &given.altered {
        assert_eq!(said(&mut command(), altered), "false", "{name}: {altered}");
    }
}

#[test]
fn the_examples_of_the_document_verify_a_real_delivery_and_no_altered_one() {
    let given = real_and_altered();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    if is_there("node") {
        let main = "const given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\n\
            console.log(verify(given.secret, given.headers, given.body));\n";
        let script = file("verify.js", format!("{}\n{main}", example("javascript")));
        assert_verifies("node", || program("node", &script), &given);
    }
    if is_there("python3") {
        let main = "import json, sys\ngiven = json.load(sys.stdin)\n\
            print(str(verify(given['secret'], given['headers'], given['body'].encode())).lower())\n";
        let script = file("verify.py", format!("{}\n{main}", example("python")));
        assert_verifies("python3", || program("python3", &script), &given);
    }
    if is_there("ruby") {
        let main = "require \"json\"\ngiven = JSON.parse(STDIN.read)\n\
            puts verify(given[\"secret\"], given[\"headers\"], given[\"body\"])\n";
        let script = file("verify.rb", format!("{}\n{main}", example("ruby")));
        assert_verifies("ruby", || program("ruby", &script), &given);
    }
    if is_there("php") {
        let main = "$given = json_decode(stream_get_contents(STDIN), true);\n\
            echo verify($given[\"secret\"], $given[\"headers\"], $given[\"body\"]) ? \"true\" : \"false\";\n";
        let script = file("verify.php", format!("<?php\n{}\n{main}", example("php")));
        assert_verifies("php", || program("php", &script), &given);
    }
    if is_there("javac") {
        // Java has no JSON of its own: the delivery is written into the program.
        let all = std::iter::once(&given.real).chain(&given.altered);
        let calls: Vec<String> = all.map(java_call).collect();
        let main = format!(
            "class Main {{ public static void main(String[] a) throws Exception {{ {} }} }}",
            calls.concat()
        );
        let source = file("Main.java", format!("{}\n{main}\n", example("java")));
        let built = Command::new("javac").arg(&source).status().unwrap();
        assert!(built.success());
        let mut java = Command::new("java");
        java.arg("-cp").arg(folder.path()).arg("Main");
        let refused = "\nfalse".repeat(given.altered.len());
        assert_eq!(said(&mut java, &json!(null)), format!("true{refused}"));
    }
}

/// Prints whether Java verifies a delivery. Its strings are written as those of JSON are.
fn java_call(given: &Value) -> String {
    let headers = given["headers"].as_object().unwrap();
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{}, {value}", json!(name)))
        .collect();
    format!(
        "System.out.println(Webhooks.verify({}, Map.of({}), {}));\n",
        given["secret"],
        headers.join(", "),
        given["body"]
    )
}

fn program(name: &str, script: &Path) -> Command {
    let mut command = Command::new(name);
    command.arg(script);
    command
}

#[test]
fn the_libraries_of_standard_webhooks_verify_a_real_delivery_and_no_altered_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("standard-webhooks");
    let given = real_and_altered();
    if folder.join("node_modules").exists() {
        assert_verifies(
            "npm",
            || program("node", &folder.join("verify.mjs")),
            &given,
        );
    }
    // Where `./test` has installed them.
    if let Ok(python) = std::env::var("POINTSMAN_TEST_PYTHON") {
        assert_verifies(
            "PyPI",
            || program(&python, &folder.join("verify.py")),
            &given,
        );
    }
}
