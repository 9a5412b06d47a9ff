//! `pointsman migrate`: an installation moves to PostgreSQL, and back.

mod interrupted;
mod refused;
mod whole;

use std::path::Path;
use std::process::{Command, Output};

use testkit::{Backend, Postgres, Server, Setup};

/// A sandbox on the embedded databases, whatever the suite runs on.
fn embedded() -> Setup {
    Setup::new().on(Backend::Embedded)
}

/// The same installation on PostgreSQL, in schemas of its own.
fn on_postgres() -> Setup {
    Setup::new().on(Backend::Postgres)
}

fn place(server: &Server) -> String {
    format!("sqlite:{}", server.data_dir().display())
}

/// The command that moves the server's data to PostgreSQL.
fn migrate(server: &Server) -> Command {
    on_postgres().command(
        &server.root(),
        &[
            "migrate",
            "--from",
            &place(server),
            "--to",
            &Postgres::shared().url(),
        ],
    )
}

/// Gives a move up.
fn give_up(root: &Path, place: &str, more: &[&str]) -> Output {
    let arguments = [&["migrate", "--give-up", "--from", place], more].concat();
    on_postgres().command(root, &arguments).output().unwrap()
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn failed(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}
