//! The audit trail: who did what, as commands show it.

mod acts;
mod commands;
mod connected;
mod counted;
mod files;

use serde_json::Value;
use testkit::Server;

/// The entries of the trail that a command lists.
fn list(server: &Server, arguments: &[&str]) -> Vec<Value> {
    let arguments = ["audit", "list", "--json"]
        .iter()
        .chain(arguments)
        .copied()
        .collect::<Vec<_>>();
    server
        .run(&arguments)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The entries of one act.
fn of_act(server: &Server, act: &str) -> Vec<Value> {
    list(server, &["--act", act])
}

fn details(entry: &Value) -> Value {
    serde_json::from_str(entry["what"]["details"].as_str().unwrap()).unwrap()
}
