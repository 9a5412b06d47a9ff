//! The load generator: measures a running server over HTTP and GraphQL. Not part of the tests.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]
#![expect(
    clippy::disallowed_methods,
    reason = "a load generator is outside the service and reads its own clock"
)]

mod client;
mod compare;
mod deliveries;
mod fill;
mod floor;
mod flow;
mod lists;
mod load;
mod postgres;
mod sample;
mod server;
mod soak;

use clap::{Parser, Subcommand};

/// The service's allocator: the floor has it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Pointsman.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the floor and the service in turn and tells what the service reaches of the floor.
    Compare(compare::Options),
    /// Starts a server and tells how many events a second reach an endpoint that takes them at once.
    Deliveries(deliveries::Options),
    /// Serves the floor: the least program that does an authorisation's durable work.
    Floor(floor::Options),
    /// Starts a server and tells what a flow of 200 steps with 50 conditions adds to an authorisation.
    Flow(flow::Options),
    /// Fills installations with 10,000 and with 1,000,000 payments, and tells how long pages of lists take on each, how long the
    /// start, and how much memory the service needs under load.
    Lists(lists::Options),
    /// Authorises with a vault token against a running server, with 1, 16 and 64 connections in turn.
    Load(load::Options),
    /// Keeps a server under load for a while and tells whether its memory grows.
    Soak(soak::Options),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if !matches!(arguments.command, Command::Floor(_)) {
        // What measures leaves the rest of the machine to what is measured.
        builder.worker_threads(1);
    }
    let runtime = builder.enable_all().build()?;
    match arguments.command {
        Command::Compare(options) => runtime.block_on(compare::run(&options)),
        Command::Deliveries(options) => runtime.block_on(deliveries::run(&options)),
        Command::Floor(options) => runtime.block_on(floor::run(&options)),
        Command::Flow(options) => runtime.block_on(flow::run(&options)),
        Command::Lists(options) => runtime.block_on(lists::run(&options)),
        Command::Load(options) => runtime.block_on(load::run(&options)),
        Command::Soak(options) => runtime.block_on(soak::run(&options)),
    }
}
