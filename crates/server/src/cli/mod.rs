//! The command line.

mod api;
mod arguments;
mod audit;
mod backup;
mod check;
mod connection;
mod credentials;
mod demo;
mod events;
mod flow;
mod link;
mod listen;
mod migrate;
mod operate;
mod page;
mod serve;
mod upgrade;
mod webhook;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    admin::{KeyWanted, Request},
    log,
};
use arguments::{Cli, Command, Explain, Keys, Teams, Vaults};

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    // Before any command reads keys.
    if let Err(error) = crate::hardening::forbid_dumps() {
        output::error(&format!(
            "pointsman: core dumps can't be forbidden: {error}"
        ));
        return ExitCode::FAILURE;
    }
    crate::open_files::raise();
    let result = match Cli::parse().command {
        Command::Serve(serve) => Ok(serve::serve(&serve)),
        Command::Demo(demo) => demo::demo(&demo),
        Command::Schema => {
            output::text(graphql::SDL);
            Ok(ExitCode::SUCCESS)
        }
        Command::Check(flags) => check::check(&flags),
        Command::Team(Teams::Create { name, place }) => {
            operate::operate(&place, &Request::TeamCreate { name })
        }
        Command::Team(Teams::Set { changes, place }) => {
            operate::operate(&place, &Request::TeamSet(changes.into()))
        }
        Command::Team(Teams::Close { team, place }) => {
            operate::operate(&place, &Request::TeamClose { team })
        }
        Command::Team(Teams::Reopen { team, place }) => {
            operate::operate(&place, &Request::TeamReopen { team })
        }
        Command::Team(Teams::List { place }) => operate::operate(&place, &Request::TeamList),
        Command::Key(command) => key(command),
        Command::Flow(command) => flow::run(command),
        Command::Connection(command) => connection::run(command),
        Command::Link(command) => link::run(command),
        Command::Webhook(command) => webhook::run(command),
        Command::Page(command) => page::run(command),
        Command::Audit(command) => audit::run(command),
        Command::Listen(flags) => listen::run(&flags),
        Command::Events(command) => events::run(&command),
        Command::Explain(Explain {
            payment,
            team,
            place,
        }) => operate::operate(&place, &Request::Explain { payment, team }),
        Command::Backup(flags) => backup::backup(flags),
        Command::Restore(flags) => backup::restore(&flags),
        Command::Upgrade(flags) => upgrade::upgrade(&flags),
        Command::Migrate(flags) => migrate::migrate(&flags),
        Command::Vault(Vaults::Rotate { place }) => operate::operate(&place, &Request::VaultRotate),
    };
    log::finish();
    result.unwrap_or_else(|error| {
        output::error(&format!("pointsman: {error:#}"));
        ExitCode::FAILURE
    })
}

fn key(command: Keys) -> anyhow::Result<ExitCode> {
    let (place, request) = match command {
        Keys::Create {
            team,
            kind,
            name,
            expires,
            scope,
            place,
        } => (
            place,
            Request::KeyCreate(KeyWanted {
                team,
                kind,
                name,
                expires,
                scopes: scope,
            }),
        ),
        Keys::Rotate {
            id,
            old_ends,
            expires,
            place,
        } => (
            place,
            Request::KeyRotate {
                id,
                old_ends,
                expires,
            },
        ),
        Keys::List { team, place } => (place, Request::KeyList { team }),
        Keys::Revoke { id, place } => (place, Request::KeyRevoke { id }),
    };
    operate::operate(&place, &request)
}

/// The runtime that a command runs in.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("pointsman")
        .build()
}
