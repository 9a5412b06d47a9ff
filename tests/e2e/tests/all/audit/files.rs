//! An exported trail, and the trail in the database, when somebody touches them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};
use testkit::{Backend, KeyKind, Server, Setup};

use super::list;

/// What somebody does to the lines of a file.
type Change<'a> = &'a dyn Fn(&mut Vec<String>);

/// A server with a few acts behind it, and its trail in a file.
fn exported() -> (Server, PathBuf) {
    let server = Setup::new().start();
    for _ in 0..4 {
        server.create_key(KeyKind::Public);
    }
    server.other_team();
    let to = server.root().join("trail.jsonl");
    server.run(&["audit", "export", "--to", to.to_str().unwrap()]);
    (server, to)
}

/// Verifies a file away from the installation: with the keys where they are given.
fn verify(server: &Server, file: &Path, keyed: bool) -> Output {
    let keys = server.data_dir().join("vault.keys");
    verify_with(server, file, keyed.then_some(&keys), &["--json"])
}

fn verify_with(server: &Server, file: &Path, keys: Option<&PathBuf>, more: &[&str]) -> Output {
    let nowhere = server.root().join("nowhere");
    let mut arguments = vec!["audit", "verify", file.to_str().unwrap()];
    arguments.extend(["--data-dir", nowhere.to_str().unwrap()]);
    arguments.extend(more);
    if let Some(keys) = keys {
        arguments.extend(["--key-file", keys.to_str().unwrap()]);
    }
    let mut command = server.setup().command(&server.root(), &arguments);
    command.output().unwrap()
}

fn verdict(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn an_exported_trail_is_verified_without_the_databases() {
    let (server, file) = exported();
    for keyed in [true, false] {
        let output = verify(&server, &file, keyed);
        let verdict = verdict(&output);
        assert!(output.status.success(), "{verdict}");
        assert_eq!(verdict["keyed"], json!(keyed));
        let chains = verdict["chains"].as_array().unwrap();
        assert_eq!(chains.len(), 3, "two teams and the installation: {verdict}");
        assert!(chains.iter().all(|chain| chain["broken"].is_null()));
    }
    let again = server.command(&["audit", "export", "--to", file.to_str().unwrap()]);
    assert!(
        !again.status.success(),
        "a file that is there is not written over"
    );
}

/// What a command that is refused writes on standard error.
fn refused(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_export_that_fails_leaves_no_file_and_one_that_is_there_stays() {
    let server = Setup::new().start();
    let to = server.root().join("trail.jsonl");
    let export = |more: &[&str]| {
        let mut arguments = vec!["audit", "export", "--to", to.to_str().unwrap()];
        arguments.extend(more);
        server.command(&arguments)
    };
    let said = refused(&export(&["--team", "nobody"]));
    assert!(said.contains("no team"), "{said}");
    assert!(!to.exists());
    let said = export(&[]);
    assert!(said.status.success());
    let text = fs::read_to_string(&to).unwrap();
    let entries = text
        .lines()
        .filter(|line| serde_json::from_str::<Value>(line).unwrap()["entry"].is_object())
        .count();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.starts_with(&format!("{entries} entries were written to ")),
        "{said}"
    );
    let said = refused(&export(&[]));
    assert!(
        said.contains("is there already: choose another name"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&to).unwrap(), text);
}

#[test]
fn what_is_no_trail_or_no_key_is_named() {
    let (server, file) = exported();
    let other = server.root().join("other.jsonl");
    for junk in [&b"hello\n"[..], b"{\"seq\": 1}\n", b"\xff\xfe\n"] {
        fs::write(&other, junk).unwrap();
        let said = refused(&verify(&server, &other, true));
        assert!(said.contains("other.jsonl is no exported trail"), "{said}");
    }
    let text = fs::read_to_string(&file).unwrap();
    let cut = text.trim_end();
    fs::write(&other, &cut[..cut.len() - 5]).unwrap();
    let said = refused(&verify(&server, &other, true));
    let last = format!("other.jsonl, line {}", text.lines().count());
    assert!(said.contains(&last), "{said}");
    assert!(said.contains("was changed or cut off"), "{said}");
    let missing = server.root().join("missing.keys");
    let said = refused(&verify_with(&server, &file, Some(&missing), &["--json"]));
    assert!(
        said.contains("missing.keys") && said.contains("no such file"),
        "{said}"
    );
}

#[test]
fn another_installation_s_key_is_recognised_and_nothing_is_called_verified() {
    let (server, file) = exported();
    let others = Setup::new().start();
    let key = others.data_dir().join("vault.keys");
    let output = verify_with(&server, &file, Some(&key), &[]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("another installation's key"), "{said}");
    assert!(!said.contains("were verified"), "{said}");
    let changed = fs::read_to_string(&file)
        .unwrap()
        .replacen("operator", "system", 1);
    let touched = server.root().join("touched.jsonl");
    fs::write(&touched, changed).unwrap();
    let own = server.data_dir().join("vault.keys");
    let said = verify_with(&server, &touched, Some(&own), &[]).stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(
        said.contains("BROKEN") && said.contains("were looked at"),
        "{said}"
    );
    assert!(!said.contains("another installation's key"), "{said}");
}

#[test]
fn a_line_that_is_changed_removed_added_or_moved_is_found() {
    let (server, file) = exported();
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines
        .windows(3)
        .position(|three| three.iter().all(|line| line.contains("key.created")))
        .unwrap();
    let with = |change: Change<'_>| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        change(&mut lines);
        let path = server.root().join("touched.jsonl");
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    };
    let changes: [Change<'_>; 6] = [
        &|lines| lines[at + 1] = lines[at + 1].replace("key.created", "key.revoked"),
        &|lines| lines[at + 1] = lines[at + 1].replace("operator", "system"),
        &|lines| drop(lines.remove(at + 1)),
        &|lines| lines.insert(at + 1, lines[at].clone()),
        &|lines| lines.swap(at, at + 1),
        &|lines| drop(lines.pop()),
    ];
    for (n, change) in changes.iter().enumerate() {
        let path = with(change);
        for keyed in [true, false] {
            let output = verify(&server, &path, keyed);
            let verdict = verdict(&output);
            assert!(!output.status.success(), "change {n}: {verdict}");
            let broken = verdict["chains"].as_array().unwrap().iter();
            assert_eq!(
                broken.filter(|chain| chain["broken"].is_object()).count(),
                1,
                "change {n}"
            );
        }
    }
}

#[test]
fn a_row_that_is_changed_in_the_database_is_found() {
    let mut server = Setup::new().on(Backend::Embedded).start();
    server.create_key(KeyKind::Public);
    server.run(&["audit", "verify"]);
    server.stop();
    let database = rusqlite::Connection::open(server.data_dir().join("store.db")).unwrap();
    let changed = database
        .execute(
            "update audit set subject_id = 'another' where act = 'key.created' and seq = 2",
            (),
        )
        .unwrap();
    assert_eq!(changed, 1);
    drop(database);
    let output = server.command(&["audit", "verify"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("BROKEN") && said.contains("at number 2"),
        "{said}"
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the audit trail is broken"), "{said}");
}

#[test]
fn two_nodes_write_one_trail() {
    let one = Setup::new().on(Backend::Postgres).start();
    let two = one.join();
    for n in 0..10 {
        one.shop().connection(&format!("one-{n}"), json!({}));
        two.shop().connection(&format!("two-{n}"), json!({}));
    }
    let saved = list(&one, &["--act", "connection.saved"]);
    assert_eq!(saved.len(), 20);
    one.run(&["audit", "verify"]);
    two.run(&["audit", "verify"]);
}
