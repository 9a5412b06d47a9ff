//! The load generator: measures a running server over HTTP and GraphQL. Not part of the tests.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(clippy::disallowed_methods, reason = "a load generator is outside the service and reads its own clock")]

mod client;
mod flow;
mod load;
mod server;

use clap::{Parser, Subcommand};

/// Measures Pointsman.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Authorises with a vault token against a running server, with 1, 16 and 64 connections in turn.
    Load(load::Options),
    /// Starts a server and tells what a flow of 200 steps with 50 conditions adds to an authorisation.
    Flow(flow::Options),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    match arguments.command {
        Command::Load(options) => runtime.block_on(load::run(&options)),
        Command::Flow(options) => runtime.block_on(flow::run(&options)),
    }
}
