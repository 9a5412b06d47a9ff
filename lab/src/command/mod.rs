//! Commands and flags.

mod planted;
mod simulate;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

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
    /// Only this crash or stop point of the stories, as a failure names it
    #[arg(long, value_name = "STORY/NUMBER", conflicts_with = "world")]
    crash_point: Option<String>,
    /// Only this world of the run, as a failure names it
    #[arg(long)]
    world: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Simulate(flags) => simulate::simulate(&flags),
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
