//! Attachments in the data directory: killed, backed up, restored, moved.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
};

use testkit::{Backend, ObjectStore, Server, Setup, cards};

use super::{PDF, PDF_TYPE};

fn embedded() -> Setup {
    Setup::new().on(Backend::Embedded)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{} {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Every file below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn verify(server: &Server, backup: &Path) -> Output {
    let keys = server.data_dir().join("vault.keys");
    let arguments = ["backup", "verify", text(backup), "--key-file", text(&keys)];
    let mut command = embedded().command(&server.root(), &arguments);
    command.output().unwrap()
}

#[test]
fn a_file_lies_in_the_data_directory_and_survives_a_kill() {
    let mut server = embedded().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    shop.attach(&payment, PDF);
    server.kill();
    let there = files(&server.data_dir().join("attachments"));
    assert_eq!(there.len(), 1, "{there:?}");
    assert_eq!(fs::read(&there[0]).unwrap(), PDF);
    server.restart();
    let shop = server.shop();
    let listed = shop.attachments(&payment);
    let found = shop.download(listed[0]["accessUrl"].as_str().unwrap());
    assert_eq!(found.body, PDF);
}

#[test]
fn a_backup_has_the_files_and_verify_notices_one_that_is_gone_or_damaged() {
    let server = embedded().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    shop.attach(&payment, PDF);
    let url = shop.upload_url(&payment, "b.pdf", PDF_TYPE);
    assert_eq!(shop.upload(&url, &[PDF, b"b"].concat()).status, 201);
    let backup = server.root().join("backup");
    server.run(&["backup", "--to", text(&backup)]);
    let looked = verify(&server, &backup);
    assert!(
        looked.status.success() && said(&looked).contains("attachments: 2"),
        "{}",
        said(&looked)
    );

    let dir = Arc::new(tempfile::tempdir().unwrap());
    let data = dir.path().join("data");
    let keys = server.data_dir().join("vault.keys");
    let arguments = [
        "restore",
        "--from",
        text(&backup),
        "--key-file",
        text(&keys),
        "--data-dir",
        text(&data),
    ];
    let restored = embedded().command(dir.path(), &arguments).output().unwrap();
    assert!(restored.status.success(), "{}", said(&restored));
    let restored = embedded().flag("--after-restore").start_in(dir);
    let shop = restored.shop();
    for one in shop.attachments(&payment) {
        let found = shop.download(one["accessUrl"].as_str().unwrap());
        assert_eq!(found.status, 200, "{}", found.text());
    }

    let copied = files(&backup.join("attachments"));
    fs::write(&copied[0], b"%PDF-1.7 another one").unwrap();
    let looked = verify(&server, &backup);
    assert!(
        !looked.status.success() && said(&looked).contains("is not what was uploaded"),
        "{}",
        said(&looked)
    );
    fs::remove_file(&copied[0]).unwrap();
    let looked = verify(&server, &backup);
    assert!(
        !looked.status.success() && said(&looked).contains("there is nothing at"),
        "{}",
        said(&looked)
    );
}

#[test]
fn a_move_to_a_server_needs_an_object_store_and_brings_the_files_there() {
    let mut server = embedded().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA).id();
    shop.attach(&payment, PDF);
    server.stop();
    let store = ObjectStore::start();
    let target = Setup::new().on(Backend::Postgres);
    let from = format!("sqlite:{}", server.data_dir().display());
    let arguments = ["migrate", "--from", &from];
    let migrate = |setup: &Setup| {
        let mut command = setup.command(&server.root(), &arguments);
        command.output().unwrap()
    };
    let refused = migrate(&target);
    assert!(
        !refused.status.success() && said(&refused).contains("attachments.bucket"),
        "{}",
        said(&refused)
    );
    let target = target.with_bucket(&store);
    let moved = migrate(&target);
    assert!(moved.status.success(), "{}", said(&moved));
    assert_eq!(store.keys().len(), 1);
    let moved = target.start_in(server.dir());
    let shop = moved.shop();
    let listed = shop.attachments(&payment);
    let found = shop.download(listed[0]["accessUrl"].as_str().unwrap());
    assert_eq!((found.status, found.body.as_slice()), (200, PDF));
}
