//! Backups of the embedded databases, and what becomes of a copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Answer, Backend, Order, Server, Setup, cards};

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

fn run(root: &Path, arguments: &[&str]) -> Output {
    embedded().command(root, arguments).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn back_up(server: &Server) -> PathBuf {
    let to = server.root().join("backup");
    let made = server.command(&["backup", "--to", text(&to)]);
    assert!(made.status.success(), "{}", said(&made));
    to
}

/// Restores into a directory of its own.
fn restore(from: &Path, keys: &Path) -> Arc<TempDir> {
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let data = dir.path().join("data");
    let arguments = [
        "restore",
        "--from",
        text(from),
        "--key-file",
        text(keys),
        "--data-dir",
        text(&data),
    ];
    let restored = run(dir.path(), &arguments);
    assert!(restored.status.success(), "{}", said(&restored));
    dir
}

#[test]
fn a_backup_of_a_running_server_is_whole_and_can_be_served() {
    let server = embedded().start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    for _ in 0..5 {
        shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    }
    let backup = back_up(&server);
    assert!(!backup.join("vault.keys").exists());
    let again = server.command(&["backup", "--to", text(&backup)]);
    assert!(said(&again).contains("is not empty"), "{}", said(&again));
    let keys = server.data_dir().join("vault.keys");
    let verify = |keys: &Path| {
        run(
            &server.root(),
            &["backup", "verify", text(&backup), "--key-file", text(keys)],
        )
    };
    let looked = verify(&keys);
    assert!(looked.status.success(), "{}", said(&looked));
    for part in [
        "payments: 5, of which 5 are in the simulator's books; stored methods: 1",
        "sealed records opened: 1",
    ] {
        assert!(said(&looked).contains(part), "{}", said(&looked));
    }

    let dir = restore(&backup, &keys);
    let refused = embedded().start_in_refused(Arc::clone(&dir));
    assert!(refused.contains("--after-restore"), "{refused}");
    let checked = run(
        dir.path(),
        &[
            "check",
            "--sandbox",
            "--data-dir",
            text(&dir.path().join("data")),
        ],
    );
    assert!(
        !checked.status.success() && said(&checked).contains("--after-restore"),
        "{}",
        said(&checked)
    );
    let mut restored = embedded().flag("--after-restore").start_in(dir);
    let shop = restored.shop();
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
    // The flag is for the first start.
    restored.stop();
    let plain = embedded().start_in(restored.dir());
    plain
        .shop()
        .order(&Order::token(&token))
        .assert_status("SUCCEEDED");

    // A byte that is another one.
    let store = backup.join("store.db");
    let mut bytes = fs::read(&store).unwrap();
    bytes[5000] ^= 1;
    fs::write(&store, bytes).unwrap();
    let looked = verify(&keys);
    assert!(
        !looked.status.success() && said(&looked).contains("SHA-256"),
        "{}",
        said(&looked)
    );
}

#[test]
fn a_copy_by_hand_is_recognised() {
    let mut server = embedded().start();
    server.shop().authorise(cards::VISA);
    server.stop();
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    for file in ["store.db", "vault.db", "simulator.db", "vault.keys", "mode"] {
        fs::copy(server.data_dir().join(file), data.join(file)).unwrap();
    }
    let refused = embedded().start_in_refused(dir);
    assert!(refused.contains("--after-restore"), "{refused}");
}

#[test]
fn a_store_that_was_brought_back_by_hand_is_recognised() {
    let mut server = embedded().start();
    server.shop().authorise(cards::VISA);
    server.stop();
    let (store, saved) = (
        server.data_dir().join("store.db"),
        server.root().join("saved"),
    );
    fs::copy(&store, &saved).unwrap();
    server.restart();
    server.shop().authorise(cards::VISA);
    server.stop();
    fs::copy(&saved, &store).unwrap();
    let refused = embedded().start_in_refused(server.dir());
    assert!(
        refused.contains("at an earlier time") && refused.contains("--after-restore"),
        "{refused}"
    );
}

#[test]
fn a_directory_that_has_lost_a_database_is_refused() {
    for file in ["store.db", "vault.db", "simulator.db"] {
        let mut server = embedded().start();
        server.shop().tokenise(cards::VISA);
        server.stop();
        fs::remove_file(server.data_dir().join(file)).unwrap();
        let refused = embedded().start_in_refused(server.dir());
        assert!(refused.contains(&format!("has lost {file}")), "{refused}");
        let checked = server.command(&["check", "--sandbox"]);
        assert!(
            !checked.status.success() && said(&checked).contains(file),
            "{}",
            said(&checked)
        );
        assert!(!server.data_dir().join(file).exists());
    }
}

#[test]
fn what_was_sent_after_the_backup_is_not_sent_again() {
    let mut server = embedded().start();
    let shop = server.shop();
    let order = Order::card(cards::VISA).flow("capture-by-api");
    let captured = shop.order(&order).id();
    let untouched = shop.order(&order).id();
    let refunded = shop.authorise(cards::VISA).id();
    let backup = back_up(&server);
    shop.capture(&captured).assert_status("SUCCEEDED");
    shop.refund(&refunded, 300);
    let restored = serve_restored(&mut server, &backup);
    let shop = restored.shop();
    shop.payment(&captured).assert_status("AUTHORISED");
    shop.capture(&captured).assert_status("SUCCEEDED");
    shop.capture(&untouched).assert_status("SUCCEEDED");
    // The same refund, asked for again by a client that did not find it.
    shop.refund(&refunded, 300);
    shop.assert_books_equal_payments();
}

/// The backup is served with a processor that has forgotten nothing.
fn serve_restored(server: &mut Server, backup: &Path) -> Server {
    server.stop();
    let dir = restore(backup, &server.data_dir().join("vault.keys"));
    let file = "simulator.db";
    let to = dir.path().join("data").join(file);
    fs::copy(server.data_dir().join(file), to).unwrap();
    embedded().flag("--after-restore").start_in(dir)
}

/// The request was not carried out, since the processor has something else under its reference.
#[track_caller]
fn found_another(answer: &Answer, code: &str, id: &str, found: &str) {
    answer.assert_error(code);
    assert_eq!(answer.extension("id"), id, "{}", answer.json());
    let message = answer.message();
    assert!(
        message.contains(found) && message.contains("was not made"),
        "{message}"
    );
}

#[test]
fn what_was_done_otherwise_after_the_backup_is_recorded_as_it_was_and_not_taken_for_the_new_request()
 {
    let mut server = embedded().start();
    let shop = server.shop();
    let order = Order::card(cards::VISA).amount(1000).flow("capture-by-api");
    let captured = shop.order(&order).id();
    let cancelled = shop.order(&order).id();
    let kept = shop.order(&order).id();
    let refunded = shop.order(&order).id();
    shop.capture(&refunded).assert_status("SUCCEEDED");
    let backup = back_up(&server);
    shop.try_capture(&captured, json!(300)).root();
    shop.cancel(&cancelled);
    shop.capture(&kept);
    shop.refund(&refunded, 300);
    shop.refund(&refunded, 200);
    let restored = serve_restored(&mut server, &backup);
    let shop = restored.shop();

    let answer = shop.try_capture(&captured, Value::Null);
    found_another(&answer, "error.capture.processor", &captured, "€3.00");
    let payment = shop.payment(&captured);
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.number("/capturedAmount"), 300);
    payment.assert_says("from the time that was lost");

    let answer = shop.try_capture(&cancelled, Value::Null);
    found_another(
        &answer,
        "error.capture.processor",
        &cancelled,
        "cancellation",
    );
    shop.payment(&cancelled).assert_status("CANCELLED");
    let answer = shop.try_cancel(&kept);
    found_another(
        &answer,
        "error.cancel.processor",
        &kept,
        "capture of €10.00",
    );
    shop.payment(&kept).assert_status("SUCCEEDED");

    // A refund of another amount is not made, no matter who repeats it under its key.
    for _ in 0..2 {
        let asked = shop.refund_request(&refunded, json!(250), Some("once"));
        let answer = Answer::of(asked.send(shop.address()));
        found_another(&answer, "error.refund.processor", &refunded, "€3.00");
    }
    assert_eq!(shop.payment(&refunded).number("/refundedAmount"), 300);
    // The second one of that time is the one that is asked for.
    let payment = shop.refund(&refunded, 200);
    assert_eq!(payment.number("/refundedAmount"), 500);
    // By now the processor knows nothing more: this one is new.
    let payment = shop.refund(&refunded, 250);
    assert_eq!(payment.number("/refundedAmount"), 750);
    shop.assert_books_equal_payments();
}

#[test]
fn on_postgresql_the_command_names_the_tools_and_looks_through_a_database() {
    let server = Setup::new().on(Backend::Postgres).start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
    let refused = server.command(&["backup", "--to", "elsewhere"]);
    assert!(
        !refused.status.success() && said(&refused).contains("pg_basebackup"),
        "{}",
        said(&refused)
    );
    let keys = server.data_dir().join("vault.keys");
    let looked = server.command(&["backup", "verify", "--sandbox", "--key-file", text(&keys)]);
    assert!(looked.status.success(), "{}", said(&looked));
    assert!(
        said(&looked).contains("sealed records opened: 1"),
        "{}",
        said(&looked)
    );
}
