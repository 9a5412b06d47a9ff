//! `pointsman connection`, while a server runs and while none does.

use std::{
    io::Write,
    process::{Output, Stdio},
};

use serde_json::json;
use testkit::{Server, Setup};

use super::{KEY, ids};

const SECRET: &str = "whsec_c2Vzc2FtZS1vcGVuLXNlc2FtZS1vcGVu";

/// Runs a command of `connection` with variables and standard input.
fn run(server: &Server, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Output {
    let data = server.data_dir();
    let all = ["connection"].iter().chain(arguments).copied();
    let all: Vec<&str> = all.chain(["--data-dir", data.to_str().unwrap()]).collect();
    let mut command = server.setup().command(&server.root(), &all);
    let mut child = command
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

#[track_caller]
fn done(output: Output) -> String {
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

#[track_caller]
fn refused(output: Output) -> String {
    assert!(!output.status.success(), "{}", said(&output));
    said(&output)
}

/// The secret of notifications is replaced twice, and the one before is ended. What the last two commands said.
#[track_caller]
fn secret_rotated_and_ended(server: &testkit::Server) -> [String; 2] {
    let variables = [("POINTSMAN_CREDENTIAL_NOTIFICATION_SECRET", SECRET)];
    let rotated = done(run(server, &["rotate", "shop-eu"], &variables, ""));
    assert!(rotated.contains("No earlier secret"), "{rotated}");
    let file = server.root().join("credentials.json");
    let other = json!({"notificationSecret": format!("{SECRET}MQ")});
    std::fs::write(&file, other.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let rotated = done(run(
        server,
        &["rotate", "shop-eu", "--credentials", file],
        &[],
        "",
    ));
    assert!(rotated.contains("counts as well until"), "{rotated}");
    std::fs::remove_file(file).unwrap();
    assert!(
        server
            .run(&["connection", "list"])
            .contains("the secret before counts until")
    );
    let ended = done(run(
        server,
        &["rotate", "shop-eu", "--end-previous"],
        &[],
        "",
    ));
    assert!(ended.contains("No earlier secret"), "{ended}");

    [rotated, ended]
}

/// The connection is switched off and on, and deleted.
#[track_caller]
fn switched_and_deleted(server: &testkit::Server) {
    server.run(&["connection", "disable", "shop-eu"]);
    assert!(
        server
            .run(&["connection", "list"])
            .contains("Shop EU  disabled")
    );
    server.run(&["connection", "enable", "shop-eu"]);
    assert!(
        server
            .run(&["connection", "list"])
            .contains("Shop EU  enabled")
    );
    server.run(&["connection", "delete", "shop-eu"]);
    assert!(!ids(&server.shop()).contains(&"shop-eu".to_owned()));
}

#[test]
fn a_connection_is_added_tested_rotated_switched_and_deleted_by_commands() {
    let server = Setup::new().start();
    let processors = server.run(&["connection", "processors"]);
    assert!(
        processors.contains("notificationSecret (optional, such as whsec_…)"),
        "{processors}"
    );

    let input = json!({"apiKey": KEY}).to_string();
    let add = [
        "add",
        "simulator",
        "--id",
        "shop-eu",
        "--name",
        "Shop EU",
        "--credentials",
        "-",
    ];
    let added = done(run(&server, &add, &[], &input));
    for part in [
        "shop-eu  simulator  Shop EU  enabled",
        "sim_acct_shop-eu",
        "test mode",
        "/notifications/",
        "rotate shop-eu",
    ] {
        assert!(added.contains(part), "{part} is not in {added}");
    }
    assert!(refused(run(&server, &add, &[], &input)).contains("there is a connection of this id"));

    assert!(
        server
            .run(&["connection", "test", "shop-eu"])
            .contains("sim_acct_shop-eu")
    );
    let [rotated, ended] = secret_rotated_and_ended(&server);
    switched_and_deleted(&server);
    for output in [&added, &rotated, &ended, &server.log()] {
        assert!(
            !output.contains(KEY) && !output.contains("whsec_c2Vz"),
            "{output}"
        );
    }
    assert!(server.files_with(SECRET.as_bytes()).is_empty());
}

#[test]
fn credentials_are_no_argument_and_what_is_refused_is_not_repeated() {
    let server = Setup::new().start();
    let as_argument = ["add", "simulator", "--api-key", KEY];
    refused(run(&server, &as_argument, &[], ""));
    let add = ["add", "simulator", "--id", "bad", "--credentials", "-"];
    for (input, part) in [
        ("wrong-a77f", "JSON object of texts"),
        (
            r#"{"apiKey": "wrong-a77f"}"#,
            "not accepted by the processor",
        ),
        (r#"{"apiKey": "live-wrong-a77f"}"#, "live mode"),
        (
            r#"{"apiKey": "wrong-a77f\n"}"#,
            "white space before or after the value of apiKey",
        ),
        (
            r#"{"password": "wrong-a77f"}"#,
            "it knows apiKey, notificationSecret",
        ),
    ] {
        let why = refused(run(&server, &add, &[], input));
        assert!(why.contains(part), "{why}");
        assert!(!why.contains("a77f"), "{why}");
    }
    assert!(!server.log().contains("a77f"));
    let unknown = refused(run(&server, &["add", "nobody"], &[], ""));
    assert!(
        unknown.contains("there are adyen, simulator, stripe"),
        "{unknown}"
    );
    let unknown = refused(run(
        &server,
        &["rotate", "nobodys", "--end-previous"],
        &[],
        "",
    ));
    let those = "There is no connection nobodys; there are simulator-a";
    assert!(unknown.contains(those), "{unknown}");
    let wrong = r#"{"apiKey": "wrong-a77f"}"#;
    let skip = [
        "add",
        "simulator",
        "--id",
        "bad",
        "--credentials",
        "-",
        "--skip-probe",
    ];
    done(run(&server, &skip, &[], wrong));
    let tested = refused(run(&server, &["test", "bad"], &[], ""));
    assert!(tested.contains("does not accept"), "{tested}");
}

#[test]
fn a_connection_is_added_while_no_server_runs() {
    let mut server = Setup::new().start();
    server.stop();
    let input = json!({"apiKey": KEY}).to_string();
    let add = ["add", "simulator", "--id", "offline", "--credentials", "-"];
    done(run(&server, &add, &[], &input));
    server.restart();
    assert!(ids(&server.shop()).contains(&"offline".to_owned()));
}
