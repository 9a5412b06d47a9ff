//! Commands and flags.

mod planted;
mod processor;
mod simulate;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand, ValueEnum};
use processors::Armed;

/// What exercises Pointsman and is no part of it.
#[derive(Parser)]
#[command(name = "pointsman-lab", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play the whole service against faults on virtual time, and check that money is safe
    Simulate(Simulate),
    /// Answer as a processor answers, in its own wire format, so that its clients can be tried without it
    Processor(Processor),
}

/// A processor whose wire format is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    Adyen,
    Stripe,
}

/// Flags of `processor`.
#[derive(Args)]
struct Processor {
    /// Which one
    name: Name,
    /// Where to listen; port 0 takes a free one, which is printed
    #[arg(long, default_value = "127.0.0.1:12111")]
    listen: SocketAddr,
    /// Where shoppers' browsers reach the pages of the simulator [default: the address of --listen]
    #[arg(long, value_name = "URL")]
    public: Option<String>,
    /// What goes wrong, as `NAME`, `NAME=NUMBER` or `NAME@ONE_IN`; can be given several times (docs/simulators.md lists them)
    #[arg(long, value_name = "FAULT", value_parser = Armed::parse)]
    fault: Vec<Armed>,
    /// The seed of ids and chance; the same one and the same requests give the same ids
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Speak TLS with this certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
}

/// Flags of `simulate`.
#[derive(Args)]
struct Simulate {
    /// The seed; the same one plays the same story [default: a fresh one, which is printed]
    #[arg(long)]
    seed: Option<u64>,
    /// How many payments
    #[arg(long, default_value_t = 10_000)]
    payments: u64,
    /// On how many threads [default: one for each processor]
    #[arg(long)]
    threads: Option<usize>,
    /// With each of these planted bugs, separated by commas, or of `all`, until it is found (a build with the feature `planted`)
    #[arg(long, value_name = "BUGS")]
    planted: Option<String>,
    /// Leave out the stories that are played with a crash, or a stop, at each commit and call
    #[arg(long)]
    no_crash_points: bool,
    /// Of the crash and stop points only each of these many-th; which ones, the seed says
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Only this crash or stop point of the stories, as a failure names it
    #[arg(long, value_name = "STORY/NUMBER", conflicts_with = "world")]
    crash_point: Option<String>,
    /// Only this world of the run, as a failure names it
    #[arg(long)]
    world: Option<u64>,
    /// With Stripe and Adyen among the processors, played in their own wire formats, and stories of their own
    #[arg(long, conflicts_with = "crash_point")]
    wire: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Simulate(flags) => simulate::simulate(&flags),
        Command::Processor(flags) => processor::processor(flags),
    };
    result.unwrap_or_else(|error| {
        output::error(&format!("pointsman-lab: {error:#}"));
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn commands_and_flags_are_consistent() {
        Cli::command().debug_assert();
    }
}
