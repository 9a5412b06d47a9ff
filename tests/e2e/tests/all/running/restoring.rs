//! What a backup is looked through and restored with, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use testkit::{Backend, Server, Setup, cards};

fn embedded() -> Setup {
    Setup::new().on(Backend::Embedded)
}

fn said(output: &Output) -> String {
    format!(
        "{} {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn run(root: &Path, arguments: &[&str]) -> Output {
    embedded().command(root, arguments).output().unwrap()
}

fn backed_up(server: &Server, name: &str) -> PathBuf {
    let to = server.root().join(name);
    server.run(&["backup", "--to", text(&to)]);
    to
}

fn verify(root: &Path, backup: &Path, keys: &Path) -> Output {
    run(
        root,
        &["backup", "verify", text(backup), "--key-file", text(keys)],
    )
}

/// Restores with these keys where it must be refused, and holds that nothing was written; what it said.
fn restore_refused(root: &Path, backup: &Path, keys: &Path) -> String {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let arguments = [
        "restore",
        "--from",
        text(backup),
        "--key-file",
        text(keys),
        "--data-dir",
        text(&data),
    ];
    let refused = run(root, &arguments);
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(!data.exists(), "{}", said(&refused));
    said(&refused)
}

fn assert_refused_keys(server: &Server, backup: &Path, keys: &Path, part: &str) {
    let looked = verify(&server.root(), backup, keys);
    assert!(!looked.status.success(), "{}", said(&looked));
    for reported in [said(&looked), restore_refused(&server.root(), backup, keys)] {
        assert!(
            reported.contains(part) && reported.contains(text(keys)),
            "{reported}"
        );
        assert!(!reported.contains("damaged"), "{reported}");
    }
}

#[test]
fn a_key_file_of_another_installation_or_another_time_is_reported_as_such() {
    let server = embedded().start();
    server.shop().tokenise(cards::VISA);
    let backup = backed_up(&server, "first");
    let keys = server.data_dir().join("vault.keys");
    let early = server.root().join("early.keys");
    fs::copy(&keys, &early).unwrap();

    let other = embedded().start();
    other.shop().tokenise(cards::VISA);
    let others = other.data_dir().join("vault.keys");
    assert_refused_keys(&server, &backup, &others, "another installation's");

    server.run(&["vault", "rotate"]);
    let rotated = backed_up(&server, "rotated");
    assert_refused_keys(&server, &rotated, &early, "lacks version 2");
    assert_refused_keys(&server, &backup, &keys, "of another time");

    let missing = server.root().join("nowhere.keys");
    assert_refused_keys(&server, &backup, &missing, "is not there");
    let rubbish = server.root().join("rubbish.keys");
    fs::write(&rubbish, "{}").unwrap();
    assert_refused_keys(&server, &backup, &rubbish, "not the form of a key file");

    for (backup, keys) in [(&backup, &early), (&rotated, &keys)] {
        let looked = verify(&server.root(), backup, keys);
        assert!(looked.status.success(), "{}", said(&looked));
    }
}

#[test]
fn a_key_file_that_lies_where_a_backup_is_restored_to_is_looked_at_too() {
    let server = embedded().start();
    server.shop().tokenise(cards::VISA);
    let backup = backed_up(&server, "backup");
    let keys = server.data_dir().join("vault.keys");
    let other = embedded().start();
    other.shop().tokenise(cards::VISA);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let there = data.join("vault.keys");
    let restore = |with: &[&str]| {
        let mut arguments = vec![
            "restore",
            "--from",
            text(&backup),
            "--data-dir",
            text(&data),
        ];
        arguments.extend(with);
        run(dir.path(), &arguments)
    };
    fs::copy(other.data_dir().join("vault.keys"), &there).unwrap();
    let refused = restore(&[]);
    assert!(
        !refused.status.success() && said(&refused).contains("another installation's"),
        "{}",
        said(&refused)
    );
    let refused = restore(&["--key-file", text(&keys)]);
    assert!(
        !refused.status.success() && said(&refused).contains("is there already"),
        "{}",
        said(&refused)
    );
    assert_eq!(
        fs::read_dir(&data).unwrap().count(),
        1,
        "nothing was written"
    );
    fs::copy(&keys, &there).unwrap();
    let restored = restore(&[]);
    assert!(restored.status.success(), "{}", said(&restored));
    assert!(
        !said(&restored).contains("Copy the key file"),
        "{}",
        said(&restored)
    );
}

/// A sandbox with a connection that has credentials, stopped.
fn with_credentials() -> Server {
    let mut server = embedded().start();
    let shop = server.shop();
    shop.tokenise(cards::VISA);
    for id in ["one", "two"] {
        let query = "mutation($id: ID, $credentials: JSON) { saveConnection(id: $id, processor: \"simulator\", \
                     name: \"Mine\", settings: {}, credentials: $credentials, skipProbe: true) { id } }";
        shop.gql(query, json!({"id": id, "credentials": {"apiKey": id}}))
            .root();
    }
    server.stop();
    server
}

fn change(server: &Server, file: &str, sql: &str) -> usize {
    let database = Connection::open(server.data_dir().join(file)).unwrap();
    database.execute(sql, ()).unwrap()
}

fn verified(server: &Server, name: &str) -> Output {
    let backup = backed_up(server, name);
    verify(
        &server.root(),
        &backup,
        &server.data_dir().join("vault.keys"),
    )
}

#[test]
fn the_credentials_of_connections_are_looked_at() {
    let server = with_credentials();
    let whole = verified(&server, "whole");
    assert!(
        whole.status.success() && said(&whole).contains("secrets of connections and wallets: 2"),
        "{}",
        said(&whole)
    );

    // One that bears the other's: its seal names the connection.
    let swapped = "update connection set credentials_id = (select credentials_id from connection where connection_id = 'one') \
                   where connection_id = 'two'";
    assert_eq!(change(&server, "store.db", swapped), 1);
    let looked = verified(&server, "swapped");
    assert!(
        !looked.status.success()
            && said(&looked).contains("PROBLEM  the credentials of connection two"),
        "{}",
        said(&looked)
    );

    assert_eq!(change(&server, "vault.db", "delete from secret"), 2);
    let backup = backed_up(&server, "lost");
    for keys in [true, false] {
        let keys = keys.then(|| server.data_dir().join("vault.keys"));
        let mut arguments = vec!["backup", "verify", text(&backup)];
        if let Some(keys) = &keys {
            arguments.extend(["--key-file", text(keys)]);
        }
        let looked = run(&server.root(), &arguments);
        assert!(
            !looked.status.success()
                && said(&looked).contains("the credentials of connection one are not in the vault"),
            "{}",
            said(&looked)
        );
    }
}

#[test]
fn where_nothing_is_restored_nothing_is_served_as_if() {
    let setup = Setup::new().flag("--after-restore");
    let refused = setup.clone().start_refused();
    assert!(refused.contains("there is nothing restored"), "{refused}");
    let dir: TempDir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let arguments = [
        "check",
        "--sandbox",
        "--after-restore",
        "--listen",
        "127.0.0.1:0",
        "--data-dir",
        text(&data),
    ];
    let refused = setup.command(dir.path(), &arguments).output().unwrap();
    assert!(
        !refused.status.success() && said(&refused).contains("there is nothing restored"),
        "{}",
        said(&refused)
    );
    assert!(!data.exists());
}

#[test]
fn the_command_that_serves_a_restored_copy_is_reported_with_its_mode() {
    let server = embedded().start();
    server.shop().tokenise(cards::VISA);
    let backup = backed_up(&server, "backup");
    let keys = server.data_dir().join("vault.keys");
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let arguments = [
        "restore",
        "--from",
        text(&backup),
        "--key-file",
        text(&keys),
        "--data-dir",
        text(&data),
    ];
    let restored = run(dir.path(), &arguments);
    let command = format!(
        "pointsman serve --sandbox --after-restore --data-dir {}",
        text(&data)
    );
    assert!(said(&restored).contains(&command), "{}", said(&restored));
    for flags in [&["--after-restore"][..], &[], &["--sandbox"]] {
        let mut arguments = vec![
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            text(&data),
        ];
        arguments.extend(flags);
        let refused = embedded()
            .without_environment("POINTSMAN_ACCESS_TOKEN")
            .command(dir.path(), &arguments)
            .output()
            .unwrap();
        assert!(
            !refused.status.success() && said(&refused).contains(&command),
            "{flags:?}: {}",
            said(&refused)
        );
    }
}

#[test]
fn a_start_that_is_refused_leaves_a_restored_copy_to_be_recognised() {
    let server = embedded().start();
    server.shop().tokenise(cards::VISA);
    let backup = backed_up(&server, "backup");
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let at = ["--data-dir", text(&data)];
    let restored = run(
        &server.root(),
        &[&["restore", "--from", text(&backup)], &at[..]].concat(),
    );
    assert!(restored.status.success(), "{}", said(&restored));
    let mark = fs::read(data.join("restored")).unwrap();

    let serve = ["serve", "--sandbox", "--listen", "127.0.0.1:0"];
    let without_keys = run(
        dir.path(),
        &[&serve[..], &["--after-restore"], &at[..]].concat(),
    );
    let reported = said(&without_keys);
    assert!(!without_keys.status.success(), "{reported}");
    assert!(reported.contains("vault.keys"), "{reported}");
    assert_eq!(fs::read(data.join("restored")).unwrap(), mark);

    let keys = server.data_dir().join("vault.keys");
    fs::copy(keys, data.join("vault.keys")).unwrap();
    let forgotten = run(dir.path(), &[&serve[..], &at[..]].concat());
    assert!(!forgotten.status.success(), "{}", said(&forgotten));
    assert!(said(&forgotten).contains("--after-restore"));
}
