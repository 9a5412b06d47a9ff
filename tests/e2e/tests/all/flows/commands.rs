//! `pointsman flow`

use std::fs;

use serde_json::json;
use testkit::{Setup, binary};

const GOOD: &str = "name: From git\ntrigger: payment\nsteps:\n  - authorise:\n      connection: simulator-b\n  - capture: api\n";

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = std::process::Command::new(binary())
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn check_tells_each_problem_with_file_line_and_place() {
    let dir = tempfile::tempdir().unwrap();
    let (good, bad) = (dir.path().join("good.yaml"), dir.path().join("bad.yaml"));
    fs::write(&good, GOOD).unwrap();
    fs::write(&bad, GOOD.replace("capture: api", "captur: api")).unwrap();
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    assert_eq!(
        run(&["flow", "check", good]),
        (Some(0), format!("{good}: ok\n"), String::new())
    );
    let (code, out, err) = run(&["flow", "check", good, bad]);
    assert_eq!((code, out), (Some(1), format!("{good}: ok\n")));
    assert!(
        err.starts_with(&format!("{bad}:6: steps[1]")) && err.contains("capture"),
        "{err}"
    );
    assert_eq!(run(&["flow", "check", "nowhere.yaml"]).0, Some(1));
}

#[test]
fn all_mistakes_of_a_document_are_reported_in_one_round() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.yaml");
    let text = "name: n\ntrigger: payment\nsteps:\n  - if: payment.amount > \"100.00\"\n    then:\n      - three_d_secure: force\n    \
                elif: payment.currency == \"EURO\"\n  - if: payment.amount > 100.00 && payment.currency == \"EURO\"\n    then: [{capture: noww}]\n";
    fs::write(&file, text).unwrap();
    let (code, _, err) = run(&["flow", "check", file.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    let expected = [
        "bad.yaml:4: steps[0].if: only two numbers or two texts",
        "bad.yaml:6: steps[0].then[0].three_d_secure: ",
        "bad.yaml:7: steps[0].elif: there is no such step; write `else: [{if: …}]`",
        "bad.yaml:8: steps[1].if: `payment.amount` counts minor units in whole numbers: 100.00 EUR is 10000; `payment.currency` can never be \"EURO\"",
        "bad.yaml:9: steps[1].then[0].capture: ",
    ];
    assert_eq!(err.lines().count(), expected.len(), "{err}");
    for (line, expected) in err.lines().zip(expected) {
        assert!(line.contains(expected), "{expected}\n{err}");
    }
    let reported = Setup::new().start().shop().gql(
        "mutation S($d: JSON!) { saveFlow(document: $d) { id } }",
        json!({"d": text}),
    );
    reported.assert_invalid("document");
    let reason = reported.extension("reason").as_str().unwrap();
    assert_eq!(reason.matches("(line ").count(), expected.len(), "{reason}");
}

#[test]
fn schema_is_json() {
    let (code, out, _) = run(&["flow", "schema"]);
    assert_eq!(code, Some(0));
    let schema: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
}

#[test]
fn a_file_goes_in_alongside_the_server_and_comes_out_the_same() {
    let server = Setup::new().start();
    let shop = server.shop();
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (file, copy, json_file) = (&at("from-git.yaml"), &at("copy.yaml"), &at("copy.json"));
    fs::write(file, GOOD).unwrap();
    assert!(
        server
            .run(&["flow", "import", file])
            .contains("version 1, a draft")
    );
    assert!(
        server
            .run(&["flow", "import", file, "--publish"])
            .contains("Version 1 of the flow from-git is published")
    );
    let listed = server.run(&["flow", "list"]);
    assert!(
        listed.contains("from-git") && listed.contains("version 1 published"),
        "{listed}"
    );
    let known = shop.gql("{ getFlow(id: \"from-git\") { published } }", json!({}));
    assert_eq!(known.root()["published"], true, "the server knows at once");

    server.run(&["flow", "export", "from-git", "-o", copy]);
    assert_eq!(
        fs::read_to_string(copy).unwrap(),
        server.run(&["flow", "export", "from-git"])
    );
    assert!(
        server
            .run(&["flow", "import", copy, "--id", "from-git"])
            .contains("says this already")
    );
    server.run(&["flow", "export", "from-git", "--output", json_file]);
    let exported: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json_file).unwrap()).unwrap();
    assert_eq!(exported["name"], "From git");
    assert!(
        server
            .run(&["flow", "import", json_file, "--id", "from-git"])
            .contains("says this already")
    );
}

#[test]
fn a_file_that_names_an_unknown_connection_is_refused_with_line_and_place() {
    let server = Setup::new().start();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("from-git.yaml");
    fs::write(&file, GOOD.replace("simulator-b", "nowhere")).unwrap();
    let file = file.to_str().unwrap();
    let refused = server.command(&["flow", "import", file]);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.lines()
            .any(|line| line.starts_with(&format!("{file}:4: steps[0].authorise.connection: ")))
            && said.contains("simulator-a"),
        "file, line, place and the connections there are: {said}"
    );
}

#[test]
fn commands_about_what_is_not_there_fail_and_say_so() {
    let server = Setup::new().start();
    let stranger = "0192a000-0000-7000-8000-000000000000";
    for (arguments, said) in [
        (
            &["flow", "list", "--team", stranger][..],
            "there is no team of this id or name",
        ),
        (
            &["flow", "delete", "default"],
            "the flow default: must not be the default flow",
        ),
        (
            &["flow", "publish", "nowhere"],
            "there is no flow nowhere, ",
        ),
        (
            &["flow", "set-default", "nowhere"],
            "there is no flow nowhere, ",
        ),
        (&["flow", "export", "nowhere"], "there is no flow nowhere, "),
    ] {
        let output = server.command(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && error.contains(said),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn commands_work_on_the_data_directory_when_no_server_runs() {
    let mut server = Setup::new().start();
    let (setup, dir, data) = (server.setup().clone(), server.root(), server.data_dir());
    assert!(server.stop().success());
    let file = dir.join("from-git.yaml");
    fs::write(&file, GOOD).unwrap();
    let run = |arguments: &[&str]| {
        let arguments: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(["--data-dir", data.to_str().unwrap()])
            .collect();
        let output = setup.command(&dir, &arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["flow", "import", file.to_str().unwrap(), "--publish"]);
    assert!(run(&["flow", "list"]).contains("from-git"));
}
