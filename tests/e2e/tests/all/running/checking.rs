//! What `pointsman check` says of data that somebody has copied, lost or put back by hand.

use std::{fs, path::Path};

use serde_json::Value;
use testkit::{Backend, Server, Setup, cards};

fn embedded() -> Setup {
    Setup::new().on(Backend::Embedded)
}

/// The findings of `check` about a directory, each as its area, its name, its status and its message.
fn findings_in(server: &Server, dir: &Path, more: &[&str]) -> Vec<[String; 4]> {
    let dir = dir.to_str().unwrap();
    let mut arguments = vec!["check", "--sandbox", "--json", "--listen", "127.0.0.1:0"];
    arguments.extend(["--data-dir", dir]);
    arguments.extend(more);
    let mut command = server.setup().command(&server.root(), &arguments);
    let output = command.output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    found
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| ["area", "name", "status", "message"].map(|field| text(finding, field)))
        .collect()
}

/// The same about the server's own directory.
fn findings(server: &Server) -> Vec<[String; 4]> {
    findings_in(server, &server.data_dir(), &[])
}

fn message_of<'a>(findings: &'a [[String; 4]], place: [&str; 3]) -> &'a str {
    let found = findings.iter().find(|found| found[..3] == place);
    &found.unwrap_or_else(|| panic!("{place:?} is not in {findings:#?}"))[3]
}

#[test]
fn an_old_file_with_a_later_write_ahead_log_is_malformed() {
    let mut server = embedded().start();
    server.stop();
    let store = server.data_dir().join("store.db");
    let saved = server.root().join("saved");
    fs::copy(&store, &saved).unwrap();
    server.restart();
    for _ in 0..30 {
        server.shop().authorise(cards::VISA);
    }
    // All of it is in the file then, and only what comes later in the log.
    server.stop();
    server.restart();
    server.shop().authorise(cards::VISA);
    server.kill();
    assert!(
        fs::metadata(server.data_dir().join("store.db-wal"))
            .unwrap()
            .len()
            > 0
    );
    fs::copy(&saved, &store).unwrap();
    let mixed = findings(&server);
    let said = message_of(&mixed, ["database", "store", "problem"]);
    assert!(said.contains("malformed"), "{said}");
    assert!(said.contains("-wal"), "{said}");
}

#[test]
fn a_database_that_is_lost_is_not_said_to_be_made_by_the_first_start() {
    let mut server = embedded().start();
    server.stop();
    for file in ["store.db", "vault.db", "simulator.db"] {
        let aside = server.root().join("aside");
        fs::rename(server.data_dir().join(file), &aside).unwrap();
        let found = findings(&server);
        let said = message_of(&found, ["data directory", "databases", "problem"]);
        assert!(said.contains(&format!("has lost {file}")), "{said}");
        let name = file.trim_end_matches(".db");
        let notes = found.iter().filter(|found| found[1] == name);
        assert_eq!(notes.count(), 0, "{found:#?}");
        // SQLite takes an empty file for a new database.
        fs::write(server.data_dir().join(file), "").unwrap();
        let found = findings(&server);
        let said = message_of(&found, ["data directory", "databases", "problem"]);
        assert!(said.contains(&format!("has lost {file}")), "{said}");
        fs::rename(&aside, server.data_dir().join(file)).unwrap();
    }
    let found = findings(&server);
    assert!(
        found.iter().all(|found| found[2] != "problem"),
        "{found:#?}"
    );
}

#[test]
fn a_restored_directory_without_its_keys_is_a_problem_and_the_way_out_is_said() {
    let server = embedded().start();
    let backup = server.root().join("backup");
    server.run(&["backup", "--to", backup.to_str().unwrap()]);
    let restored = server.root().join("restored");
    let arguments = [
        "restore",
        "--from",
        backup.to_str().unwrap(),
        "--data-dir",
        restored.to_str().unwrap(),
    ];
    let mut command = server.setup().command(&server.root(), &arguments);
    let output = command.output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let keys = restored.join("vault.keys");
    assert!(
        said.contains(&format!(
            "Copy the key file of the original to {}",
            keys.display()
        )),
        "{said}"
    );
    assert!(!keys.exists());
    let found = findings_in(&server, &restored, &[]);
    let said = message_of(&found, ["key file", "mode", "problem"]);
    assert!(said.contains("vault.keys is missing"), "{said}");
    fs::copy(server.data_dir().join("vault.keys"), &keys).unwrap();
    let found = findings_in(&server, &restored, &["--after-restore"]);
    assert!(
        found.iter().all(|found| found[2] != "problem"),
        "{found:#?}"
    );
}
